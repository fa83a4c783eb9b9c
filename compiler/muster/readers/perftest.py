"""Read perftest (``ib_write_bw``, ``ib_write_lat`` and their like): text and ``--out_json``."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, cast

from muster.readers.embedded import documents, trouble
from muster.readers.model import empty, problem
from muster.readers.outcome import state_of
from muster.readers.perftest_json import is_report, loose_documents, read_document
from muster.readers.perftest_run import made_rows
from muster.readers.perftest_text import read_text
from muster.readers.registry import Reader
from muster.readers.rounds import programs, split

if TYPE_CHECKING:
    from muster.readers.model import Problem, Reading, State
    from muster.readers.perftest_run import Run
    from muster.readers.rounds import Round
    from muster.readers.source import Source

STATES: dict[str, State] = {"MU755": "incomplete", "MU758": "errored", "MU704": "incomplete"}
_PROGRAM = re.compile(r"(?:ib|raw_ethernet)_\w{1,30}_(?:bw|lat)")


def sniff(head: str, _name: str) -> int:
    """Return how sure it is that a file is the output of perftest."""
    if "#bytes" in head and "#iterations" in head:
        return 90
    if re.search(r"\btest_info\"?\s{0,4}: ?\{", head):
        return 90
    if re.search(
        r"\b(?:RDMA_(?:Write|Read)|Send|Atomic)\b[A-Za-z_ ]{0,60} (?:BW|Latency) Test$", head, re.MULTILINE
    ):
        return 80
    return 60 if any(_PROGRAM.fullmatch(name) for name in programs(head)) else 0


def read(source: Source) -> Reading:
    """Read a file with one or several tests; each row carries its round and its run."""
    log = split(source)
    reading = cast("dict[str, Any]", empty(source.name, "perftest", "unreadable"))
    reading |= {"records": log.records, "problems": list(log.problems), "rows": []}
    for part in log.rounds:
        runs = _runs(part, reading["problems"])
        reading["rows"] += _rows(part, runs)
        for run in runs:
            reading["problems"] += run.problems
            reading["environment"] = {**run.environment, **reading["environment"]}
    reading["state"] = state_of(reading["problems"], STATES)
    return cast("Reading", reading)


def _rows(part: Round, runs: list[Run]) -> list[dict[str, Any]]:
    """Return the rows of a round: what client and server print alike counts once.

    A round of a pod log is one command, so two different results for one size contradict each other there;
    in a log without records they are two tests.
    """
    kept: list[dict[str, Any]] = []
    known: dict[tuple[Any, ...], dict[str, Any]] = {}
    for run in runs:
        for row in made_rows(run):
            key = (
                row["case"],
                row["bytes"],
                row["value"],
                row.get("raw"),
                row.get("rawPeak"),
                row["iterations"],
            )
            if key in known:
                continue
            place = (row["case"], row["bytes"])
            if part.begin is not None and place in known:
                run.report("MU756", f"{row['bytes']} bytes have two results in {part.title}")
            known[key] = known[place] = row
            kept.append(row)
    return kept


def _runs(part: Round, problems: list[Problem]) -> list[Run]:
    found, broken = documents(part.first, part.lines)
    found = [document for document in found if is_report(document.value)]
    problems += [trouble(item, "MU755", "MU757") for item in broken]
    spans = [(item.line, item.last + 1) for item in found] + [(item.line, item.last + 1) for item in broken]
    used = {line for start, end in spans for line in range(start, end)}
    runs = [read_document(item.value, part, number, item.line) for number, item in enumerate(found, 1)]
    for loose in loose_documents(part.first, part.lines, used):
        used.update(range(loose.line, loose.last + 1))
        if loose.value is None:
            problems.append(problem("MU755", "a document with bare keys has no end", loose.line))
            continue
        runs.append(read_document(loose.value, part, len(runs) + 1, loose.line))
        runs[-1].report("MU759", "the document is not JSON: its keys are bare")
    texts = read_text(part.texts(frozenset(used)), part.number)
    for run in texts:
        run.number += len(runs)
    runs += texts
    if part.stopped:
        problems.append(problem("MU755", f"{part.title} was stopped before its end", part.line))
    elif part.exit_code not in (None, 0):
        problems.append(problem("MU758", f"{part.title} ended with exit code {part.exit_code}", part.line))
    if not runs and not broken and not part.stopped:
        problems.append(problem("MU755", f"{part.title} holds no output of perftest", part.line))
    return runs


READER = Reader("perftest", sniff, read, "perftest/1")
