"""A closed JSON Schema of one kind, where it comes from, and its compiled form."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

from muster.render.validate import builtin

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

Scope = Literal["Namespaced", "Cluster", "File"]
DIALECT = "https://json-schema.org/draft/2020-12/schema"

# Built-in kinds without a namespace (`kubectl api-resources --namespaced=false`).
_CLUSTER_GROUPS = frozenset(
    [
        *("admissionregistration.k8s.io", "apiextensions.k8s.io", "apiregistration.k8s.io"),
        *("flowcontrol.apiserver.k8s.io", "internal.apiserver.k8s.io", "storagemigration.k8s.io"),
    ]
)
_CLUSTER_KINDS = frozenset(
    [
        *(("", "Namespace"), ("", "Node"), ("", "PersistentVolume"), ("", "ComponentStatus")),
        *(("rbac.authorization.k8s.io", kind) for kind in ("ClusterRole", "ClusterRoleBinding")),
        *(("storage.k8s.io", kind) for kind in ("StorageClass", "CSIDriver", "CSINode", "VolumeAttachment")),
        ("storage.k8s.io", "VolumeAttributesClass"),
        *(("networking.k8s.io", kind) for kind in ("IngressClass", "IPAddress", "ServiceCIDR")),
        *(("resource.k8s.io", kind) for kind in ("DeviceClass", "ResourceSlice", "ResourceClass")),
        ("resource.k8s.io", "DeviceTaintRule"),
        *(("certificates.k8s.io", kind) for kind in ("CertificateSigningRequest", "ClusterTrustBundle")),
        *(("scheduling.k8s.io", "PriorityClass"), ("node.k8s.io", "RuntimeClass")),
    ]
)


def builtin_scope(group: str, kind: str) -> Scope:
    """Tell whether a built-in kind has a namespace."""
    return "Cluster" if group in _CLUSTER_GROUPS or (group, kind) in _CLUSTER_KINDS else "Namespaced"


@dataclass(frozen=True)
class Schema:
    """What objects of one kind are checked against.

    Attributes:
        source: how the counts name it: ``kubernetes 1.30 OpenAPI``, ``site CRDs``, ``muster's own schema``.
        scope: whether objects of the kind have a namespace; ``File`` for what never reaches the API server.
        document: JSON Schema, draft 2020-12, complete in itself.
    """

    source: str
    scope: Scope
    document: Mapping[str, Any]

    @cached_property
    def validator(self) -> Any:
        """The compiled schema.

        Raises:
            ValueError: the schema is none, for example because of a pattern that does not compile.
        """
        import jsonschema_rs

        return jsonschema_rs.Draft202012Validator(dict(self.document), offline=True, validate_formats=False)

    def fields_at(self, path: Iterable[str | int]) -> Iterator[str]:
        """Yield the fields that the schema knows of the object at a path of an instance."""
        node = self._resolve(self.document)
        for step in path:
            if isinstance(step, int):
                below = node.get("items", {})
            else:
                below = node.get("properties", {}).get(step) or node.get("additionalProperties") or {}
            node = self._resolve(below if isinstance(below, dict) else {})
        yield from node.get("properties", {})

    def _resolve(self, node: Mapping[str, Any]) -> Mapping[str, Any]:
        while "$ref" in node:
            found: Mapping[str, Any] = self.document["$defs"][node["$ref"].rpartition("/")[2]]
            node = found
        return node


def document(root: Mapping[str, Any], minor: int, own: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Return a complete schema: a root, definitions of its own, and the built-in ones that they refer to.

    References to built-in definitions read ``kubernetes:NAME``.

    Raises:
        KeyError: a built-in definition does not exist in that minor version.
    """
    needed: set[str] = set()
    parts = {"": root, **(own or {})}
    local = {name: _localized(part, needed) for name, part in parts.items()}
    made = {**local.pop(""), "$schema": DIALECT}
    made["$defs"] = {**builtin.closure(minor, tuple(sorted(needed))), **local}
    return made


def envelope(
    group: str, version: str, kind: str, fields: Mapping[str, Any], required: Iterable[str]
) -> dict[str, Any]:
    """Return the schema of a whole object: its identity, its metadata and its own fields, nothing else."""
    api_version = f"{group}/{version}" if group else version
    return {
        "type": "object",
        "additionalProperties": False,
        "required": ["apiVersion", "kind", *required],
        "properties": {**fields, "apiVersion": {"const": api_version}, "kind": {"const": kind}},
    }


def _localized(node: Any, needed: set[str]) -> Any:
    if isinstance(node, dict):
        target = node.get("$ref")
        if isinstance(target, str) and target.startswith("kubernetes:"):
            name = target.removeprefix("kubernetes:")
            needed.add(name)
            return {**node, "$ref": f"#/$defs/{name}"}
        return {name: _localized(value, needed) for name, value in node.items()}
    if isinstance(node, list):
        return [_localized(value, needed) for value in node]
    return node
