"""Names and label values of Kubernetes objects. Pure.

A name is a readable prefix, ``-m`` and the first ten hex digits of the measurement digest:
``pair-all-reduce-node-a-b-m0123456789``. The letter keeps every value from looking like a number to a
YAML reader. The same measurement of the same test always gives the same name, another one another name.
"""

from __future__ import annotations

import hashlib
import re
from typing import TYPE_CHECKING, NamedTuple

from muster.diagnostics import diagnostic
from muster.diagnostics.escape import clip, visible

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from muster.diagnostics import Diagnostic, Position

LABEL_LIMIT = 63
NAME_LIMIT = 48
"""Longest object name: ``-launcher`` and the six characters of its pod still fit into a label value."""

_DIGITS = 10
_TEST_LIMIT = 22
_DIGEST = re.compile(r"sha256:([0-9a-f]{64})")
_LABEL_VALUE = re.compile(r"[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?")
_DNS_LABEL = re.compile(r"[a-z]([-a-z0-9]*[a-z0-9])?")
# What some YAML reader takes for a boolean, a null or a number although it starts with a letter.
_WORDS = frozenset(["y", "n", "yes", "no", "on", "off", "true", "false", "null", "nan", "inf"])


class Claim(NamedTuple):
    """A name that one run asks for.

    Attributes:
        kind: ``Job`` or ``MPIJob``.
        name: the object's name.
        pods: how many pods with an index it makes; 1 for a Job without an index.
        owner: the run's id, for messages.
        position: where the test stands.
    """

    kind: str
    name: str
    pods: int
    owner: str
    position: Position | None


def short_digest(digest: str) -> str:
    """Return ``m`` and the first ten hex digits of a ``sha256:<64 hex>`` digest.

    Raises:
        ValueError: it is not such a digest.
    """
    found = _DIGEST.fullmatch(digest)
    if not found:
        raise ValueError(f"{clip(visible(digest), 80)} is not a sha256 digest")
    return "m" + found[1][:_DIGITS]


def object_name(test: str, unit: Sequence[str], digest: str) -> str:
    """Return the name of the object that runs one test on one unit.

    Args:
        test: the test's name in the site.
        unit: the sorted node names of the run.
        digest: the measurement digest, ``sha256:<64 hex>``.

    Raises:
        ValueError: the digest is none, or there is no node.
    """
    if not unit:
        raise ValueError("a run covers at least one node")
    suffix = "-" + short_digest(digest)
    # Names of Services and MPIJobs start with a letter.
    head = (
        _fitted(test, _TEST_LIMIT) if test[:1].isalpha() else _marked(test, f"t-{_slug(test)}", _TEST_LIMIT)
    )
    tail = _cut(_unit_slug(unit), NAME_LIMIT - len(suffix) - len(head) - 1)
    return f"{head}-{tail}{suffix}" if tail else head + suffix


def content_name(prefix: str, content: bytes) -> str:
    """Return ``<prefix>-s<10 hex digits>`` of the content's sha256: the name of an immutable ConfigMap."""
    return f"{prefix}-s{hashlib.sha256(content).hexdigest()[:_DIGITS]}"


def label_value(text: str) -> str:
    """Return a label value that is valid and that no YAML reader takes for anything but a string.

    A name that starts with a digit or is a word such as ``on`` gets ``x-`` before it; what is no label value
    at all, or too long, becomes a slug with a hash. The full text stands in annotations.
    """
    slug = text if _LABEL_VALUE.fullmatch(text) and len(text) <= LABEL_LIMIT - 2 else ""
    slug = slug or _fitted(text, LABEL_LIMIT - 2)
    return slug if slug[0].isalpha() and slug.lower() not in _WORDS else f"x-{slug}"


def derived_names(kind: str, name: str, pods: int) -> Iterator[tuple[str, str]]:
    """Yield what Kubernetes derives from an object's name, each with what it is; all fit into 63 characters."""
    last = pods - 1
    if kind == "MPIJob":
        yield "label job-name of the launcher", f"{name}-launcher"
        yield "launcher pod", f"{name}-launcher-xxxxx"
        yield "worker pod and host name", f"{name}-worker-{last}"
        yield "ConfigMap and Service of the operator", f"{name}-config"
        return
    yield "label job-name", name
    yield "pod", f"{name}-{last}-xxxxx" if pods > 1 else f"{name}-xxxxx"
    if pods > 1:
        yield "host name", f"{name}-{last}"
        yield "Service", name


def check_names(claims: Iterable[Claim]) -> list[Diagnostic]:
    """Return a finding for every name that two runs ask for and for every derived name that does not fit."""
    found: list[Diagnostic] = []
    taken: dict[tuple[str, str], Claim] = {}
    for claim in claims:
        first = taken.setdefault((claim.kind, claim.name), claim)
        if first is not claim:
            found.append(
                diagnostic(
                    "MU500",
                    f"{visible(claim.owner)} and {visible(first.owner)} both get the name {claim.name}",
                    claim.position,
                )
            )
        for what, text in derived_names(claim.kind, claim.name, claim.pods):
            if len(text) > LABEL_LIMIT or not _DNS_LABEL.fullmatch(text):
                found.append(
                    diagnostic(
                        "MU501",
                        f"{claim.kind} {visible(claim.name)}: {what} would be {visible(text)!r}, "
                        f"{len(text)} characters; {LABEL_LIMIT} lower-case letters, digits and dashes are allowed",
                        claim.position,
                    )
                )
                break
    return found


def _fitted(text: str, limit: int) -> str:
    """Return a slug of at most ``limit`` characters that differs for every text."""
    slug = _slug(text)
    return slug if slug == text and len(slug) <= limit else _marked(text, slug, limit)


def _marked(text: str, slug: str, limit: int) -> str:
    """Return the start of a slug and a hash of the whole text."""
    mark = "x" + hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:6]
    start = _cut(slug, limit - len(mark) - 1)
    return f"{start}-{mark}" if start else mark


def _slug(text: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")


def _cut(text: str, limit: int) -> str:
    return text[: max(limit, 0)].strip("-")


def _unit_slug(unit: Sequence[str]) -> str:
    """Return ``node-a``, ``node-a-b`` for two nodes that differ in the end, ``node-a-x18`` for many."""
    first = _slug(unit[0])
    if len(unit) == 1:
        return first
    if len(unit) > 2:
        return f"{first}-x{len(unit)}"
    second = _slug(unit[1])
    shared = first.rfind("-") + 1
    rest = second[shared:] if shared and second.startswith(first[:shared]) else second
    return f"{first}-{rest}" if rest else first
