"""One test case of nvbandwidth: make a check and rows of it, and see whether its figures agree."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from muster.diagnostics.words import counted
from muster.readers.documents import tidy
from muster.readers.model import quoted
from muster.readers.outcome import Reporting

if TYPE_CHECKING:
    from collections.abc import Sequence


STATUSES = {
    "passed": "pass",
    "waived": "waived",
    "error": "error",
    "not found": "error",
    "running": "not-run",
}
RANK = ("not-run", "pass", "waived", "error")
UNNAMED = "unnamed"
_UNITS = re.compile(r"\((GB/s|ns)\)\s*\Z")
_PAIRS = re.compile(r"GPU\(row\).{1,10}GPU\(column\)")
_NAME = re.compile(r"[A-Za-z0-9_.-]{1,100}", re.ASCII)
CELLS = 300_000


@dataclass(slots=True)
class Run(Reporting):
    """What one process of nvbandwidth printed: versions, test cases, problems."""

    round: int | None
    number: int
    line: int
    version: str | None = None
    environment: dict[str, Any] = field(default_factory=dict)
    cases: list[Case] = field(default_factory=list)
    cells: int = 0

    @property
    def place(self) -> int:
        """The first line of the run."""
        return self.line

    def room(self, cells: int, line: int) -> bool:
        """Count so many cells more; return whether they are still within `CELLS`, else report it."""
        self.cells += cells
        if self.cells > CELLS:
            self.report("MU704", f"more than {CELLS} cells", line)
        return self.cells <= CELLS

    def before(self, major: int, minor: int) -> bool:
        """Return whether the version is known and older than another."""
        parts = re.match(r"(\d{1,4})\.(\d{1,4})", self.version or "")
        return parts is not None and (int(parts[1]), int(parts[2])) < (major, minor)


@dataclass(slots=True)
class Case:
    """One test case as the tool printed it.

    Attributes:
        name: its name; `UNNAMED` where the text names none.
        line: where it starts.
        status: a value of `STATUSES`.
        description: the line with the unit.
        cells: the matrix, None for a cell without a figure; None when no matrix was read.
        total: the sum of all cells as the tool gives it.
        messages: what the tool says about it.
    """

    name: str
    line: int
    status: str
    description: str | None = None
    cells: list[list[float | None]] | None = None
    total: float | None = None
    messages: list[str] = field(default_factory=list)


def check(case: Case, run: Run) -> dict[str, Any]:
    """Return the check of a test case."""
    return {
        "name": tidy(case.name)[:100],
        "entity": None,
        "status": case.status,
        "messages": [tidy(text)[:500] for text in case.messages[:20]],
        "errors": [],
        "round": run.round,
        "run": run.number,
    }


def rows(case: Case, run: Run, slack: Slack) -> list[dict[str, Any]]:
    """Return the figures of a test case that passed: the sum first, then each cell that has a figure.

    The sum of a latency is a sum of nanoseconds; ``metric`` and ``unit`` say so. Minimum, maximum and average
    are those of the cells: the tool's own minimum is 0 as soon as one cell is N/A. A case that passed and
    has no figure that can be used gets the status ``error``.
    """
    if case.status != "pass":
        return []
    found = _figures(case, run, slack)
    if not found:
        case.status = "error"
    return found


def _figures(case: Case, run: Run, slack: Slack) -> list[dict[str, Any]]:
    unit = _UNITS.search(case.description or "")
    if unit is None or _NAME.fullmatch(case.name) is None:
        run.report(
            "MU753",
            f"{quoted(case.name)} has no unit that is known: {quoted(case.description or '')}",
            case.line,
        )
        return []
    if (unit[1] == "ns") != ("latency" in case.name):
        run.report("MU752", f"{quoted(case.name)} is given in {unit[1]}", case.line)
        return []
    matrix = _measured(case, run, unit[1])
    found = [value for line in matrix for value in line if value is not None]
    if case.total is None or not found:
        run.report("MU750", f"{quoted(case.name)} has no {'sum' if found else 'figure'}", case.line)
        return []
    if abs(sum(found) - case.total) > slack.of(found, case.total):
        what = f"the cells of {quoted(case.name)} sum up to {sum(found):.6g}, the tool says {case.total:.6g}"
        run.report("MU752", what, case.line)
        return []
    base = {
        "case": case.name,
        "metric": "latency" if unit[1] == "ns" else "bandwidth",
        "unit": unit[1],
        "round": run.round,
        "run": run.number,
    }
    spread = {"min": min(found), "max": max(found), "average": sum(found) / len(found), "cells": len(found)}
    whole = {**base, "value": case.total, "aggregate": "sum", **spread}
    cells = [
        {**base, "value": value, "cell": [row, column]}
        for row, line in enumerate(matrix)
        for column, value in enumerate(line)
        if value is not None
    ]
    return [whole, *cells]


@dataclass(frozen=True, slots=True)
class Slack:
    """What rounding may add up to: ``absolute`` for each figure printed, ``relative`` to each cell."""

    absolute: float
    relative: float

    def of(self, cells: Sequence[float], total: float) -> float:
        """Return how far the sum of the cells may lie from the total."""
        printed = (len(cells) + 1) * self.absolute
        return printed + self.relative * (sum(map(abs, cells)) + abs(total)) + 1e-9


def _measured(case: Case, run: Run, unit: str) -> list[list[float | None]]:
    """Return the matrix without the zeros that mean "not measured", and report what has no figure.

    Before v0.6 the diagonal of a matrix of GPU pairs is 0.00, later N/A. A copy of exactly 0 GB/s does not
    exist either.
    """
    matrix = case.cells or []
    pairs = _PAIRS.search(case.description or "") is not None
    if pairs and any(len(line) != len(matrix) for line in matrix):
        run.report(
            "MU752", f"the matrix of {quoted(case.name)} is one of GPU pairs and not square", case.line
        )
        return []
    result = [[None if value == 0 else value for value in line] for line in matrix]
    missing = [
        (row, column)
        for row, line in enumerate(result)
        for column, value in enumerate(line)
        if value is None and not (pairs and row == column)
    ]
    if any(value is not None and value < 0 for line in matrix for value in line):
        run.report("MU753", f"{quoted(case.name)} has a negative figure", case.line)
        return []
    if missing:
        what = (
            f"{len(missing)} cells of {quoted(case.name)} have no figure in {unit}, the first is {missing[0]}"
        )
        run.report("MU754", what, case.line)
    return result


def conclude(run: Run) -> None:
    """Report test cases that are there twice, have an error or were not finished, and a run without any."""
    seen: dict[str, Case] = {}
    unnamed = 0
    for case in run.cases:
        if case.name == UNNAMED and case.status == "waived":
            unnamed += 1
        elif case.name in seen:
            run.report("MU752", f"{quoted(case.name)} is there twice", case.line)
        seen[case.name] = case
        if case.status == "error":
            told = quoted(" ".join(case.messages), 200)
            run.report("MU751", f"{quoted(case.name)} has an error: {told}", case.line)
        elif case.status == "not-run":
            run.report("MU750", f"{quoted(case.name)} was started and not finished", case.line)
    if unnamed:
        run.report("MU754", f"{counted(unnamed, 'test case')} waived without a name")
    if not run.cases and not run.failed:
        run.report("MU750", "there is no test case")
