"""Count per pool and test how many nodes are proven. Excluded nodes stay in the denominator."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from muster.reconcile.model import item
from muster.reconcile.plans import excluded_of, nodes_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_GRAVITY = (
    "violated",
    "contested",
    "unreadable",
    "errored",
    "incomplete",
    "excluded",
    "stale",
    "unjudged",
    "missing",
    "waived",
    "satisfied",
)


def coverage(
    plans: Sequence[Mapping[str, Any]], verdicts: Sequence[Mapping[str, Any]]
) -> list[dict[str, Any]]:
    """Return one entry per pool and enabled test.

    A node is proven when every desired run of the test that covers it is satisfied; it is waived when some of
    them are waived and the others satisfied. ``ratio`` is proven nodes over all nodes of the pool.
    """
    states: dict[tuple[str, str, str], dict[str, set[str]]] = {}
    for verdict in verdicts:
        place = (verdict["site"], verdict["pool"], verdict["test"])
        nodes = states.setdefault(place, {})
        for node in verdict["unit"]:
            nodes.setdefault(node, set()).add(verdict["state"])
    found = []
    for plan in plans:
        for pool, test in _places(plan, states):
            told = states.get((plan["site"], pool, test), {})
            found.append(_entry(plan, pool, test, told))
    return found


def _places(plan: Mapping[str, Any], states: Mapping[tuple[str, str, str], object]) -> list[tuple[str, str]]:
    """Return every pool and test that should have runs, also those that have none."""
    tests = plan.get("tests")
    wanted = {
        (pool, name)
        for name, test in (tests if isinstance(tests, dict) else {}).items()
        if isinstance(test, dict) and test.get("enabled") is not False
        for pool in test.get("pools") or ()
    }
    return sorted(wanted | {(pool, test) for site, pool, test in states if site == plan["site"]})


def _entry(plan: Mapping[str, Any], pool: str, test: str, told: Mapping[str, set[str]]) -> dict[str, Any]:
    nodes = nodes_of(plan, pool)
    left_out = {entry["node"]: entry.get("reason") for entry in excluded_of(plan, pool)}
    proven = [node for node in nodes if told.get(node) == {"satisfied"} and node not in left_out]
    waived = [node for node in nodes if _is_waived(told.get(node, set())) and node not in left_out]
    settled = {*left_out, *proven, *waived}
    open_nodes = [
        {"node": node, "state": _worst(told[node]) if told.get(node) else "untargeted"}
        for node in nodes
        if node not in settled
    ]
    return {
        "site": plan["site"],
        "pool": pool,
        "test": test,
        "nodes": len(nodes),
        "proven": len(proven),
        "ratio": len(proven) / len(nodes) if nodes else 0.0,
        "waived": waived,
        "excluded": [{"node": node, "reason": reason} for node, reason in sorted(left_out.items())],
        "open": open_nodes,
    }


def _is_waived(states: set[str]) -> bool:
    return "waived" in states and states <= {"waived", "satisfied"}


def _worst(states: set[str]) -> str:
    return min(states, key=_GRAVITY.index)


def findings(entries: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return a finding for every pool and test with nodes that no run is to cover, or without any run."""
    found = []
    for entry in entries:
        lost = [node["node"] for node in entry["open"] if node["state"] == "untargeted"]
        if entry["nodes"] and not lost:
            continue
        names = ", ".join(lost[:5]) + (f" and {len(lost) - 5} more" if len(lost) > 5 else "")
        what = f"no run covers {names}" if lost else "the pool has no nodes"
        text = f"{entry['pool']} {entry['test']}: {what}"
        step = "Give the test a scope or pairs that cover the nodes, or exclude them with a reason."
        found.append(
            item("MU956", text, entry["site"], subject=f"{entry['pool']}/{entry['test']}", next_step=step)
        )
    return found
