"""Read nvbandwidth: its text and its JSON, alone or between the record lines of a pod log."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from muster.readers import nvbandwidth_json, nvbandwidth_text
from muster.readers.embedded import documents, trouble
from muster.readers.model import empty, problem
from muster.readers.nvbandwidth_case import Run, Slack, check, conclude, rows
from muster.readers.outcome import state_of
from muster.readers.registry import Reader
from muster.readers.rounds import programs, split

if TYPE_CHECKING:
    from muster.readers.model import Problem, Reading, State
    from muster.readers.rounds import Round
    from muster.readers.source import Source

STATES: dict[str, State] = {"MU750": "incomplete", "MU751": "errored", "MU704": "incomplete"}


def sniff(head: str, _name: str) -> int:
    """Return how sure it is that a file is the output of nvbandwidth."""
    if "nvbandwidth Version:" in head or (f'"{nvbandwidth_json.ROOT}"' in head and '"testcases"' in head):
        return 95
    if f'"{nvbandwidth_json.ROOT}" :' in head or f'{{"{nvbandwidth_json.ROOT}":' in head:
        return 85
    return 60 if "nvbandwidth" in programs(head) else 0


def read(source: Source) -> Reading:
    """Read a file with one or several runs; each check and row carries its round and its run."""
    log = split(source)
    reading = cast("dict[str, Any]", empty(source.name, "nvbandwidth", "unreadable"))
    reading |= {"records": log.records, "problems": list(log.problems), "checks": [], "rows": []}
    for part in log.rounds:
        for run, slack in _runs(part, reading["problems"]):
            conclude(run)
            reading["rows"] += [row for case in run.cases for row in rows(case, run, slack)]
            reading["checks"] += [check(case, run) for case in run.cases]
            reading["problems"] += run.problems
            reading["environment"] = {**run.environment, **reading["environment"]}
            reading["toolVersion"] = reading["toolVersion"] or run.version
    reading["state"] = state_of(reading["problems"], STATES)
    return cast("Reading", reading)


def _runs(part: Round, problems: list[Problem]) -> list[tuple[Run, Slack]]:
    found, broken = documents(part.first, part.lines)
    found = [document for document in found if nvbandwidth_json.ROOT in document.value]
    spans = [(item.line, item.last + 1) for item in found] + [(item.line, item.last + 1) for item in broken]
    used = frozenset(line for start, end in spans for line in range(start, end))
    problems += [trouble(item, "MU750", "MU753") for item in broken]
    made: list[tuple[Run, Slack]] = []
    for document in found:
        run = Run(part.number, len(made) + 1, document.line)
        nvbandwidth_json.read_document(document.value, run)
        made.append((run, nvbandwidth_json.SLACK))
    made += [
        (run, nvbandwidth_text.SLACK) for run in nvbandwidth_text.read_text(part.texts(used), part.number)
    ]
    if part.stopped:
        problems.append(problem("MU750", f"{part.title} was stopped before its end", part.line))
    elif part.exit_code not in (None, 0):
        problems.append(problem("MU751", f"{part.title} ended with exit code {part.exit_code}", part.line))
    if not made and not broken:
        problems.append(problem("MU750", f"{part.title} holds no output of nvbandwidth", part.line))
    return made


READER = Reader("nvbandwidth", sniff, read, "nvbandwidth/1")
