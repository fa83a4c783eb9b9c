"""A resolved site and its plan, made by hand: two nodes, every kind of test."""

from __future__ import annotations

import hashlib
import json
from copy import deepcopy
from typing import Any

from muster.diagnostics import Position
from muster.render import script_digest

SITE = "unit-site"
FILE = f"sites/{SITE}.yaml"
IMAGE = "registry.example.com/gpu/nccl-tests@sha256:" + "6c" * 32
DCGM_IMAGE = "registry.example.com/gpu/dcgm@sha256:" + "0d" * 32
STAGES = {"node": "20-node", "pair": "30-pair", "domain": "40-domain", "pool": "50-pool"}
PERF = ["all_reduce_perf", "-b", "4096", "-e", "1073741824", "-f", "4", "-g", "1"]


def spec(**changes: Any) -> dict[str, Any]:
    """Return the ``spec`` of a resolved site; ``changes`` replace its top-level fields."""
    found: dict[str, Any] = {
        "cluster": {
            "kubernetes": "1.30.0",
            "distribution": "kubeadm",
            "prometheus": {
                "namespace": "monitoring",
                "ruleLabels": {"release": "prometheus"},
                "monitorLabels": {"release": "prometheus"},
                "dcgmExporter": {
                    "namespace": "gpu-operator",
                    "labels": {"app": "nvidia-dcgm-exporter"},
                    "port": "gpu-metrics",
                },
                "dashboards": {"namespace": "monitoring", "labels": {"grafana_dashboard": "1"}},
            },
            "components": {"prometheus-operator": "0.84.0"},
        },
        "delivery": {
            "engine": "argocd",
            "repoURL": "https://git.example.com/gpu/fleet.git",
            "revision": "main",
            "namespace": "gpu-acceptance",
            "project": "gpu-acceptance",
            "path": "generated",
            "server": "https://kubernetes.default.svc",
            "argocdNamespace": "argocd",
        },
        "pools": {
            "h20": {
                "gpu": {"product": "NVIDIA-H20-3e", "perNode": 8, "resource": "nvidia.com/gpu"},
                "fabric": {
                    "type": "roce",
                    "resource": "rdma/hca",
                    "perNode": 8,
                    "hcas": "mlx5",
                    "controlInterface": "eth0",
                    "ipcLock": True,
                },
                "nodes": {
                    "names": ["node-a", "node-b"],
                    "tolerations": [{"key": "gpu", "operator": "Exists", "effect": "NoSchedule"}],
                },
            }
        },
        "launch": {"sshSecret": "muster-ssh", "sshPort": 2222},
        "budget": {"gpuHours": 40, "maxConcurrentNodes": 2, "deadline": "6h"},
    }
    return {**found, **changes}


def measurement(tool: str, unit: list[str], **changes: Any) -> dict[str, Any]:
    """Return a measurement of a tool on a unit; ``changes`` replace its fields."""
    rdma = tool == "nccl-tests" and len(unit) > 1
    found: dict[str, Any] = {
        "version": "muster.dev/measurement/v1",
        "site": SITE,
        "pool": "h20",
        "scope": "pair" if len(unit) > 1 else "node",
        "unit": unit,
        "test": {"nccl-tests": "nccl-all-reduce", "dcgm": "dcgm-diag"}.get(tool, "node-inventory"),
        "tool": tool,
        "params": {"rounds": 3, "roundTimeout": 600},
        "command": {"nccl-tests": PERF, "dcgm": ["dcgmi", "diag", "-r", "1", "-j"]}.get(tool, []),
        "env": {"NCCL_DEBUG": "INFO", "NCCL_NET": "IB"} if rdma else {},
        "image": DCGM_IMAGE if tool == "dcgm" else IMAGE,
        "script": script_digest(),
        "resources": {"nvidia.com/gpu": "8", **({"rdma/hca": "8"} if rdma else {})},
        "hardware": {"product": "NVIDIA-H20-3e", "gpusPerNode": 8},
        "ranks": 8 * len(unit),
        "ranksPerNode": 8,
        "rounds": 3,
        "timeoutSeconds": 600,
        "software": {"driver": "580.126.20", "cuda": "12.9", "nccl": "2.27.3"},
        "campaign": "2026-10",
    }
    return {**found, **changes}


def digest(record: Any) -> str:
    """Return the digest of a measurement, in a form that any change changes."""
    text = json.dumps(record, sort_keys=True)
    return "sha256:" + hashlib.sha256(text.encode()).hexdigest()


def desired(
    test: str, tool: str, unit: list[str], line: int = 40, wave: int = 0, **changes: Any
) -> dict[str, Any]:
    """Return one desired test; ``changes`` go into its measurement."""
    measured = measurement(tool, unit, **changes)
    stage = "10-preflight" if tool == "preflight" else STAGES[measured["scope"]]
    return {
        "id": f"{SITE}/h20/{test}/{'+'.join(unit)}",
        "site": SITE,
        "pool": "h20",
        "test": test,
        "catalog": measured["test"],
        "tool": tool,
        "scope": measured["scope"],
        "unit": unit,
        "domain": None,
        "digest": digest(measured),
        "measurement": measured,
        "acceptance": {},
        "stage": stage,
        "wave": wave,
        "cost": {"gpus": 8 * len(unit), "seconds": 900, "gpuHours": 2.0 * len(unit)},
        "position": f"{FILE}:{line}:5",
    }


def plan(items: list[dict[str, Any]] | None = None, runner: str = "job") -> dict[str, Any]:
    """Return a plan of desired tests, by default of every kind."""
    if items is None:
        items = [
            *(desired("node-inventory", "preflight", [node], 10) for node in ("node-a", "node-b")),
            *(desired("dcgm-level-1", "dcgm", [node], 20) for node in ("node-a", "node-b")),
            *(desired("node-all-reduce", "nccl-tests", [node], 30, 1) for node in ("node-a", "node-b")),
            desired("pair-all-reduce", "nccl-tests", ["node-a", "node-b"], 40),
        ]
    tests = {}
    for item in items:
        kind = runner if item["tool"] == "nccl-tests" else "job"
        tests[item["test"]] = {"runner": kind, "tool": item["tool"], "stage": item["stage"]}
    return {"site": SITE, "tests": tests, "desired": deepcopy(items)}


def locate(path: Any) -> Position:
    """Stand in for the positions of a site file: the line is the depth of the path."""
    return Position(FILE, len(path), 1)
