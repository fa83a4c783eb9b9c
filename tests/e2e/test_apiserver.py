"""A real API server takes everything that the shipped sites compile to, and its admission lets the pods in.

The server is not built by the tests: `make apiserver` does it once.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from e2e_helpers.apiserver import ApiServer

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

CUSTOM = {
    "MPIJob": "mpi-operator/kubeflow.org_mpijobs.yaml",
    "ServiceMonitor": "prometheus-operator/monitoring.coreos.com_servicemonitors.yaml",
    "PrometheusRule": "prometheus-operator/monitoring.coreos.com_prometheusrules.yaml",
    "Application": "argo-cd/argoproj.io_applications.yaml",
    "AppProject": "argo-cd/argoproj.io_appprojects.yaml",
}


@pytest.fixture(scope="module")
def server(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ApiServer]:
    binaries = root / ".tools" / "bin"
    if not (binaries / "kube-apiserver").is_file() or not (binaries / "etcd").is_file():
        pytest.skip("no API server here (`make apiserver` builds one)")
    made = ApiServer(binaries, tmp_path_factory.mktemp("apiserver"))
    try:
        made.start()
        yield made
    finally:
        made.stop()


def objects(root: Path) -> list[dict[str, Any]]:
    """Every object of the committed output, namespaces first."""
    found = [
        yaml.load(path.read_bytes(), Loader=yaml.CSafeLoader)
        for path in sorted((root / "generated").rglob("*.yaml"))
        if path.name != "kustomization.yaml"
    ]
    return sorted(found, key=lambda item: item["kind"] != "Namespace")


def namespaces(items: list[dict[str, Any]]) -> set[str]:
    return {item["metadata"]["namespace"] for item in items if "namespace" in item["metadata"]}


@pytest.fixture(scope="module")
def applied(server: ApiServer, root: Path) -> list[dict[str, Any]]:
    """Everything of built-in kinds, applied once."""
    items = [item for item in objects(root) if item["kind"] not in CUSTOM]
    for name in namespaces(objects(root)):
        server.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}})
    refused = {}
    for item in items:
        status, answer = server.apply(item)
        if status not in {200, 201}:
            refused[item["metadata"]["name"]] = answer.get("message")
    assert refused == {}
    return items


def test_everything_is_taken_and_a_second_apply_changes_nothing(
    server: ApiServer, applied: list[dict[str, Any]]
) -> None:
    assert {item["kind"] for item in applied} >= {"Job", "Namespace", "ConfigMap", "NetworkPolicy", "Service"}
    for item in applied:
        before = server.request("GET", server.path(item))[1]["metadata"]["resourceVersion"]
        server.apply(item)
        assert server.request("GET", server.path(item))[1]["metadata"]["resourceVersion"] == before


def test_pod_security_lets_every_pod_in(server: ApiServer, applied: list[dict[str, Any]]) -> None:
    jobs = [item for item in applied if item["kind"] == "Job"]
    assert jobs
    for job in jobs:
        template, space = job["spec"]["template"], job["metadata"]["namespace"]
        meta = {**template["metadata"], "name": job["metadata"]["name"], "namespace": space}
        pod = {"apiVersion": "v1", "kind": "Pod", "metadata": meta, "spec": template["spec"]}
        status, answer = server.request(
            "POST", f"/api/v1/namespaces/{space}/pods?dryRun=All&fieldValidation=Strict", pod
        )
        assert status == 201, answer.get("message")


def test_the_server_would_refuse_a_misspelled_field(server: ApiServer, applied: list[dict[str, Any]]) -> None:
    job = next(item for item in applied if item["kind"] == "Job")
    status, answer = server.apply({**job, "spec": {**job["spec"], "backofLimit": 0}})
    assert status >= 400
    assert "backofLimit" in answer["message"]


def test_custom_kinds_are_taken_with_the_real_crds(
    server: ApiServer, applied: list[dict[str, Any]], root: Path, shared: Path
) -> None:
    for name in CUSTOM.values():
        crd = yaml.load((shared / "crds" / name).read_bytes(), Loader=yaml.CSafeLoader)
        assert server.apply(crd)[0] in {200, 201}
    items = [item for item in objects(root) if item["kind"] in CUSTOM]
    assert items
    for item in items:
        for _ in range(40):
            status, answer = server.apply(item)
            if status != 404:
                break
            time.sleep(0.25)
        assert status in {200, 201}, answer.get("message")
