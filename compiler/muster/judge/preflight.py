"""Judge an inventory: every node must have what its pool declares, and say so itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

from muster.judge.environment import at_least, gpu_counts, same_product, same_version
from muster.judge.fabric import judge_fabric
from muster.judge.fields import items, mapping, number, shown, text
from muster.judge.model import Reason

if TYPE_CHECKING:
    from muster.judge.fields import JsonMap


def _found(key: str, node: str, environment: JsonMap, *, alone: bool) -> object:
    """Return what a node says of a fact; the record as a whole speaks only for a node that is alone."""
    if key == "gpus":
        return gpu_counts(environment).get(node)
    own = mapping(mapping(environment.get("nodes")).get(node)).get(key)
    if own is not None or not alone:
        return own
    if key == "product":
        products = items(environment.get("products"))
        return products[0] if len(products) == 1 else None
    return environment.get(key)


def _matches(key: str, wanted: object, found: object) -> bool | None:
    """Compare one fact; None when it cannot be told."""
    if isinstance(wanted, str):
        given = text(found)
        same = {"product": same_product, "cuda": at_least}.get(key, same_version)
        return None if given is None else same(wanted, given)
    want, have = number(wanted), number(found)
    return None if want is None or have is None else have == want


def judge_preflight(acceptance: JsonMap, record: JsonMap, unit: tuple[str, ...]) -> list[Reason]:
    """Return every declared fact that a node of the unit does not have or does not tell.

    The acceptance's ``preflight`` maps a fact to the declared value: ``gpus``, ``product``, ``driver``,
    ``cuda`` (the driver must support at least that), ``fabric`` (type, perNode, rate, hcas).
    """
    asked = acceptance.get("preflight")
    if asked is None:
        return []
    environment = mapping(record.get("environment"))
    reasons: list[Reason] = []
    for key, wanted in sorted(mapping(asked).items()):
        for node in unit if wanted is not None else ():
            if key == "fabric":
                reasons.extend(judge_fabric(node, mapping(wanted), environment))
            else:
                found = _found(key, node, environment, alone=len(unit) == 1)
                reasons.extend(_fact(key, node, wanted, found))
    return reasons


def _fact(key: str, node: str, wanted: object, found: object) -> list[Reason]:
    match = _matches(key, wanted, found)
    what = f"{shown(node)}: {shown(key)} {shown(wanted)} is declared"
    if match is None:
        return [Reason("MU929", f"{what}, the evidence does not say what it has")]
    return [] if match else [Reason("MU908", f"{what}, found {shown(found)}")]
