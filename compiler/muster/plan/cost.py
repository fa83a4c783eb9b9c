"""What tests cost in GPU-hours and wall time, before anyone runs them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from muster.site.units import parse_duration

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


def estimate_seconds(test: Mapping[str, Any], entry: Mapping[str, Any]) -> float:
    """Return the expected wall time of one run: what the test says, else the catalog's figure."""
    level = entry.get("levels", {}).get(str(test["params"].get("level")), {})
    text: str = test.get("estimate") or level.get("estimate") or entry["estimate"]
    return float(parse_duration(text))


def cost_of(gpus: int, seconds: float) -> dict[str, Any]:
    """Return the cost of one run that holds ``gpus`` GPUs for ``seconds``."""
    return {"gpus": gpus, "seconds": round(seconds), "gpuHours": round(gpus * seconds / 3600, 4)}


def total_hours(costs: Iterable[Mapping[str, Any]]) -> float:
    """Return the sum of GPU-hours, rounded to what estimates can tell."""
    return round(sum(float(cost["gpuHours"]) for cost in costs), 2)
