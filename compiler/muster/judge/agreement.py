"""All live attempts of one digest must tell the same; best-of-n does not exist."""

from __future__ import annotations

from typing import TYPE_CHECKING

from muster.judge import statistics
from muster.judge.fields import number, shown
from muster.judge.measures import figure, percent
from muster.judge.model import Reason

if TYPE_CHECKING:
    from collections.abc import Sequence
    from decimal import Decimal

    from muster.judge.model import Assessment


def twins(assessments: Sequence[Assessment]) -> tuple[list[Assessment], list[Reason]]:
    """Return each attempt once, and a reason for every id that stands for two different things."""
    by_id: dict[str, Assessment] = {}
    kept: list[Assessment] = []
    reasons: list[Reason] = []
    for item in assessments:
        known = by_id.setdefault(item.id, item)
        if known is item:
            kept.append(item)
        elif known != item or not item.id:
            kept.append(item)
            reasons.append(Reason("MU934", f"two records say they are attempt {shown(item.id)} and differ"))
    return kept, list(dict.fromkeys(reasons))


def disagreements(attempts: Sequence[Assessment]) -> list[Reason]:
    """Return why complete, live attempts contradict each other: other outcomes, or values too far apart."""
    by_state: dict[str, list[str]] = {}
    for item in attempts:
        by_state.setdefault(item.state, []).append(item.id)
    reasons: list[Reason] = []
    if len(by_state) > 1:
        told = "; ".join(f"{state}: {', '.join(sorted(ids)[:3])}" for state, ids in sorted(by_state.items()))
        reasons.append(Reason("MU932", f"attempts of the same measurement disagree ({told})"))
    reasons.extend(_apart(attempts))
    return reasons


def _apart(attempts: Sequence[Assessment]) -> list[Reason]:
    values: dict[str, list[Decimal]] = {}
    limits: dict[str, Decimal] = {}
    known: dict[int, tuple[str, Decimal | None]] = {}
    for item in attempts:
        for measure in item.measures:
            if measure.value is None:
                continue
            raw = measure.threshold
            if id(raw) not in known:
                known[id(raw)] = (shown(raw.get("name")), number(raw.get("spread")))
            name, limit = known[id(raw)]
            if limit is not None:
                values.setdefault(name, []).append(measure.value)
                limits[name] = limit
    return [
        Reason(
            "MU933",
            f"{name}: attempts give {figure(min(found))} to {figure(max(found))}, "
            f"{percent(statistics.spread(found))} apart, {percent(limits[name])} is declared",
        )
        for name, found in sorted(values.items())
        if len(found) > 1 and not statistics.within_spread(found, limits[name])
    ]
