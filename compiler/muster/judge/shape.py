"""The JSON shapes of a verdict's parts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from muster.judge import freshness
from muster.judge.fields import mapping, shown

if TYPE_CHECKING:
    from datetime import datetime
    from decimal import Decimal

    from muster.judge.model import Assessment, Measure, Older
    from muster.judge.states import State


def age(newest: Assessment | None, as_of: datetime) -> float | None:
    """Return the age of the newest attempt in seconds, None without a dated attempt."""
    if newest is None or newest.time is None:
        return None
    return float(freshness.seconds(newest.time, as_of))


def stale(state: State, code: str, fields: list[tuple[str, Any, Any]]) -> dict[str, Any] | None:
    """Return what makes evidence stale: another definition, another environment, or its age."""
    if state != "stale":
        return None
    kind = {"MU911": "definition", "MU914": "definition", "MU913": "environment"}.get(code, "expired")
    shown_fields = [] if kind == "expired" else fields
    return {
        "kind": kind,
        "fields": [
            {"path": path, "declared": declared, "found": found} for path, declared, found in shown_fields
        ],
    }


def _time(value: datetime | None) -> str | None:
    return None if value is None else value.isoformat().replace("+00:00", "Z")


def why(item: Assessment) -> str:
    """Return the reason that gives an attempt its state."""
    return item.reasons[0].message if item.reasons else "meets the acceptance"


def attempt(item: Assessment) -> dict[str, Any]:
    """Return an attempt as the verdict lists it."""
    return {
        "id": item.id,
        "state": item.state,
        "start": _time(item.start),
        "end": _time(item.end),
        "reason": why(item),
        "evidence": item.evidence,
    }


def older_attempt(item: Older) -> dict[str, Any]:
    """Return the newest attempt of another digest as the verdict lists it."""
    return {
        "id": item.id,
        "state": "stale",
        "start": _time(item.start),
        "end": _time(item.end),
        "reason": f"an attempt of another measurement, {shown(item.digest, 20)}: {item.state}",
        "evidence": item.evidence,
    }


def _float(value: Decimal | None) -> float | None:
    return None if value is None else float(value)


def measure(item: Measure) -> dict[str, Any]:
    """Return a measure as the verdict shows it; ``spread`` and ``margin`` are fractions."""
    threshold, at = item.threshold, mapping(item.threshold.get("at"))
    return {
        "threshold": threshold.get("name"),
        "metric": threshold.get("metric"),
        "bytes": at.get("bytes"),
        "placement": at.get("placement"),
        "case": at.get("case"),
        "statistic": threshold.get("statistic") or "median",
        "value": _float(item.value),
        "unit": threshold.get("unit"),
        "n": sum(value is not None for value in item.values),
        "expected": item.expected,
        "values": [_float(value) for value in item.values],
        "spread": _float(item.spread),
        "spreadLimit": threshold.get("spread"),
        "reference": threshold.get("reference"),
        "lower": threshold.get("lower"),
        "upper": threshold.get("upper"),
        "margin": _float(item.margin),
        "ok": item.ok,
        "cell": list(item.cell) if item.cell is not None else None,
        "cells": item.cells,
        "source": threshold.get("source"),
        "provisional": threshold.get("provisional") is True,
        "position": threshold.get("position"),
    }
