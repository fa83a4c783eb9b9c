"""How much of anything a site may hold, so that no site file, however made, keeps the policies busy for ever.

The bounds lie well above any real cluster. A site above one is not evaluated at all.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

    from muster.site.positions import Path as Steps

CODE = "MU218"
NODES = 10_000
"""Most nodes of a site, all pools together."""

_MOST: tuple[tuple[Steps, int], ...] = (
    (("spec", "profiles"), 20),
    (("spec", "images"), 100),
    (("spec", "pools"), 100),
    (("spec", "tests"), 300),
    (("spec", "thresholds"), 1000),
    (("spec", "waivers"), 1000),
    (("spec", "maintenance", "windows"), 100),
    (("spec", "maintenance", "allow"), 10),
)
_PER_POOL: tuple[tuple[Steps, int], ...] = (
    (("nodes", "tolerations"), 50),
    (("nodes", "labels"), 50),
    (("domains",), 2000),
    (("numa",), 64),
)
_PER_TEST: tuple[tuple[Steps, int], ...] = (
    (("pools",), 100),
    (("products",), 100),
    (("params", "cases"), 100),
)


def excesses(data: Any) -> Iterator[tuple[Steps, str]]:
    """Yield the path of everything that a site holds too much of, with what to say about it."""
    yield from _over(data, (), _MOST)
    for kind, bounds in (("pools", _PER_POOL), ("tests", _PER_TEST)):
        for name, item in _items(_at(data, ("spec", kind))):
            yield from _over(item, ("spec", kind, name), bounds)
    for field, what in (("names", "nodes"), ("excluded", "excluded nodes")):
        found = (_at(pool, ("nodes", field)) for _, pool in _items(_at(data, ("spec", "pools"))))
        count = sum(len(item) for item in found if isinstance(item, list | dict))
        if count > NODES:
            yield ("spec", "pools"), f"{count} {what}, {NODES} are the most"
    for name, pool in _items(_at(data, ("spec", "pools"))):
        members = sum(len(item) for _, item in _items(_at(pool, ("domains",))) if isinstance(item, list))
        if members > NODES:
            yield ("spec", "pools", name, "domains"), f"{members} nodes in domains, {NODES} are the most"


def _over(data: Any, before: Steps, bounds: tuple[tuple[Steps, int], ...]) -> Iterator[tuple[Steps, str]]:
    for steps, most in bounds:
        found = _at(data, steps)
        if isinstance(found, list | dict) and len(found) > most:
            yield (*before, *steps), f"{len(found)} {steps[-1]}, {most} are the most"


def _items(node: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(node, dict):
        yield from node.items()


def _at(node: Any, steps: Steps) -> Any:
    for step in steps:
        node = node.get(step) if isinstance(node, dict) else None
    return node
