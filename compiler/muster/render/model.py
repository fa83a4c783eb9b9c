"""What rendering gives back, and the labels and annotations that every object carries."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from muster.diagnostics import Position

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from muster.diagnostics import Diagnostic

    Locate = Callable[[Sequence[str | int]], Position | None]
    """Where a field of the site file stands, by its path: ``("spec", "cluster")``."""

DOMAIN = "muster.dev"
MANAGED = {"app.kubernetes.io/managed-by": "muster"}
SUBSTITUTE_OFF = {"kustomize.toolkit.fluxcd.io/substitute": "disabled"}
SYNC_WAVE = "argocd.argoproj.io/sync-wave"
BASE, MONITORING = "00-base", "90-monitoring"
# Monitors and dashboards come before the tests, so that they watch them.
MONITORING_WAVE = 5
ACCOUNT = "muster-test"


class RenderedObject(NamedTuple):
    """One object with the path it is written to.

    Attributes:
        path: relative to the output, with slashes.
        object: the object as plain data, JSON types only.
        origin: the id of the desired test it belongs to, None for what the whole site shares.
    """

    path: str
    object: dict[str, Any]
    origin: str | None


@dataclass(frozen=True, slots=True)
class RenderedSite:
    """All objects of a site, sorted by path, and the findings about them.

    Attributes:
        site: the site's name.
        objects: Kubernetes objects, kustomization files and what the delivery engine reads.
        diagnostics: findings; with an error among them the objects must not be used.
    """

    site: str
    objects: tuple[RenderedObject, ...]
    diagnostics: tuple[Diagnostic, ...]

    def by_desired(self) -> dict[str, list[dict[str, str]]]:
        """Return ``objects`` of every desired test, by its id, as ``plan.json`` holds them."""
        found: dict[str, list[dict[str, str]]] = {}
        for path, item, origin in self.objects:
            if origin is not None:
                meta = item["metadata"]
                entry = {
                    "kind": item["kind"],
                    "name": meta["name"],
                    "namespace": meta.get("namespace", ""),
                    "path": path,
                }
                found.setdefault(origin, []).append(entry)
        return found


@dataclass(frozen=True, slots=True)
class Defaults:
    """What pods ask of their node where the measurement does not say, per GPU and in all.

    Limits are far above what the tools use: they stop a leak, they do not shape a test.

    Attributes:
        cpu_per_gpu: cores requested for each GPU; never limited, throttling would change numbers.
        memory_per_gpu: GiB requested for each GPU, and as much once more for the pod.
        memory_limit_per_gpu: GiB allowed for each GPU, and as much once more for the pod.
        shared_memory: size of ``/dev/shm``; NCCL needs some MiB for each pair of GPUs.
        scratch: size of ``/tmp``, in memory since it holds the SSH key.
        wait_seconds: how long pods of one run wait for each other.
        lost_seconds: how long a pod goes on without a word from the first one.
        user: user and group of the tools.
    """

    cpu_per_gpu: int = 1
    memory_per_gpu: int = 2
    memory_limit_per_gpu: int = 16
    shared_memory: str = "8Gi"
    scratch: str = "1Gi"
    wait_seconds: int = 1800
    lost_seconds: int = 120
    user: int = 1000


def parse_position(text: str | None) -> Position | None:
    """Return the position that ``file:line:column`` names; None for nothing or for another text."""
    parts = (text or "").rsplit(":", 2)
    if len(parts) != 3 or not (parts[1].isdecimal() and parts[2].isdecimal()):
        return None
    return Position(parts[0], int(parts[1]), int(parts[2]))


def sync_wave(stage: str, wave: int = 0) -> str:
    """Return the Argo CD sync wave of an object: stages one after the other, waves inside a stage.

    ``30-pair`` and wave 4 give ``30004``; monitoring comes before all tests.
    """
    if stage == MONITORING:
        return str(MONITORING_WAVE)
    return str(int(stage.split("-", 1)[0]) * 1000 + wave)


def common_annotations(stage: str, wave: int = 0) -> dict[str, str]:
    """Return the annotations of every object: its sync wave, and that Flux must not substitute in it."""
    return {SYNC_WAVE: sync_wave(stage, wave), **SUBSTITUTE_OFF}


def manifest_path(site: str, stage: str, item: Mapping[str, Any]) -> str:
    """Return where an object of a stage is written: ``<site>/manifests/<stage>/<kind>-<name>.yaml``."""
    return f"{site}/manifests/{stage}/{item['kind'].lower()}-{item['metadata']['name']}.yaml"
