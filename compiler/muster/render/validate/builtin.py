"""Schemas of built-in kinds for each Kubernetes minor version, from the files of ``kubernetes-validate``.

Only its data is used: importing the package takes longer than checking a thousand objects. The strict schemas
refuse unknown fields; here they become stricter still: no field may be null, integers keep their width, and
quantities are quantities.
"""

from __future__ import annotations

import json
import re
from functools import cache, lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

OBJECT_META = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"
_FOLDER = re.compile(r"v1\.([0-9]+)\.[0-9]+-local-strict")
_VERSION = re.compile(r"v?1\.([0-9]{1,3})(?:[.+-].*)?")
_KEPT = (
    *("type", "enum", "required", "minimum", "maximum", "pattern", "oneOf", "anyOf"),
    *("items", "properties", "additionalProperties", "$ref"),
)
_REPLACED: Mapping[str, Mapping[str, Any]] = {
    # The grammar of apimachinery's resource.ParseQuantity.
    "io.k8s.apimachinery.pkg.api.resource.Quantity": {
        "anyOf": [
            {"type": "number"},
            {
                "type": "string",
                "pattern": r"^[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([KMGTPE]i|[numkMGTPE]|[eE][+-]?[0-9]+)?$",
            },
        ]
    },
    "io.k8s.apimachinery.pkg.util.intstr.IntOrString": {"type": ["integer", "string"]},
}


def bounds(schema: Mapping[str, Any]) -> dict[str, int]:
    """Return minimum and maximum of an integer of a given width, where the schema has no own."""
    bits = {"int32": 31, "int64": 63}.get(str(schema.get("format")))
    limits = {} if bits is None else {"minimum": -(2**bits), "maximum": 2**bits - 1}
    return {name: limit for name, limit in limits.items() if name not in schema}


def minor_of(version: str) -> int | None:
    """Return 30 for ``1.30``, ``1.30.4`` or ``v1.30.4+rke2r1``; None for anything else."""
    match = _VERSION.fullmatch(version)
    return int(match[1]) if match else None


@cache
def _folders() -> Mapping[int, Path]:
    spec = find_spec("kubernetes_validate")
    places = spec.submodule_search_locations if spec else None
    found: dict[int, Path] = {}
    for place in places or ():
        for folder in sorted(Path(place, "kubernetes-json-schema").iterdir()):
            match = _FOLDER.fullmatch(folder.name)
            if match:
                found[int(match[1])] = folder
    return dict(sorted(found.items()))


def known_minors() -> tuple[int, ...]:
    """Return the minor versions there are schemas for, ascending."""
    return tuple(_folders())


@lru_cache(maxsize=4)
def definitions(minor: int) -> Mapping[str, Any]:
    """Return the definitions of a minor version by name, as the package has them.

    Raises:
        KeyError: there is none.
    """
    content = json.loads((_folders()[minor] / "_definitions.json").read_text("utf-8"))
    found: dict[str, Any] = content["$defs"]
    return found


@lru_cache(maxsize=16)
def kinds(minor: int) -> Mapping[tuple[str, str], Mapping[str, str]]:
    """Return (group, kind) -> version -> definition, for the kinds that have metadata of their own."""
    found: dict[tuple[str, str], dict[str, str]] = {}
    for name, schema in definitions(minor).items():
        metadata = schema.get("properties", {}).get("metadata", {})
        if not str(metadata.get("$ref", "")).endswith(OBJECT_META):
            continue
        for entry in schema.get("x-kubernetes-group-version-kind", ()):
            found.setdefault((entry["group"], entry["kind"]), {})[entry["version"]] = name
    return found


@lru_cache(maxsize=256)
def closure(minor: int, names: tuple[str, ...]) -> Mapping[str, Any]:
    """Return the definitions that some need, made strict, as the ``$defs`` of one schema.

    Raises:
        KeyError: one of them does not exist in that version.
    """
    every = definitions(minor)
    done: dict[str, Any] = {}
    todo = list(names)
    while todo:
        name = todo.pop()
        if name not in done:
            done[name] = dict(_REPLACED.get(name) or _strict(every[name]))
            todo += _references(done[name])
    return done


def _strict(schema: Mapping[str, Any]) -> dict[str, Any]:
    made: dict[str, Any] = bounds(schema)
    for keyword in _KEPT:
        if keyword not in schema:
            continue
        value = schema[keyword]
        if keyword == "type" and isinstance(value, list):
            value = next(item for item in value if item != "null")
        elif keyword == "$ref":
            value = "#/$defs/" + value.rpartition("/")[2]
        elif keyword == "properties":
            value = {name: _strict(item) for name, item in value.items()}
        elif keyword in {"oneOf", "anyOf"}:
            value = [_strict(item) for item in value]
        elif isinstance(value, dict):
            value = _strict(value)
        made[keyword] = value
    return made


def _references(schema: Any) -> Iterable[str]:
    if isinstance(schema, dict):
        if isinstance(schema.get("$ref"), str):
            yield schema["$ref"].rpartition("/")[2]
        for value in schema.values():
            yield from _references(value)
    elif isinstance(schema, list):
        for value in schema:
            yield from _references(value)
