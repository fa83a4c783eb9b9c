"""Collect the figures that a threshold may be proposed from: every round of every sound attempt."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from muster.judge import assess, statistics
from muster.judge.fields import mapping

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import datetime
    from decimal import Decimal

# Bounds that every real figure meets: with them the worst cell of a matrix is the one that counts.
_ANY_RATE = {"lower": 1e-9, "upper": None, "spread": None}
_ANY_TIME = {"lower": None, "upper": 1e15, "spread": None}
_TIMES = frozenset({"time", "timeUs", "latency"})


@dataclass(slots=True)
class Samples:
    """Figures of one place (metric, size, placement) over units and attempts.

    Attributes:
        runs: values of the rounds of each sound attempt.
        units: how many units they are of.
        attempts: ids of the sound attempts.
        left_out: attempts that did not count, with why.
        newest: when the newest sound attempt ended.
        synthetic: whether any of them is synthetic.
        prints: the finger prints of the runs that count.
        transports: of each sound attempt the paths between nodes, and whether GPUDirect was used.
    """

    runs: list[tuple[Decimal, ...]] = field(default_factory=list)
    units: set[tuple[str, ...]] = field(default_factory=set)
    attempts: list[str] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)
    newest: datetime | None = None
    synthetic: bool = False
    prints: set[str] = field(default_factory=set)
    transports: list[tuple[tuple[str, ...], bool]] = field(default_factory=list)

    @property
    def values(self) -> list[Decimal]:
        """All figures."""
        return [value for run in self.runs for value in run]

    @property
    def widest(self) -> Decimal:
        """The largest spread within one attempt, (max - min) / median."""
        return max(found for run in self.runs if (found := statistics.spread(run)) is not None)


def collect(
    places: Sequence[tuple[Mapping[str, Any], Mapping[str, Any]]],
    records: Iterable[Mapping[str, Any]],
    *,
    synthetic: bool = False,
) -> list[Samples]:
    """Return the samples of several places, reading the records once.

    Args:
        places: (threshold, desired test) pairs grouped by the caller; a threshold's own bounds are set aside,
            all else of the acceptance (validation, transport) still counts. Pairs with one threshold object
            share their samples.
        records: evidence records.
        synthetic: whether synthetic attempts count.

    Returns:
        One entry per distinct threshold object, in the order of first appearance.
    """
    order: dict[int, Samples] = {}
    by_digest: dict[str, list[tuple[dict[str, Any], Samples]]] = {}
    for threshold, desired in places:
        samples = order.setdefault(id(threshold), Samples())
        free = {**threshold, **(_ANY_TIME if threshold.get("metric") in _TIMES else _ANY_RATE)}
        acceptance = {**mapping(desired.get("acceptance")), "thresholds": [free]}
        by_digest.setdefault(desired["digest"], []).append(({**desired, "acceptance": acceptance}, samples))
    for record in records:
        digest = mapping(mapping(record).get("identity")).get("digest")
        for wanted, samples in by_digest.get(digest, ()) if isinstance(digest, str) else ():
            _take(wanted, record, samples, synthetic=synthetic)
    return list(order.values())


def _take(
    desired: Mapping[str, Any], record: Mapping[str, Any], samples: Samples, *, synthetic: bool
) -> None:
    found = assess(desired, record)
    if found.id in samples.attempts:
        return
    if found.synthetic and not synthetic:
        samples.left_out.append(f"{found.id}: synthetic, written and not measured")
        return
    value = found.measures[0].value if found.measures else None
    if value is None or found.state != "satisfied":
        samples.left_out.append(f"{found.id}: {found.reasons[0].message if found.reasons else 'no figure'}")
        return
    if found.time is None:
        samples.left_out.append(f"{found.id}: it carries no date")
        return
    if found.prints and samples.prints.issuperset(found.prints):
        samples.left_out.append(f"{found.id}: a copy of an attempt that counts already")
        return
    samples.prints.update(found.prints)
    samples.runs.append(tuple(one for one in found.measures[0].values if one is not None))
    samples.units.add(tuple(desired["unit"]))
    samples.attempts.append(found.id)
    samples.synthetic |= found.synthetic
    told = found.transport or {}
    samples.transports.append((tuple(told.get("interNode", ())), told.get("gpudirect") is True))
    if samples.newest is None or found.time > samples.newest:
        samples.newest = found.time
