"""Read the table of ``dcgmi diag``: a box of two columns, 27 and 48 characters wide.

Up to DCGM 3.x a row holds a test and ``Pass - All``, or one row for each status with the GPUs that have it;
from 4.0 on it holds the summary, and rows without a name the entities (``GPU0: Pass``). A text is cut every
45 characters, inside words, and goes on in rows without a name. Source: ``dcgmi/Diag.cpp`` of NVIDIA/DCGM.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeVar

from muster.readers.dcgm_findings import Findings, Result, Warned, share
from muster.readers.dcgm_names import Status, snake, status_of, test_name
from muster.readers.model import quoted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from muster.readers.rounds import Numbered

TITLE = re.compile(r"\| *Diagnostic {2,}\| *Result {2,}\|")
_BORDER = re.compile(r"\+[-=]{5,}\+[-=]{5,}\+")
_SECTION = re.compile(r"[|+]-{3,} +([A-Za-z]{1,20}) +-{3,}\+-{5,}[|+]")
_ITERATION = re.compile(r"Running iteration (\d{1,6}) of (\d{1,6})\.\.\.")
_ENDED = re.compile(r"(?:Passed all \d{1,6} runs|Aborting the iterative runs) of the diagnostic\b")
_ENTITY = re.compile(r"([A-Za-z][A-Za-z_ ]{0,20}?) ?(\d{1,6}): ([A-Za-z][A-Za-z ]{0,10})")
_SHARED = re.compile(r"([A-Za-z]{1,10}) - (All|GPUs?: ([\d, ]{1,200}))")
_TEXT = re.compile(r"(Warning|Error|Info)(?:: ([A-Za-z_ ]{1,20}?) ?(\d{1,6}))?")
_DEVICES = re.compile(r"([A-Za-z_ ]{1,20}) Device IDs Detected")
_VERSIONS = {"DCGM Version": "dcgm", "Driver Version Detected": "driver", "EUD Test Version": "eud"}
_CHUNK = 45
_Item = TypeVar("_Item")


@dataclass(slots=True)
class _Message:
    kind: str
    entity: str | None
    chunks: list[str]

    @property
    def text(self) -> str:
        return ("".join(chunk[:_CHUNK].ljust(_CHUNK) for chunk in self.chunks[:-1]) + self.chunks[-1]).strip()


@dataclass(slots=True)
class _Test:
    raw: str
    line: int
    summary: Status | None
    entities: list[tuple[str, Status]] = field(default_factory=list)
    shared: list[tuple[Status, list[str] | None]] = field(default_factory=list)
    messages: list[_Message] = field(default_factory=list)

    def texts(self) -> tuple[dict[str | None, list[Warned]], dict[str | None, list[str]]]:
        """Return the warnings and the notes by the entity they name; None for those that name none."""
        warnings: dict[str | None, list[Warned]] = {}
        info: dict[str | None, list[str]] = {}
        for item in self.messages:
            if item.kind == "Info":
                info.setdefault(item.entity, []).append(item.text)
            else:
                warnings.setdefault(item.entity, []).append(Warned(item.text))
        return warnings, info


def read_tables(lines: Sequence[Numbered], round_number: int | None) -> tuple[list[Findings], frozenset[int]]:
    """Return what each table among some lines says, and the numbers of the lines that belong to tables."""
    made: list[Findings] = []
    used: set[int] = set()
    iteration: int | None = None
    wanted = 0
    table: _Table | None = None
    for number, text in lines:
        if table is not None and TITLE.match(text) and table.started:
            table.close(number, complete=False)
            table = None
        if table is None and (found := _ITERATION.match(text)):
            iteration, wanted = int(found[1]), int(found[2])
        if table is None and _ENDED.match(text):
            wanted = 0
        if table is None and TITLE.match(text):
            table = _Table(Findings(round_number, number, iteration=iteration))
            made.append(table.findings)
        if table is not None:
            used.add(number)
            if table.take(number, text.strip()):
                table = None
    if table is not None:
        table.close(lines[-1].number, complete=False)
    if made and len(made) < wanted:
        made[-1].report("MU744", f"{len(made)} of {wanted} iterations are there")
    return made, frozenset(used)


class _Table:
    """Reads one table, row by row."""

    def __init__(self, findings: Findings) -> None:
        self.findings = findings
        self.started = False
        self._section: str | None = None
        self._test: _Test | None = None
        self._message: _Message | None = None
        self._gpus: int | None = None

    def take(self, number: int, text: str) -> bool:
        """Take the next line; return whether the table ends with it."""
        if section := _SECTION.fullmatch(text):
            self._flush()
            self._section = snake(section[1])
            self.started = True
        elif _BORDER.fullmatch(text):
            if "=" in text:
                self.started = True
            elif self.started:
                self.close(number, complete=True)
                return True
        elif self.started and text.startswith("|") and text.endswith("|") and text.count("|") >= 3:
            name, _, cell = text[1:-1].partition("|")
            self._row(number, name.strip(), cell[1:])
        elif text and not TITLE.match(text):
            self.findings.report("MU745", f"not a row of the table: {quoted(text)}", number)
        return False

    def close(self, number: int, *, complete: bool) -> None:
        """End the table; ``complete`` says whether its last border was there."""
        self._flush()
        if not complete:
            self.findings.report("MU740", "the table has no end", number)
        self.findings.finish()

    def _row(self, number: int, name: str, cell: str) -> None:
        value = cell.rstrip()
        if not name:
            self._unnamed(number, cell)
        elif name in _VERSIONS:
            self.findings.settle(_VERSIONS[name], value, number)
        elif devices := _DEVICES.fullmatch(name):
            self._detected(devices[1], value)
        elif self._section == "metadata" and status_of(value) is None and _SHARED.fullmatch(value) is None:
            return
        elif text := _TEXT.fullmatch(name):
            entity = f"{text[2]} {int(text[3])}" if text[2] else None
            self._message = _Message(text[1], entity, [cell])
            if self._test is None:
                self.findings.report("MU745", f"{quoted(value)} belongs to no test", number)
            else:
                self._test.messages.append(self._message)
        else:
            self._flush()
            self._test = _Test(name, number, None)
            self._status(number, value, named=True)

    def _unnamed(self, number: int, cell: str) -> None:
        value = cell.strip()
        entity = _ENTITY.fullmatch(value)
        if self._test is not None and entity and (status := status_of(entity[3])):
            self._test.entities.append((f"{entity[1]} {int(entity[2])}", status))
            self._message = None
        elif self._test is not None and _SHARED.fullmatch(value):
            self._status(number, value, named=False)
        elif self._message is not None:
            self._message.chunks.append(cell)
        else:
            self.findings.report("MU745", f"a row without a name: {quoted(value)}", number)

    def _status(self, number: int, value: str, *, named: bool) -> None:
        assert self._test is not None
        self._message = None
        shared = _SHARED.fullmatch(value)
        status = status_of(shared[1] if shared else value)
        if status is None:
            self.findings.report("MU745", f"{quoted(self._test.raw)} has the status {quoted(value)}", number)
            status = "error"
        if shared is None and named:
            self._test.summary = status
            return
        gpus = [part.strip() for part in shared[3].split(",")] if shared and shared[3] else None
        if gpus is not None and not all(part.isdecimal() for part in gpus):
            self.findings.report("MU745", f"a list of GPUs that is not understood: {quoted(value)}", number)
            status, gpus = "error", None
        self._test.shared.append((status, [f"GPU {int(part)}" for part in gpus] if gpus else None))

    def _detected(self, group: str, value: str) -> None:
        if group == "GPU" and value and not value.endswith("..."):
            self._gpus = len(value.split(","))
            self.findings.environment["gpus"] = self._gpus

    def _flush(self) -> None:
        test, self._test, self._message = self._test, None, None
        if test is None:
            return
        category = None if self._section == "metadata" else self._section
        results = self._entity_results(test) if test.entities else self._shared_results(test)
        self.findings.add(test.raw, category, results, test.line)

    def _entity_results(self, test: _Test) -> list[Result]:
        warnings, info = test.texts()
        results = [
            Result(entity, status, warnings.pop(entity, ()), info.pop(entity, ()))
            for entity, status in test.entities
        ]
        summary = Result(None, test.summary or "error", _all(warnings), _all(info))
        if test.summary is None or test.shared:
            self.findings.report("MU745", f"{quoted(test.raw)} has no summary", test.line)
            return [*results, summary._replace(status="error")]
        return self.findings.summarise(test.raw, results, summary, test.line)

    def _shared_results(self, test: _Test) -> list[Result]:
        by_entity, info_by_entity = test.texts()
        warnings, info = _all(by_entity), _all(info_by_entity)
        if test.summary is not None:
            if test.summary == "pass" and test_name(test.raw)[1] is None:
                what = f"{quoted(test.raw)} is summarised as passed, but no entity has a result"
                self.findings.report("MU744", what, test.line)
                return [Result(None, "not-run", warnings, info)]
            return [Result(None, test.summary, warnings, info)]
        if len(test.shared) > 1 and any(gpus is None for _, gpus in test.shared):
            self.findings.report(
                "MU742", f"{quoted(test.raw)} has one status for all GPUs and another", test.line
            )
        results: list[Result] = []
        blamed = any(status != "pass" for status, _ in test.shared)
        for status, gpus in test.shared:
            own = warnings if status != "pass" or not blamed else []
            if gpus is None:
                results.append(Result(None, status, own, info, self._gpus))
            else:
                results.extend(share(gpus, status, own, info))
        return results


def _all(by_entity: dict[str | None, list[_Item]]) -> list[_Item]:
    return [item for items in by_entity.values() for item in items]
