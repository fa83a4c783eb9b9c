"""Read ``--out_json`` of perftest: JSON since 2024, before that the same lines with bare keys.

The document does not say its unit. It follows from the message rate, else from the command of the record.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

from muster.readers.embedded import MOST_BROKEN, MOST_DOCUMENTS
from muster.readers.figures import count, decimal, finite
from muster.readers.perftest_run import Row, Run, unit_of

if TYPE_CHECKING:
    from muster.readers.rounds import Round

_OPEN = re.compile(r"\{?\s*\"?(\w{1,40})\"?\s*:\s*\{")
_PAIR = re.compile(r"\"?([A-Za-z_][\w .%-]{0,40}?)\"?\s{0,4}: ?\"?([^\",]{0,200})\"?,?")
_CLOSE = re.compile(r"\},?")
_INFO = {
    "Device": "device",
    "Link_type": "link",
    "Number_of_qps": "queuePairs",
    "Connection_type": "connection",
}
_FIGURES = {
    "BW_average": "average",
    "BW_peak": "peak",
    "MsgRate": "rate",
    "t_min": "t_min",
    "t_max": "t_max",
    "t_typical": "t_typical",
    "t_avg": "t_avg",
    "t_stdev": "t_stdev",
    "percentile_99": "p99",
    "percentile_99.9": "p999",
}
RESULTS = ("results", "results_local", "results_remote")
_MOST_LINES = 200


class Loose(NamedTuple):
    """A document with bare keys: its first and last line, and what it holds; None when it has no end."""

    line: int
    last: int
    value: dict[str, Any] | None


def is_report(value: dict[str, Any]) -> bool:
    """Return whether a document is one of perftest."""
    return isinstance(value.get("test_info"), dict) or any(
        isinstance(value.get(key), dict) and ("MsgSize" in value[key] or "n_iterations" in value[key])
        for key in RESULTS
    )


def read_document(value: dict[str, Any], part: Round, number: int, line: int) -> Run:
    """Return a document as a run with one row."""
    run = Run(part.number, number, line)
    info = value.get("test_info")
    for key, text in (info if isinstance(info, dict) else {}).items():
        if key == "test" and isinstance(text, str):
            run.name(text)
        elif key in _INFO and isinstance(text, (str, int)):
            run.environment[_INFO[key]] = str(text)[:60]
    found = [value[key] for key in RESULTS if isinstance(value.get(key), dict)]
    if len(found) > 1:
        run.report("MU757", "results of two ends in one document")
    elif not found:
        run.report("MU755", "the document holds no result")
    else:
        _row(found[0], part, run)
    return run


def _row(results: dict[str, Any], part: Round, run: Run) -> None:
    figures = {name: _number(results[key]) for key, name in _FIGURES.items() if key in results}
    size = count(results.get("MsgSize"))
    if size is None or None in figures.values():
        run.report("MU757", "a figure of the document is not a number")
        return
    kept = {key: value for key, value in figures.items() if value is not None}
    row = Row(run.line, size, count(results.get("n_iterations")), None, kept)
    unit = None if "t_avg" in kept else unit_of(row) or _told(part)
    run.rows.append(Row(row.line, row.bytes, row.iterations, unit, row.figures))


def _told(part: Round) -> str | None:
    """Return the unit that the recorded command asks for."""
    words = part.command
    if not any(re.fullmatch(r"ib_\w{1,20}_bw", word.rpartition("/")[2]) for word in words):
        return None
    return "Gb/sec" if any(word.startswith("--report_gbit") for word in words) else "MiB/sec"


def _number(value: Any) -> float | None:
    return decimal(value.strip()) if isinstance(value, str) else finite(value)


def loose_documents(first: int, lines: list[str], skip: set[int]) -> list[Loose]:
    """Return the documents with bare keys among some lines: a line ``test_info: {`` starts each.

    The search ends at the first `MOST_BROKEN` documents without an end.
    """
    found: list[Loose] = []
    index = broken = 0
    while index < len(lines) and broken < MOST_BROKEN:
        start = _OPEN.fullmatch(lines[index].strip()) if len(lines[index]) < 200 else None
        if start is None or start[1] != "test_info" or first + index in skip:
            index += 1
            continue
        value, last = _loose(lines, index)
        if value is None or len(found) >= MOST_DOCUMENTS:
            value, broken = None, broken + 1
        found.append(Loose(first + index, first + last, value))
        index = last + 1
    return found


def _loose(lines: list[str], start: int) -> tuple[dict[str, Any] | None, int]:
    value: dict[str, Any] = {}
    inside: dict[str, Any] | None = None
    end = min(len(lines), start + _MOST_LINES)
    for index in range(start, end):
        text = lines[index].strip()
        if len(text) > 300:
            return None, index
        if opened := _OPEN.fullmatch(text):
            if inside is not None or opened[1] in value:
                return None, index
            inside = value[opened[1]] = {}
        elif _CLOSE.fullmatch(text):
            if inside is None:
                return value, index
            inside = None
        elif (pair := _PAIR.fullmatch(text)) and inside is not None and pair[1] not in inside:
            inside[pair[1]] = pair[2].strip()
        elif text:
            return None, index
    return None, end - 1
