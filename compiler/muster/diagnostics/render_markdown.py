"""Findings as a Markdown table that fits into a comment, whole rows only."""

from __future__ import annotations

from typing import TYPE_CHECKING

from muster.diagnostics.escape import clip, for_markdown, for_markdown_code, visible
from muster.diagnostics.order import by_weight, counts, summary

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from muster.diagnostics.record import Diagnostic

BUDGET = 65_536
_HEAD = "| | code | where | what | what to do |\n|---|---|---|---|---|\n"
_SIGNS = {"error": "error", "warning": "warning", "info": "note"}
_CELL = 300
_RELATED = 3
_FOOT = 200  # room for the line that says what is missing


def render_markdown(diagnostics: Iterable[Diagnostic], *, budget: int = BUDGET) -> str:
    """Return a summary and a table, errors first, in at most ``budget`` bytes of UTF-8.

    The limit of GitHub is in characters; bytes are never fewer. What does not fit is counted below.

    Raises:
        ValueError: the budget does not hold the summary and the head of the table.
    """
    found = by_weight(diagnostics)
    if budget < _FOOT + 2 * len(_HEAD):
        raise ValueError(f"a budget of {budget} bytes does not hold a table")
    if not found:
        return "No findings.\n"
    text = f"**{summary(found)}**\n\n{_HEAD}"
    room = budget - len(text.encode()) - _FOOT
    rows: list[str] = []
    for item in found:
        row = _row(item)
        room -= len(row.encode())
        if room < 0:
            break
        rows.append(row)
    return text + "".join(rows) + _missing(found[len(rows) :])


def _row(item: Diagnostic) -> str:
    what = [_words(item.message)]
    if item.path:
        what.append(_code(item.path))
    what += [f"{_code(str(other.position))}: {_words(other.note)}" for other in item.related[:_RELATED]]
    if len(item.related) > _RELATED:
        what.append(f"and {len(item.related) - _RELATED} more places")
    todo = [_words(text) for text in (item.hint, item.source) if text]
    where = _code(str(item.position)) if item.position else ""
    cells = (_SIGNS[item.severity], _words(item.code), where, "<br>".join(what), "<br>".join(todo))
    return "| " + " | ".join(cells) + " |\n"


def _words(text: str) -> str:
    return for_markdown(clip(visible(text), _CELL))


def _code(text: str) -> str:
    return for_markdown_code(clip(visible(text), _CELL))


def _missing(rest: Sequence[Diagnostic]) -> str:
    if not rest:
        return ""
    several = ", ".join(f"{count} {severity}" for severity, count in counts(rest).items() if count)
    return f"\n{len(rest)} more findings do not fit here ({several}).\n"
