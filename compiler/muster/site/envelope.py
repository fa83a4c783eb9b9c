"""The part of a site that must be right before a policy is asked: what it is and how it is called."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any

from muster.site.names import SITE_NAME_LIMIT, label_problem, shown

if TYPE_CHECKING:
    from muster.site.findings import Findings
    from muster.site.positions import Path, PositionMap

API_VERSION = "muster.dev/v1alpha1"
KIND = "Site"


def stem_of(label: str) -> str:
    """Return the name that the file's own name gives to a site."""
    return PurePosixPath(label).stem


def check_envelope(data: Any, label: str, positions: PositionMap, found: Findings) -> str | None:
    """Check apiVersion, kind and metadata.name; return the name when it is usable."""
    if not isinstance(data, dict):
        kind = {list: "a list", str: "a text", bool: "a boolean"}.get(type(data), "a number")
        found.add("MU123", f"the document is {kind}, not a mapping", _place(positions, ()))
        return None
    _check_constant(data, "apiVersion", API_VERSION, "MU124", positions, found)
    _check_constant(data, "kind", KIND, "MU125", positions, found)
    return _check_name(data, label, positions, found)


def _check_constant(
    data: dict[str, Any], key: str, wanted: str, code: str, positions: PositionMap, found: Findings
) -> None:
    value = data.get(key)
    if value == wanted or (value is None and key in data):  # null is reported where it stands
        return
    said = f"{key} is missing" if key not in data else f"{key} is {_quoted(value)}"
    found.add(code, said, _place(positions, (key,)), hint=f"write {key}: {wanted}", path=(key,))


def _check_name(data: dict[str, Any], label: str, positions: PositionMap, found: Findings) -> str | None:
    path: Path = ("metadata", "name")
    metadata = data.get("metadata")
    stem = stem_of(label)
    if metadata is None and "metadata" in data:
        return None
    if not isinstance(metadata, dict) or "name" not in metadata:
        at: Path = path if isinstance(metadata, dict) else ("metadata",)
        said = "metadata.name is missing"
        if "metadata" in data and not isinstance(metadata, dict):
            said = f"metadata is {_quoted(metadata)}, not a mapping with a name"
        found.add("MU126", said, _place(positions, at), hint=f"write metadata: {{name: {stem}}}", path=path)
        return None
    name = metadata["name"]
    place = _place(positions, path)
    if name is None:
        return None
    if not isinstance(name, str):
        found.add("MU127", f"metadata.name is {_quoted(name)}, not a text", place, path=path)
        return None
    problem = label_problem(name, SITE_NAME_LIMIT)
    if problem:
        found.add("MU127", f"{shown(name)} cannot be the name of a site: {problem}", place, path=path)
        return None
    if name != stem:
        said = f"the site is called {shown(name)}, its file {shown(stem)}"
        found.add("MU128", said, place, hint=f"call the file {name}.yaml, or the site {stem}", path=path)
        return None
    return name


def _quoted(value: Any) -> str:
    if isinstance(value, str):
        return shown(value)
    if isinstance(value, dict):
        return "a mapping"
    return "a list" if isinstance(value, list) else str(value).lower()


def _place(positions: PositionMap, path: Path) -> tuple[int, int]:
    position = positions.of(path)
    return position.line, position.column
