"""Find the runs of nccl-tests in a log, whatever stands between, before and inside them.

The tool prints its lines in a fixed order. A line that comes too early for the run at hand begins the next
run, so a run that died keeps what it had and lends nothing to its neighbour.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from muster.readers import nccl_header as header
from muster.readers.model import problem, quoted
from muster.readers.nccl_command import find_command, of_argv
from muster.readers.nccl_failure import HINTS, find_failure
from muster.readers.nccl_number import figure
from muster.readers.nccl_run import KEPT_DEVICES, KEPT_RUNS, Footer, Run, Said, Stage
from muster.readers.nccl_table import Table
from muster.readers.nccl_transport import INFO, INFO_INSIDE
from muster.readers.prefixes import PREFIX, Joiner, holds_any
from muster.readers.records import KEPT, MARK, parse

if TYPE_CHECKING:
    from muster.readers.model import Problem, Severity
    from muster.readers.source import Block

_ONCE: Final = {Stage.VERSION, Stage.STARTING, Stage.CONFIG, Stage.DEVICES, Stage.COLUMNS}
_IN_TABLE: Final = (Stage.COLUMNS, Stage.ROWS)
_KEPT_PROBLEMS = 100

_PLAIN_PREFIX = re.sub(r"\(\?P<\w+>", "(?:", PREFIX.pattern)
_INFO_LINE = re.compile(f"(?:{_PLAIN_PREFIX}){{0,6}}{INFO.pattern}", re.ASCII)
_FAILURE_INSIDE = re.compile(r": Test (?:CUDA|NCCL|MPI) failure ")
_UCX_INSIDE = re.compile(r"\[\d{9,12}\.\d{1,9}\] {1,4}\[", re.ASCII)
_HOST = re.compile(r"(?:\[\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d+)?\] )?[A-Za-z][\w.-]*\Z")
_ROW_LIKE = re.compile(r"\s*\d+\s+\d+\s+[a-z]\w*(?:\s+[a-z]+)?(?:\s+-?\d+)?\s+\d\S*(?:\s+\S+){3}", re.ASCII)
_WORDS = (" via ", "nRanks", "NVLS", " nvls ", "NCCL version")
_MATTER = (MARK, "NCCL ", "_perf", ".sh", "UCX ", *header.MARKS, *HINTS)
_ENDS = frozenset("0123456789A.\u2026]> ")
_GAPS = ("...", "....", "[...]", "\u2026", "<snip>", "# ...")


class Scanner:
    """Takes the lines of one log and collects its runs, record lines and the problems of no run."""

    def __init__(self) -> None:
        self.runs: list[Run] = []
        self.records: list[dict[str, Any]] = []
        self.problems: list[Problem] = []
        self._run: Run | None = None
        self._next = Run(0)
        self._joiner = Joiner()
        self._begin: dict[str, Any] | None = None
        self._table = Table()
        self._words = ""
        self._devices = 0

    def block(self, block: Block) -> None:
        """Take a block of lines."""
        number = block.first - 1
        for text in block.lines:
            number += 1
            if "NCCL INFO" in text:
                start = _INFO_LINE.match(text)
                if start and not self._joiner.waiting and text.find("]<std", start.end()) < 0:
                    if holds_any(text, _WORDS):
                        self._info(number, text[start.end() :])
                    continue
            if self._may_matter(text):
                for first, origin, whole in self._joiner.feed(number, text):
                    self._line(first, origin, whole)
            if block.cut and number - block.first in block.cut and self._run and not self._run.finished:
                self._run.note("MU702", "a line of this run is too long and was cut", number, "error")

    def _may_matter(self, text: str) -> bool:
        """Whether a line can be anything but noise; outside a table only words or a number at its end tell."""
        if (
            text[-1:] in _ENDS
            or self._joiner.waiting
            or (self._run is not None and self._run.stage in _IN_TABLE)
        ):
            return True
        return bool(text) and holds_any(text, _MATTER)

    def finish(self) -> None:
        """Take what is still open at the end of the log."""
        for first, origin, whole in self._joiner.rest():
            self._line(first, origin, whole)
        self._table.drop()
        self._close()
        self._report_failures("error")

    # -- lines ---------------------------------------------------------------------------------------------

    def _line(self, number: int, origin: str, text: str) -> None:
        if not text or text.isspace():
            return
        if holds_any(text, _MATTER):
            self._marked(number, origin, text)
        elif not (self._table.rejoin(self._run, text) or self._row(number, origin, text)):
            self._unmarked(number, text)

    def _marked(self, number: int, origin: str, text: str) -> None:
        """Take a line with one of the words that any line of interest has, rows apart."""
        if (mark := text.find(f"{MARK} {{")) >= 0:
            self._line(number, origin, text[:mark])
            self._record(number, text[mark:])
            return
        inside = _foreign_text(text)
        if inside > 0:
            self._table.broken(self._run, number, text[:inside])
            text = text[inside:]
        elif inside < 0 and self._table.rejoin(self._run, text):
            return
        if found := INFO.match(text):
            self._info(number, text[found.end() :])
        elif holds_any(text, header.MARKS) and self._structure(number, origin, text):
            self._table.drop()
        elif not (self._row(number, origin, text) or self._told(number, text)):
            self._unmarked(number, text)

    def _row(self, number: int, origin: str, text: str) -> bool:
        """Take a line that begins with a whole number: inside a table it has to be a row."""
        run = self._run
        if not text.lstrip()[0].isdigit():
            return False
        if run is not None and run.stage in _IN_TABLE and text.split(None, 1)[0].isdecimal():
            self._same_origin(run, origin, number)
            run.stage = Stage.ROWS
            self._table.row(run, number, text)
            return True
        if _ROW_LIKE.match(text) is None:
            return False
        if run is None:
            self._say(problem("MU715", "a row of figures stands before any table", number))
        else:
            where = "after the footer of its table" if run.stage > Stage.ROWS else "before the column names"
            run.note("MU715", f"a row of figures stands {where}", number)
        return True

    def _told(self, number: int, text: str) -> bool:
        """Take a failure, a warning or a command line."""
        target = self._run or self._next
        if (failure := find_failure(text, number)) is not None:
            if len(target.failures) < _KEPT_PROBLEMS:
                target.failures.append(failure)
        elif "NCCL WARN" in text:
            if len(target.warnings) < 20:
                target.warnings.append(Said(text.strip(), number))
        elif (command := find_command(text, number)) is not None:
            self._next.commands = [*self._next.commands[-7:], command]
        else:
            return False
        return True

    def _unmarked(self, number: int, text: str) -> None:
        """Take any other line: three dots, or a row that lost its beginning."""
        run, stripped = self._run, text.strip()
        if run is None:
            return
        if stripped in _GAPS:
            self._gap(run, number)
        elif run.stage in _IN_TABLE and _mostly_numbers(stripped):
            reason = f"it does not begin with a size: {quoted(stripped)}"
            run.note("MU714", f"row cannot be read: {reason}", number)

    def _gap(self, run: Run, number: int) -> None:
        if run.stage in (Stage.DEVICES, Stage.DEVICE):
            run.devices_cut = True
        elif run.stage in _IN_TABLE and len(run.gaps) < _KEPT_PROBLEMS:
            run.gaps.append(number)

    # -- structure -----------------------------------------------------------------------------------------

    def _structure(self, number: int, origin: str, text: str) -> bool:
        """Take a line of the tool around its table; return False for a line that is none."""
        if self._head(number, origin, text) or self._around(number, origin, text):
            return True
        if found := header.NCCL_VERSION.search(text) or header.RCCL_LIBRARY.search(text):
            _library(self._run or self._next, found, number)
            return True
        if header.LOOKS.match(text):
            text = f"line cannot be read: {quoted(text.strip())}"
            (self._run or self._next).note("MU717", text, number)
            return True
        return False

    def _head(self, number: int, origin: str, text: str) -> bool:
        if found := header.DEVICE.fullmatch(text):
            run = self._at(number, origin, Stage.DEVICE)
            self._devices += 1
            run.devices_line = run.devices_line or number
            if self._devices <= KEPT_DEVICES:
                run.devices.append(header.device_of(found))
            elif not run.devices_cut:
                run.devices_cut = True
                run.note("MU704", f"the file has more than {KEPT_DEVICES} device lines", number)
        elif header.DEVICE_START.match(text) and text.rstrip().endswith("..."):
            self._at(number, origin, Stage.DEVICE).devices_cut = True
        elif header.DEVICES.fullmatch(text):
            self._at(number, origin, Stage.DEVICES)
        elif found := header.CONFIG.fullmatch(text):
            run = self._at(number, origin, Stage.CONFIG)
            run.config, run.config_line = header.config_of(found), number
        elif found := header.STARTING.fullmatch(text):
            self._at(number, origin, Stage.STARTING).program = Said(found[1], number)
        elif found := header.VERSION.fullmatch(text):
            run = self._at(number, origin, Stage.VERSION)
            run.version = Said(found[1], number)
            run.header_code, run.library_code = (int(code) if code else None for code in found.groups()[1:])
        elif found := header.RCCL.fullmatch(text):
            (self._run or self._next).tool = "rccl-tests"
        elif found := header.BLOCKING.fullmatch(text):
            (self._run or self._next).blocking = found[1].strip()
        else:
            return False
        return True

    def _around(self, number: int, origin: str, text: str) -> bool:
        if found := header.REDUCING.fullmatch(text):
            run = self._at(number, origin, Stage.REDUCING)
            run.reduced = int(found[1])
        elif header.PLACEMENTS.fullmatch(text):
            self._words = text
        elif found := header.COLUMNS.fullmatch(text):
            self._columns(number, origin, found[1])
        elif found := header.OUT_OF_BOUNDS.fullmatch(text):
            self._footer(number, origin, Stage.BOUNDS, found[1], found[2])
        elif found := header.AVERAGE.fullmatch(text):
            self._footer(number, origin, Stage.AVERAGE, found[1], found[2])
        elif found := header.CONCLUDED.fullmatch(text):
            self._concluded(number, found[1])
        elif found := header.LAST_ERROR.fullmatch(text):
            (self._run or self._next).warnings.append(Said(found[1].strip(), number))
        else:
            return header.UNITS.fullmatch(text) is not None
        return True

    def _columns(self, number: int, origin: str, names: str) -> None:
        run = self._at(number, origin, Stage.COLUMNS)
        layout = header.layout_of(names, self._words)
        self._words = ""
        run.layout_line = number
        if isinstance(layout, str):
            run.note("MU717", f"the column names cannot be understood: {layout}", number)
        else:
            run.layout = layout

    def _footer(self, number: int, origin: str, stage: Stage, value: str, word: str | None) -> None:
        run = self._run or self._open(number)
        self._same_origin(run, origin, number)
        if run.stage >= stage:
            run.note("MU715", "the table has a second footer", number)
            return
        run.stage = stage
        number_read = figure(value) if stage == Stage.BOUNDS else header.average_of(value)
        if number_read is None:
            run.note("MU731", f"the average is {quoted(value)}", number)
            return
        footer = Footer(number_read, None if word is None else word == "OK", number)
        if stage == Stage.BOUNDS:
            run.out_of_bounds = footer
        else:
            run.average = footer

    def _concluded(self, number: int, program: str) -> None:
        run = self._run
        if run is None:
            return
        if run.program is not None and run.program.text != program:
            run.note(
                "MU728", f"started as {quoted(run.program.text)}, concluded as {quoted(program)}", number
            )
        run.stage = max(run.stage, Stage.CONCLUDED)
        run.concluded = Said(program, number)

    def _info(self, number: int, text: str) -> None:
        run = self._run or self._next
        if "CCL version" not in text:
            run.transport.info(text)
        elif found := header.NCCL_VERSION.search(text) or header.RCCL_LIBRARY.search(text):
            _library(run, found, number)

    def _say(self, found: Problem) -> None:
        """Keep a problem of no run; beyond a number of them only the fact that there are more."""
        if len(self.problems) < _KEPT_PROBLEMS:
            self.problems.append(found)
        elif len(self.problems) == _KEPT_PROBLEMS:
            self.problems.append(problem("MU704", "more problems of the file are not listed", found["line"]))

    # -- runs ----------------------------------------------------------------------------------------------

    def _at(self, number: int, origin: str, stage: Stage) -> Run:
        """Return the run that a line of a stage belongs to: the one at hand, or a new one."""
        run = self._run
        if run is None or run.stage > stage or (run.stage == stage and stage in _ONCE):
            run = self._open(number)
        run.stage = stage
        self._same_origin(run, origin, number)
        return run

    def _open(self, number: int) -> Run:
        self._table.drop()
        self._close()
        self._report_failures("warning")
        run, self._next = self._next, Run(0)
        run.line = number
        if len(self.runs) == KEPT_RUNS:
            self.problems.append(problem("MU704", f"the file has more than {KEPT_RUNS} runs", number))
        if self._begin is not None:
            said = self._begin.get("round")
            run.round = said if type(said) is int else None
        self._run = run
        if len(self.runs) <= KEPT_RUNS:
            self.runs.append(run)
        return run

    def _close(self) -> None:
        self._run = None
        self._words = ""

    def _same_origin(self, run: Run, origin: str, number: int) -> None:
        if origin and not run.origin:
            run.origin = origin
        elif origin and origin != run.origin:
            run.note("MU715", f"lines of two processes make one table: {run.origin} and {origin}", number)

    def _report_failures(self, severity: Severity) -> None:
        """Report failures that belong to no run; an error when no run came after them."""
        for failure in self._next.failures[:5]:
            text = f"the launch failed: {quoted(failure.text, 160)}"
            self._say(problem("MU713", text, failure.line, severity=severity))
        self._next.failures = []

    def _record(self, number: int, text: str) -> None:
        record, trouble = parse(text, number)
        if trouble is not None:
            self._say(trouble)
        if record is None:
            return
        if len(self.records) < KEPT:
            self.records.append(record)
        if record["event"] not in ("begin", "end"):
            return
        self._table.drop()
        self._close()
        for item in self._next.problems:
            self._say(item)
        if record["event"] == "end":
            self._report_failures("error")
            self._begin, self._next = None, Run(0)
            return
        self._report_failures("warning")
        self._begin, self._next = record, Run(0)
        argv = record.get("command")
        if isinstance(argv, list) and all(isinstance(item, str) for item in argv):
            command = of_argv(argv, number)
            self._next.commands = [command] if command else []


def _library(run: Run, found: re.Match[str], number: int) -> None:
    if len(run.libraries) < 20:
        run.libraries.setdefault(found[1], number)
    if found.re is header.NCCL_VERSION and found[2] and len(run.cudas) < 20:
        run.cudas.setdefault(found[2], number)


def _foreign_text(text: str) -> int:
    """Return where a message begins inside a line; 0 when the line is one, -1 when there is none.

    A host name behind other text is taken to begin with a letter: it may be glued to the figures of a row.
    """
    found = None
    if "NCCL " in text:
        found = INFO_INSIDE.search(text)
    if found is None and "Test " in text:
        found = _FAILURE_INSIDE.search(text)
    if found is not None:
        before = text[: found.start()]
        if not any(map(str.isspace, before)):
            return 0
        host = _HOST.search(before, max(0, len(before) - 300))
        return host.start() if host else -1
    ucx = _UCX_INSIDE.search(text) if "UCX " in text else None
    return ucx.start() if ucx else -1


def _mostly_numbers(text: str) -> bool:
    """Whether a line ends as a row does: with six figures."""
    words = text.rsplit(None, 7)
    if len(words) < 7:
        return False
    for word in words[:-7:-1]:  # noqa: SIM110 (any() with a generator takes three times as long)
        if not (word[0].isdigit() or word == "N/A"):
            return False
    return True
