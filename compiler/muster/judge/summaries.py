"""Summaries that other programs wrote of the same run (NVCRE) beside its raw log.

Their thresholds are not ours, and what they call a pass proves nothing: the raw log is judged. But a summary that
says something else than the log is a doubt about both, and a device that it accuses by its hardware is accused.
"""

from __future__ import annotations

import re
from decimal import Decimal
from typing import TYPE_CHECKING, Final

from muster.judge.fields import mapping, maps, number, shown, text, whole
from muster.judge.model import Reason
from muster.judge.statistics import EXACT

if TYPE_CHECKING:
    from muster.judge.fields import JsonMap
    from muster.judge.runs import Rounds

_TOOLS: Final = ("nvcre",)
_BAD: Final = frozenset({"fail", "warn"})
_LETTERS: Final = re.compile(r"[^a-z]+")
# Half of the last of two digits that a table prints.
_ROUNDED: Final = Decimal("0.0051")


def is_theirs(check: JsonMap, record: JsonMap) -> bool:
    """Tell whether a check is a summary's own verdict, not a fault of hardware that it names."""
    if not _by_summary(check, record):
        return False
    return "hardware" not in {error.get("category") for error in maps(check.get("errors"))}


def contradictions(op: str, record: JsonMap, rounds: Rounds) -> list[Reason]:
    """Return where a summary tells something else than the runs of the raw log.

    Args:
        op: the collective that is judged.
        record: an evidence record; its rows and checks may be of a summary.
        rounds: the runs of the raw log by round.
    """
    return [*_figures(op, record, rounds), *_verdicts(record, rounds)]


def _by_summary(part: JsonMap, record: JsonMap) -> bool:
    sources, index = maps(record.get("sources")), whole(part.get("file"))
    if index is None or not 0 <= index < len(sources):
        return False
    return (text(sources[index].get("tool")) or "").startswith(_TOOLS)


def _figures(op: str, record: JsonMap, rounds: Rounds) -> list[Reason]:
    """Compare each figure of a summary with those of its size in all rounds: it lies among them."""
    found: list[Reason] = []
    for row in maps(record.get("rows")):
        size, value = whole(row.get("bytes")), number(row.get("busbw"))
        if size is None or value is None or not _by_summary(row, record) or not _is_of(op, row):
            continue
        own = _measured(rounds, size)
        low, high = min(own, default=value), max(own, default=value)
        if not EXACT.subtract(low, _ROUNDED) <= value <= EXACT.add(high, _ROUNDED):
            why = f"a summary gives busbw {value} GB/s at {size} bytes, the log {low} to {high}"
            found.append(Reason("MU926", why))
    return found


def _is_of(op: str, row: JsonMap) -> bool:
    return _LETTERS.sub("", op) in _LETTERS.sub("", (text(row.get("case")) or "").lower())


def _measured(rounds: Rounds, size: int) -> list[Decimal]:
    rows = [row for runs in rounds.values() for run in runs for row in maps(run.get("rows"))]
    values = [mapping(row.get("outOfPlace")).get("busbw") for row in rows if row.get("bytes") == size]
    return [value for raw in values if (value := number(raw)) is not None]


def _verdicts(record: JsonMap, rounds: Rounds) -> list[Reason]:
    """Return a reason where a summary fails for no reason that is only its own threshold."""
    bad = [
        check
        for check in maps(record.get("checks"))
        if check.get("status") in _BAD and _by_summary(check, record)
    ]
    kinds = {error.get("category") for check in bad for error in maps(check.get("errors"))}
    if not bad or not rounds or kinds & {"threshold", "hardware"}:
        return []
    names = sorted({shown(check.get("name")) for check in bad})
    return [Reason("MU926", f"a summary says that {', '.join(names[:3])} failed, the log does not say so")]
