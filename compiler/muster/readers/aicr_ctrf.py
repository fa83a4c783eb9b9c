"""Read the CTRF report of ``aicr validate``.

Its report has no field for a number: a bandwidth exists only as text among the printed lines of a check. AICR
counts a skipped check as no failure and exits with 0; here it is skipped, which is not passed. Its bandwidth
check passes at 0.9 times the floor: the figure is taken, the habit is not.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from muster.diagnostics import words
from muster.readers.documents import DocumentError, from_json, scrub
from muster.readers.model import empty, problem, quoted, unreadable
from muster.readers.outcome import state_of
from muster.readers.registry import Reader
from muster.readers.views import View

if TYPE_CHECKING:
    from muster.readers.model import Problem, Reading, State
    from muster.readers.source import Source

STATUSES = {"passed": "pass", "failed": "fail", "skipped": "skip", "pending": "not-run", "other": "error"}
STATES: dict[str, State] = {"MU791": "incomplete"}
SHOWN_LINES = 20
_AICR = re.compile(r'"name"\s*:\s*"aicr"|"generatedBy"\s*:\s*"aicr')
_BANDWIDTH = re.compile(r"NCCL [A-Za-z ]{1,40} bandwidth: ([0-9]{1,9}(?:\.[0-9]{1,9})?) GB/s", re.ASCII)
_CONSTRAINT = re.compile(r"Constraint: (>=|<=|>|<) ([0-9]{1,9}(?:\.[0-9]{1,9})?)[^→]{0,40}→ (true|false)")
_HOLDS = {
    ">=": lambda a, b: a >= b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    "<": lambda a, b: a < b,
}


def _sniff(head: str, _name: str) -> int:
    document = head.lstrip()[:1] == "{" and '"reportFormat"' in head and '"CTRF"' in head
    return 90 if document and _AICR.search(head) else 0


def _read(source: Source) -> Reading:
    try:
        document = from_json(source.document())
    except DocumentError as error:
        found = problem("MU780", quoted(str(error), 300)[1:-1], error.line)
        return unreadable(source.name, "aicr-ctrf", found)
    reading = empty(source.name, "aicr-ctrf", "complete")
    view = View(document, "report", reading["problems"], "MU790")
    results = view.view("results")
    tests = results.views("tests")
    checks = [_check(test) for test in tests]
    merged: Any = {
        **reading,
        "toolVersion": results.view("tool").text("version"),
        "checks": checks,
        "rows": [row for test in tests if (row := _row(test))],
        "aicr": _about(view, results),
    }
    _count(results, checks, reading["problems"])
    merged["state"] = state_of(reading["problems"], STATES)
    clean: Reading = scrub(merged)
    return clean


def _about(view: View, results: View) -> dict[str, Any]:
    summary = results.view("summary")
    start, stop = summary.count("start"), summary.count("stop")
    if start is not None and stop is not None and stop < start:
        summary.doubt("is before start", "stop")
    return {
        "kind": "ctrf",
        "timestamp": view.text("timestamp"),
        "generatedBy": view.text("generatedBy"),
        "startMs": start,
        "stopMs": stop,
        "summary": {name: summary.count(name) for name in ("tests", *STATUSES)},
    }


def _check(view: View) -> dict[str, Any]:
    status = view.text("status")
    if status not in STATUSES:
        view.doubt(f"is {quoted(str(status), 40)}", "status", "MU794")
    name, suite = view.text("name"), view.raw("suite")
    if not name:
        view.doubt("is missing", "name")
    phase = suite if isinstance(suite, str) else next(iter(view.texts("suite")), None)
    lines = [view.text("message") or "", *view.texts("stdout")]
    return {
        "name": name or "",
        "entity": f"phase {phase}" if phase else None,
        "status": STATUSES.get(status or "", "error"),
        "messages": [line[:500] for line in lines if line.strip()][:SHOWN_LINES],
        "errors": [],
    }


def _row(view: View) -> dict[str, Any] | None:
    """Return the bandwidth that a check printed, with the floor that it was held against."""
    text = "\n".join(view.texts("stdout"))
    found = _BANDWIDTH.findall(text)
    if not found:
        return None
    if len(set(found)) > 1:
        view.doubt("names more than one bandwidth", "stdout")
        return None
    value, constraint = float(found[0]), _CONSTRAINT.search(text)
    row: dict[str, Any] = {
        "case": view.text("name") or "",
        "metric": "bandwidth",
        "value": value,
        "unit": "GB/s",
        "floor": None,
    }
    if constraint is not None:
        operator, floor, said = constraint.groups()
        row["floor"] = {"operator": operator, "value": float(floor), "theirs": said == "true"}
        if said == "true" and not _HOLDS[operator](value, float(floor)):
            text = f"{value} GB/s passes theirs against {operator} {floor} only by its tolerance"
            view.problems.append(problem("MU797", text))
    return row


def _count(results: View, checks: list[dict[str, Any]], problems: list[Problem]) -> None:
    """Compare the list of checks with the summary: a list that is shorter is not the whole."""
    if not checks:
        problems.append(problem("MU792", "the report lists no check"))
    summary = results.view("summary")
    counted = dict.fromkeys(STATUSES, 0)
    for test in results.views("tests"):
        status = test.raw("status")
        if isinstance(status, str) and status in counted:
            counted[status] += 1
    for name, found in (("tests", len(checks)), *counted.items()):
        said = summary.count(name)
        if said is None:
            summary.doubt("is missing", name)
        elif said != found:
            summary.doubt(f"is {said}, but {found} are listed", name, "MU791")
    if counted["skipped"]:
        problems.append(
            problem("MU793", f"skipped, which is not passed: {words.counted(counted['skipped'], 'check')}")
        )


READER = Reader("aicr-ctrf", _sniff, _read, "aicr-ctrf/1")
