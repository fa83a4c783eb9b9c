"""Conclude the state of a reading from its problems."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from muster.readers.model import Problem, State

WORST_LAST: tuple[State, ...] = ("complete", "incomplete", "unreadable", "errored")


def state_of(problems: Iterable[Problem], states: Mapping[str, State]) -> State:
    """Return the worst state that the ``error`` problems mean; ``complete`` when there is none.

    Args:
        problems: what was found; warnings and notes do not count.
        states: what each code means; a code that is not named means ``unreadable``.
    """
    found = [states.get(item["code"], "unreadable") for item in problems if item["severity"] == "error"]
    return max(found, key=WORST_LAST.index, default="complete")
