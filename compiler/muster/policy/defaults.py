"""Fill in what neither a site nor its profiles say; a step of its own, after merging."""

from __future__ import annotations

from copy import deepcopy
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping


def fill_defaults(merged: Mapping[str, Any], facts: Mapping[str, Any]) -> dict[str, Any]:
    """Return a merged site with the defaults of the policies for absent fields, test parameters included."""
    site: dict[str, Any] = deepcopy(dict(merged))
    spec = site["spec"]
    table = facts["defaults"]
    _fill(spec, table["spec"])
    _fill_present(spec, table["optional"])
    for kind, values in table["each"].items():
        for item in spec[kind].values():
            _fill(item, values)
    for kind, values in table["eachOptional"].items():
        for item in spec[kind].values():
            _fill_present(item, values)
    for test in spec["tests"].values():
        entry = facts["catalog"].get(test["test"])
        if entry:
            level = str(test["params"].get("level", entry["defaults"].get("level")))
            by_level = {k: v for k, v in entry.get("levels", {}).get(level, {}).items() if k in entry["doc"]}
            _fill(test["params"], by_level | entry["defaults"])
    return site


def _fill(target: dict[str, Any], values: Mapping[str, Any]) -> None:
    for key, value in values.items():
        if key not in target:
            target[key] = deepcopy(value)
        elif isinstance(value, dict) and isinstance(target[key], dict):
            _fill(target[key], value)


def _fill_present(target: dict[str, Any], values: Mapping[str, Any]) -> None:
    for key, value in values.items():
        if key in target:
            _fill(target[key], value)
