"""Say which nodes a failed run over several nodes makes suspect, who accuses and who acquits them.

A failed pair or domain alone blames nobody. A node is blamed by a failed run of its own, or when every other
node of a failed run is acquitted: a satisfied run of the same kind over several nodes took it in. The report
names the smallest set of further runs that would decide the rest.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from muster.judge.fields import mapping, names

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

# A run over several nodes that failed or hung asks for a culprit; errored and unreadable ones say nothing.
_FAILED: Final = frozenset({"violated", "incomplete", "contested"})
# A node alone is accused by what was measured, not by a run that did not finish.
_ACCUSES: Final = frozenset({"violated", "contested"})
Kind = tuple[Any, ...]


@dataclass(slots=True)
class _Court:
    """What is known in one pool of one site."""

    failed: list[tuple[Kind, Mapping[str, Any]]] = field(default_factory=list)
    acquitted: dict[Kind, dict[str, list[str]]] = field(default_factory=dict)
    accused: dict[str, list[str]] = field(default_factory=dict)
    open_tests: dict[str, list[str]] = field(default_factory=dict)
    sound: dict[str, list[str]] = field(default_factory=dict)
    runs: dict[tuple[Kind, tuple[str, ...]], str] = field(default_factory=dict)


def _kind(desired: Mapping[str, Any]) -> Kind:
    """Return what makes runs comparable: the operation over the same network, whatever their size."""
    measurement = mapping(desired.get("measurement"))
    require = names(mapping(mapping(desired.get("acceptance")).get("transport")).get("require"))
    return (desired.get("catalog"), mapping(measurement.get("params")).get("net"), require)


def _state(verdict: Mapping[str, Any]) -> str:
    return str(verdict["underlying"] or verdict["state"])


def _hear(pairs: Iterable[tuple[Mapping[str, Any], Mapping[str, Any]]]) -> dict[tuple[str, str], _Court]:
    courts: dict[tuple[str, str], _Court] = {}
    for desired, verdict in pairs:
        court = courts.setdefault((verdict["site"], verdict["pool"]), _Court())
        state, unit, kind = _state(verdict), verdict["unit"], _kind(desired)
        if len(unit) == 1:
            place = court.accused if state in _ACCUSES else court.open_tests
            place = court.sound if state == "satisfied" else place
            place.setdefault(unit[0], []).append(verdict["id"])
            continue
        court.runs[kind, tuple(unit)] = verdict["id"]
        if state in _FAILED:
            court.failed.append((kind, verdict))
        elif state == "satisfied":
            for node in unit:
                court.acquitted.setdefault(kind, {}).setdefault(node, []).append(verdict["id"])
    return courts


def _judge(court: _Court, kind: Kind, verdict: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """Return the entry of one failed run, and the nodes between which it leaves the choice."""
    acquitted = court.acquitted.get(kind, {})
    unit = verdict["unit"]
    nodes = [
        {
            "node": node,
            "accusedBy": court.accused.get(node, []),
            "acquittedBy": acquitted.get(node, [])[:5],
            "nodeTests": court.sound.get(node, [])[:5],
        }
        for node in unit
    ]
    by_node = [node for node in unit if node in court.accused]
    left = [node for node in unit if node not in acquitted]
    if by_node:
        blamed, conclusion, left = by_node, "a test of the node alone fails too", []
    elif len(left) == 1:
        blamed, conclusion = left, "every other node passed the same test with other partners"
    elif not left:
        blamed, conclusion = [], "every node passed with other partners: look at what lies between them"
    else:
        blamed, conclusion = [], "nothing tells the nodes apart"
    entry = {
        "id": verdict["id"],
        "site": verdict["site"],
        "pool": verdict["pool"],
        "test": verdict["test"],
        "state": _state(verdict),
        "reason": verdict["reason"],
        "nodes": nodes,
        "blamed": blamed,
        "conclusion": conclusion,
    }
    return entry, left if len(left) > 1 else []


def suspects(
    desired: Iterable[Mapping[str, Any]], verdicts: Sequence[Mapping[str, Any]]
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Return one entry per failed run over several nodes, and the next runs that would decide.

    Args:
        desired: the desired tests in the order of the verdicts.
        verdicts: their verdicts; of a waived one the underlying state counts.
    """
    entries: list[dict[str, Any]] = []
    next_runs: list[dict[str, Any]] = []
    for (site, pool), court in sorted(_hear(zip(desired, verdicts, strict=True)).items()):
        undecided: list[tuple[Kind, list[str]]] = []
        for kind, verdict in court.failed:
            entry, left = _judge(court, kind, verdict)
            entries.append(entry)
            if left:
                undecided.append((kind, left))
        next_runs.extend({"site": site, "pool": pool, **run} for run in _next(court, undecided))
    return entries, next_runs


def _next(court: _Court, undecided: Sequence[tuple[Kind, list[str]]]) -> list[dict[str, Any]]:
    """Choose further runs greedily: first the node in the most undecided runs, until each has one suspect left.

    A node that no test of its own has proven sound is tested alone first, since that needs one node. Else it is
    paired with an acquitted partner, whose part in a failure is ruled out.
    """
    chosen: dict[tuple[str, ...], dict[str, Any]] = {}
    tested: dict[Kind, set[str]] = {}
    while True:
        todo: Counter[tuple[str, Kind]] = Counter()
        for kind, left in undecided:
            rest = [node for node in left if node not in tested.get(kind, set())]
            if len(rest) > 1:
                todo.update((node, kind) for node in rest)
        if not todo:
            return list(chosen.values())
        (node, kind), decides = min(
            todo.items(),
            key=lambda found: (-found[1], found[0][0] in court.sound, found[0][0], str(found[0][1])),
        )
        tested.setdefault(kind, set()).add(node)
        run = _run(court, kind, node, undecided)
        key = (run["kind"], run.get("test") or "", *run["unit"])
        chosen.setdefault(key, {**run, "decides": decides})


def _run(court: _Court, kind: Kind, node: str, undecided: Sequence[tuple[Kind, list[str]]]) -> dict[str, Any]:
    """Return the cheapest run that tells about a node."""
    alone = min(court.open_tests[node]) if node in court.open_tests else None
    if alone is not None and node not in court.sound:
        why = f"no test of {node} alone counts yet"
        return {"kind": "node", "unit": [node], "desired": alone, "why": why}
    partners = sorted(set(court.acquitted.get(kind, {})) - {node})
    why = f"{{}} passed with others, so that a failure would be {node}'s"
    if not partners:
        suspected = {other for own, left in undecided if own == kind for other in left}
        known = set(court.sound) | set(court.open_tests)
        partners = sorted(known - suspected - set(court.accused) - {node})
        why = "{} is under no suspicion"
    if partners:
        unit = sorted((node, partners[0]))
        return {
            "kind": "pair",
            "unit": unit,
            "test": kind[0],
            "desired": court.runs.get((kind, tuple(unit))),
            "why": why.replace("{}", partners[0]),
        }
    if alone is not None:
        why = f"no node is left to pair {node} with, and this test of it alone does not count yet"
        return {"kind": "node", "unit": [node], "desired": alone, "why": why}
    why = f"no node is left to pair {node} with; exchange its NIC, cable or port, or add a node"
    return {"kind": "none", "unit": [node], "desired": None, "why": why}
