"""Take the rows of a run as they come, also those that another process's message broke in two."""

from __future__ import annotations

from typing import TYPE_CHECKING

from muster.readers.model import quoted
from muster.readers.nccl_rows import Fault, Row, parse_row
from muster.readers.nccl_run import KEPT_ROWS, Stage

if TYPE_CHECKING:
    from muster.readers.nccl_run import Run


class Table:
    """Reads rows into runs. The start of a broken row waits until its rest comes or anything else does."""

    def __init__(self) -> None:
        self._kept = 0
        self._waiting: tuple[Run, int, str] | None = None

    def row(self, run: Run, number: int, text: str) -> None:
        """Take a line inside a table that begins with a whole number."""
        self.drop()
        if run.layout is None:
            return
        row = parse_row(run.layout, text, number)
        if isinstance(row, Row):
            self._keep(run, row)
        elif row.row is not None:
            run.note("MU714", f"row cannot be read: {row.reason}", number)
            self._keep(run, row.row)
        else:
            run.note("MU714", f"row cannot be read: {row.reason}: {quoted(text.strip())}", number)

    def broken(self, run: Run | None, number: int, left: str) -> None:
        """Take what stands before a message inside a line: perhaps the start of a row, or a whole one."""
        if run is None or run.layout is None or run.finished or not left.strip():
            return
        if self._waiting is not None:
            self._waiting = (self._waiting[0], self._waiting[1], self._waiting[2] + left)
            return
        row = parse_row(run.layout, left, number)
        if isinstance(row, Row):
            self._keep(run, row)
        elif left.split()[0].isdecimal():
            self._waiting = (run, number, left)

    def rejoin(self, run: Run | None, text: str) -> bool:
        """Try to end a broken row with this line; it only counts when every column is there and fits."""
        if self._waiting is None or run is not self._waiting[0] or not text.strip()[:1].isdigit():
            return False
        run, number, start = self._waiting
        if run.layout is None or isinstance(parse_row(run.layout, text, number), Row):
            return False
        row = parse_row(run.layout, start + text, number)
        if isinstance(row, Fault):
            return False
        self._waiting = None
        run.note("MU738", "a message stood inside this row; its two parts were put together", number)
        self._keep(run, row)
        return True

    def drop(self) -> None:
        """Give up waiting: the row is broken off."""
        if self._waiting is not None:
            run, number, text = self._waiting
            run.note("MU714", f"row cannot be read: it is broken off: {quoted(text.strip())}", number)
        self._waiting = None

    def _keep(self, run: Run, row: Row) -> None:
        self._kept += 1
        run.stage = max(run.stage, Stage.ROWS)
        if self._kept <= KEPT_ROWS:
            run.rows.append(row)
        elif self._kept == KEPT_ROWS + 1:
            run.note("MU704", f"the file has more than {KEPT_ROWS} rows; the rest was not read", row.line)
