"""Judge an inventory: every node must have what its pool declares, and say so itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

from muster.judge.environment import gpu_counts, same_product, same_version
from muster.judge.fields import items, mapping, maps, number, shown, text, whole
from muster.judge.model import Reason

if TYPE_CHECKING:
    from muster.judge.fields import JsonMap


def _found(key: str, node: str, environment: JsonMap, *, alone: bool) -> object:
    if key == "gpus":
        return gpu_counts(environment).get(node)
    own = mapping(mapping(environment.get("nodes")).get(node)).get(key)
    if own is not None:
        return own
    if not alone:
        return None
    if key == "product":
        listed_products = items(environment.get("products"))
        return listed_products[0] if len(listed_products) == 1 else None
    return environment.get(key)


def _active(found: object) -> int | None:
    """Return how many RDMA devices of a node are active, None when the evidence does not list them."""
    if not isinstance(found, list):
        return None
    return sum(
        (text(nic.get("state")) or "").rpartition(":")[2].strip().upper() == "ACTIVE" for nic in maps(found)
    )


def _matches(key: str, wanted: object, found: object) -> bool | None:
    """Compare one fact; None when it cannot be told."""
    if found is None:
        return None
    if key == "nics" and whole(wanted) is not None:
        active = _active(found)
        return None if active is None else active >= (whole(wanted) or 0)
    if isinstance(wanted, str):
        given = text(found)
        same = same_product if key == "product" else same_version
        return None if given is None else same(wanted, given)
    if (want := number(wanted)) is not None:
        have = number(found)
        return None if have is None else have == want
    return None


def judge_preflight(acceptance: JsonMap, record: JsonMap, unit: tuple[str, ...]) -> list[Reason]:
    """Return every declared fact that a node of the unit does not have or does not tell.

    The acceptance's ``preflight`` maps a fact (``gpus``, ``product``, ``driver``, ``cuda``, ``nics``) to the
    declared value; ``nics`` is the least number of active devices.
    """
    asked = acceptance.get("preflight")
    if asked is None:
        return []
    environment = mapping(record.get("environment"))
    reasons: list[Reason] = []
    for key, wanted in sorted(mapping(asked).items()):
        if wanted is None:
            continue
        for node in unit:
            found = _found(key, node, environment, alone=len(unit) == 1)
            match = _matches(key, wanted, found)
            what = f"{shown(node)}: {shown(key)} {shown(wanted)} is declared"
            if match is None:
                reasons.append(Reason("MU929", f"{what}, the evidence does not say what it has"))
            elif not match:
                have = f"{_active(found)} active" if key == "nics" else shown(found)
                reasons.append(Reason("MU908", f"{what}, found {have}"))
    return reasons
