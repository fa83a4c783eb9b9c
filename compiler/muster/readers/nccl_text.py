"""Read the text output of nccl-tests 2.0 to 2.19 and of rccl-tests, which prints the same table."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from muster.readers.model import empty, problem
from muster.readers.nccl_ops import names_program
from muster.readers.nccl_result import conclude, find_copies, worst
from muster.readers.nccl_scan import Scanner
from muster.readers.registry import Reader

if TYPE_CHECKING:
    from typing import Any

    from muster.readers.model import Reading, RunReading
    from muster.readers.source import Source

_CERTAIN = re.compile(
    r"nccl-tests version \d|Collective test starting: \S{1,200}_perf|\bnThread \d+ nGpus \d+ minBytes"
    r"|size +count +type +(?:redop +)?(?:root +)?(?:cpu)?time +algbw +busbw"
)
_LIKELY = re.compile(
    r"Out of bounds values +: \d|Test (?:NCCL|CUDA) failure |#\s{1,9}Rank +\d+ .{0,40}\bPid +\d+ on "
)


def _sniff(head: str, _name: str) -> int:
    if _CERTAIN.search(head):
        return 90
    if _LIKELY.search(head):
        return 60
    if names_program(head):
        return 50
    return 30 if " NCCL INFO " in head else 0


def read(source: Source) -> Reading:
    """Read a log with any number of runs."""
    scanner = Scanner()
    for block in source.blocks():
        scanner.block(block)
    scanner.finish()
    reading = empty(source.name, "nccl-tests", "incomplete")
    runs = [conclude(run) for run in scanner.runs]
    reading["runs"] = runs
    reading["records"] = scanner.records
    problems = reading["problems"] = [
        *scanner.problems,
        *find_copies(scanner.runs),
        *_begun_twice(scanner.records),
    ]
    if not runs:
        problems.append(problem("MU711", "the log holds no run of the test", None))
    tools = {run["tool"] for run in runs}
    reading["tool"] = "rccl-tests" if "rccl-tests" in tools else "nccl-tests"
    reading["toolVersion"] = _same([run["toolVersion"] for run in runs])
    reading["environment"] = _environment(runs)
    reading["state"] = worst([run["state"] for run in runs])
    errors = {item["code"] for item in problems if item["severity"] == "error"}
    if "MU713" in errors and reading["state"] != "unreadable":
        reading["state"] = "errored"
    elif errors and reading["state"] == "complete":
        reading["state"] = "unreadable"
    return reading


def _begun_twice(records: list[dict[str, Any]]) -> list[Any]:
    """Report rounds of one attempt that begin twice: a log that was pasted together."""
    seen: dict[tuple[Any, ...], int] = {}
    found = []
    for record in records:
        if record["event"] != "begin":
            continue
        key = tuple(str(record.get(name)) for name in ("digest", "test", "attempt", "node", "round"))
        if key in seen:
            text = f"this round began before, in line {seen[key]}"
            found.append(problem("MU726", text, record["line"]))
        seen.setdefault(key, record["line"])
    return found[:10]


def _environment(runs: list[RunReading]) -> dict[str, Any]:
    """Return what all runs agree on; None where they do not."""
    names = sorted({name for run in runs for name in run["environment"]})
    return {name: _same([run["environment"].get(name) for run in runs]) for name in names}


def _same(values: list[Any]) -> Any:
    return values[0] if values and all(value == values[0] for value in values) else None


READER = Reader("nccl-tests", _sniff, read, "nccl-tests/1", takes_records=True)
