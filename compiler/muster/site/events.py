"""The events of a YAML text, from libyaml or from a pure parser of YAML 1.2.

Both give objects with ``start_mark`` (line and column from 0), ``value``, ``style``, ``anchor``, ``tag``. For
every text that the loader accepts they are the same, which the tests prove; libyaml takes a seventeenth of
the time.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

    from muster.site.findings import Place

UNPLACED = "it cannot be read"
TOO_DEEP = "exceeded maximum nesting depth"  # as libyaml says it, from 1,000 levels on
_FLOW_DEPTH = 100
_BRACKET = re.compile(r"[\[\]{}]")
# What the pure parser raises, besides its own errors, on text that is no YAML (an escape beyond Unicode).
_SLIPS = (ValueError, OverflowError, AttributeError, AssertionError, IndexError, KeyError, TypeError)


class SyntaxFault(Exception):
    """A text is not YAML.

    Attributes:
        place: where the parser could not go on.
        problem: what it met there.
        context: what it was reading, empty when it did not say.
        start: where that began, None when it did not say.
    """

    def __init__(self, place: Place, problem: str, context: str, start: Place | None) -> None:
        super().__init__(problem)
        self.place = place
        self.problem = problem
        self.context = context
        self.start = start


def events(text: str) -> Iterator[Any]:
    """Return the events of a text from the fastest parser at hand.

    Raises:
        SyntaxFault: while iterating, where the text is not YAML.
    """
    import yaml

    return fast_events(text) if yaml.__with_libyaml__ else pure_events(text)


def fast_events(text: str) -> Iterator[Any]:
    """Yield the events of libyaml.

    Raises:
        SyntaxFault: the text is not YAML.
    """
    from yaml import YAMLError
    from yaml._yaml import CParser

    try:
        yield from iter(CParser(text).get_event, None)
    except YAMLError as fault:
        raise _translated(fault) from fault


def pure_events(text: str) -> Iterator[Any]:
    """Yield the events of ruamel.yaml's parser, YAML 1.2.

    Its time grows with the square of open brackets, so a text with a hundred of them is refused unread.

    Raises:
        SyntaxFault: the text is not YAML.
    """
    _check_brackets(text)
    from ruamel.yaml import YAML
    from ruamel.yaml.error import YAMLError

    try:
        yield from YAML(typ="safe", pure=True).parse(text)
    except YAMLError as fault:
        raise _translated(fault) from fault
    except _SLIPS as fault:
        raise SyntaxFault((1, 1), UNPLACED, _one_line(fault), None) from fault


def _check_brackets(text: str) -> None:
    depth = 0
    for found in _BRACKET.finditer(text):
        depth = depth + 1 if found[0] in "[{" else max(depth - 1, 0)
        if depth > _FLOW_DEPTH:
            start = found.start()
            place = text.count("\n", 0, start) + 1, start - text.rfind("\n", 0, start)
            raise SyntaxFault(place, TOO_DEEP, "", None)


def _translated(fault: Any) -> SyntaxFault:
    start = _place(getattr(fault, "context_mark", None))
    place = _place(getattr(fault, "problem_mark", None)) or start or (1, 1)
    problem = getattr(fault, "problem", None) or getattr(fault, "reason", None) or UNPLACED
    return SyntaxFault(place, _one_line(problem), _one_line(getattr(fault, "context", None) or ""), start)


def _place(mark: Any) -> Place | None:
    return None if mark is None else (mark.line + 1, mark.column + 1)


def _one_line(said: object) -> str:
    return " ".join(str(said).split())
