"""The last look at everything that was rendered: nothing unsafe leaves, whatever made it."""

from __future__ import annotations

import json
import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from muster.diagnostics import diagnostic
from muster.diagnostics.escape import clip, visible

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from muster.diagnostics import Diagnostic, Position
    from muster.render.model import RenderedObject

_DIGEST = re.compile(r"[^@\s]+@sha256:[0-9a-f]{64}")
_HOOKS = ("argocd.argoproj.io/hook", "argocd.argoproj.io/hook-delete-policy", "helm.sh/hook")
_CAPABILITIES = {"IPC_LOCK", "SETGID", "SETUID"}
_DOWNLOAD = re.compile(
    r"\b(apt-get|curl|wget|git\s+clone|(apt|yum|dnf|microdnf|zypper)\s+(-\S+\s+)*install|apk\s+add"
    r"|(pip3?|conda|mamba|npm|go)\s+(-\S+\s+)*install)\b"
)
# What Kubernetes gives these keys holds no pod; they are the most of an object.
_PLAIN = frozenset({"env", "volumeMounts"})
_SHARED = ("hostNetwork", "hostPID", "hostIPC")


class Fault(NamedTuple):
    """One unsafe thing: its code, where in the object it stands, and what it is."""

    code: str
    path: str
    message: str


def check_safety(
    objects: Iterable[RenderedObject],
    spec: Mapping[str, Any],
    positions: Mapping[str, Position | None],
    fallback: Position | None,
    site: str,
) -> list[Diagnostic]:
    """Return a finding for every unsafe thing in any object.

    Args:
        objects: everything that was rendered for a site.
        spec: the resolved site spec, for what a maintenance window allows.
        positions: where each desired test, by its id, stands in the site file.
        fallback: the position for objects that belong to no test.
        site: the site's name.
    """
    allowed = set(spec.get("maintenance", {}).get("allow", ()))
    found = []
    for _, item, origin in objects:
        position = positions.get(origin, fallback) if origin else fallback
        name = f"{item['kind']} {visible(item.get('metadata', {}).get('name', ''))}"
        for code, path, message in faults(item, allowed):
            found.append(diagnostic(code, f"{name}: {path}: {message}", position, site=site))
    return found


def faults(item: Mapping[str, Any], allowed: Iterable[str] = ()) -> Iterator[Fault]:
    """Yield what is unsafe about one object; ``allowed`` names what a maintenance window allows."""
    # One look at the text tells which of the slower looks are needed.
    text = json.dumps(item, ensure_ascii=False)
    if "${" in text:
        yield from _braces(item, "")
    if "ttlSecondsAfterFinished" in text:
        for path, value in _parts(item, ""):
            if "ttlSecondsAfterFinished" in value:
                yield Fault("MU516", path, "ttlSecondsAfterFinished")
    for hook in _HOOKS:
        if hook in item.get("metadata", {}).get("annotations", {}):
            yield Fault("MU517", "metadata.annotations", hook)
    if item["kind"] == "ConfigMap" and any(key.endswith(".sh") for key in item.get("data", {})):
        for key, script in item["data"].items():
            yield from _downloads(f"data.{key}", script)
    if '"containers"' in text:
        pods = [
            (path, value) for path, value in _parts(item, "") if isinstance(value.get("containers"), list)
        ]
        for path, pod in pods:
            yield from _pod(path, pod, allowed)
        yield from _deadline(item, pods)


