"""Which fields of an existing object the cluster refuses to change, to say so before it does."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from muster.diagnostics import diagnostic
from muster.diagnostics.escape import visible

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from muster.diagnostics import Diagnostic, Position

# Sources: pkg/apis/batch/validation and pkg/apis/core/validation of Kubernetes 1.34; the MPI operator (v0.6)
# reads these fields once, when it makes the pods, so a change would be shown but never run.
FROZEN: dict[str, tuple[str, ...]] = {
    "Job": (
        "spec.backoffLimitPerIndex",
        "spec.completionMode",
        "spec.completions",
        "spec.managedBy",
        "spec.podFailurePolicy",
        "spec.selector",
        "spec.successPolicy",
        "spec.template",
    ),
    "MPIJob": (
        "spec.mpiImplementation",
        "spec.mpiReplicaSpecs",
        "spec.runLauncherAsWorker",
        "spec.slotsPerWorker",
        "spec.sshAuthMountPath",
    ),
    "Service": ("spec.clusterIP",),
}


def frozen_changes(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[str]:
    """Return the paths of fields that differ between two versions of one object and cannot be changed."""
    frozen = FROZEN.get(new["kind"], ())
    if new["kind"] == "ConfigMap" and old.get("immutable"):
        frozen = ("binaryData", "data", "immutable")
    found: list[str] = []
    for path in frozen:
        found += _differences(_at(old, path), _at(new, path), path)
    return found


def check_frozen(
    pairs: Iterable[tuple[Mapping[str, Any], Mapping[str, Any], Position | None]], site: str
) -> list[Diagnostic]:
    """Return a finding for every object that would have to change where it cannot.

    Args:
        pairs: old and new version of one object (same kind, namespace and name), and where it comes from.
        site: the site's name.
    """
    found = []
    for old, new, position in pairs:
        paths = frozen_changes(old, new)
        if paths:
            more = f" and {len(paths) - 3} more" if len(paths) > 3 else ""
            message = f"{new['kind']} {visible(new['metadata']['name'])}: {', '.join(paths[:3])}{more}"
            found.append(diagnostic("MU538", message, position, site=site))
    return found


def _at(value: Any, path: str) -> Any:
    for key in path.split("."):
        value = value.get(key) if isinstance(value, dict) else None
    return value


def _differences(old: Any, new: Any, path: str) -> Iterator[str]:
    if isinstance(old, dict) and isinstance(new, dict):
        for key in sorted({*old, *new}):
            yield from _differences(old.get(key), new.get(key), f"{path}.{visible(str(key))}")
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for index, (was, now) in enumerate(zip(old, new, strict=True)):
            yield from _differences(was, now, f"{path}[{index}]")
    elif old != new:
        yield path
