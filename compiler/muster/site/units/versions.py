"""Versions of components as their makers write them, in an order."""

from __future__ import annotations

import re
from typing import NamedTuple

from muster.site.names import shown
from muster.site.units.errors import UnitError

_VERSION = re.compile(
    r"[vV]?([0-9]{1,9}(?:\.[0-9]{1,9}){0,5})"
    r"(?:[-~]([A-Za-z0-9][A-Za-z0-9.~-]*)|\.?([A-Za-z][A-Za-z0-9.~-]*))?"
    r"(?:\+[A-Za-z0-9.+~-]+)?"
)
_EARLY = re.compile(r"(alpha|beta|dev|pre|preview|rc|snapshot|nightly|a|b|c)(?=[-.~0-9]|$)", re.IGNORECASE)
_RANKS = {"snapshot": 0, "nightly": 0, "dev": 0, "a": 1, "alpha": 1, "b": 2, "beta": 2}


class Version(NamedTuple):
    """A version; compares as a tuple.

    Attributes:
        release: the numbers, trailing zeros dropped: 1.34 equals 1.34.0.
        final: 1 for a release, 0 for what comes before it (rc, beta, alpha).
        early: rank and numbers of what comes before a release.
    """

    release: tuple[int, ...]
    final: int = 1
    early: tuple[int, ...] = ()


def parse_version(text: object) -> Version:
    """Return the order of a version: ``v1.34.1+rke2r1``, ``25.3.4``, ``1.30.5-gke.1014001``, ``2.0rc1``.

    Build metadata (after ``+``) and the suffix of a distributor (``-gke.1``, ``-eks-a737599``, ``-1``) do not
    count, unlike in Semantic Versioning: such a version is the release with patches on top. Suffixes that
    say alpha, beta, rc, dev, pre or nightly come before the release.

    Raises:
        UnitError: it does not start with a number, optionally after ``v``, or is not a text.
    """
    if not isinstance(text, str):
        raise UnitError(f"{text!r} is a number, not a version", f'write "{text}"')
    found = _VERSION.fullmatch(text) if len(text) <= 100 else None
    if not found:
        raise UnitError(f"{shown(text)} is not a version", "write a version such as 1.34.1 or v1.34.1+rke2r1")
    numbers = [int(part) for part in found[1].split(".")]
    while len(numbers) > 1 and numbers[-1] == 0:
        numbers.pop()
    suffix = found[2] or found[3] or ""
    early = _EARLY.match(suffix)
    if early is None:
        return Version(tuple(numbers))
    rank = _RANKS.get(early[1].lower(), 3)
    rest = re.findall(r"[0-9]{1,9}", suffix[early.end() :])
    return Version(tuple(numbers), 0, (rank, *map(int, rest)))
