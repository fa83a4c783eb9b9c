"""What a reading looks like: the JSON that ``muster read`` prints and that archive and judge build on.

Numbers that were not read are None, never 0. Sizes are bytes, bandwidths GB/s (1e9 bytes per second), times
microseconds unless a key says otherwise.
"""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypedDict

from muster.diagnostics import code_of

State = Literal["complete", "incomplete", "errored", "unreadable"]
Severity = Literal["error", "warning", "info"]


class Problem(TypedDict):
    """One finding about a file or a run.

    ``severity`` error: a run or reading that carries it is never ``complete``. ``line`` counts from 1 and is
    None where no line is concerned. ``message`` is one line of printable text; quoted parts of the file are
    escaped by `quoted`.
    """

    code: str
    severity: Severity
    line: int | None
    message: str


class Check(TypedDict):
    """One result of a diagnosis tool.

    ``errors`` holds ``{"id", "category", "severity"}`` as the tool numbers them.
    """

    name: str
    entity: str | None
    status: Literal["pass", "skip", "warn", "fail", "not-run", "waived", "error"]
    messages: list[str]
    errors: list[dict[str, Any]]


class BandwidthRow(TypedDict):
    """One figure of nvbandwidth or perftest; ``cell`` is row and column of a matrix."""

    case: str
    metric: Literal["bandwidth", "latency"]
    value: float | None
    unit: str
    bytes: NotRequired[int]
    cell: NotRequired[list[int]]
    peak: NotRequired[float | None]


class Reading(TypedDict):
    """What muster made of one file.

    ``tool`` is None when no reader knew the file. ``runs``, ``checks``, ``rows``, ``steps`` and ``goodput``
    exist only where the tool has them. ``records`` are the MUSTER-RECORD lines of the pod script in order,
    each with its ``line``. ``environment`` holds versions and device names that the tool itself printed.
    """

    file: str
    tool: str | None
    toolVersion: str | None
    state: State
    runs: NotRequired[list[Any]]
    checks: NotRequired[list[Check]]
    rows: NotRequired[list[BandwidthRow]]
    steps: NotRequired[Any]
    goodput: NotRequired[Any]
    records: list[dict[str, Any]]
    environment: dict[str, Any]
    problems: list[Problem]


def problem(code: str, message: str, line: int | None = None, *, severity: Severity | None = None) -> Problem:
    """Make a problem of a registered code, with the code's own severity unless another is given.

    Raises:
        KeyError: the code is not registered.
    """
    return {"code": code, "severity": severity or code_of(code).severity, "line": line, "message": message}


def quoted(text: str, limit: int = 80) -> str:
    """Return a part of a file for a message: in quotes, escaped to printable ASCII, cut at ``limit``."""
    cut = text if len(text) <= limit else text[: limit - 3] + "..."
    return ascii(cut)


def empty(file: str, tool: str | None, state: State) -> Reading:
    """Return a reading without any data."""
    return {
        "file": file,
        "tool": tool,
        "toolVersion": None,
        "state": state,
        "records": [],
        "environment": {},
        "problems": [],
    }


def unreadable(file: str, tool: str | None, *problems: Problem) -> Reading:
    """Return a reading from which no number may be taken, and why."""
    reading = empty(file, tool, "unreadable")
    reading["problems"] = list(problems)
    return reading
