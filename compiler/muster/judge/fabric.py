"""Count the RDMA devices of a node that carry the declared fabric."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import TYPE_CHECKING, Final

from muster.judge.fields import listed, mapping, maps, shown, text, whole
from muster.judge.model import Reason

if TYPE_CHECKING:
    from muster.judge.fields import JsonMap

_LINK_LAYERS: Final = {"roce": "ethernet", "infiniband": "infiniband"}
_RATE: Final = re.compile(r"([0-9]{1,6}(?:\.[0-9]{1,6})?) ?(Gb|GB)/s(?:ec)?\b")


def rate(value: object) -> Decimal | None:
    """Return a link rate in Gb/s: ``200Gb/s`` of a site, ``200 Gb/sec (4X HDR)`` of the kernel."""
    found = _RATE.match(text(value) or "")
    return None if found is None else Decimal(found[1]) * (8 if found[2] == "GB" else 1)


def chosen(name: str, hcas: str) -> bool:
    """Tell whether a device is one that NCCL_IB_HCA names: prefixes, ``=`` exact names, ``^`` exclusions.

    Ports after ``:`` do not count.
    """
    exclude, plain = hcas.startswith("^"), hcas.removeprefix("^")
    exact, parts = plain.startswith("="), plain.removeprefix("=").split(",")
    device = name.partition(":")[0]
    wanted = [item for part in parts if (item := part.partition(":")[0])]
    hit = any(device == item if exact else device.startswith(item) for item in wanted)
    return hit is not exclude


def _usable(nic: JsonMap, fabric: JsonMap) -> bool:
    """Tell whether a device carries the fabric: active, of its link layer, at least at its rate."""
    state = (text(nic.get("state")) or "").rpartition(":")[2].strip().upper()
    layer = (text(nic.get("linkLayer")) or "").lower()
    found, declared = rate(nic.get("rate")), rate(fabric.get("rate"))
    return (
        state == "ACTIVE"
        and layer == _LINK_LAYERS.get(text(fabric.get("type")) or "")
        and found is not None
        and declared is not None
        and found >= declared
    )


def judge_fabric(node: str, fabric: JsonMap, environment: JsonMap) -> list[Reason]:
    """Return why a node has fewer usable RDMA devices than its pool declares.

    Args:
        node: the node's name.
        fabric: ``type``, ``perNode``, ``rate`` and ``hcas`` of the pool's fabric.
        environment: what the evidence found; ``nics`` of a node holds name, state, rate and linkLayer.
    """
    nics = mapping(mapping(environment.get("nodes")).get(node)).get("nics")
    nics = mapping(environment.get("nics")).get(node) if nics is None else nics
    wanted = whole(fabric.get("perNode"))
    kind = f"{shown(fabric.get('type'))} at {shown(fabric.get('rate'))}"
    what = f"{shown(node)}: {shown(wanted)} RDMA devices ({kind}) are declared"
    if not isinstance(nics, list) or wanted is None:
        return [Reason("MU929", f"{what}, the evidence does not list any")]
    hcas = text(fabric.get("hcas")) or ""
    mine = [nic for nic in maps(nics) if chosen(text(nic.get("name")) or "", hcas)]
    odd = [nic for nic in mine if not _usable(nic, fabric)]
    if len(mine) - len(odd) >= wanted:
        return []
    keys = ("name", "state", "rate", "linkLayer")
    bad = listed([" ".join(shown(nic.get(key)) for key in keys) for nic in odd])
    return [Reason("MU908", f"{what}, {len(mine) - len(odd)} can be used" + (f"; not {bad}" if bad else ""))]
