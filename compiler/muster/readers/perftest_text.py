"""Read the text of perftest. Source of the formats: ``perftest_parameters.h`` of linux-rdma/perftest."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from muster.readers.figures import decimal, whole
from muster.readers.model import quoted
from muster.readers.perftest_run import FACTORS, ROWS, Row, Run

if TYPE_CHECKING:
    from collections.abc import Iterable

    from muster.readers.rounds import Numbered

_RULE = re.compile(r"-{20,}")
_COLUMN = re.compile(
    r"#bytes|#iterations|#sl|BW peak\[([^\]\s]{1,12})\]|BW average\[([^\]\s]{1,12})\]|MsgRate\[Mpps\]"
    r"|BW Port[12]\[[^\]\s]{1,12}\]|MsgRate Port[12]\[Mpps\]|CPU_Util\[%{1,2}\]"
    r"|t_(?:min|max|typical|avg|stdev)\[usec\]|99(?:\.9)?% percentile\[usec\]|tps average",
)
_NAMES = {"MsgRate[Mpps]": "rate", "99% percentile[usec]": "p99", "99.9% percentile[usec]": "p999"}
_FIELDS = {
    "Device": "device",
    "Link type": "link",
    "Number of qps": "queuePairs",
    "Connection type": "connection",
}
_FIELD = re.compile(r"\b(Device|Link type|Number of qps|Connection type)\s{0,20}: (\S{1,60})")
FAULT = re.compile(
    r"Couldn't \S|Unable to (?!get BW)\S|Failed (?:to (?!disconnect)\S|status )|.{0,40}Completion with error"
    r"|IB device \S{1,60} not found|No IB devices|Did not detect |.{0,60}\bstate is Down|Problems with "
    r"|Segmentation fault|.{0,80}\bib_\w{1,30}: .{0,40}(?:not found|No such file|Permission denied)",
)


def read_text(lines: Iterable[Numbered], round_number: int | None) -> list[Run]:
    """Return the runs among some lines.

    A run starts with its title; titles before its first row belong to it too, since client and server may
    write into one log at the same time.
    """
    reader = _Reader(round_number)
    for number, text in lines:
        reader.take(number, text.strip())
    reader.close()
    return reader.runs


class _Reader:
    """Reads the lines of one round."""

    def __init__(self, round_number: int | None) -> None:
        self.runs: list[Run] = []
        self._round = round_number
        self._columns: list[str] | None = None
        self._unit: str | None = None
        self._closed = True
        self._line = 1

    def take(self, number: int, text: str) -> None:
        """Take the next line."""
        self._line = number
        if text.startswith("#bytes"):
            self._header(number, text)
        elif text.endswith(" Test") and Run(None, 0, 0).name(text):
            self._run(number, fresh=bool(self.runs and self.runs[-1].rows)).name(text)
        elif _RULE.fullmatch(text):
            self._closed = self._closed or bool(self.runs and self.runs[-1].rows)
        elif FAULT.match(text):
            self._run(number).report("MU758", f"the tool reports: {quoted(text, 200)}", number)
        elif self._columns is not None and text and (text[0].isdigit() or text[0] in "-+."):
            self._row(number, text)
        elif self.runs and not self.runs[-1].rows:
            for name, value in _FIELD.findall(text):
                self.runs[-1].environment[_FIELDS[name]] = value

    def close(self) -> None:
        """End the round: each run must have rows, and a line must close the last table."""
        if self.runs and not self._closed:
            self.runs[-1].report("MU755", "no line closes the table", self._line)
        for run in self.runs:
            if not run.rows and not run.failed:
                run.report("MU755", "there is no row")

    def _run(self, number: int, *, fresh: bool = False) -> Run:
        if fresh or not self.runs:
            if fresh and not self._closed:
                self.runs[-1].report("MU755", "no line closes the table", number)
            self.runs.append(Run(self._round, len(self.runs) + 1, number))
            self._columns, self._closed = None, True
        return self.runs[-1]

    def _header(self, number: int, text: str) -> None:
        run = self._run(number)
        found = list(_COLUMN.finditer(text))
        units = {unit for item in found for unit in (item[1], item[2]) if unit}
        columns = [_column(item[0]) for item in found]
        twice = len(set(columns)) < len(columns)
        if _COLUMN.sub("", text).strip() or len(units) > 1 or twice or not units <= FACTORS.keys():
            run.report("MU757", f"a header that is not understood: {quoted(text, 160)}", number)
            self._columns = None
            return
        unit = next(iter(units), None)
        if self._columns is not None and run.rows == [] and (columns, unit) != (self._columns, self._unit):
            run.report("MU757", "two headers with different columns", number)
        self._columns, self._unit, self._closed = columns, unit, False

    def _row(self, number: int, text: str) -> None:
        run, columns = self.runs[-1], self._columns or []
        parts = text.split()
        figures = dict(zip(columns, map(decimal, parts), strict=False))
        size = whole(parts[0])
        if len(parts) != len(columns) or None in figures.values() or size is None:
            run.report("MU757", f"not a row of the table: {quoted(text)}", number)
            return
        if len(run.rows) >= ROWS:
            run.report("MU704", f"more than {ROWS} rows", number)
            return
        kept = {
            key: value
            for key, value in figures.items()
            if value is not None and key not in ("bytes", "iterations")
        }
        iterations = whole(parts[columns.index("iterations")]) if "iterations" in columns else None
        run.rows.append(Row(number, size, iterations, self._unit, kept))


def _column(text: str) -> str:
    """Return the short name of a column."""
    if text in _NAMES:
        return _NAMES[text]
    if text.startswith("BW peak"):
        return "peak"
    if text.startswith("BW average"):
        return "average"
    return text.removeprefix("#").partition("[")[0]
