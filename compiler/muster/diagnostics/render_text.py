"""Findings as text for people: ``file:line:column: error MU101: message``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from muster.diagnostics.escape import for_terminal
from muster.diagnostics.order import ordered

if TYPE_CHECKING:
    from collections.abc import Iterable

    from muster.diagnostics.record import Diagnostic

_COLOURS = {"error": "\x1b[1;31m", "warning": "\x1b[1;33m", "info": "\x1b[1;36m"}
_DIM = "\x1b[2m"
_RESET = "\x1b[0m"


def render_text(diagnostics: Iterable[Diagnostic], *, color: bool = False) -> str:
    """Return one line for each finding, with indented lines for related places, source and hint.

    Args:
        diagnostics: findings in any order.
        color: whether to add ANSI colours.
    """
    return "".join(line + "\n" for item in ordered(diagnostics) for line in _lines(item, color=color))


def _lines(item: Diagnostic, *, color: bool) -> Iterable[str]:
    start, dim, end = (_COLOURS[item.severity], _DIM, _RESET) if color else ("", "", "")
    place = f"{for_terminal(str(item.position))}: " if item.position else ""
    where = f" [{for_terminal(item.path)}]" if item.path else ""
    yield (
        f"{place}{start}{item.severity}{end} {for_terminal(item.code)}: "
        f"{for_terminal(item.message)}{dim}{where}{end}"
    )
    for other in item.related:
        yield f"  {for_terminal(str(other.position))}: {for_terminal(other.note)}"
    if item.source:
        yield f"  source: {for_terminal(item.source)}"
    if item.hint:
        yield f"  hint: {for_terminal(item.hint)}"
