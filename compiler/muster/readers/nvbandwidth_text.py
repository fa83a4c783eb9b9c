"""Read the text of nvbandwidth, v0.1 to v0.10. Source: ``output.cpp`` and ``nvbandwidth.cpp`` of the tool."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from muster.readers.figures import decimal, whole
from muster.readers.model import quoted
from muster.readers.nvbandwidth_case import UNNAMED, Case, Run, Slack

if TYPE_CHECKING:
    from collections.abc import Iterable

    from muster.readers.rounds import Numbered

SLACK = Slack(0.00501, 1e-7)
CASES = 5_000
BANNER = re.compile(r"nvbandwidth Version: v?(\S{1,40})")
_NAME = r"([A-Za-z0-9_.-]{1,100}?)"
_RUNNING = re.compile(rf"Running (?:benchmark )?{_NAME}\.")
_WAIVING = re.compile(rf"Waiving {_NAME}\.?")
_WAIVED = re.compile(r"Waived:(?: (.*))?")
_ERROR = re.compile(
    r"(?:ERROR|Error|Not Found)\b:? ?(.*)|(Invalid value when checking .*|ASSERT in expression .*)"
)
_AGGREGATE = re.compile(rf"(SUM|MIN|MAX|AVG|COEFFICIENT_OF_VARIATION) {_NAME} (\S{{1,60}})")
_VALUE = re.compile(r"(CUDA Runtime Version|CUDA Driver Version|Driver Version): (\S.{0,60})")
_DEVICE = re.compile(r"(?:Process \d{1,6} \(([^)\s]{1,253})\): device|Device) (\d{1,4}): (\S.{0,200})")
_LAST_WORDS = "NOTE: The reported results may not reflect"
_UNIT = re.compile(r".{0,200}\((?:GB/s|ns|[^()]{1,20}/s|[mun]?s)\)")
_CUDA = re.compile(r"(\d{1,3}\.\d{1,3})(?: \(\d+\))?|(\d{4,6})")


def cuda_version(text: str) -> str | None:
    """Return a CUDA version as ``12.4``, from ``12040`` or ``13.2 (13020)``; None for anything else."""
    found = _CUDA.fullmatch(text.strip())
    if found is None:
        return None
    return found[1] or f"{int(found[2]) // 1000}.{int(found[2]) % 1000 // 10}"


def read_text(lines: Iterable[Numbered], round_number: int | None) -> list[Run]:
    """Return the runs among some lines: each starts with the banner of the tool."""
    runs: list[Run] = []
    reader: _Reader | None = None
    for number, text in lines:
        if banner := BANNER.match(text.strip()):
            if reader is not None:
                reader.close()
            runs.append(Run(round_number, len(runs) + 1, number, version=banner[1]))
            reader = _Reader(runs[-1])
        elif reader is None and _RUNNING.fullmatch(text.strip()):
            runs.append(Run(round_number, 1, number))
            reader = _Reader(runs[-1])
        if reader is not None:
            reader.take(number, text.strip())
            if len(reader.run.cases) > CASES:
                reader.run.report("MU704", f"more than {CASES} test cases", number)
                break
    if reader is not None:
        reader.close()
    return runs


class _Reader:
    """Reads the lines of one run."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self._case: Case | None = None
        self._columns: int | None = None
        self._ended = False

    def take(self, number: int, text: str) -> None:
        """Take the next line."""
        if running := _RUNNING.fullmatch(text):
            self._start(Case(running[1], number, "not-run"))
        elif waiving := _WAIVING.fullmatch(text):
            self.run.cases.append(Case(waiving[1], number, "waived"))
        elif waived := _WAIVED.fullmatch(text):
            self._waive(number, waived[1] or "")
        elif error := _ERROR.match(text):
            self._fail(number, error[1] if error[2] is None else error[2])
        elif aggregate := _AGGREGATE.fullmatch(text):
            self._aggregate(number, aggregate[1], aggregate[2], aggregate[3])
        elif text.startswith(_LAST_WORDS):
            self._ended = True
        elif self._columns is not None:
            self._row(number, text)
        elif self._case is not None and self._case.description is not None and self._case.cells is None:
            self._header(number, text)
        elif self._case is not None and self._case.cells is None and _UNIT.fullmatch(text):
            self._case.description = text
        else:
            self._environment(text)

    def close(self) -> None:
        """End the run; v0.6 and later have last words, and without them the text is cut off."""
        if not self._ended and self.run.version is not None and not self.run.before(0, 6):
            self.run.report("MU750", "the last words of the tool are missing")

    def _start(self, case: Case) -> None:
        self.run.cases.append(case)
        self._case, self._columns = case, None

    def _waive(self, number: int, message: str) -> None:
        case = self._case
        if case is None or case.status != "not-run" or case.cells is not None:
            case = Case(UNNAMED, number, "waived")
            self.run.cases.append(case)
        case.status = "waived"
        if message:
            case.messages.append(message)
        self._case, self._columns = None, None

    def _fail(self, number: int, message: str) -> None:
        if self._case is None or self._case.status == "pass":
            self._start(Case(UNNAMED, number, "error"))
        assert self._case is not None
        self._case.status = "error"
        self._case.messages.append(message)
        self._columns = None

    def _header(self, number: int, text: str) -> None:
        assert self._case is not None
        labels = [whole(part) for part in text.split()]
        if labels != list(range(len(labels))) or not labels:
            if text:
                self.run.report("MU753", f"not the numbers of the columns: {quoted(text)}", number)
            self._case.cells = []
            return
        self._case.cells, self._columns = [], len(labels)

    def _row(self, number: int, text: str) -> None:
        assert self._case is not None
        assert self._case.cells is not None
        if not text:
            self._columns = None
            return
        label, *cells = text.split()
        values = [None if cell == "N/A" else decimal(cell) for cell in cells]
        odd = any(value is None and cell != "N/A" for value, cell in zip(values, cells, strict=True))
        if odd or whole(label) != len(self._case.cells) or len(values) != self._columns:
            self.run.report("MU753", f"not a row of the matrix: {quoted(text)}", number)
            self._columns = None
            self._case.cells = []
            return
        if self.run.room(len(values), number):
            self._case.cells.append(values)

    def _aggregate(self, number: int, kind: str, name: str, figure: str) -> None:
        case = self._case
        if case is None or case.name != name or case.status == "waived":
            self.run.report("MU752", f"{kind} of {quoted(name)} does not follow its test case", number)
            return
        self._columns = None
        if kind != "SUM":
            return
        value = decimal(figure)
        if value is None:
            self.run.report("MU753", f"SUM of {quoted(name)} is {quoted(figure)}", number)
        elif case.total is not None:
            self.run.report("MU752", f"{quoted(name)} has two sums", number)
        elif case.status == "not-run":
            case.total, case.status = value, "pass"

    def _environment(self, text: str) -> None:
        if found := _VALUE.fullmatch(text):
            if found[1] == "Driver Version":
                self.run.environment["driver"] = found[2]
            elif version := cuda_version(found[2]):
                self.run.environment["cuda" if "Runtime" in found[1] else "cudaDriver"] = version
        elif _DEVICE.fullmatch(text):
            devices = self.run.environment.setdefault("devices", [])
            if len(devices) < 1024:
                devices.append(text)
