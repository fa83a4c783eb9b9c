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


class Placement(TypedDict):
    """One placement of a row of nccl-tests; every key is None when the placement was not read.

    ``wrong`` counts wrong elements and is None when the result was not checked (``N/A``) or the version
    prints a ``deviation`` instead (before 2.13; whether that is too large only the run's summary says).
    ``perIteration`` is there with ``-I 1``: minUs, maxUs, p99Us, cvPercent.
    """

    timeUs: float | None
    algbw: float | None
    busbw: float | None
    wrong: int | None
    deviation: NotRequired[float]
    perIteration: NotRequired[dict[str, float]]


class Transport(TypedDict):
    """What carried the data by NCCL's ``via`` lines.

    ``paths`` counts channel lines by path (``NET/IB``, ``P2P/CUMEM``), ``gdrdma`` those of a network path
    that say GPUDirect RDMA. ``gpudirect`` is True only when all network lines say so, None without any.
    ``interNode`` lists the paths that leave a node: NET, COLLNET, P2P/MNNVL. ``nvls`` and ``mnnvl`` are None
    when nothing says.
    """

    paths: dict[str, int]
    gpudirect: bool | None
    interNode: list[str]
    gdrdma: dict[str, int]
    nvls: bool | None
    collnet: bool
    mnnvl: bool | None


class RunReading(TypedDict):
    """One run of nccl-tests.

    Attributes:
        line: first line of the run.
        round: round of the last ``begin`` record before the run; None without one.
        op: the collective, ``all_reduce``; None when nothing says.
        opFrom: ``header`` (the program's name), ``command``, ``device-lines`` (table and device lines leave
            one), ``factor`` (the table alone leaves one), None.
        ranksFrom: ``device-lines``, ``factor``, None.
        nodes: hosts in the device lines; None without any.
        devices: ``{"rank", "host", "device", "name"}``.
        datatype: the type of all rows; None when they differ.
        validation: results were compared with the expected ones; None when nothing says.
        cycles: how often the sizes were gone through; None when that could not be told.
        command: the program and its own options as a log shows them, or a record's whole command.
        parameters: minBytes, maxBytes, reducedMaxBytes, factor, stepBytes, iters, warmup, aggIters,
            validation, graph, threads, gpusPerThread; empty without the nThread line.
        rows: ``{"line", "cycle", "bytes", "count", "type", "redop", "root", "outOfPlace": Placement,
            "inPlace": Placement}``, with ``iters`` and ``time`` where the table has them.
        summary: outOfBounds, outOfBoundsOk, avgBusbw, avgBusbwOk; None for what was not printed.
        transport: None when no ``via`` line was seen.
        environment: ncclHeader (code), ncclLibrary (``2.27.3``), cuda (``12.9``), devices (names).
    """

    line: int
    round: int | None
    tool: str
    toolVersion: str | None
    state: State
    op: str | None
    opFrom: str | None
    ranks: int | None
    ranksFrom: str | None
    nodes: int | None
    hosts: list[str]
    devices: list[dict[str, Any]]
    datatype: str | None
    validation: bool | None
    cycles: int | None
    command: list[str] | None
    parameters: dict[str, Any]
    rows: list[dict[str, Any]]
    summary: dict[str, Any]
    transport: Transport | None
    environment: dict[str, Any]
    problems: list[Problem]


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
    runs: NotRequired[list[RunReading]]
    checks: NotRequired[list[Check]]
    rows: NotRequired[list[BandwidthRow]]
    steps: NotRequired[Any]
    goodput: NotRequired[Any]
    records: list[dict[str, Any]]
    environment: dict[str, Any]
    problems: list[Problem]


def problem(code: str, message: str, line: int | None = None, *, severity: Severity | None = None) -> Problem:
    """Make a problem of a registered code, with the code's own severity unless another is given.

    A message with characters that are not printable is escaped as a whole; `quoted` keeps the rest readable.

    Raises:
        KeyError: the code is not registered.
    """
    text = message if message.isprintable() else ascii(message)[1:-1]
    return {"code": code, "severity": severity or code_of(code).severity, "line": line, "message": text}


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
