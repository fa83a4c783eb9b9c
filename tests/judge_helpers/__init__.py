"""Build desired tests and evidence records from `tests/cases/judge/base.yaml` and a case's changes."""

from __future__ import annotations

import copy
from datetime import datetime
from pathlib import Path
from typing import Any

import yaml

CASES = Path(__file__).resolve().parent.parent / "cases"
BASE: dict[str, Any] = yaml.safe_load((CASES / "judge" / "base.yaml").read_text(encoding="utf-8"))
START, END = "2026-10-14T08:00:00Z", "2026-10-14T08:10:00Z"
AS_OF = "2026-10-15T00:00:00Z"


def moment(text: str) -> datetime:
    return datetime.fromisoformat(text)


def merge(base: Any, change: Any) -> Any:
    """Lay a change over a base: mappings merge, all else replaces."""
    if isinstance(base, dict) and isinstance(change, dict):
        return {**base, **{key: merge(base.get(key), value) for key, value in change.items()}}
    return copy.deepcopy(change)


def _parts(path: str) -> list[Any]:
    return [int(part) if part.isdigit() else part for part in path.split(".")]


def put(target: Any, path: str, value: Any) -> None:
    """Set a value by a dotted path, ``runs.0.rows.1.outOfPlace.busbw``; ``*`` is every item of a list."""
    head, *rest = _parts(path)
    keys = list(range(len(target))) if head == "*" else [head]
    for key in keys:
        if rest:
            put(target[key], ".".join(map(str, rest)), value)
        else:
            target[key] = copy.deepcopy(value)


def drop(target: Any, path: str) -> None:
    """Remove what a dotted path names."""
    *way, last = _parts(path)
    for part in way:
        target = target[part]
    del target[last]


def desired(
    base: str, change: dict[str, Any] | None = None, edit: dict[str, Any] | None = None
) -> dict[str, Any]:
    found: dict[str, Any] = copy.deepcopy(merge(BASE["desired"][base], change or {}))
    for path, value in (edit or {}).items():
        put(found, path, value)
    return found


def _row(size: int, busbw: float) -> dict[str, Any]:
    side = {"timeUs": 4704.1, "algbw": round(busbw / 1.875, 2), "busbw": busbw, "wrong": 0}
    return {
        "bytes": size,
        "count": size // 4,
        "type": "float",
        "redop": "sum",
        "root": -1,
        "outOfPlace": side,
        "inPlace": {**side, "busbw": round(busbw - 0.5, 2)},
    }


def _run(number: int, busbw: float, ranks: int, nodes: int) -> dict[str, Any]:
    paths = {"NET/IB": 512, "P2P/CUMEM": 448} if nodes > 1 else {"P2P/CUMEM": 960}
    return {
        "line": 10 * number,
        "round": number,
        "op": "all_reduce",
        "opFrom": "header",
        "ranks": ranks,
        "ranksFrom": "device-lines",
        "nodes": nodes,
        "datatype": "float",
        "validation": True,
        "command": None,
        "parameters": {"minBytes": 4096, "maxBytes": 1073741824, "factor": 4, "iters": 50, "warmup": 10},
        "rows": [_row(268435456, round(busbw * 0.9, 2)), _row(1073741824, busbw)],
        "summary": {"outOfBounds": 0, "outOfBoundsOk": True, "avgBusbw": 124.2},
        "transport": {
            "paths": paths,
            "gpudirect": True if nodes > 1 else None,
            "interNode": ["NET/IB"] if nodes > 1 else [],
        },
        "environment": {"ncclHeader": 22703, "ncclLibrary": "2.27.3", "cuda": "12.9"},
        "state": "complete",
        "problems": [],
    }


def record(base: str, change: dict[str, Any] | None = None) -> dict[str, Any]:
    """Return a record that satisfies the base's desired test, with a case's changes.

    A change may hold ``values`` (busbw per round at 1 GiB), ``edit`` (dotted path to value) and ``drop``
    (dotted paths) beside plain parts of the record, which are merged.
    """
    change = dict(change or {})
    values, edits, drops = change.pop("values", None), change.pop("edit", {}), change.pop("drop", [])
    want = BASE["desired"][base]
    unit = list(want["unit"])
    facts = {"gpus": 8, "product": "NVIDIA H20-3e", "driver": "580.126.20", "cuda": "12.9"}
    found: dict[str, Any] = {
        "schema": "muster.dev/evidence/v1",
        "identity": {**{key: want[key] for key in ("site", "pool", "test", "scope", "digest")}, "unit": unit},
        "binding": "record",
        "synthetic": False,
        "attempt": {
            "id": "a1",
            "start": START,
            "end": END,
            "exitCode": 0,
            "signal": None,
            "timedOut": False,
            "reason": None,
            "rounds": [],
        },
        "measurement": want["measurement"],
        "environment": {
            **BASE["environment"],
            "gpus": dict.fromkeys(unit, 8),
            "products": ["NVIDIA H20-3e"],
            "nodes": {node: dict(facts) for node in unit},
        },
        "command": None,
        "parameters": {},
        "runs": [],
        "checks": [],
        "rows": [],
        "steps": None,
        "goodput": None,
        "transport": None,
        "coverage": {"targeted": unit, "exercised": unit, "excluded": []},
        "sources": [
            {"file": "raw/0-log.txt.zst", "name": "log.txt", "tool": want["tool"], "toolVersion": None}
        ],
        "state": "complete",
        "notes": [],
    }
    if base in BASE["rounds"]:
        ranks = want["measurement"]["ranks"]
        found["runs"] = [
            _run(n, v, ranks, len(unit)) for n, v in enumerate(values or BASE["rounds"][base], 1)
        ]
    if base == "dcgm":
        found["sources"][0]["toolVersion"] = "4.5.3"
        found["checks"] = [
            {
                "name": "software",
                "entity": f"GPU {n}",
                "status": "pass",
                "messages": [],
                "errors": [],
                "node": "node-a",
            }
            for n in range(8)
        ]
    if base == "bandwidth":
        found["rows"] = [
            {
                "case": "host_to_device_memcpy_ce",
                "metric": "bandwidth",
                "value": v,
                "unit": "GB/s",
                "cell": [0, n],
            }
            for v in values or [55.1, 55.2]
            for n in range(8)
        ]
    found = copy.deepcopy(merge(found, change))
    for path, value in edits.items():
        put(found, path, value)
    for path in drops:
        drop(found, path)
    return found
