"""Turns a case of ``cases/archive/attempts.yaml`` into files and a plan."""

from __future__ import annotations

import io
import json
from typing import Any

from archive_helpers import logs
from muster.archive.binding import Declared
from muster.archive.ingest import Batch
from muster.archive.inputs import Input


def wanted(case: dict[str, Any]) -> dict[str, Any]:
    """The desired test of a case."""
    return logs.desired(unit=tuple(case.get("unit", ("node-a", "node-b"))), **case.get("measured", {}))


def plans(case: dict[str, Any]) -> list[dict[str, Any]]:
    """The plans of a case; node-c is a node of the site too."""
    if case.get("plan") == "none":
        return []
    return [logs.plan(wanted(case), logs.desired(test="node-all-reduce", unit=("node-c",)))]


def text_of(parts: list[Any], test: dict[str, Any]) -> str:
    """The text of a file."""
    return "".join(_part(part, test) for part in parts)


def _part(part: Any, test: dict[str, Any]) -> str:
    kind, given = next(iter(part.items())) if isinstance(part, dict) else (part, {})
    if kind == "text":
        return str(given)
    if kind == "begin":
        return logs.begin(test, **given)
    if kind == "table":
        hosts = tuple(given.get("hosts", test["unit"]))
        return logs.table(hosts, **{key: value for key, value in given.items() if key != "hosts"})
    if kind == "excluded":
        identity = {key: test[key] for key in ("digest", "site", "pool", "test", "scope", "unit")}
        return logs.record("excluded", **identity, attempt="job-1", time="2026-10-14T08:00:00Z", **given)
    if kind == "dcgm":
        return dcgm(given["status"])
    makers = {"pod": logs.pod_log, "worker": logs.worker_log}
    return makers[kind](test, **given) if kind in makers else getattr(logs, kind)(**given)


def dcgm(status: str) -> str:
    """A document of ``dcgmi diag -j`` (4.x) with one test on one GPU."""
    result: dict[str, Any] = {"entity_group": "GPU", "entity_group_id": 1, "entity_id": 0, "status": status}
    if status == "Fail":
        result["warnings"] = [
            {"error_category": 10, "error_id": 1, "error_severity": 2, "warning": "bad memory"}
        ]
    test = {"name": "memory", "results": [result], "test_summary": {"status": status}}
    group = {"entity_group": "GPU", "entity_group_id": 1, "entities": [{"device_id": "2e12", "entity_id": 0}]}
    return json.dumps(
        {
            "DCGM Diagnostic": {"test_categories": [{"category": "Hardware", "tests": [test]}]},
            "entity_groups": [group],
            "metadata": {"Driver Version Detected": "580.126.20", "version": "4.5.3"},
        }
    )


def declared_of_case(case: dict[str, Any]) -> Declared:
    """What a case declares."""
    names = {"exitCode": "exit_code", "timedOut": "timed_out"}
    return Declared(**{names.get(key, key): value for key, value in case.get("declared", {}).items()})


def batch(case: dict[str, Any]) -> Batch:
    """The files of a case; declared ones are one attempt."""
    test = wanted(case)
    sources = tuple(memory(name, text_of(parts, test)) for name, parts in case["files"].items())
    return Batch(
        sources, declared_of_case(case), grouped=case.get("grouped", "test" in case.get("declared", {}))
    )


def memory(name: str, text: str | bytes) -> Input:
    """A file in memory."""
    data = text.encode() if isinstance(text, str) else text
    return Input(name, opener=lambda: io.BytesIO(data))
