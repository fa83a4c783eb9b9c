"""Inventories of a node: files that say what it has, not what it can do."""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

TOOLS = frozenset({"nvidia-smi", "ibstat"})
_MOST_NICS = 512
_NIC = ("name", "port", "state", "rate", "linkLayer")


def is_inventory(reading: Mapping[str, Any]) -> bool:
    """Tell whether a file is an inventory: it counts as a fact about a node, never as a result."""
    return reading["tool"] in TOOLS


def facts_of(reading: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a complete inventory says of its node, in the words of record lines; empty for any other.

    ``gpus`` is a count, ``product`` the names of all GPUs joined by a semicolon where they differ.
    """
    if not is_inventory(reading) or reading["state"] != "complete":
        return {}
    found = {key: value for key, value in reading["environment"].items() if key in ("driver", "cuda")}
    gpus = reading.get("gpus") or []
    if gpus:
        found["gpus"] = len(gpus)
        names = list(dict.fromkeys(str(gpu["name"]) for gpu in gpus if gpu.get("name")))
        if names:
            found["product"] = "; ".join(names)
    if reading.get("nics"):
        found["nics"] = [{key: nic.get(key) for key in _NIC} for nic in reading["nics"][:_MOST_NICS]]
    return found


def plain_facts(found: Mapping[str, Any]) -> dict[str, Any]:
    """Return the plain values of what a record line says a node has, and its network devices.

    All else is dropped: the line may have been written by anybody.
    """
    plain = {str(key): value for key, value in found.items() if _is_plain(value)}
    nics = found.get("nics")
    if isinstance(nics, list):
        plain["nics"] = [
            {str(key): value for key, value in nic.items() if _is_plain(value)}
            for nic in nics[:_MOST_NICS]
            if isinstance(nic, dict)
        ]
    return plain


def _is_plain(value: object) -> bool:
    return value is None or isinstance(value, (str, int)) or (isinstance(value, float) and isfinite(value))
