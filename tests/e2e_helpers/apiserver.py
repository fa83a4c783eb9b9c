"""A real Kubernetes API server with its etcd, on this machine's loopback only."""

from __future__ import annotations

import json
import socket
import ssl
import subprocess
import time
import urllib.error
import urllib.request
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

PLURALS = {
    "AppProject": "appprojects",
    "Application": "applications",
    "ConfigMap": "configmaps",
    "CustomResourceDefinition": "customresourcedefinitions",
    "Job": "jobs",
    "MPIJob": "mpijobs",
    "Namespace": "namespaces",
    "NetworkPolicy": "networkpolicies",
    "Pod": "pods",
    "PrometheusRule": "prometheusrules",
    "Service": "services",
    "ServiceAccount": "serviceaccounts",
    "ServiceMonitor": "servicemonitors",
}


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _decoded(answer: Any) -> Any:
    text = answer.read()
    return (
        json.loads(text)
        if answer.headers.get_content_type() == "application/json"
        else {"message": str(text)}
    )


@dataclass
class ApiServer:
    """Start with ``start``, end with ``stop``."""

    binaries: Path
    folder: Path
    port: int = field(default_factory=free_port)
    processes: list[subprocess.Popen[bytes]] = field(default_factory=list)

    def start(self) -> None:
        client, peer = free_port(), free_port()
        key = self.folder / "sa.key"
        subprocess.run(["openssl", "genrsa", "-out", str(key), "2048"], check=True, capture_output=True)
        (self.folder / "tokens.csv").write_text('token,admin,admin,"system:masters"\n')
        self._run(
            "etcd",
            f"--data-dir={self.folder / 'etcd'}",
            f"--listen-client-urls=http://127.0.0.1:{client}",
            f"--advertise-client-urls=http://127.0.0.1:{client}",
            f"--listen-peer-urls=http://127.0.0.1:{peer}",
            f"--initial-advertise-peer-urls=http://127.0.0.1:{peer}",
            f"--initial-cluster=default=http://127.0.0.1:{peer}",
        )
        self._run(
            "kube-apiserver",
            f"--etcd-servers=http://127.0.0.1:{client}",
            f"--secure-port={self.port}",
            "--bind-address=127.0.0.1",
            f"--cert-dir={self.folder / 'certs'}",
            f"--service-account-key-file={key}",
            f"--service-account-signing-key-file={key}",
            "--service-account-issuer=https://kubernetes.test",
            f"--token-auth-file={self.folder / 'tokens.csv'}",
            "--authorization-mode=RBAC",
            "--service-cluster-ip-range=10.0.0.0/24",
            "--allow-privileged=true",
        )
        for _ in range(240):
            try:
                if self.request("GET", "/readyz/ping")[0] == 200:
                    return
            except OSError:
                pass
            time.sleep(0.25)
        raise AssertionError(
            "the API server did not start: " + (self.folder / "kube-apiserver.log").read_text()[-2000:]
        )

    def stop(self) -> None:
        for process in reversed(self.processes):
            process.kill()
            process.wait()

    def _run(self, name: str, *flags: str) -> None:
        argv = [str(self.binaries / name), *flags]
        with (self.folder / f"{name}.log").open("wb") as log:
            self.processes.append(subprocess.Popen(argv, stdout=log, stderr=log, cwd=self.folder))

    def request(
        self, method: str, path: str, body: Any = None, kind: str = "application/json"
    ) -> tuple[int, Any]:
        data = None if body is None else json.dumps(body).encode()
        asked = urllib.request.Request(
            f"https://127.0.0.1:{self.port}{path}",
            data=data,
            method=method,
            headers={"Authorization": "Bearer token", "Content-Type": kind},
        )
        context = ssl.create_default_context()
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        try:
            with urllib.request.urlopen(asked, context=context, timeout=30) as answer:
                return answer.status, _decoded(answer)
        except urllib.error.HTTPError as error:
            with error:
                return error.code, _decoded(error)

    def apply(self, item: dict[str, Any]) -> tuple[int, Any]:
        """Apply server-side, unknown fields refused."""
        query = "?fieldManager=muster&force=true&fieldValidation=Strict"
        return self.request("PATCH", self.path(item) + query, item, "application/apply-patch+yaml")

    def path(self, item: dict[str, Any]) -> str:
        version, meta = item["apiVersion"], item["metadata"]
        base = "/api/v1" if version == "v1" else f"/apis/{version}"
        spaced = (
            f"/namespaces/{meta['namespace']}" if "namespace" in meta and item["kind"] != "Namespace" else ""
        )
        return f"{base}{spaced}/{PLURALS[item['kind']]}/{meta['name']}"
