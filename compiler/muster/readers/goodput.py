"""Goodput of a training run: the share of its wall time that went into work that was kept.

``(wall - lost - recovery - rescheduling - save) / (wall - rescheduling)``, the formula of NVCRE
(``(t_w - t_ch - t_rm - t_re - t_save) / (t_w - t_re)``). Rescheduling counts on neither side, so goodput is
no end-to-end efficiency: end-to-end and queueing time are reported apart. All times are seconds.

A part that is not known is None, and then so is the ratio: a log whose lines match nothing has no overhead
that anybody saw, which is not the same as no overhead.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

PARTS = ("wall", "lost", "recovery", "rescheduling", "save")
FORMULA = "(wall - lost - recovery - rescheduling - save) / (wall - rescheduling)"


def ratio(parts: Mapping[str, float | None]) -> tuple[float | None, str | None]:
    """Return goodput between 0 and 1, or None and why it has no value.

    Args:
        parts: seconds of each of `PARTS`; None where it is not known.
    """
    known: dict[str, float] = {}
    for name in PARTS:
        value = parts.get(name)
        if value is None:
            return None, f"{name} is not known"
        if not math.isfinite(value) or value < 0:
            return None, f"{name} is {value} seconds"
        known[name] = value
    base = known["wall"] - known["rescheduling"]
    kept = base - known["lost"] - known["recovery"] - known["save"]
    if base <= 0:
        return None, "no wall time is left besides rescheduling"
    if kept < 0:
        return None, "the parts are longer than the wall time"
    return kept / base, None


def goodput(
    parts: Mapping[str, float | None],
    *,
    unknown: Mapping[str, str] | None = None,
    assumptions: Sequence[str] = (),
    end_to_end: float | None = None,
    **more: Any,
) -> dict[str, Any]:
    """Return the ``goodput`` of a reading.

    Args:
        parts: seconds of each of `PARTS`.
        unknown: for each part that is None, why.
        assumptions: what was taken for granted to know a part.
        end_to_end: seconds from the first sign of the run to the last.
        **more: further keys of the caller.
    """
    value, reason = ratio(parts)
    reasons = {name: "the source does not say" for name in PARTS if parts.get(name) is None}
    reasons |= {name: text for name, text in (unknown or {}).items() if name in reasons or name == "ratio"}
    if "ratio" in reasons:
        value = None
    elif reason is not None:
        reasons["ratio"] = reason
    return {
        "ratio": value,
        "formula": FORMULA,
        "parts": {name: parts.get(name) for name in PARTS},
        "unknown": dict(sorted(reasons.items())),
        "assumptions": list(assumptions),
        "endToEndSeconds": end_to_end,
        "queueSeconds": None,
        **more,
    }
