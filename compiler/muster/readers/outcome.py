"""Gather the problems of a reading and conclude its state from them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from muster.readers.documents import tidy
from muster.readers.model import problem

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from muster.readers.model import Problem, Severity, State

WORST_LAST: tuple[State, ...] = ("complete", "incomplete", "unreadable", "errored")
KEPT = 50


@dataclass(slots=True, kw_only=True)
class Reporting:
    """Something that is read and gathers its problems; `KEPT` of each severity stay, so an error always does."""

    problems: list[Problem] = field(default_factory=list)
    _kept: dict[str, int] = field(default_factory=dict, repr=False)

    @property
    def place(self) -> int | None:
        """The line of a problem that is reported without one."""
        return None

    def report(
        self, code: str, message: str, line: int | None = None, *, severity: Severity | None = None
    ) -> None:
        """Add a problem of a registered code at a line, else at `place`."""
        made = problem(code, tidy(message), self.place if line is None else line, severity=severity)
        kept = self._kept[made["severity"]] = self._kept.get(made["severity"], 0) + 1
        if kept <= KEPT:
            self.problems.append(made)

    @property
    def failed(self) -> bool:
        """Whether one of the problems is an error."""
        return any(item["severity"] == "error" for item in self.problems)


def state_of(problems: Iterable[Problem], states: Mapping[str, State]) -> State:
    """Return the worst state that the ``error`` problems mean; ``complete`` when there is none.

    Args:
        problems: what was found; warnings and notes do not count.
        states: what each code means; a code that is not named means ``unreadable``.
    """
    found = [states.get(item["code"], "unreadable") for item in problems if item["severity"] == "error"]
    return max(found, key=WORST_LAST.index, default="complete")