def _parts(value: Any, path: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield every map inside a value, itself included, with its path; lists of plain entries are passed over."""
    if isinstance(value, dict):
        yield path, value
        for key, item in value.items():
            if isinstance(item, dict | list) and key not in _PLAIN:
                yield from _parts(item, f"{path}.{key}" if path else str(key))
    else:
        for index, item in enumerate(value):
            if isinstance(item, dict | list):
                yield from _parts(item, f"{path}[{index}]")


def _braces(value: Any, path: str) -> Iterator[Fault]:
    if isinstance(value, str):
        at = value.find("${")
        if at >= 0:
            yield Fault("MU506", path, clip(visible(value[at:]), 60))
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from _braces(key, path)
            yield from _braces(item, f"{path}.{key}" if path else str(key))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _braces(item, f"{path}[{index}]")


def _downloads(path: str, text: str) -> Iterator[Fault]:
    found = _download(text)
    if found:
        yield Fault("MU518", path, clip(visible(found), 60))


@lru_cache(maxsize=256)
def _download(text: str) -> str:
    code = "\n".join(line for line in text.splitlines() if not line.lstrip().startswith("#"))
    found = _DOWNLOAD.search(code)
    return found[0] if found else ""


def _deadline(item: Mapping[str, Any], pods: list[tuple[str, dict[str, Any]]]) -> Iterator[Fault]:
    """A Job and an MPIJob bound themselves; whatever else makes pods bounds each of them."""
    spec: Mapping[str, Any] = item.get("spec", {})
    own = {"Job": spec, "MPIJob": spec.get("runPolicy", {})}.get(item["kind"])
    for path, holder in [("spec", own)] if own is not None else pods:
        if not holder.get("activeDeadlineSeconds"):
            yield Fault("MU515", path, "no activeDeadlineSeconds")


def _pod(path: str, pod: Mapping[str, Any], allowed: Iterable[str]) -> Iterator[Fault]:
    for key in _SHARED:
        if pod.get(key):
            yield Fault("MU511", path, key)
    for index, volume in enumerate(pod.get("volumes", ())):
        if "hostPath" in volume:
            yield Fault("MU512", f"{path}.volumes[{index}]", visible(str(volume["hostPath"].get("path", ""))))
    if pod.get("automountServiceAccountToken") is not False:
        yield Fault("MU520", path, "a token of the ServiceAccount is mounted")
    takes_devices = False
    for kind in ("initContainers", "containers", "ephemeralContainers"):
        for index, container in enumerate(pod.get(kind, ())):
            where = f"{path}.{kind}[{index}]"
            yield from _container(where, container, allowed)
            takes_devices |= any("/" in name for name in container.get("resources", {}).get("limits", {}))
    if takes_devices and not _names_nodes(pod):
        yield Fault("MU519", path, "no node is named")


def _container(path: str, container: Mapping[str, Any], allowed: Iterable[str]) -> Iterator[Fault]:
    image = container.get("image", "")
    if not _DIGEST.fullmatch(image):
        yield Fault("MU513", path, clip(visible(image), 200) or "no image")
    yield from _rights(path, container.get("securityContext", {}))
    yield from _limits(path, container.get("resources", {}))
    argv = [*container.get("command", ()), *container.get("args", ())]
    values = [entry.get("value", "") for entry in container.get("env", ())]
    for text in (*argv, *values):
        if "$(" in text:
            yield Fault("MU507", path, clip(visible(text), 60))
    yield from _downloads(path, " ".join(argv))
    yield from _diagnosis(path, argv, allowed)


def _rights(path: str, context: Mapping[str, Any]) -> Iterator[Fault]:
    if context.get("privileged"):
        yield Fault("MU510", path, "privileged")
    if context.get("allowPrivilegeEscalation") is not False:
        yield Fault("MU520", path, "allowPrivilegeEscalation is not false")
    capabilities = context.get("capabilities", {})
    if "ALL" not in capabilities.get("drop", ()):
        yield Fault("MU520", path, "not all capabilities are dropped")
    more = sorted(set(capabilities.get("add", ())) - _CAPABILITIES)
    if more:
        yield Fault("MU520", path, f"capabilities {visible(', '.join(more))}")


def _limits(path: str, resources: Mapping[str, Any]) -> Iterator[Fault]:
    limits, requests = resources.get("limits", {}), resources.get("requests", {})
    if "memory" not in limits:
        yield Fault("MU514", path, "no memory limit")
    for name in sorted({*limits, *requests}):
        if "/" in name and limits.get(name) != requests.get(name):
            yield Fault("MU514", path, f"{visible(name)}: limit and request differ")


def _diagnosis(path: str, argv: list[str], allowed: Iterable[str]) -> Iterator[Fault]:
    if "dcgmi" not in argv or "-r" not in argv[:-1]:
        return
    level = argv[argv.index("-r") + 1]
    if level not in ("1", "2") and f"dcgm-level-{level}" not in allowed:
        yield Fault("MU521", path, f"dcgmi diag -r {visible(level)}")


def _names_nodes(pod: Mapping[str, Any]) -> bool:
    """Tell whether every way to place the pod names a node."""
    if pod.get("nodeName"):
        return True
    required = (
        pod.get("affinity", {})
        .get("nodeAffinity", {})
        .get("requiredDuringSchedulingIgnoredDuringExecution", {})
    )
    terms = required.get("nodeSelectorTerms", [])
    return bool(terms) and all(
        any(
            field["key"] == "metadata.name" and field["operator"] == "In"
            for field in term.get("matchFields", ())
        )
        for term in terms
    )
