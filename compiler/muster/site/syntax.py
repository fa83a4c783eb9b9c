"""Says what is wrong with text that is not YAML. Only runs after libyaml gave up, so it may be slow."""

from __future__ import annotations

from typing import TYPE_CHECKING

from muster.site.events import TOO_DEEP, UNPLACED, SyntaxFault, pure_events

if TYPE_CHECKING:
    from muster.site.findings import Findings, Place

_SLOW_LIMIT = 1 << 16
_HINTS = (
    ("mapping values are not allowed", 'check the indentation; quote a text that holds ": "'),
    ("unexpected end of stream", "close the quote"),
    ("document separator", "close the quote before the next document"),
    ("could not find expected ':'", "add a colon, and a blank after it"),
    ("expected <block end>", "align this line with the ones it belongs to"),
    ("did not find expected '-' indicator", "align this line with the ones it belongs to"),
    ("did not find expected key", "align this line with the ones it belongs to"),
    ("expected ',' or", "add a comma, or close the bracket"),
    ("did not find expected ',' or", "add a comma, or close the bracket"),
    ("cannot start any token", "quote the text"),
    ("escape", r"write \\ for a backslash, or use single quotes"),
    ("expected chomping", "write | or > alone, the text on the next lines"),
    ("more-indented", "indent the whole text alike"),
)


def explain(text: str, fault: SyntaxFault, found: Findings) -> None:
    """Report a syntax error; a parser of YAML 1.2 says it better where it agrees that there is one."""
    if TOO_DEEP in fault.problem:
        found.add("MU109", "the nesting is too deep for any reader", fault.place)
        return
    better = (_second_opinion(text) if len(text) <= _SLOW_LIMIT else None) or fault
    hint = next((hint for part, hint in _HINTS if part in better.problem), "")
    said = f"this is not YAML: {better.problem}" + (f" ({better.context})" if better.context else "")
    related: tuple[tuple[Place, str], ...] = ()
    if better.context and better.start and better.start != better.place:
        related = ((better.start, better.context),)
    found.add("MU107", said, better.place, hint=hint, related=related)


def _second_opinion(text: str) -> SyntaxFault | None:
    try:
        for _ in pure_events(text):
            pass
    except SyntaxFault as fault:
        return None if fault.problem in (UNPLACED, TOO_DEEP) else fault
    return None
