"""Two desired tests that measure the same thing must tell the same."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from muster.judge import statistics
from muster.judge.fields import mapping, number
from muster.judge.measures import figure, percent
from muster.reconcile.model import item

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from decimal import Decimal

# What has a figure that counts as measured, good or bad.
_MEASURED = frozenset({"satisfied", "violated"})


def _thing(desired: Mapping[str, Any], measure: Mapping[str, Any]) -> str:
    """Return what a figure is of: unit, operation, size, type, ranks, network and NCCL settings.

    The transport that was found is left out: two figures over different paths for one declared network are
    the contradiction to find.
    """
    measurement = mapping(desired.get("measurement"))
    params = mapping(measurement.get("params"))
    return json.dumps(
        [
            desired["site"],
            sorted(desired["unit"]),
            [measurement.get(key) for key in ("tool", "op", "ranks", "env")],
            [params.get(key) for key in ("datatype", "redop", "net", "level")],
            [measure.get(key) for key in ("metric", "bytes", "placement", "case", "statistic", "unit")],
        ],
        sort_keys=True,
        default=str,
    )


def contradictions(
    desired: Iterable[Mapping[str, Any]], verdicts: Sequence[Mapping[str, Any]]
) -> list[dict[str, Any]]:
    """Return a finding for every thing that several desired tests measured and got different figures for.

    Different means further apart than the smallest declared spread; where none is declared, that one
    satisfies and another violates.
    """
    figures: dict[str, list[tuple[Decimal, Mapping[str, Any], Mapping[str, Any]]]] = {}
    for want, verdict in zip(desired, verdicts, strict=True):
        if (verdict["underlying"] or verdict["state"]) not in _MEASURED:
            continue
        for measure in verdict["measures"]:
            value = number(measure["value"])
            if value is not None:
                figures.setdefault(_thing(want, measure), []).append((value, measure, verdict))
    found = []
    for told in figures.values():
        if len({verdict["digest"] for _, _, verdict in told}) > 1:
            found.extend(_compare(told))
    return found


def _compare(told: list[tuple[Decimal, Mapping[str, Any], Mapping[str, Any]]]) -> list[dict[str, Any]]:
    values = [value for value, _, _ in told]
    limits = [limit for _, measure, _ in told if (limit := number(measure["spreadLimit"])) is not None]
    if limits:
        if statistics.within_spread(values, min(limits)):
            return []
        why = f"{percent(statistics.spread(values))} apart, {percent(min(limits))} is declared"
    elif len({measure["ok"] for _, measure, _ in told}) > 1:
        why = "one is accepted, another is not"
    else:
        return []
    low, high = min(told, key=lambda found: found[0]), max(told, key=lambda found: found[0])
    unit = low[1]["unit"]
    text = (
        f"{low[2]['id']} gives {figure(low[0])} {unit} and {high[2]['id']} {figure(high[0])} {unit} "
        f"for the same thing: {why}"
    )
    step = "Compare image, launcher and transport of the two; one of them does not measure what it says."
    return [item("MU955", text, low[2]["site"], subject=low[2]["id"], next_step=step)]
