"""Read ``dcgmi health -c -j``: a report of watches, not a diagnosis.

The root holds ``header`` and ``body``; below ``body`` stand ``Overall Health`` and, by group and id, the
entities with incidents. Source: ``dcgmi/Health.cpp`` of NVIDIA/DCGM.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from muster.readers.dcgm_findings import Findings, Result, Warned
from muster.readers.dcgm_names import RANK, Status, overall
from muster.readers.documents import tidy
from muster.readers.embedded import documents, trouble
from muster.readers.model import empty, quoted
from muster.readers.outcome import state_of
from muster.readers.registry import Reader
from muster.readers.rounds import split

if TYPE_CHECKING:
    from collections.abc import Iterator

    from muster.readers.model import Reading, State
    from muster.readers.rounds import Round
    from muster.readers.source import Source

STATES: dict[str, State] = {
    "MU740": "incomplete",
    "MU741": "errored",
    "MU744": "incomplete",
    "MU704": "incomplete",
}
HEADER = "Health Monitor Report"
OVERALL = "Overall Health"
_WORDS: dict[str, Status] = {
    "Healthy": "pass",
    "Warning": "warn",
    "Failure": "fail",
    "Internal error": "error",
}
_TEST = "health"


def sniff(head: str, _name: str) -> int:
    """Return how sure it is that a file is the JSON of ``dcgmi health``."""
    return 95 if f'"{HEADER}"' in head or (f'"{OVERALL}"' in head and '"body"' in head) else 0


def read(source: Source) -> Reading:
    """Read a file with one or several health reports; each check carries its round."""
    log = split(source)
    reading = cast("dict[str, Any]", empty(source.name, "dcgm-health", "unreadable"))
    reading |= {"records": log.records, "problems": list(log.problems), "checks": []}
    for part in log.rounds:
        findings = _round(part)
        reading["checks"] += findings.checks
        reading["problems"] += findings.problems
    reading["state"] = state_of(reading["problems"], STATES)
    result = overall(reading["checks"])
    reading["overall"] = result if reading["state"] == "complete" or result != "pass" else None
    return cast("Reading", reading)


def _round(part: Round) -> Findings:
    findings = Findings(part.number, part.line)
    found, broken = documents(part.first, part.lines)
    reports = [item for item in found if isinstance(item.value.get("body"), dict)]
    for item in broken:
        findings.problems.append(trouble(item, "MU740", "MU745"))
    for document in reports:
        results = list(_report(document.value["body"], findings))
        findings.add(_TEST, None, results, document.line)
        if not results:
            findings.report("MU743", "the report holds no result", document.line)
    for number, text in part.texts():
        if text.startswith("Error: "):
            findings.report("MU741", f"the tool reports: {quoted(text, 200)}", number)
    if not reports and not findings.problems:
        findings.report("MU744", f"{part.title} holds no health report")
    return findings


def _report(body: dict[str, Any], findings: Findings) -> Iterator[Result]:
    said = _status(body.get(OVERALL), OVERALL, findings)
    incidents = list(_incidents(body, findings))
    worst = max((item.status for item in incidents), key=RANK.index, default="pass")
    if RANK.index(said) < RANK.index(worst) or (RANK.index(said) > RANK.index(worst) and incidents):
        findings.report("MU742", f"overall health is {said}, the worst incident {worst}")
    yield Result(None, said)
    yield from incidents


def _incidents(body: dict[str, Any], findings: Findings) -> Iterator[Result]:
    for group, boxes in body.items():
        if group == OVERALL:
            continue
        for number, box in _children(boxes).items():
            entity = f"{tidy(group)} {tidy(number)}"[:60]
            yield Result(entity, _status(box, entity, findings), [Warned(text) for text in _errors(box)])


def _errors(box: Any) -> Iterator[str]:
    for system, error in _children(_children(box).get("Errors")).items():
        value = error.get("value") if isinstance(error, dict) else None
        more = error.get("overflow") if isinstance(error, dict) else None
        texts = [item for item in more if isinstance(item, str)] if isinstance(more, list) else []
        yield f"{system}: {' '.join([str(value), *texts])}"


def _children(box: Any) -> dict[str, Any]:
    children = box.get("children") if isinstance(box, dict) else None
    return children if isinstance(children, dict) else {}


def _status(box: Any, what: str, findings: Findings) -> Status:
    word = box.get("value") if isinstance(box, dict) else None
    if isinstance(word, str) and word in _WORDS:
        return _WORDS[word]
    shown = quoted(word) if isinstance(word, str) else type(word).__name__
    findings.report("MU745", f"{quoted(what)} has the value {shown}")
    return "error"


READER = Reader("dcgm-health", sniff, read, "dcgm-health/1")
