"""Hold the plan against the site's budget: GPU-hours, nodes at a time, and the time until all is done."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from muster.plan.cost import total_hours
from muster.site.units import parse_duration

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from muster.diagnostics import Diagnostic
    from muster.plan.context import SiteContext


def check_budget(context: SiteContext, desired: Sequence[dict[str, Any]]) -> list[Diagnostic]:
    """Return what exceeds the budget; estimates are those of the plan."""
    budget = context.spec["budget"]
    found = []
    hours = total_hours(item["cost"] for item in desired)
    if hours > budget["gpuHours"]:
        steps = ("spec", "budget", "gpuHours")
        text = f"the tests cost {hours:g} GPU-hours, the budget is {budget['gpuHours']:g}"
        hint = "largest: " + _largest(desired)
        found.append(context.fault("MU421", text, steps, hint=hint))
    widest = max(desired, key=lambda item: len(item["unit"]), default=None)
    if widest is not None and len(widest["unit"]) > budget["maxConcurrentNodes"]:
        steps = ("spec", "budget", "maxConcurrentNodes")
        allowed = budget["maxConcurrentNodes"]
        text = f"{widest['id']} needs {len(widest['unit'])} nodes at a time, {allowed} are allowed"
        found.append(context.fault("MU422", text, steps))
    needed = serial_seconds(desired)
    deadline = parse_duration(budget["deadline"])
    if needed > deadline:
        steps = ("spec", "budget", "deadline")
        hours = needed / 3600
        text = f"wave after wave the tests take about {hours:.1f} h, the deadline is {budget['deadline']}"
        found.append(context.fault("MU423", text, steps))
    longest = max(desired, key=_limit, default=None)
    if needed <= deadline and longest is not None and _limit(longest) > deadline:
        measurement = longest["measurement"]
        text = (
            f"{longest['id']} may take {measurement['rounds']} rounds of {measurement['timeoutSeconds']} s,"
        )
        text += f" the deadline is {budget['deadline']}"
        found.append(context.fault("MU424", text, ("spec", "budget", "deadline")))
    return found


def _limit(desired: Mapping[str, Any]) -> int:
    measurement = desired["measurement"]
    return int(measurement["rounds"] * measurement["timeoutSeconds"])


def serial_seconds(desired: Sequence[dict[str, Any]]) -> float:
    """Return the expected wall time: all waves one after another, each as long as its longest run."""
    waves: dict[tuple[str, int], float] = {}
    for item in desired:
        key = (item["stage"], item["wave"])
        waves[key] = max(waves.get(key, 0), item["cost"]["seconds"])
    return sum(waves.values())


def _largest(desired: Sequence[dict[str, Any]]) -> str:
    by_test: dict[str, float] = {}
    for item in desired:
        by_test[item["test"]] = by_test.get(item["test"], 0) + item["cost"]["gpuHours"]
    top = sorted(by_test.items(), key=lambda item: (-item[1], item[0]))[:3]
    return ", ".join(f"{name} {hours:g}" for name, hours in top)
