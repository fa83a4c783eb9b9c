"""Rows of the table of nccl-tests, read by tokens: column widths changed, and people edit them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from muster.readers.nccl_number import Figure, figure, integer, measured_bandwidth, measured_time

if TYPE_CHECKING:
    from collections.abc import Callable

    from muster.readers.nccl_header import Layout

_TYPE = re.compile(r"[a-z][a-z0-9_]{1,15}", re.ASCII)
_REDOP = re.compile(r"[a-z]{3,12}", re.ASCII)
_ROOT = re.compile(r"-1|\d{1,7}", re.ASCII)
_DATE = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)
_CLOCK = re.compile(r"\d\d:\d\d:\d\d", re.ASCII)


@dataclass(slots=True)
class Cell:
    """One placement of a row.

    Attributes:
        time: microseconds.
        algbw: GB/s.
        busbw: GB/s.
        wrong: number of wrong elements; None when not checked or not a count.
        deviation: largest deviation, where the version prints that instead of a count; None when not checked.
        checked: the result was compared with the expected one.
        per_iteration: min, max, p99 (microseconds) and cv (percent) over iterations; empty without them.
    """

    time: Figure
    algbw: Figure
    busbw: Figure
    wrong: float | None
    deviation: float | None
    checked: bool
    per_iteration: tuple[float, ...] = ()


@dataclass(slots=True)
class Row:
    """One row of a table; what the table has no column for is None."""

    line: int
    bytes: int
    count: int
    type: str
    redop: str | None
    root: int | None
    out_of_place: Cell | None
    in_place: Cell | None
    iterations: int | None = None
    stamp: str | None = None
    cycle: int = 0

    @property
    def cells(self) -> list[Cell]:
        """The placements that were read."""
        return [cell for cell in (self.out_of_place, self.in_place) if cell is not None]

    @property
    def combination(self) -> tuple[str, str | None, int | None]:
        """What all rows of one loop over the sizes share: type, redop, root."""
        return (self.type, self.redop, self.root)


@dataclass(frozen=True, slots=True)
class Fault:
    """Why a line is no row. ``cut``: what is there fits but more should follow; ``row``: what was read."""

    reason: str
    cut: bool = False
    row: Row | None = None


class _BadTokenError(Exception):
    """A token is not what its column needs."""


class _EndedError(Exception):
    """The line ends too early."""


class _Tokens:
    """The tokens of one line, taken from the left."""

    def __init__(self, text: str) -> None:
        self._tokens = text.split()
        self._next = 0

    @property
    def left(self) -> int:
        return len(self._tokens) - self._next

    def peek(self) -> str:
        if self.left == 0:
            raise _EndedError
        return self._tokens[self._next]

    def take(self) -> str:
        token = self.peek()
        self._next += 1
        return token

    def integer(self, what: str) -> int:
        token = self.take()
        value = integer(token)
        if value is None:
            raise _BadTokenError(f"{what} is {token[:24]!r}")
        return value

    def figure(self, what: str, read: Callable[[str], Figure | None] = figure) -> Figure:
        token = self.take()
        value = read(token)
        if value is None:
            raise _BadTokenError(f"{what} is {token[:24]!r}")
        return value

    def match(self, pattern: re.Pattern[str], what: str) -> str:
        token = self.take()
        if pattern.fullmatch(token) is None:
            raise _BadTokenError(f"{what} is {token[:24]!r}")
        return token


def parse_row(layout: Layout, text: str, line: int) -> Row | Fault:
    """Read one row.

    A row that ends right after its first placement comes back as the row of a cut `Fault`: that placement was
    measured. Text that stops elsewhere is a cut fault without a row.
    """
    tokens = _Tokens(text)
    row: Row | None = None
    try:
        row = _front(layout, tokens, line)
        for number, out_of_place in enumerate(layout.placements or (True, False)):
            if number == 1 and tokens.left == 0:
                if layout.placements:
                    return Fault("it ends after its first placement", cut=True, row=row)
                return Fault("the header does not say which placement it is")
            cell = _cell(layout, tokens)
            if out_of_place:
                row.out_of_place = cell
            else:
                row.in_place = cell
        _tail(layout, tokens, row)
    except _BadTokenError as error:
        return Fault(str(error))
    except _EndedError:
        return Fault("it is cut", cut=True)
    if tokens.left:
        return Fault(f"it has {tokens.left} more values than the header has columns")
    return row


def _front(layout: Layout, tokens: _Tokens, line: int) -> Row:
    size, count = tokens.integer("size"), tokens.integer("count")
    kind = tokens.match(_TYPE, "type")
    redop, root = None, None
    if layout.redop and _REDOP.fullmatch(tokens.peek()):
        redop = tokens.take()
    if layout.root:
        root = int(tokens.match(_ROOT, "root"))
    return Row(line, size, count, kind, redop, root, None, None)


def _cell(layout: Layout, tokens: _Tokens) -> Cell:
    time = tokens.figure("time", measured_time)
    algbw, busbw = (tokens.figure(name, measured_bandwidth) for name in ("algbw", "busbw"))
    checked = tokens.peek() != "N/A"
    wrong = tokens.figure("the error column").value if checked else None
    if not checked:
        tokens.take()
    extras = tuple(tokens.figure(name).value for name in layout.extras)
    if layout.deviation:
        return Cell(time, algbw, busbw, None, wrong, checked, extras)
    if wrong is not None and wrong != int(wrong):
        raise _BadTokenError("#wrong is not a whole number")
    return Cell(time, algbw, busbw, wrong, None, checked, extras)


def _tail(layout: Layout, tokens: _Tokens, row: Row) -> None:
    if layout.iterations:
        row.iterations = tokens.integer("#iters")
    if layout.stamped:
        row.stamp = f"{tokens.match(_DATE, 'date')} {tokens.match(_CLOCK, 'time of day')}"
