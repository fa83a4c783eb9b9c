"""What an exit code says about a run, for each tool."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

Meaning = Literal["unknown", "ok", "cut", "not-run", "results", "device", "findings", "failed"]
"""cut: ended from outside. not-run: tool or launcher missing or misused. results: the tool's code for bad
results. device: dcgmi's code for an isolate error. findings: dcgmi's code for any entry. failed: all else."""

_CUT = frozenset({124, 130, 137, 143})
_NOT_RUN = frozenset({125, 126, 127})
_DCGM: dict[int, Meaning] = {
    190: "cut",
    198: "not-run",
    205: "device",
    206: "not-run",
    216: "not-run",
    226: "findings",
    254: "not-run",
    255: "not-run",
}
_NCCL: dict[int, Meaning] = {1: "results", 4: "cut", 6: "results", 7: "results"}


class Ending(NamedTuple):
    """How a round or an attempt ended; None: not known."""

    exit: int | None = None
    signal: int | None = None
    timed_out: bool = False

    @property
    def text(self) -> str:
        """Return it for a message."""
        if self.timed_out:
            return "a time-out"
        if self.signal is not None:
            return f"signal {self.signal}"
        return "an unknown exit code" if self.exit is None else f"exit code {self.exit}"


UNKNOWN = Ending()


def meaning(tool: str | None, ending: Ending) -> Meaning:
    """Return what an ending means for a tool (``formats``: nccl-tests 1.6, dcgmi 3.1; POSIX for the rest)."""
    code = ending.exit
    if ending.timed_out or ending.signal is not None:
        return "cut"
    if code is None:
        return "unknown"
    own = _DCGM if tool in ("dcgm", "dcgm-diag") else _NCCL if tool == "nccl-tests" else {}
    if code in own:
        return own[code]
    if code == 0:
        return "ok"
    if code in _CUT or 128 < code < 160 or code < 0:
        return "cut"
    return "not-run" if code in _NOT_RUN else "failed"


def is_bad(part: Mapping[str, Any]) -> bool:
    """Tell whether a reading (or one run) holds bad results: wrong data, a failed or warned check."""
    if any(check.get("status") in ("fail", "warn", "error") for check in part.get("checks") or ()):
        return True
    return any(_wrong(run) for run in part.get("runs") or ())


def _wrong(run: Mapping[str, Any]) -> bool:
    summary = run.get("summary") or {}
    if (
        summary.get("outOfBounds")
        or summary.get("outOfBoundsOk") is False
        or summary.get("avgBusbwOk") is False
    ):
        return True
    sides = (row.get(side) for row in run.get("rows") or () for side in ("outOfPlace", "inPlace"))
    return any((side or {}).get("wrong") for side in sides)


def has_data(reading: Mapping[str, Any]) -> bool:
    """Tell whether a reading holds any result."""
    if any(run.get("rows") for run in reading.get("runs") or ()):
        return True
    return any(reading.get(key) for key in ("checks", "rows", "steps", "goodput"))


def is_quiet(reading: Mapping[str, Any], others: Sequence[Mapping[str, Any]]) -> bool:
    """Tell whether a file holds only record lines while another of the attempt holds the results.

    Such is the log of a pod that lends its GPUs to the launcher: its tool is named in the record lines, its
    output stands in the launcher's log.
    """
    if reading.get("runs") or has_data(reading) or not reading["records"]:
        return False
    return any(has_data(other) for other in others if other is not reading)
