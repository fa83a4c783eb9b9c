"""One run of perftest: bring its rows to GB/s and see whether they agree with each other."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from muster.readers.outcome import Reporting

FACTORS = {"MB/sec": 2**20 / 1e9, "MiB/sec": 2**20 / 1e9, "Gb/sec": 1e9 / 8 / 1e9}
ROWS = 20_000
LARGEST = 8_388_608
_TITLE = re.compile(
    r"(RDMA_Write|RDMA_Read|Send|Atomic)((?:[ _][A-Za-z_-]{1,30}){0,4})[ _](BW|Latency)[ _]Test"
)
_VERBS = {"RDMA_Write": "ib_write", "RDMA_Read": "ib_read", "Send": "ib_send", "Atomic": "ib_atomic"}
_AGREE = 0.1


@dataclass(slots=True)
class Run(Reporting):
    """What one test printed.

    Attributes:
        round: the round of the pod log; None without record lines.
        number: its number from 1 within the round.
        line: where it starts.
        case: the program, ``ib_write_bw``; ``perftest`` when the text does not say.
        bidirectional: whether its figures are sums of both directions.
        environment: device, link, number of queue pairs.
        rows: the rows as printed, in order.
    """

    round: int | None
    number: int
    line: int
    case: str = "perftest"
    bidirectional: bool = False
    environment: dict[str, str] = field(default_factory=dict)
    rows: list[Row] = field(default_factory=list)

    @property
    def place(self) -> int:
        """The first line of the run."""
        return self.line

    def name(self, title: str) -> bool:
        """Take the title of a test, ``RDMA_Write BW Test``; return whether it is one."""
        found = _TITLE.fullmatch(title)
        if found is None:
            return False
        self.case = f"{_VERBS[found[1]]}_{'bw' if found[3] == 'BW' else 'lat'}"
        self.bidirectional = "bidirectional" in found[2].lower()
        return True


@dataclass(frozen=True, slots=True)
class Row:
    """One row as printed: figures by column, bandwidths in ``unit`` (``MB/sec``, ``Gb/sec``)."""

    line: int
    bytes: int
    iterations: int | None
    unit: str | None
    figures: dict[str, float]

    @property
    def key(self) -> tuple[Any, ...]:
        """What must be equal in two prints of one result."""
        return (self.bytes, self.unit, *sorted(self.figures.items()))


def unit_of(row: Row) -> str | None:
    """Return the unit in which the bandwidth of a row agrees with its message rate; None when none or several do.

    Messages per second times bytes per message is bytes per second; the units lie a factor of 119 apart.
    """
    fits = [unit for unit in ("MiB/sec", "Gb/sec") if _agrees(row, FACTORS[unit])]
    return fits[0] if len(fits) == 1 else None


def made_rows(run: Run) -> list[dict[str, Any]]:
    """Return the rows of a run as readings hold them; a row that contradicts another or itself is reported."""
    seen: dict[int, Row] = {}
    for row in run.rows:
        before = seen.setdefault(row.bytes, row)
        if before.key != row.key:
            run.report("MU756", f"{row.bytes} bytes have another result in line {before.line}", row.line)
    found = [made for row in seen.values() if (made := _made(row, run)) is not None]
    _sizes(run, sorted(seen))
    if run.bidirectional and found:
        run.report("MU759", "the figures are sums of both directions")
    return found


def _made(row: Row, run: Run) -> dict[str, Any] | None:
    base = {
        "case": run.case,
        "bytes": row.bytes,
        "iterations": row.iterations,
        "round": run.round,
        "run": run.number,
    }
    if "t_avg" in row.figures:
        return _latency(row, run, base)
    average, peak = row.figures.get("average"), row.figures.get("peak")
    factor = FACTORS.get(row.unit or "")
    if average is None or average <= 0 or factor is None or any(value < 0 for value in row.figures.values()):
        run.report("MU757", f"{row.bytes} bytes have no average bandwidth that can be used", row.line)
        return None
    if row.figures.get("rate") and not _agrees(row, factor):
        what = f"{row.bytes} bytes: {average:g} {row.unit} do not follow from {row.figures['rate']:g} Mpps"
        run.report("MU756", what, row.line)
        return None
    return base | {
        "metric": "bandwidth",
        "value": average * factor,
        "unit": "GB/s",
        "peak": peak * factor if peak else None,
        "raw": average,
        "rawPeak": peak or None,
        "rawUnit": row.unit,
        "messageRateMpps": row.figures.get("rate"),
        "bidirectional": run.bidirectional,
    }


def _latency(row: Row, run: Run, base: dict[str, Any]) -> dict[str, Any] | None:
    figures = row.figures
    low, high = figures.get("t_min"), figures.get("t_max")
    middle = [figures[key] for key in ("t_avg", "t_typical") if key in figures]
    if any(value < 0 for value in figures.values()) or figures["t_avg"] <= 0:
        run.report("MU757", f"{row.bytes} bytes have no average latency that can be used", row.line)
        return None
    if (low is not None and min(middle) < low) or (high is not None and max(middle) > high):
        run.report("MU756", f"{row.bytes} bytes: average or typical latency lies outside its range", row.line)
        return None
    names = {
        "t_min": "min",
        "t_max": "max",
        "t_typical": "typical",
        "t_stdev": "stdev",
        "p99": "p99",
        "p999": "p999",
    }
    more = {name: figures[key] for key, name in names.items() if key in figures}
    raw = {"raw": figures["t_avg"], "rawUnit": "usec"}
    return base | {"metric": "latency", "value": figures["t_avg"], "unit": "us", **raw, **more}


def _agrees(row: Row, factor: float) -> bool:
    """Return whether average bandwidth and message rate agree within a tenth and what rounding may add."""
    average, rate = row.figures.get("average", 0.0), row.figures.get("rate", 0.0)
    by_rate = rate * 1e6 * row.bytes / 1e9
    rounding = 0.005 * factor + 0.5e-6 * 1e6 * row.bytes / 1e9
    return abs(average * factor - by_rate) <= _AGREE * max(average * factor, by_rate) + rounding


def _sizes(run: Run, sizes: list[int]) -> None:
    """Report a size that is missing in a run over all sizes: they double, from 2 bytes to 8 MiB."""
    if len(sizes) < 3 or any(size & (size - 1) for size in sizes):
        return
    gap = next((size for size, after in pairwise(sizes) if after != 2 * size), None)
    if gap is not None:
        run.report("MU755", f"the row for {2 * gap} bytes is missing")
    elif sizes[0] == 2 and sizes[-1] < LARGEST and run.environment.get("connection") != "UD":
        run.report("MU755", f"the run over all sizes ends at {sizes[-1]} bytes")
