"""What NVCRE measured: BandwidthMeasurement and GoodputMeasurement."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any

from muster.readers.goodput import goodput
from muster.readers.model import quoted
from muster.readers.nvcre_conditions import conditions

if TYPE_CHECKING:
    from muster.readers.nvcre_conditions import Condition
    from muster.readers.views import View

FINAL = "JobSucceeded"
TOLERANCE = 0.005
_PARTS = {
    "wall": "trainingTimeSec",
    "lost": "lostWorkTimeSec",
    "recovery": "resumeTimeSec",
    "rescheduling": "rescheduleTimeSec",
    "save": "checkpointSaveTimeSec",
}


def _final(status: View, found: dict[str, Condition]) -> Condition | None:
    """Return the Complete condition; add a problem unless it says that the data are final."""
    complete = found.get("Complete")
    if complete is None or complete.status != "True":
        status.doubt("do not say that the measurement is complete", "conditions", "MU781")
    elif complete.reason != FINAL:
        status.doubt(f"end with {quoted(str(complete.reason), 60)}, not {FINAL}", "conditions", "MU786")
    return complete


def bandwidth(status: View, spec: View, name: str) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """Return a row for each message size, and what else the measurement says.

    ``value`` is the bus bandwidth of the out-of-place half; NVCRE does not read the count of wrong values. The
    largest of the rows is what NVCRE judges; here every row stands for itself.
    """
    found = conditions(status)
    complete = _final(status, found)
    transport = sorted(set(status.texts("transport")))
    case = spec.text("testType") or "unknown"
    rows, sizes = [], set()
    for result in status.views("results"):
        size, bus = result.count("sizeBytes"), result.number("busBW")
        if size is None or bus is None or bus < 0:
            result.doubt("has no size or no bus bandwidth", code="MU783")
            continue
        if size in sizes:
            result.doubt(f"stands twice: {size}", "sizeBytes", "MU782")
        sizes.add(size)
        rows.append(_row(case, name, size, bus, result, transport))
    if complete is not None and complete.status == "True" and not rows:
        status.doubt("holds no result", code="MU785")
    return rows, {
        "testType": spec.text("testType"),
        "transport": transport,
        "reason": complete.reason if complete else None,
    }


def _row(case: str, name: str, size: int, bus: float, result: View, transport: list[str]) -> dict[str, Any]:
    return {
        "case": case,
        "bytes": size,
        "metric": "bandwidth",
        "value": bus,
        "unit": "GB/s",
        "busbw": bus,
        "algbw": result.number("algBW"),
        "samples": result.count("samples"),
        "transport": transport,
        "object": name,
    }


def training(status: View, name: str) -> dict[str, Any]:
    """Return the goodput of a measurement: our ratio of its parts, and theirs beside it."""
    found = conditions(status)
    _final(status, found)
    parts = {ours: status.number(theirs) for ours, theirs in _PARTS.items()}
    theirs, steps = status.number("result"), status.count("highestStep")
    unknown = {}
    if not steps:
        status.doubt("says that no step was matched", "highestStep", "MU785")
        unknown["ratio"] = "no step was matched"
    if "pendingInterruption" in status:
        status.doubt("has not ended", "pendingInterruption", "MU781")
        unknown["ratio"] = "an interruption has not ended"
    more: dict[str, Any] = {
        "theirs": theirs,
        "interruptions": status.count("interruptionCount"),
        "highestStep": steps,
        "stepSeconds": status.number("avgStepTimeSec"),
        "tflopsPerGpu": status.number("avgTFLOPSPerGPU"),
        "object": name,
    }
    made = goodput(parts, unknown=unknown, end_to_end=_end_to_end(status), **more)
    _compare(status, made, parts, theirs)
    return made


def _compare(
    status: View, made: dict[str, Any], parts: dict[str, float | None], theirs: float | None
) -> None:
    ours = made["ratio"]
    if theirs is not None and not 0 <= theirs <= 1:
        status.doubt("is not between 0 and 1", "result", "MU782")
    elif ours is not None and theirs is not None and abs(ours - theirs) > TOLERANCE:
        status.doubt(f"is {theirs}, but its parts give {ours:.4f}", "result", "MU782")
    elif ours is None and None not in parts.values() and "ratio" in made["unknown"]:
        status.doubt("has parts that give no ratio", "result", "MU782")


def _end_to_end(status: View) -> float | None:
    start, end = (_time(status, key) for key in ("startTime", "completionTime"))
    if start is None or end is None:
        return None
    if end < start:
        status.doubt("is before startTime", "completionTime", "MU782")
        return None
    return (end - start).total_seconds()


def _time(status: View, key: str) -> datetime | None:
    text = status.text(key)
    if text is None:
        return None
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        found = None
    if found is None or found.tzinfo is None:
        status.doubt(f"is no time with a zone: {quoted(text, 40)}", key)
        return None
    return found
