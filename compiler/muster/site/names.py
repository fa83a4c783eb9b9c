"""Names: what Kubernetes accepts, what a writer may have meant, how to quote a hostile one."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from muster.diagnostics.escape import clip, first_hidden, visible

if TYPE_CHECKING:
    from collections.abc import Iterable

SITE_NAME_LIMIT = 40
LABEL_LIMIT = 63
SUBDOMAIN_LIMIT = 253
_LABEL = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?")
_VALUE = re.compile(r"[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?")


def shown(text: str, limit: int = 60) -> str:
    """Quote any text for a message: one line, hidden characters spelled out, at most ``limit`` of its own."""
    return f'"{visible(clip(text, limit))}"'


def label_problem(name: str, limit: int = LABEL_LIMIT) -> str | None:
    """Say why a name is not an RFC 1123 label of at most ``limit`` characters; None when it is one."""
    if not name:
        return "it is empty"
    if len(name) > limit:
        return f"it has {len(name)} characters, {limit} are the most"
    if _LABEL.fullmatch(name):
        return None
    if name != name.lower():
        return "it has upper-case letters; only a-z, 0-9 and - are allowed"
    if name[0] == "-" or name[-1] == "-":
        return "it must start and end with a letter or a digit"
    return "only a-z, 0-9 and - are allowed"


def subdomain_problem(name: str) -> str | None:
    """Say why a name is not an RFC 1123 subdomain (labels of at most 63 joined by dots, 253 in all)."""
    if len(name) > SUBDOMAIN_LIMIT:
        return f"it has {len(name)} characters, {SUBDOMAIN_LIMIT} are the most"
    for part in name.split("."):
        if not part and name:
            return "nothing stands before, after or between its dots"
        problem = label_problem(part)
        if problem:
            return problem if part == name else f"in {shown(part)}: {problem}"
    return None


def label_value_problem(value: str) -> str | None:
    """Say why a text is not a Kubernetes label value (empty, or at most 63 of A-Z a-z 0-9 - _ .)."""
    if not value:
        return None
    if len(value) > LABEL_LIMIT:
        return f"it has {len(value)} characters, {LABEL_LIMIT} are the most"
    if _VALUE.fullmatch(value):
        return None
    if first_hidden(value) is None and not (value[0].isalnum() and value[-1].isalnum()):
        return "it must start and end with a letter or a digit"
    return "only letters A-Z and a-z, digits, - _ and . are allowed"


def label_key_problem(key: str) -> str | None:
    """Say why a text is not a Kubernetes label key: a name, or ``subdomain/name``."""
    prefix, slash, name = key.rpartition("/")
    if slash:
        if not prefix:
            return "nothing stands before the /"
        problem = subdomain_problem(prefix)
        if problem:
            return f"before the /: {problem}"
    return label_value_problem(name) if name else "it is empty"


def nearest(name: str, known: Iterable[str]) -> str | None:
    """Return the known name that the writer most likely meant, None when none is near.

    Case, blanks, ``-`` and ``_`` count little: ``per_node`` finds ``perNode``. Equal distances are decided
    by the order of the alphabet, so the answer does not depend on the order of ``known``.
    """
    if not name or len(name) > SUBDOMAIN_LIMIT:
        return None
    from difflib import SequenceMatcher

    wanted = _plain(name)
    best, best_ratio = None, 0.6
    for candidate in sorted(set(known) - {name}):
        other = _plain(candidate)
        if wanted == other:
            return candidate
        matcher = SequenceMatcher(None, wanted, other, autojunk=False)
        if matcher.real_quick_ratio() <= best_ratio or matcher.quick_ratio() <= best_ratio:
            continue
        ratio = matcher.ratio()
        if ratio > best_ratio:
            best, best_ratio = candidate, ratio
    return best


def _plain(name: str) -> str:
    return re.sub(r"[\s_-]", "", name).casefold()
