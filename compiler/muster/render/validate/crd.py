"""Turn the structural schema of a CRD into a closed JSON Schema.

The API server prunes unknown fields of custom resources silently; here they are refused. CEL rules
(``x-kubernetes-validations``) and the uniqueness of list keys are left to the API server.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from muster.render.validate import builtin
from muster.render.validate.schema import Schema, document, envelope

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from muster.render.validate.schema import Scope

SOURCE = "site CRDs"
_META: Mapping[str, Any] = {"$ref": f"kubernetes:{builtin.OBJECT_META}"}
_VALUES = (
    *("enum", "pattern", "minLength", "maxLength", "multipleOf", "minItems", "maxItems", "uniqueItems"),
    *("minProperties", "maxProperties", "required"),
)
_DEEPEST = 100


class CrdError(ValueError):
    """A CRD that cannot be used to check anything; ``hollow`` if it accepts anything."""

    def __init__(self, reason: str, *, hollow: bool = False) -> None:
        super().__init__(reason)
        self.hollow = hollow


def identity(crd: Mapping[str, Any]) -> tuple[str, str]:
    """Return group and kind of a CRD.

    Raises:
        CrdError: it is no ``apiextensions.k8s.io/v1`` CustomResourceDefinition.
    """
    if crd.get("apiVersion") != "apiextensions.k8s.io/v1" or crd.get("kind") != "CustomResourceDefinition":
        raise CrdError("no apiextensions.k8s.io/v1 CustomResourceDefinition")
    spec = _map(crd, "spec")
    group, kind = spec.get("group"), _map(spec, "names").get("kind")
    if not isinstance(group, str) or not isinstance(kind, str) or not group or not kind:
        raise CrdError("it names no group or kind")
    return group, kind


def served(crd: Mapping[str, Any]) -> list[str]:
    """Return the versions that a CRD serves."""
    versions = _map(crd, "spec").get("versions")
    return [
        str(item.get("name"))
        for item in (versions if isinstance(versions, list) else ())
        if isinstance(item, dict) and item.get("served") is True
    ]


def close(crd: Mapping[str, Any], version: str, minor: int) -> Schema:
    """Return the closed schema of one version of a CRD.

    Args:
        crd: the CRD.
        version: a version that it serves.
        minor: Kubernetes minor version, for the metadata.

    Raises:
        CrdError: it has no structural schema for that version, or one that accepts anything.
    """
    group, kind = identity(crd)
    entry = next(item for item in crd["spec"]["versions"] if item.get("name") == version)
    root = _map(_map(entry, "schema"), "openAPIV3Schema")
    own = dict(_map(root, "properties"))
    if _is_open(root) or _is_open(own.get("spec", {})):
        raise CrdError(f"the CRD of {group}/{version} {kind} accepts anything", hollow=True)
    metadata = own.pop("metadata", {})
    own = {name: item for name, item in own.items() if name not in {"apiVersion", "kind"}}
    fields = {name: _closed(item, 0) for name, item in own.items()}
    fields["metadata"] = {"allOf": [_META, _value(metadata, 0)]}
    required = [name for name in _list(root, "required") if isinstance(name, str) and name in own]
    whole = envelope(group, version, kind, fields, ["metadata", *required])
    scope: Scope = "Cluster" if crd["spec"].get("scope") == "Cluster" else "Namespaced"
    return Schema(SOURCE, scope, document(whole, minor))


def _map(node: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    value = node.get(name)
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise CrdError(f"{name} is no map")
    return value


def _list(node: Mapping[str, Any], name: str) -> Sequence[Any]:
    value = node.get(name, ())
    if not isinstance(value, list | tuple):
        raise CrdError(f"{name} is no list")
    return value


def _is_open(node: Any) -> bool:
    return (
        isinstance(node, dict)
        and node.get("x-kubernetes-preserve-unknown-fields") is True
        and not node.get("properties")
    )


def _closed(node: Any, depth: int) -> dict[str, Any]:
    """Return a node with its structure: types, fields, and no others."""
    made = _value(node, depth)
    if node.get("x-kubernetes-int-or-string") is True:
        made["type"] = ["integer", "string"]
    preserved = node.get("x-kubernetes-preserve-unknown-fields") is True
    fields = {name: _closed(item, depth + 1) for name, item in _map(node, "properties").items()}
    if node.get("x-kubernetes-embedded-resource") is True:
        fields |= {"apiVersion": {"type": "string"}, "kind": {"type": "string"}, "metadata": dict(_META)}
        made["required"] = sorted({*made.get("required", ()), "apiVersion", "kind"})
    if fields:
        made["properties"] = fields
    extra = node.get("additionalProperties")
    if isinstance(extra, dict):
        made["additionalProperties"] = _closed(extra, depth + 1)
    elif node.get("type") == "object" and not preserved and extra is not True:
        made["additionalProperties"] = False
    if "items" in node:
        made["items"] = _closed(node["items"], depth + 1)
    if node.get("x-kubernetes-list-type") == "set":
        made["uniqueItems"] = True
    return {"anyOf": [{"type": "null"}, made]} if node.get("nullable") is True else made


def _value(node: Any, depth: int) -> dict[str, Any]:
    """Return what a node says about values, without closing it: the form inside ``allOf``, ``not`` and the like."""
    if not isinstance(node, dict):
        raise CrdError("a schema is no map")
    if "$ref" in node:
        raise CrdError("a structural schema has no $ref")
    if depth > _DEEPEST:
        raise CrdError("the schema is nested too deeply")
    made = {name: node[name] for name in _VALUES if name in node}
    made |= builtin.bounds(node)
    if isinstance(node.get("type"), str):
        made["type"] = node["type"]
    for limit, exclusive in (("minimum", "exclusiveMinimum"), ("maximum", "exclusiveMaximum")):
        if limit in node:
            made[exclusive if node.get(exclusive) is True else limit] = node[limit]
    for name in ("allOf", "anyOf", "oneOf"):
        if name in node:
            made[name] = [_inner(item, depth + 1) for item in _list(node, name)]
    if "not" in node:
        made["not"] = _inner(node["not"], depth + 1)
    return made


def _inner(node: Any, depth: int) -> dict[str, Any]:
    made = _value(node, depth)
    if "properties" in node:
        made["properties"] = {
            name: _inner(item, depth + 1) for name, item in _map(node, "properties").items()
        }
    if isinstance(node.get("additionalProperties"), dict):
        made["additionalProperties"] = _inner(node["additionalProperties"], depth + 1)
    if "items" in node:
        made["items"] = _inner(node["items"], depth + 1)
    return made
