"""Everything that can change a number, in one canonical record per run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from muster.site.units import parse_bytes, parse_duration

if TYPE_CHECKING:
    from collections.abc import Mapping

    from muster.plan.units import Unit

VERSION = "muster.dev/measurement/v1"
_WITH_REDOP = {"all_reduce", "reduce_scatter", "reduce"}


def measure(
    spec: Mapping[str, Any],
    site: str,
    pool_name: str,
    test: Mapping[str, Any],
    entry: Mapping[str, Any],
    unit: Unit,
    script: str,
) -> dict[str, Any]:
    """Return the measurement record of one unit of a test.

    Sizes are bytes, limits seconds. The runner is no part of it: every runner runs the same measurement.

    Args:
        spec: the resolved site spec.
        site: the site's name.
        pool_name: the pool that the unit belongs to.
        test: the resolved test.
        entry: the catalog entry it runs.
        unit: the nodes of this run.
        script: ``sha256:<hex>`` of the script that the pods run.
    """
    pool = spec["pools"][pool_name]
    params = _params(test["params"])
    net = _network(pool, params, unit)
    if entry["tool"] == "nccl-tests":
        params["net"] = net
        if entry["op"] not in _WITH_REDOP:
            del params["redop"]
    gpus = pool["gpu"]["perNode"]
    return {
        "version": VERSION,
        "site": site,
        "pool": pool_name,
        "scope": test["scope"],
        "unit": list(unit.nodes),
        "test": test["test"],
        "tool": entry["tool"],
        "op": entry.get("op"),
        "params": params,
        "command": _command(entry, params),
        "env": _environment(entry, pool, unit, net),
        "image": spec["images"][entry["image"]],
        "script": script,
        "resources": _resources(pool, net),
        "hardware": {
            "product": pool["gpu"]["product"],
            "gpusPerNode": gpus,
            "memory": pool["gpu"]["memory"],
            "link": pool["gpu"]["link"],
        },
        "ranks": gpus * len(unit.nodes),
        "ranksPerNode": gpus,
        "rounds": params["rounds"],
        "timeoutSeconds": params["roundTimeout"],
        "software": {name: spec["software"][name] for name in entry["software"] if name in spec["software"]},
        "campaign": test.get("campaign", spec.get("campaign")),
    }


def _params(params: Mapping[str, Any]) -> dict[str, Any]:
    found = dict(params)
    for name in ("minBytes", "maxBytes"):
        if name in found:
            found[name] = parse_bytes(found[name])
    found["roundTimeout"] = int(parse_duration(found["roundTimeout"]))
    return dict(sorted(found.items()))


def _network(pool: Mapping[str, Any], params: Mapping[str, Any], unit: Unit) -> str | None:
    if len(unit.nodes) < 2:
        return None
    asked: str | None = params.get("net")
    return asked or ("IB" if "fabric" in pool else "Socket")


def _command(entry: Mapping[str, Any], params: Mapping[str, Any]) -> list[str]:
    """Return argv of one round; one rank per GPU, sizes in bytes."""
    if entry["tool"] == "nccl-tests":
        argv = [entry["binary"]]
        for option, name in (("-b", "minBytes"), ("-e", "maxBytes"), ("-f", "factor"), ("-n", "iters")):
            argv += [option, str(params[name])]
        argv += ["-w", str(params["warmup"]), "-c", str(params["check"]), "-g", "1", "-d", params["datatype"]]
        return argv + (["-o", params["redop"]] if entry["op"] in _WITH_REDOP else [])
    if entry["tool"] == "dcgm":
        return ["dcgmi", "diag", "-r", str(params["level"]), "-j"]
    if entry["tool"] == "nvbandwidth":
        return [
            "nvbandwidth",
            "-j",
            "-b",
            str(params["bufferMiB"]),
            "-i",
            str(params["samples"]),
            "-t",
            *params["cases"],
        ]
    return []


def _environment(
    entry: Mapping[str, Any], pool: Mapping[str, Any], unit: Unit, net: str | None
) -> dict[str, str]:
    if entry["tool"] != "nccl-tests":
        return {}
    env = {"NCCL_DEBUG": "INFO", "NCCL_DEBUG_SUBSYS": "INIT,NET,ENV"}
    fabric = pool.get("fabric")
    if len(unit.nodes) > 1 and fabric:
        env["NCCL_SOCKET_IFNAME"] = fabric["controlInterface"]
    if net == "IB" and fabric:
        env |= {"NCCL_NET": "IB", "NCCL_IB_HCA": fabric["hcas"]}
        for field, name in (("gidIndex", "NCCL_IB_GID_INDEX"), ("trafficClass", "NCCL_IB_TC")):
            if field in fabric:
                env[name] = str(fabric[field])
    elif net == "Socket":
        env |= {"NCCL_NET": "Socket", "NCCL_IB_DISABLE": "1"}
    return dict(sorted(env.items()))


def _resources(pool: Mapping[str, Any], net: str | None) -> dict[str, str]:
    found = {pool["gpu"]["resource"]: str(pool["gpu"]["perNode"])}
    if net == "IB" and "fabric" in pool:
        found[pool["fabric"]["resource"]] = str(pool["fabric"]["perNode"])
    return found
