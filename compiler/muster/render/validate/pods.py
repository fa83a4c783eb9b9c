"""Check that the parts of every pod template refer to each other as the API server demands."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from muster.render.validate.faults import Fault
from muster.render.validate.rules import is_label

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

_CONTAINERS = ("initContainers", "containers", "ephemeralContainers")


def check(item: Mapping[str, Any]) -> Iterator[Fault]:
    """Yield what does not fit together in the pods of an object that its schema accepts (MU567)."""
    for path, pod in _pods(item, ""):
        yield from _pod(path, pod)


def _pods(node: Any, path: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    if isinstance(node, dict):
        if isinstance(node.get("containers"), list):
            yield path, node
            return
        for field, value in node.items():
            if type(value) is dict or type(value) is list:
                yield from _pods(value, f"{path}.{field}" if path else field)
    else:
        for index, value in enumerate(node):
            if type(value) is dict or type(value) is list:
                yield from _pods(value, f"{path}[{index}]")


def _maps(values: Any) -> list[Mapping[str, Any]]:
    return [value for value in values or () if isinstance(value, dict)]


def _pod(path: str, pod: Mapping[str, Any]) -> Iterator[Fault]:
    containers = [
        (f"{path}.{group}[{index}]", container)
        for group in _CONTAINERS
        for index, container in enumerate(_maps(pod.get(group)))
    ]
    volumes = [volume.get("name") for volume in _maps(pod.get("volumes"))]
    claims = {claim.get("name") for claim in _maps(pod.get("resourceClaims"))}
    yield from _names(f"{path}.containers", (container.get("name") for _, container in containers))
    yield from _names(f"{path}.volumes", volumes)
    for place, container in containers:
        yield from _container(place, container, {*volumes}, claims)


def _names(place: str, names: Iterable[Any]) -> Iterator[Fault]:
    for text, times in Counter(names).items():
        if times > 1:
            yield Fault("MU567", place, f"has {text!r} {times} times")
        if not isinstance(text, str) or not is_label(text):
            yield Fault("MU567", place, f"has {text!r}, which is no name")


def _container(
    place: str, container: Mapping[str, Any], volumes: set[Any], claims: set[Any]
) -> Iterator[Fault]:
    mounts = _maps(container.get("volumeMounts"))
    for name in sorted({str(mount.get("name")) for mount in mounts} - volumes):
        yield Fault("MU567", f"{place}.volumeMounts", f"names {name!r}, which is no volume of the pod")
    for target, times in Counter(mount.get("mountPath") for mount in mounts).items():
        if times > 1:
            yield Fault("MU567", f"{place}.volumeMounts", f"has {times} mounts at {target!r}")
    resources = container.get("resources")
    for claim in _maps(resources.get("claims")) if isinstance(resources, dict) else ():
        if claim.get("name") not in claims:
            message = f"names {claim.get('name')!r}, which is no claim of the pod"
            yield Fault("MU567", f"{place}.resources.claims", message)
