"""Our own closed schemas of the custom kinds that muster emits: only the fields it emits, as data."""

from __future__ import annotations

import json
from functools import cache, lru_cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from muster.render.validate import builtin
from muster.render.validate.schema import Schema, document, envelope

if TYPE_CHECKING:
    from collections.abc import Mapping

SOURCE = "muster's own schema"


@cache
def entries() -> Mapping[tuple[str, str], Mapping[str, Mapping[str, Any]]]:
    """Return (group, kind) -> version -> content of the file."""
    found: dict[tuple[str, str], dict[str, Mapping[str, Any]]] = {}
    folder = files("muster.render.validate").joinpath("schemas")
    for path in sorted(folder.iterdir(), key=lambda item: item.name):
        if path.name.endswith(".json"):
            entry = json.loads(path.read_text("utf-8"))
            found.setdefault((entry["group"], entry["kind"]), {})[entry["version"]] = entry
    return found


@lru_cache(maxsize=256)
def schema_of(group: str, version: str, kind: str, minor: int) -> Schema:
    """Return our schema of a kind, its pod templates and metadata as the minor version has them.

    Raises:
        KeyError: there is none.
    """
    entry = entries()[group, kind][version]
    if entry["scope"] == "File":
        fields, required = dict(entry["fields"]), list(entry["required"])
        fields["metadata"] = {
            "type": "object",
            "additionalProperties": False,
            "properties": {"name": {"type": "string", "minLength": 1}},
        }
    else:
        metadata = {"$ref": f"kubernetes:{builtin.OBJECT_META}"}
        fields, required = {"metadata": metadata, "spec": entry["spec"]}, ["metadata", "spec"]
    whole = envelope(group, version, kind, fields, required)
    return Schema(SOURCE, entry["scope"], document(whole, minor, entry.get("$defs")))
