"""What sites must prove and what it costs, as text or Markdown."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from muster.diagnostics.escape import for_markdown, for_terminal
from muster.diagnostics.words import counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

_NUMBER = re.compile(r"[0-9.]+")
HEAD = ("test", "catalog", "scope", "units", "waves", "GPU-hours", "judged by")


def plan_text(plans: Iterable[Mapping[str, Any]]) -> str:
    """Return one table per site for a terminal."""
    return "\n\n".join(_site_text(plan) for plan in plans)


def plan_markdown(plans: Iterable[Mapping[str, Any]]) -> str:
    """Return one section with a table per site, every name escaped."""
    return "\n\n".join(_site_markdown(plan) for plan in plans)


def _rows(plan: Mapping[str, Any]) -> list[tuple[str, ...]]:
    rows: list[tuple[str, ...]] = []
    for name, test in plan["tests"].items():
        items = [item for item in plan["desired"] if item["test"] == name]
        if not items:
            continue
        waves = {(item["stage"], item["wave"]) for item in items}
        hours = sum(item["cost"]["gpuHours"] for item in items)
        row = (name, test["catalog"], test["scope"], str(len(items)), str(len(waves)), f"{hours:.2f}")
        rows.append((*row, _judged(items)))
    return rows


def _judged(items: Sequence[Mapping[str, Any]]) -> str:
    acceptances = [item["acceptance"] for item in items]
    names = {threshold["name"] for acceptance in acceptances for threshold in acceptance["thresholds"]}
    found = [counted(len(names), "threshold")] if names else []
    if any(acceptance["transport"] for acceptance in acceptances):
        found.append("transport")
    if any(acceptance["checks"] for acceptance in acceptances):
        found.append("checks")
    if any(acceptance["preflight"] for acceptance in acceptances):
        found.append("inventory")
    return ", ".join(found) or "nothing: stays unjudged"


def _summary(plan: Mapping[str, Any]) -> list[str]:
    nodes = {node for pool in plan["pools"].values() for node in pool["nodes"]}
    totals = plan["totals"]
    cost = f"about {totals['gpuHours']:g} of {totals['budget']:g} GPU-hours"
    lines = [f"{counted(len(plan['desired']), 'run')} on {counted(len(nodes), 'node')}, {cost}"]
    lines += [
        f"excluded: {item['node']} of pool {item['pool']}: {item['reason']}" for item in plan["excluded"]
    ]
    lines += [
        f"switched off: {name} by {item['owner']}: {item['reason']} ({item['position']})"
        for name, item in plan["disabled"].items()
    ]
    return lines


def _site_text(plan: Mapping[str, Any]) -> str:
    rows = [HEAD, *_rows(plan)]
    widths = [max(len(for_terminal(row[i])) for row in rows) for i in range(len(HEAD))]
    lines = ["  ".join(for_terminal(cell).ljust(widths[i]) for i, cell in enumerate(row)) for row in rows]
    summary = [for_terminal(line) for line in _summary(plan)]
    return "\n".join([for_terminal(plan["site"]), *(f"  {line.rstrip()}" for line in [*lines, *summary])])


def _site_markdown(plan: Mapping[str, Any]) -> str:
    lines = [
        f"### {for_markdown(plan['site'])}",
        "",
        "| " + " | ".join(HEAD) + " |",
        "|---" * len(HEAD) + "|",
    ]
    lines += [
        "| " + " | ".join(cell if _NUMBER.fullmatch(cell) else for_markdown(cell) for cell in row) + " |"
        for row in _rows(plan)
    ]
    return "\n".join([*lines, "", *(f"- {for_markdown(line)}" for line in _summary(plan))])
