"""A desired test, read once: what is asked of evidence, as figures and names instead of JSON."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

from muster.judge.fields import mapping, maps, names, number, shown, text, whole

if TYPE_CHECKING:
    from decimal import Decimal

    from muster.judge.fields import JsonMap

# metric -> (key of a placement, unit it is printed in)
RUN_METRICS: Final = {
    "busbw": ("busbw", "GB/s"),
    "algbw": ("algbw", "GB/s"),
    "time": ("timeUs", "us"),
    "timeUs": ("timeUs", "us"),
}
MOST_ROUNDS: Final = 1000
TIMES: Final = frozenset({"time", "timeUs", "latency"})
_PLACEMENTS: Final = {"out-of-place": "outOfPlace", "in-place": "inPlace"}


@dataclass(frozen=True, slots=True)
class Threshold:
    """One threshold of an acceptance.

    Attributes:
        raw: as the acceptance has it.
        label: its name, for messages.
        metric: what it judges; None when that is no text.
        key: the key of the metric in a placement; empty for metrics that runs do not have.
        unit: the unit of its bounds; empty when it names none.
        size: message size in bytes.
        side: the key of the placement in a row.
        case: the case of a bandwidth tool.
        statistic: over the rounds.
        lower: the least allowed, in the unit.
        upper: the most allowed, in the unit.
        spread: the largest (max - min) / median; None also when it is no figure.
        has_spread: whether a spread is asked for at all.
        ceiling: the most the links can carry, in the unit.
    """

    raw: JsonMap
    label: str
    metric: str | None
    key: str
    unit: str
    size: int | None
    side: str | None
    case: str | None
    statistic: str
    lower: Decimal | None
    upper: Decimal | None
    spread: Decimal | None
    has_spread: bool
    ceiling: Decimal | None

    @property
    def tells(self) -> bool:
        """Whether it has the bound that tells good from bad: a least rate or ratio, a longest time."""
        return self.upper is not None if self.metric in TIMES else self.lower is not None


class Asked(NamedTuple):
    """What is asked of the transport.

    Attributes:
        judged: None when the acceptance asks for none, False when what it asks cannot be judged.
        require: paths that must be used.
        forbid: paths that must not be used.
        gpudirect: ``required``, ``forbidden``, None, or what cannot be judged.
        net: the network that the measurement tells NCCL to use.
        nodes: how many nodes the unit has; one node needs no path between nodes.
    """

    judged: bool | None
    require: tuple[str, ...]
    forbid: tuple[str, ...]
    gpudirect: str | None
    net: str | None
    nodes: int


@dataclass(frozen=True, slots=True)
class Terms:
    """What is asked of evidence for one desired test.

    Attributes:
        measurement: the declared measurement.
        acceptance: how it is judged.
        unit: the nodes of the run, sorted.
        op: the collective; None for tools that have none.
        expected: the declared number of rounds; 0 when none is declared that can be judged.
        validated: whether data must have been checked.
        thresholds: in the order of the acceptance.
        applies: whether anything in the acceptance can tell good from bad.
        asked: what is asked of the transport.
        skip: facts that the inventory judges, not the environment.
        diagnosed: whether a diagnosis counts the devices.
    """

    measurement: JsonMap
    acceptance: JsonMap
    unit: tuple[str, ...]
    op: str | None
    expected: int
    validated: bool
    thresholds: tuple[Threshold, ...]
    applies: bool
    asked: Asked
    skip: frozenset[str]
    diagnosed: bool


def _ceiling(acceptance: JsonMap, threshold: JsonMap) -> Decimal | None:
    own = number(threshold.get("ceiling"))
    if own is not None:
        return own
    common = acceptance.get("ceiling")
    return number(common.get(str(threshold.get("metric"))) if isinstance(common, dict) else common)


def _threshold(acceptance: JsonMap, raw: JsonMap) -> Threshold:
    at, metric = mapping(raw.get("at")), text(raw.get("metric"))
    return Threshold(
        raw=raw,
        label=shown(raw.get("name")),
        metric=metric,
        key=RUN_METRICS[metric][0] if metric in RUN_METRICS else "",
        unit=text(raw.get("unit")) or "",
        size=whole(at.get("bytes")),
        side=_PLACEMENTS.get(text(at.get("placement")) or ""),
        case=text(at.get("case")),
        statistic=text(raw.get("statistic")) or "median",
        lower=number(raw.get("lower")),
        upper=number(raw.get("upper")),
        spread=number(raw.get("spread")),
        has_spread=raw.get("spread") is not None,
        ceiling=_ceiling(acceptance, raw),
    )


def _asked(measurement: JsonMap, transport: object, nodes: int) -> Asked:
    direct = mapping(transport).get("gpudirect")
    return Asked(
        judged=None if transport is None else isinstance(transport, dict),
        require=names(mapping(transport).get("require")),
        forbid=names(mapping(transport).get("forbid")),
        gpudirect=None if direct is None else shown(direct),
        net=text(mapping(measurement.get("params")).get("net")),
        nodes=nodes,
    )


def _rounds(acceptance: JsonMap, measurement: JsonMap) -> int:
    """Return the declared number of rounds; 0, which nothing meets, for one that no site can declare."""
    found = whole(acceptance.get("rounds")) or whole(measurement.get("rounds")) or 0
    return found if 0 < found <= MOST_ROUNDS else 0


def terms_of(desired: JsonMap) -> Terms:
    """Read a desired test; what is of the wrong kind counts as not asked for, and never as met."""
    measurement, acceptance = mapping(desired.get("measurement")), mapping(desired.get("acceptance"))
    thresholds = tuple(_threshold(acceptance, raw) for raw in maps(acceptance.get("thresholds")))
    checks, preflight = mapping(acceptance.get("checks")), mapping(acceptance.get("preflight"))
    unit = names(desired.get("unit"))
    return Terms(
        measurement=measurement,
        acceptance=acceptance,
        unit=unit,
        op=text(measurement.get("op")),
        expected=_rounds(acceptance, measurement),
        validated=acceptance.get("validation") is not False,
        thresholds=thresholds,
        applies=any(item.tells for item in thresholds)
        or bool(names(checks.get("require")))
        or any(value is not None for value in preflight.values()),
        asked=_asked(measurement, acceptance.get("transport"), len(unit)),
        skip=frozenset(preflight),
        diagnosed=checks.get("entities") is not None,
    )
