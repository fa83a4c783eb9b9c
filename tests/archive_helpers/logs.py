"""Logs as the pod script and nccl-tests print them, for tests of the archive."""

from __future__ import annotations

import hashlib
import json
from typing import Any

_SIZES = [4096 * 4**step for step in range(10)]
_TABLE = """\
# nccl-tests version 2.17.9 nccl-headers=22703 nccl-library=22703
# Collective test starting: all_reduce_perf
# nThread 1 nGpus 1 minBytes {low} maxBytes {high} \
step: 4(factor) warmup iters: 10 iters: {iters} {more}
#
# Using devices
{devices}
#
#                                                              out-of-place                       in-place
#       size         count      type   redop    root     time   algbw   busbw  #wrong     time   algbw   busbw  #wrong
#        (B)    (elements)                               (us)  (GB/s)  (GB/s)             (us)  (GB/s)  (GB/s)
{rows}
# Out of bounds values : {bad} {word}
# Avg bus bandwidth    : {average:.6g}
#
# Collective test concluded: all_reduce_perf
#
"""


def desired(
    site: str = "h20",
    pool: str = "h20",
    test: str = "pair-all-reduce",
    unit: tuple[str, ...] = ("node-a", "node-b"),
    **measured: Any,
) -> dict[str, Any]:
    """A desired test as a plan has it, of all-reduce over 8 GPUs of each node."""
    scope = {1: "node", 2: "pair"}.get(len(unit), "pool")
    params = {
        "minBytes": 4096,
        "maxBytes": 1 << 30,
        "factor": 4,
        "iters": 50,
        "warmup": 10,
        "rounds": 3,
        "datatype": "float",
        "redop": "sum",
        "check": 1,
    }
    measurement = {
        "version": "muster.dev/measurement/v1",
        "site": site,
        "pool": pool,
        "scope": scope,
        "unit": sorted(unit),
        "test": "nccl-all-reduce",
        "tool": "nccl-tests",
        "op": "all_reduce",
        "params": params,
        "command": ["all_reduce_perf", "-b", "4096", "-e", str(1 << 30), "-f", "4", "-n", "50", "-w", "10"],
        "ranks": 8 * len(unit),
        "ranksPerNode": 8,
        "rounds": 3,
        **measured,
    }
    digest = "sha256:" + hashlib.sha256(json.dumps([measurement, test], sort_keys=True).encode()).hexdigest()
    name = "+".join(sorted(unit))
    return {
        "id": f"{site}/{pool}/{test}/{name}",
        "site": site,
        "pool": pool,
        "test": test,
        "catalog": "nccl-all-reduce",
        "tool": measurement["tool"],
        "scope": scope,
        "unit": sorted(unit),
        "digest": digest,
        "measurement": measurement,
        "acceptance": {},
    }


def plan(*wanted: dict[str, Any]) -> dict[str, Any]:
    """A plan of some desired tests of one site."""
    nodes = sorted({node for item in wanted for node in item["unit"]})
    return {
        "apiVersion": "muster.dev/plan/v1",
        "site": wanted[0]["site"],
        "pools": {"h20": {"nodes": nodes, "gpusPerNode": 8, "product": "NVIDIA-H20-3e"}},
        "desired": list(wanted),
    }


