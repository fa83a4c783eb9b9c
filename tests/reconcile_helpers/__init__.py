"""Build whole plans and archives from the judge's templates."""

from __future__ import annotations

import copy
import hashlib
from itertools import combinations
from typing import Any

import judge_helpers as h

Json = dict[str, Any]


def digest(name: str) -> str:
    return "sha256:" + hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()


def desired(site: str, pool: str, test: str, base: str, unit: list[str], change: Json | None = None) -> Json:
    """Return a desired test of a base template for a unit."""
    name = f"{site}/{pool}/{test}/{'+'.join(unit)}"
    want = h.desired(base, change)
    want |= {"id": name, "site": site, "pool": pool, "test": test, "unit": unit, "digest": digest(name)}
    want["measurement"] |= {"site": site, "pool": pool, "unit": unit}
    return want


def plan(
    nodes: list[str],
    tests: Json | None = None,
    *,
    site: str = "h20-roce",
    pool: str = "h20",
    excluded: dict[str, str] | None = None,
    **more: Any,
) -> Json:
    """Return a plan with a pool of nodes.

    ``tests`` maps a test's name to ``{base, pairs, change}``: base ``pair`` runs on all pairs (or those of
    ``pairs``), every other base on each node.
    """
    left_out = excluded or {}
    targeted = [node for node in nodes if node not in left_out]
    wanted = tests if tests is not None else {"pair-all-reduce": {"base": "pair"}}
    found: Json = {
        "apiVersion": "muster.dev/plan/v1",
        "site": site,
        "siteDigest": digest(site),
        "campaign": "2026-10",
        "validFor": 2592000,
        "pools": {pool: {"nodes": targeted, "gpusPerNode": 8, "product": "NVIDIA-H20-3e"}},
        "tests": {},
        "disabled": {},
        "desired": [],
        "waivers": {},
        "totals": {"gpuHours": 1.5, "budget": 40.0},
        "excluded": [{"pool": pool, "node": node, "reason": why} for node, why in left_out.items()],
    }
    for test, said in wanted.items():
        base = said["base"]
        units = [[node] for node in targeted]
        if base == "pair":
            units = said.get("pairs") or [list(pair) for pair in combinations(targeted, 2)]
        found["tests"][test] = {
            "catalog": h.BASE["desired"][base]["catalog"],
            "pools": [pool],
            "enabled": True,
        }
        found["desired"] += [desired(site, pool, test, base, unit, said.get("change")) for unit in units]
    return found | copy.deepcopy(more)


def of(want: Json, change: Json | None = None, base: str | None = None) -> Json:
    """Return a record that satisfies a desired test, with changes as `judge_helpers.record` takes them."""
    kind = (want["catalog"], want["scope"])
    base = base or next(
        name for name, entry in h.BASE["desired"].items() if (entry["catalog"], entry["scope"]) == kind
    )
    unit = want["unit"]
    facts = {"gpus": 8, "product": "NVIDIA H20-3e", "driver": "580.126.20", "cuda": "12.9"}
    own: Json = {
        "identity": {key: want[key] for key in ("site", "pool", "test", "scope", "digest", "unit")},
        "attempt": {"id": "a" + digest(want["id"])[7:19]},
        "measurement": want["measurement"],
        "environment": {"gpus": dict.fromkeys(unit, 8)},
        "coverage": {"targeted": unit, "exercised": unit},
    }
    change = dict(change or {})
    edits = {"environment.nodes": {node: dict(facts) for node in unit}} | change.pop("edit", {})
    record = h.record(base, {**h.merge(own, change), "edit": {}, "drop": []})
    for check in record["checks"]:
        check["node"] = unit[0]
    for path, value in edits.items():
        h.put(record, path, value)
    for path in change.get("drop", []):
        h.drop(record, path)
    return record


def archive(plans: list[Json], changes: dict[str, Any] | None = None) -> list[Json]:
    """Return one satisfying record per desired test; ``changes`` by id (or its end): a change, or None for none."""
    found = []
    for want in (want for entry in plans for want in entry["desired"]):
        change: Any = {}
        for name, value in (changes or {}).items():
            if want["id"] == name or want["id"].endswith("/" + name):
                change = value
        if change is not None:
            found += [of(want, one) for one in (change if isinstance(change, list) else [change])]
    return found
