"""Read ``dcgmi diag``: its JSON and its tables, alone or between the record lines of a pod log."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, cast

from muster.readers.dcgm_exit import explain_exit
from muster.readers.dcgm_findings import Findings, lacks_plugins
from muster.readers.dcgm_json import read_document
from muster.readers.dcgm_names import overall
from muster.readers.dcgm_text import TITLE, read_tables
from muster.readers.embedded import documents, trouble
from muster.readers.model import empty, quoted
from muster.readers.outcome import state_of
from muster.readers.registry import Reader
from muster.readers.rounds import programs, split

if TYPE_CHECKING:
    from muster.readers.model import Reading, State
    from muster.readers.rounds import Round
    from muster.readers.source import Source

STATES: dict[str, State] = {
    "MU740": "incomplete",
    "MU741": "errored",
    "MU744": "incomplete",
    "MU704": "incomplete",
}

_SURE = ('"DCGM Diagnostic"', '"DCGM GPU Diagnostic"')
_FAULT = re.compile(
    r"Err(?:or)?: \S"
    r"|(?:Unable|unable|Failed|failed) to (?:establish a )?connect(?:ion)?\b"
    r"|PARSE ERROR:|Invalid subsystem"
    r"|.{0,80}\bdcgmi: .{0,40}(?:not found|No such file|Permission denied|error while loading)",
)
_PIECE = re.compile(r'"(?:status|test_summary|test_categories|results|DCGM (?:GPU )?Diagnostic)"\s*:')
_STOPPED = ("killed", "timeout")


def sniff(head: str, _name: str) -> int:
    """Return how sure it is that a file is the output of ``dcgmi diag``."""
    if any(mark in head for mark in _SURE) or re.search(
        rf"^[^|\n]{{0,80}}{TITLE.pattern}", head, re.MULTILINE
    ):
        return 95
    if "Successfully ran diagnostic for group." in head:
        return 80
    if '"test_summary"' in head or ('"results"' in head and '"entity_group_id"' in head):
        return 70
    if "dcgmi" in programs(head):
        return 60
    if "dcgmi diag" in head or "nvidia-validation-suite" in head or "Unable to complete diagnostic" in head:
        return 30
    return 0


def read(source: Source) -> Reading:
    """Read a file with one or several runs of the diagnosis; each check carries its round."""
    log = split(source)
    reading = cast("dict[str, Any]", empty(source.name, "dcgm", "unreadable"))
    reading |= {"records": log.records, "problems": list(log.problems), "checks": []}
    for part in log.rounds:
        for findings in _round(part):
            reading["checks"] += findings.checks
            reading["problems"] += findings.problems
            for key, value in findings.environment.items():
                if reading["environment"].setdefault(key, value) != value:
                    whole = Findings(part.number, findings.line)
                    was = reading["environment"][key]
                    whole.report("MU742", f"{key} is {quoted(str(was))} and {quoted(str(value))}")
                    reading["problems"] += whole.problems
    reading["toolVersion"] = reading["environment"].get("dcgm")
    reading["state"] = state_of(reading["problems"], STATES)
    result = overall(reading["checks"])
    reading["overall"] = result if reading["state"] == "complete" or result != "pass" else None
    return cast("Reading", reading)


def _round(part: Round) -> list[Findings]:
    whole = Findings(part.number, part.line)
    found, broken = documents(part.first, part.lines)
    made = [findings for document in found for findings in read_document(document, part.number)]
    for item in broken:
        whole.problems.append(trouble(item, "MU740", "MU745"))
    spans = [(item.line, item.last + 1) for item in found] + [(item.line, item.last + 1) for item in broken]
    used = {line for start, end in spans for line in range(start, end)}
    tables, rows = read_tables(list(part.texts(frozenset(used))), part.number)
    made += tables
    for number, text in part.texts(frozenset(used | rows)):
        if _FAULT.match(text.strip()) or lacks_plugins(text):
            whole.report("MU741", f"the tool reports: {quoted(text.strip(), 200)}", number)
        if _PIECE.search(text) and not any(item["code"] == "MU745" for item in whole.problems):
            whole.report(
                "MU745", "a piece of a diagnosis document stands in no document that can be read", number
            )
    _conclude(part, whole, made, bool(broken))
    return [*made, whole]


def _conclude(part: Round, whole: Findings, made: list[Findings], broken: bool) -> None:
    """Weigh the exit code of a round against what the round printed; the worse of the two counts."""
    checks = [check for findings in made for check in findings.checks]
    severities = frozenset(entry["severity"] for check in checks for entry in check["errors"])
    code = part.exit_code
    kind, text = explain_exit(code, severities) if code is not None else (None, "")
    told = f"exit code {code}: {text}" if code is not None else "no exit code is recorded"
    faults = [item for findings in (*made, whole) for item in findings.problems if item["code"] == "MU741"]
    stopped = kind in _STOPPED or bool(part.end and part.end.get("timedOut") is True)
    if stopped:
        whole.report("MU740", f"{part.title} was stopped before its end ({told})")
    elif kind in ("device", "configuration", "isolate"):
        if not checks and not faults:
            whole.report("MU741", f"{part.title} printed no result ({told})")
        elif checks and not any(check["status"] in ("fail", "warn", "error") for check in checks):
            whole.report("MU742", f"no test of {part.title} failed, but {told}")
    elif kind not in (None, "ok") and not faults:
        whole.report("MU741", f"{part.title} ended with {told}")
    elif kind == "ok" and any(check["status"] in ("fail", "warn", "error") for check in checks):
        whole.report("MU747", f"a test of {part.title} did not pass, but the exit code is 0")
    if not made and not broken and not stopped and not faults and not whole.problems:
        whole.report("MU744", f"{part.title} holds no result of the diagnosis ({told})")


READER = Reader("dcgm", sniff, read, "dcgm/1")