def table(
    hosts: tuple[str, ...] = ("node-a", "node-b"),
    busbw: float = 400.0,
    iters: int = 50,
    wrong: int = 0,
    per_host: int = 8,
    uneven: int = 0,
    more: str = "agg iters: 1 validation: 1 graph: 0",
) -> str:
    """The output of one run of all_reduce_perf, with figures that fit each other."""
    ranks = per_host * len(hosts)
    devices, rows, sums = [], [], []
    for rank in range(ranks):
        host = hosts[min(len(hosts) - 1, (rank + uneven) // per_host)]
        devices.append(
            f"#  Rank {rank:2d} Group  0 Pid {100 + rank:6d} on {host:>10} device {rank % per_host:2d}"
            f" [0000:{rank:02x}:00] NVIDIA H20-3e"
        )
    for size in _SIZES:
        algbw = busbw * size / (size + 1e6) / (2 * (ranks - 1) / ranks)
        time = round(size / algbw / 1e3, 2)
        algbw = round(size / time / 1e3, 2)
        bus = round(size / time / 1e3 * 2 * (ranks - 1) / ranks, 2)
        sums += [bus, bus]
        cell = f"{time:8.2f} {algbw:7.2f} {bus:7.2f} {wrong:7d}"
        rows.append(f"{size:12d} {size // 4:13d} {'float':>9} {'sum':>7} {-1:7d} {cell} {cell}")
    return _TABLE.format(
        low=_SIZES[0],
        high=_SIZES[-1],
        iters=iters,
        more=more,
        devices="\n".join(devices),
        rows="\n".join(rows),
        bad=2 * len(_SIZES) if wrong else 0,
        word="FAILED" if wrong else "OK",
        average=sum(sums) / len(sums),
    )


def record(event: str, **fields: Any) -> str:
    """A record line of the pod script."""
    return "MUSTER-RECORD " + json.dumps({"v": 1, "event": event, **fields}) + "\n"


def begin(
    wanted: dict[str, Any],
    number: int = 1,
    *,
    attempt: str = "job-1",
    node: str = "node-a",
    rounds: int = 3,
    **more: Any,
) -> str:
    """The record line that begins a round of a desired test."""
    identity = {key: wanted[key] for key in ("digest", "site", "pool", "test", "scope", "unit")}
    found = {"gpus": 8, "product": "NVIDIA H20-3e", "driver": "580.126.20", "cuda": "12.9"}
    fields = {
        **identity,
        "attempt": attempt,
        "round": number,
        "rounds": rounds,
        "node": node,
        "time": f"2026-10-14T08:0{number}:00Z",
        "found": found,
        "command": wanted["measurement"]["command"],
        "synthetic": False,
    }
    return record("begin", **{**fields, **more})


def end(number: int = 1, exit_code: int = 0, **more: Any) -> str:
    """The record line that ends a round."""
    fields = {
        "signal": None,
        "timedOut": False,
        "seconds": 41,
        "time": f"2026-10-14T08:0{number}:41Z",
        **more,
    }
    return record("end", round=number, exit=exit_code, **fields)


def finish(exit_code: int = 0, rounds: int = 3, failed: int = 0, **more: Any) -> str:
    """The last record line."""
    return record("finish", exit=exit_code, rounds=rounds, failed=failed, time="2026-10-14T08:09:00Z", **more)


def pod_log(wanted: dict[str, Any], rounds: int = 3, **kwargs: Any) -> str:
    """The whole log of a launcher that went well."""
    hosts = tuple(kwargs.pop("hosts", wanted["unit"]))
    parts = [
        begin(wanted, number, rounds=rounds, **kwargs) + table(hosts, 400.0 + number) + end(number)
        for number in range(1, rounds + 1)
    ]
    return "".join(parts) + finish(rounds=rounds)


def worker_log(wanted: dict[str, Any], node: str = "node-b", rounds: int = 3, **kwargs: Any) -> str:
    """The log of a pod that only serves its GPUs to the launcher."""
    parts = [
        begin(wanted, number, node=node, rounds=rounds, **kwargs) + end(number)
        for number in range(1, rounds + 1)
    ]
    return "".join(parts) + finish(rounds=rounds)


def document(busbw: float = 400.0) -> str:
    """The JSON document of the run that `table` shows."""
    rows = [line.split() for line in table(busbw=busbw).splitlines() if line.strip()[:1].isdigit()]
    results = [_result(row) for row in rows]
    devices = [
        {
            "rank": rank,
            "group": 0,
            "pid": 100 + rank,
            "hostname": f"node-{'ab'[rank // 8]}",
            "device": rank % 8,
        }
        | {"device_hex": f"0000:{rank:02x}:00", "device_info": "NVIDIA H20-3e"}
        for rank in range(16)
    ]
    config = {"nthreads": 1, "ngpus": 1, "minimum_bytes": 4096, "maximum_bytes": 1 << 30, "step_factor": 4}
    config |= {"warmup_iters": 10, "iterations": 50, "aggregated_iterations": 1, "validation": 1, "graph": 0}
    config |= {"blocking_collectives": "false", "parallel_init": "false", "devices": devices}
    average = sum(item[side]["bus_bw"] for item in results for side in ("out_of_place", "in_place")) / 20
    whole = {
        "version": 1,
        "start_time": "2026-10-14 08:00:00",
        "args": ["all_reduce_perf"],
        "env": ["NCCL_NET=IB"],
    }
    whole |= {"nccl_version": 22703, "config": config, "results": results}
    whole |= {"out_of_bounds": {"count": 0, "okay": "true"}}
    whole |= {"average_bus_bandwidth": {"bandwidth": average, "okay": "unchecked"}}
    return json.dumps({**whole, "errors": [""], "end_time": "2026-10-14 08:01:00"})


def _result(row: list[str]) -> dict[str, Any]:
    result = {"size": int(row[0]), "count": int(row[1]), "type": row[2], "redop": row[3], "root": "    -1"}
    sides = {side: _side(int(row[0]), float(row[at])) for side, at in (("out_of_place", 5), ("in_place", 9))}
    return {**result, **sides, "actual_iterations": 50, "experiment_name": ""}


def _side(size: int, time: float) -> dict[str, float]:
    """A document does not round, so both bandwidths follow from the time."""
    algbw = size / time / 1e3
    return {"time": time, "alg_bw": round(algbw, 6), "bus_bw": round(algbw * 1.875, 6), "nwrong": 0.0}


def smi(gpus: int = 8, product: str = "NVIDIA H20-3e", driver: str = "580.126.20") -> str:
    """What ``nvidia-smi --query-gpu=index,name,pci.bus_id,driver_version --format=csv`` prints."""
    rows = [f"{index}, {product}, 00000000:{index:02X}:00.0, {driver}" for index in range(gpus)]
    return "\n".join(["index, name, pci.bus_id, driver_version", *rows]) + "\n"
