"""A real log of two nodes, from the site that asks for it to the verdict that an expert would give.

The log is of two nodes with one A100-PCIE each; RDMA and SHARP plugins were loaded, no RDMA device was found, so
that NCCL used sockets. Site, nodes, sizes and versions here are those of the log.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

LOG = "nccltests-v2.17.8-allreduce-kubectl-timestamps-ncclinfo-socket.txt"
HOST = "p35ar-communication-nccl-b0e22-job-workload-node-0-{}"
DRIVER = "590.44.01"
SITE = """\
apiVersion: muster.dev/v1alpha1
kind: Site
metadata: {{name: a100-pair}}
spec:
  cluster: {{kubernetes: 1.34.0}}
  delivery: {{engine: none, namespace: gpu-acceptance}}
  software: {{driver: {driver}, cuda: "13.1", nccl: 2.29.2}}
  images:
    nccl-tests: registry.example.com/nccl@sha256:6c1f0b8f3a4e5d2c7b9a8e7f6d5c4b3a29181706f5e4d3c2b1a09f8e7d6c5b4a
  pools:
    a100:
      gpu: {{product: NVIDIA-A100-PCIE-40GB, perNode: 1, memory: 40960Mi, link: pcie}}
      fabric: {{type: roce, resource: rdma/hca, perNode: 1, rate: 100Gb/s, hcas: mlx5, controlInterface: eth0}}
      nodes: {{names: [node-a, node-b]}}
  launch: {{sshSecret: muster-ssh}}
  tests:
    pair:
      test: nccl-all-reduce
      scope: pair
      params: {{minBytes: 8, maxBytes: 32Mi, factor: 2, iters: 2, warmup: 1, rounds: 1, net: {net}}}
  thresholds:
    pair-32m:
      match: {{test: pair}}
      metric: busbw
      at: {{bytes: 32Mi, placement: out-of-place}}
      {bounds}
      transport: {transport}
      source: {{kind: published, date: 2026-08-08, note: "bounds of this test"}}
  budget: {{gpuHours: 4, maxConcurrentNodes: 2, deadline: 4h}}
  validFor: 30d
"""
SOCKET = {"net": "Socket", "transport": "{require: [NET/Socket], forbid: [NET/IB]}"}
RDMA = {"net": "IB", "transport": "{require: [NET/IB], gpudirect: required}"}


def muster(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(Path(sys.executable).parent / "muster"), *arguments],
        cwd=folder,
        env={**os.environ, "XDG_CACHE_HOME": str(folder / "cache")},
        capture_output=True,
        text=True,
    )


def inventory(gpus: int = 1) -> str:
    """What ``nvidia-smi --query-gpu=index,name,pci.bus_id,driver_version --format=csv`` prints there."""
    rows = [
        f"{index}, NVIDIA A100-PCIE-40GB, 00000000:00:{6 + index:02d}.0, {DRIVER}" for index in range(gpus)
    ]
    return "\n".join(["index, name, pci.bus_id, driver_version", *rows]) + "\n"


def verdict(folder: Path, log: Path, wanted: dict[str, str], inventories: dict[str, str]) -> dict[str, Any]:
    """Compile a site, ingest the log with an inventory of each node, and return the only verdict."""
    site = folder / "a100-pair.yaml"
    site.write_text(SITE.format(driver=DRIVER, **wanted))
    done = muster(folder, "compile", "--output", "generated", str(site))
    assert done.returncode == 0, done.stderr
    said = [
        "--site",
        "a100-pair",
        "--test",
        "pair",
        "--unit",
        "node-a,node-b",
        "--exit-code",
        "0",
        "--together",
    ]
    said += ["--start", "2026-08-08T10:58:55-07:00", "--end", "2026-08-08T11:01:00-07:00"]
    for number, node in enumerate(("node-a", "node-b")):
        said += ["--host", f"{HOST.format(number)}={node}"]
    for node, text in inventories.items():
        (folder / f"{node}.csv").write_text(text)
        said += ["--node", f"{node}.csv={node}"]
    files = [str(log), *(f"{node}.csv" for node in inventories)]
    done = muster(folder, "ingest", "--output", "generated", *said, *files)
    assert done.returncode == 0, done.stderr
    done = muster(
        folder,
        "reconcile",
        "--output",
        "generated",
        "--no-compile",
        "--as-of",
        "2026-08-20",
        "--format",
        "json",
    )
    assert done.returncode in (0, 1), done.stderr
    (found,) = json.loads(done.stdout)["verdicts"]
    assert done.returncode == (0 if found["state"] == "satisfied" else 1)
    return dict(found)


BOTH = {"node-a": inventory(), "node-b": inventory()}


@pytest.mark.parametrize(
    ("wanted", "inventories", "state", "code", "says"),
    [
        (
            {**RDMA, "bounds": "lower: 0.02GB/s"},
            BOTH,
            "violated",
            "MU906",
            "the measurement asks for IB, found NET/Socket",
        ),
        ({**SOCKET, "bounds": "lower: 0.02GB/s"}, BOTH, "satisfied", "MU900", "busbw 0.03 GB/s"),
        ({**SOCKET, "bounds": "lower: 10GB/s"}, BOTH, "violated", "MU901", "below 10 GB/s"),
        ({**SOCKET, "bounds": "lower: 0.02GB/s"}, {}, "unreadable", "MU929", "software.driver is unknown"),
        (
            {**SOCKET, "bounds": "lower: 0.02GB/s"},
            {"node-a": inventory()},
            "unreadable",
            "MU929",
            "says it for node-b",
        ),
        (
            {**SOCKET, "bounds": "lower: 0.02GB/s"},
            {**BOTH, "node-b": inventory(2)},
            "stale",
            "MU913",
            "found 2 on node-b",
        ),
    ],
    ids=["rdma-demanded", "socket-good", "socket-slow", "driver-unknown", "driver-half-known", "a-gpu-more"],
)
def test_the_verdict_of_an_expert(
    wanted: dict[str, str],
    inventories: dict[str, str],
    state: str,
    code: str,
    says: str,
    shared: Path,
    tmp_path: Path,
) -> None:
    found = verdict(tmp_path, shared / "samples" / LOG, wanted, inventories)
    assert (found["state"], found["reason"]["code"]) == (state, code), found["reasons"]
    assert says in " ".join(reason["message"] for reason in found["reasons"])
    assert found["transport"] == {"paths": {"NET/Socket": 8}, "interNode": ["NET/Socket"], "gpudirect": False}
