"""Read the cluster's own CRDs from the folder that a site names."""

from __future__ import annotations

from functools import cache
from math import isfinite
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any

from muster.diagnostics import InputFault, diagnostic
from muster.site.names import shown

if TYPE_CHECKING:
    from pathlib import Path

    from muster.diagnostics import Position

LIMIT = 4 << 20
"""Largest CRD file in bytes; the largest real ones are below 2 MiB."""

MOST = 500_000
"""Most values in a CRD file, aliases counted as what they stand for."""


def read_crds(base: Path, folder: str, position: Position) -> list[dict[str, Any]]:
    """Return every CustomResourceDefinition of a folder, in the order of the file names.

    Args:
        base: the folder of the site file.
        folder: the folder as the site writes it, relative to the site file.
        position: where the site writes it.

    Raises:
        InputFault: MU231 it leaves the repository, does not exist, holds no CRD, or a file is no CRD.
    """
    if PurePosixPath(folder).is_absolute() or ".." in PurePosixPath(folder).parts:
        raise InputFault(
            diagnostic("MU231", f"{shown(folder)} is not a folder below that of the site file", position)
        )
    root = base / folder
    paths = (
        sorted(path for path in root.glob("*") if path.suffix in {".yaml", ".yml"}) if root.is_dir() else []
    )
    found: list[dict[str, Any]] = []
    for path in paths:
        found += _read(path, f"{shown(path.name)} in {shown(folder)}", position)
    if not found:
        raise InputFault(diagnostic("MU231", f"there is no CRD in {shown(folder)}", position))
    return found


def _read(path: Path, shown_as: str, position: Position) -> list[dict[str, Any]]:
    def refuse(why: str) -> InputFault:
        return InputFault(diagnostic("MU231", f"{shown_as} {why}", position))

    import yaml

    if path.is_symlink() or not path.is_file() or path.stat().st_size > LIMIT:
        raise refuse("is not a plain file of at most 4 MiB")
    try:
        documents = list(yaml.load_all(path.read_bytes(), Loader=_loader()))
    except yaml.MarkedYAMLError as error:
        line = f" (line {error.problem_mark.line + 1})" if error.problem_mark else ""
        raise refuse(f"is not YAML: {error.problem}{line}") from error
    except (yaml.YAMLError, ValueError) as error:
        raise refuse("is not YAML that can be read") from error
    if not _is_plain(documents):
        raise refuse("is no plain JSON in YAML of reasonable size, without aliases")
    crds = [
        item
        for item in documents
        if isinstance(item, dict) and item.get("kind") == "CustomResourceDefinition"
    ]
    if not crds:
        raise refuse("has no CustomResourceDefinition")
    return crds


@cache
def _loader() -> Any:
    """Return a YAML loader that leaves times what they are in JSON: texts."""
    import yaml

    known = yaml.CSafeLoader.yaml_implicit_resolvers
    kept = {
        first: [pair for pair in pairs if not pair[0].endswith(":timestamp")]
        for first, pairs in known.items()
    }
    return type("Loader", (yaml.CSafeLoader,), {"yaml_implicit_resolvers": kept})


def _is_plain(value: Any) -> bool:
    """Tell whether a value is what JSON can hold, in at most ``MOST`` parts: aliases may multiply without end."""
    left = [value]
    seen = 0
    while left:
        node = left.pop()
        seen += 1
        if seen > MOST:
            return False
        if isinstance(node, dict):
            if not all(isinstance(key, str) for key in node):
                return False
            left += node.values()
        elif isinstance(node, list):
            left += node
        elif not (
            node is None or isinstance(node, str | int) or (isinstance(node, float) and isfinite(node))
        ):
            return False
    return True
