"""Which nodes one run of a test covers, and in which order runs may overlap."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence


@dataclass(frozen=True, slots=True)
class Unit:
    """The sorted node names of one run; ``domain`` where the run stays inside an NVLink domain."""

    nodes: tuple[str, ...]
    domain: str | None = None


def units_of(pool: Mapping[str, Any], scope: str, pairs: str) -> list[Unit]:
    """Return the units of a scope in a pool, excluded nodes left out.

    Pairs come in the order of a round-robin tournament, so that the runs of one round share no node.
    A ring joins each node with the next and the last with the first; neighbours are 1-2, 3-4, and so on,
    an odd last node pairs with the one before it, so that every node is covered.
    """
    nodes = sorted(name for name in pool["nodes"]["names"] if name not in pool["nodes"]["excluded"])
    if scope == "node":
        return [Unit((name,)) for name in nodes]
    if scope == "pair":
        return [Unit(pair) for pair in _pairs(nodes, pairs)]
    if scope == "pool":
        return [Unit(tuple(nodes))] if nodes else []
    kept = {
        name: tuple(sorted(set(members) & set(nodes))) for name, members in sorted(pool["domains"].items())
    }
    kept = {name: members for name, members in kept.items() if members}
    if scope == "domain":
        return [Unit(members, name) for name, members in kept.items()]
    return [Unit(tuple(sorted({*kept[a], *kept[b]}))) for a, b in combinations(kept, 2)]


def count_units(pool: Mapping[str, Any], scope: str, pairs: str) -> int:
    """Return how many units ``units_of`` would give at most, without making them."""
    nodes = len(set(pool["nodes"]["names"]) - set(pool["nodes"]["excluded"]))
    domains = len(pool["domains"])
    if scope == "pair":
        return nodes * (nodes - 1) // 2 if pairs == "all" else nodes
    counts = {"node": nodes, "pool": 1, "domain": domains}
    return counts.get(scope, domains * (domains - 1) // 2)


def _pairs(nodes: Sequence[str], how: str) -> Iterator[tuple[str, str]]:
    if len(nodes) < 2:
        return
    if how == "all":
        yield from _tournament(nodes)
        return
    if how == "neighbours":
        chosen = [(nodes[i], nodes[i + 1]) for i in range(0, len(nodes) - 1, 2)]
        if len(nodes) % 2:
            chosen.append((nodes[-2], nodes[-1]))
    else:
        chosen = [(nodes[i], nodes[(i + 1) % len(nodes)]) for i in range(len(nodes))]
    yield from dict.fromkeys((min(pair), max(pair)) for pair in chosen)


def _tournament(nodes: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield every pair once, round by round (the circle method: the first stays, the others turn)."""
    ring: list[str | None] = [*nodes, *([None] if len(nodes) % 2 else [])]
    half = len(ring) // 2
    for _ in range(len(ring) - 1):
        for a, b in zip(ring[:half], reversed(ring[half:]), strict=True):
            if a is not None and b is not None:
                yield (min(a, b), max(a, b))
        ring = [ring[0], ring[-1], *ring[1:-1]]


def waves_of(units: Sequence[Unit], at_once: int) -> list[int]:
    """Return the wave of each unit: no node twice in a wave, at most ``at_once`` nodes in it.

    Raises:
        ValueError: a unit alone has more nodes than may be busy at once.
    """
    busy: list[set[str]] = []
    waves = []
    smallest = min((len(unit.nodes) for unit in units), default=0)
    roomy = 0  # all waves before it are full
    free: dict[str, int] = {}  # node to a wave that has all its waves before it
    for unit in units:
        nodes = set(unit.nodes)
        if len(nodes) > at_once:
            raise ValueError(f"{len(nodes)} nodes at a time, {at_once} allowed")
        wave = max(roomy, *(free.get(name, 0) for name in nodes))
        while wave < len(busy) and (len(busy[wave]) + len(nodes) > at_once or busy[wave] & nodes):
            wave += 1
        if wave == len(busy):
            busy.append(set())
        busy[wave] |= nodes
        waves.append(wave)
        for name in nodes:
            after = free.get(name, 0)
            while after < len(busy) and name in busy[after]:
                after += 1
            free[name] = after
        while roomy < len(busy) and len(busy[roomy]) + smallest > at_once:
            roomy += 1
    return waves
