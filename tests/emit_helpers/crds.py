"""The real CRDs beside a developer's checkout, and what they say about our objects and our own schemas."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Any

import yaml

from muster.render.validate import validate_objects
from muster.render.validate.crd import close, identity, served

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from muster.render.validate.schema import Schema

# Strings that our own patterns accept must be accepted by the pattern of the real CRD.
SAMPLES = [
    "1ms",
    "30s",
    "5m",
    "1h",
    "12h",
    "7d",
    "2w",
    "120s",
    "/",
    "/a/b",
    "a",
    "a_b",
    "A1",
    "muster:x",
    "_",
    "In",
]


@cache
def real_crds(shared: Path) -> Sequence[Mapping[str, Any]]:
    """Return every CRD of the folder, one of each kind."""
    found = {}
    for path in sorted(shared.glob("crds/*/*.yaml")):
        crd = yaml.load(path.read_bytes(), Loader=yaml.CSafeLoader)
        found.setdefault(identity(crd), crd)
    return tuple(found.values())


def refused_by_real_crds(objects: Sequence[Mapping[str, Any]], shared: Path, kubernetes: str) -> list[str]:
    """Return what the real CRDs refuse about custom objects that are emitted; objects of other kinds are left out.

    Raises:
        AssertionError: there is no custom object among them, so that nothing would be checked.
    """
    crds = real_crds(shared)
    kinds = {identity(crd) for crd in crds}
    custom = [item for item in objects if (item["apiVersion"].rpartition("/")[0], item["kind"]) in kinds]
    assert custom, "no custom object to check"
    result = validate_objects(custom, kubernetes=kubernetes, crds=crds)
    assert result.counts["site CRDs"] == len(custom)
    return [finding.message for finding in result.diagnostics]


def real_schema(shared: Path, group: str, version: str, kind: str, minor: int) -> Schema:
    """Return the closed schema of a real CRD."""
    crd = next(item for item in real_crds(shared) if identity(item) == (group, kind))
    assert version in served(crd)
    return close(crd, version, minor)


def wider(ours: Schema, real: Schema) -> list[str]:
    """Return where our schema accepts what the real one does not; pod templates and metadata are not compared."""
    return list(_wider(ours.document, real.document, ours.document, real.document, ""))


def _resolved(node: Mapping[str, Any], document: Mapping[str, Any]) -> Mapping[str, Any]:
    while "$ref" in node:
        node = document["$defs"][node["$ref"].rpartition("/")[2]]
    return node


def _types(node: Mapping[str, Any]) -> set[str]:
    kind = node.get("type")
    return set(kind) if isinstance(kind, list) else {kind} if kind else set()


def _wider(
    ours: Mapping[str, Any],
    real: Mapping[str, Any],
    our_root: Mapping[str, Any],
    real_root: Mapping[str, Any],
    path: str,
) -> Iterator[str]:
    if path == "metadata" or "io.k8s.api.core.v1.PodTemplateSpec" in str(ours.get("$ref")):
        return
    ours, real = _resolved(ours, our_root), _resolved(real, real_root)
    if _types(real) and not _types(ours) <= _types(real) | (
        {"integer"} if "number" in _types(real) else set()
    ):
        yield f"{path}: type {_types(ours)} against {_types(real)}"
    defaulted = {name for name, item in real.get("properties", {}).items() if "default" in item}
    if missing := set(real.get("required", ())) - set(ours.get("required", ())) - defaulted:
        yield f"{path}: does not require {sorted(missing)}"
    yield from _values(ours, real, path)
    extra = real.get("additionalProperties", True)
    for name, item in ours.get("properties", {}).items():
        below = real.get("properties", {}).get(name, extra)
        if below is False:
            yield f"{path}.{name}: is not in the CRD"
        elif below is not True:
            yield from _wider(item, below, our_root, real_root, f"{path}.{name}".lstrip("."))
    if isinstance(ours.get("additionalProperties"), dict):
        if extra is False:
            yield f"{path}: other fields are not in the CRD"
        elif extra is not True:
            yield from _wider(ours["additionalProperties"], extra, our_root, real_root, f"{path}.*")
    if "items" in ours:
        yield from _wider(ours["items"], real.get("items", {}), our_root, real_root, f"{path}[]")


def _values(ours: Mapping[str, Any], real: Mapping[str, Any], path: str) -> Iterator[str]:
    if "enum" in real and not set(ours.get("enum", ["no enum"])) <= set(real["enum"]):
        yield f"{path}: {ours.get('enum')} against {real['enum']}"
    choices = [text for text in ours.get("enum", ()) if isinstance(text, str)]
    never_empty = all(choices) if choices else "pattern" in ours and not re.search(ours["pattern"], "")
    for name in ("minimum", "minLength", "minItems", "minProperties"):
        least = ours.get(name, 1 if name == "minLength" and never_empty else -(2**63))
        if name in real and least < real[name]:
            yield f"{path}: {name} {ours.get(name)} against {real[name]}"
    for name in ("maximum", "maxLength", "maxItems", "maxProperties"):
        most = ours.get(name, max(map(len, choices)) if name == "maxLength" and choices else 2**63 - 1)
        if name in real and most > real[name]:
            yield f"{path}: {name} {ours.get(name)} against {real[name]}"
    if "pattern" in real:
        for text in choices or [text for text in SAMPLES if re.search(ours.get("pattern", ""), text)]:
            if not re.search(real["pattern"], text):
                yield f"{path}: {text!r} does not match {real['pattern']}"
    for name in ("oneOf", "anyOf", "allOf", "not"):
        if name in real and "string" not in _types(real):
            yield f"{path}: {name} of the CRD cannot be compared"
