"""What the API server checks beyond schemas: names, labels, annotations, namespaces, fields of live objects."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from muster.render.validate.errors import path_text
from muster.render.validate.faults import Fault

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from muster.render.validate.schema import Scope

_LABEL = re.compile(r"[a-z0-9](?:[-a-z0-9]*[a-z0-9])?")
_LABEL_1035 = re.compile(r"[a-z](?:[-a-z0-9]*[a-z0-9])?")
_SUBDOMAIN = re.compile(rf"{_LABEL.pattern}(?:\.{_LABEL.pattern})*")
_QUALIFIED = re.compile(r"[A-Za-z0-9](?:[-A-Za-z0-9_.]*[A-Za-z0-9])?")
_LIMITS = {"Job": 63, "CronJob": 52}
_SHORT_NAMES = {"Namespace": _LABEL, "Service": _LABEL_1035}
_FREE_NAMES = frozenset(["Role", "ClusterRole", "RoleBinding", "ClusterRoleBinding"])
_LIVE = (
    *("uid", "resourceVersion", "generation", "creationTimestamp", "deletionTimestamp"),
    *("managedFields", "selfLink"),
)
_LIVE_ANNOTATIONS = frozenset(
    [
        *("kubectl.kubernetes.io/last-applied-configuration", "argocd.argoproj.io/tracking-id"),
        *("deployment.kubernetes.io/revision", "batch.kubernetes.io/job-tracking"),
    ]
)
MAX_DATA, MAX_ANNOTATIONS = 1 << 20, 256 << 10
"""Bytes of data in one ConfigMap or Secret, and of all annotations of one object."""


@lru_cache(maxsize=16384)
def is_label(text: str) -> bool:
    """Tell whether a text is a DNS label (RFC 1123): at most 63 characters."""
    return len(text) <= 63 and _LABEL.fullmatch(text) is not None


@lru_cache(maxsize=16384)
def is_key(text: str) -> bool:
    """Tell whether a text can be the key of a label or annotation."""
    prefix, slash, name = text.rpartition("/")
    if slash and (len(prefix) > 253 or not _SUBDOMAIN.fullmatch(prefix)):
        return False
    return len(name) <= 63 and _QUALIFIED.fullmatch(name) is not None


@lru_cache(maxsize=16384)
def is_value(text: str) -> bool:
    """Tell whether a text can be the value of a label."""
    return not text or (len(text) <= 63 and _QUALIFIED.fullmatch(text) is not None)


def check(item: Mapping[str, Any], scope: Scope) -> Iterator[Fault]:
    """Yield what is wrong with an object that its schema accepts (MU562-MU564, MU566, MU568).

    Args:
        item: the object; its metadata has the right types.
        scope: whether its kind has a namespace.
    """
    metadata = item["metadata"]
    yield from _name(item["kind"], metadata)
    yield from _namespace(metadata, scope)
    for field in _LIVE:
        if field in metadata:
            yield Fault("MU566", f"metadata.{field}", "is set by the cluster")
    if "status" in item:
        yield Fault("MU566", "status", "is set by the cluster")
    yield from _labels(item, ())
    yield from _size(item, metadata)


def _name(kind: str, metadata: Mapping[str, Any]) -> Iterator[Fault]:
    own = metadata.get("name")
    if not isinstance(own, str) or not own:
        yield Fault("MU562", "metadata.name", "is missing")
        return
    if kind in _FREE_NAMES:
        fits = own not in {".", ".."} and not set("/%") & set(own) and own.isprintable() and len(own) <= 253
    elif kind in _SHORT_NAMES:
        fits = len(own) <= 63 and _SHORT_NAMES[kind].fullmatch(own) is not None
    else:
        fits = len(own) <= _LIMITS.get(kind, 253) and _SUBDOMAIN.fullmatch(own) is not None
    if not fits:
        yield Fault("MU562", "metadata.name", f"is {own!r}, which is no name for a {kind}")


def _namespace(metadata: Mapping[str, Any], scope: Scope) -> Iterator[Fault]:
    namespace = metadata.get("namespace")
    if scope == "Cluster":
        if namespace is not None:
            yield Fault("MU564", "metadata.namespace", f"is {namespace!r}, but the kind has no namespace")
    elif not namespace:
        yield Fault("MU564", "metadata.namespace", "is missing")
    elif not is_label(namespace):
        yield Fault("MU562", "metadata.namespace", f"is {namespace!r}, which is no name for a namespace")


def _labels(node: Any, path: tuple[str | int, ...]) -> Iterator[Fault]:
    """Walk an object and check labels and annotations of all metadata in it, and what selects by labels."""
    if isinstance(node, dict):
        for field, value in node.items():
            if field == "metadata" and isinstance(value, dict):
                yield from _pairs(value.get("labels"), (*path, field, "labels"))
                yield from _pairs(value.get("annotations"), (*path, field, "annotations"), free=True)
            elif field in {"matchLabels", "nodeSelector"}:
                yield from _pairs(value, (*path, field))
            elif type(value) is dict or type(value) is list:
                yield from _labels(value, (*path, field))
    else:
        for index, value in enumerate(node):
            if type(value) is dict or type(value) is list:
                yield from _labels(value, (*path, index))


def _pairs(pairs: Any, path: tuple[str | int, ...], *, free: bool = False) -> Iterator[Fault]:
    if not isinstance(pairs, dict):
        return
    for key, value in pairs.items():
        if not is_key(key):
            yield Fault("MU563", path_text(path), f"has {key!r}, which is no key")
        elif free and key in _LIVE_ANNOTATIONS:
            yield Fault("MU566", path_text((*path, key)), "is set by the cluster")
        elif not free and isinstance(value, str) and not is_value(value):
            yield Fault("MU563", path_text((*path, key)), f"is {value!r}, which is no label value")


def _size(item: Mapping[str, Any], metadata: Mapping[str, Any]) -> Iterator[Fault]:
    if item["kind"] in {"ConfigMap", "Secret"}:
        size = sum(_bytes(item.get(field)) for field in ("data", "binaryData", "stringData"))
        if size > MAX_DATA:
            yield Fault("MU568", "data", f"has {size} bytes; at most {MAX_DATA} fit")
    size = _bytes(metadata.get("annotations"))
    if size > MAX_ANNOTATIONS:
        yield Fault("MU568", "metadata.annotations", f"has {size} bytes; at most {MAX_ANNOTATIONS} fit")


def _bytes(pairs: Any) -> int:
    if not isinstance(pairs, dict):
        return 0
    return sum(len(key) + len(value.encode("utf-8", "surrogatepass")) for key, value in pairs.items())
