"""What the delivery engine reads: project, application and health checks of Argo CD."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from muster.render.jsonnet import evaluate
from muster.render.model import DOMAIN, MANAGED, SUBSTITUTE_OFF, RenderedObject
from muster.render.naming import label_value

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from muster.diagnostics import Position
    from muster.render.workload import Setting

# Group and kind as Argo CD writes them, and the Lua file that tells their health.
HEALTH = {
    "batch_Job": "job.lua",
    "jobset.x-k8s.io_JobSet": "workload.lua",
    "kubeflow.org_MPIJob": "workload.lua",
    "nvcre.nvidia.com_Certification": "workload.lua",
    "nvcre.nvidia.com_WorkloadRun": "workload.lua",
    "resource.nvidia.com_ComputeDomain": "computedomain.lua",
    "trainer.kubeflow.org_TrainJob": "workload.lua",
}


@cache
def health_checks() -> Mapping[str, str]:
    """Return the Lua text of every health check by group and kind."""
    folder = Path(__file__).parent / "health"
    return {kind: (folder / name).read_text(encoding="utf-8") for kind, name in HEALTH.items()}


def argocd_objects(
    setting: Setting, objects: Iterable[RenderedObject], position: Position | None
) -> list[RenderedObject]:
    """Return AppProject, Application and the health checks for ``argocd-cm``.

    The project allows what the site's objects need and nothing else: one repository, one cluster, their
    namespaces and kinds.

    Args:
        setting: what the site's runs share.
        objects: all manifests of the site.
        position: where the site file describes the delivery.
    """
    delivery = setting.spec["delivery"]
    kinds, namespaces = set(), {setting.namespace}
    for item in (entry.object for entry in objects):
        if "namespace" in item.get("metadata", {}):
            group = item["apiVersion"].rpartition("/")[0]
            kinds.add((group, item["kind"]))
            namespaces.add(item["metadata"]["namespace"])
    value = {
        "annotations": SUBSTITUTE_OFF,
        "argocdNamespace": delivery.get("argocdNamespace", "argocd"),
        "health": health_checks(),
        "kinds": [{"group": group, "kind": kind} for group, kind in sorted(kinds)],
        "labels": {**MANAGED, f"{DOMAIN}/site": label_value(setting.site)},
        "namespace": setting.namespace,
        "namespaces": sorted(namespaces),
        "path": f"{delivery.get('path', 'generated')}/{setting.site}/manifests",
        "project": delivery["project"],
        "repoURL": delivery["repoURL"],
        "revision": delivery["revision"],
        "server": delivery.get("server", "https://kubernetes.default.svc"),
        "site": setting.site,
    }
    project, application, health = evaluate("delivery.jsonnet", value, position=position, site=setting.site)
    folder = f"delivery/argocd/{setting.site}"
    return [
        RenderedObject(f"{folder}/application-{application['metadata']['name']}.yaml", application, None),
        RenderedObject(f"{folder}/appproject-{project['metadata']['name']}.yaml", project, None),
        RenderedObject(f"{folder}/health/configmap-argocd-cm.yaml", health, None),
    ]
