"""Read the cluster's own CRDs from the folder that a site names."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any

from muster.diagnostics import InputFault, diagnostic

if TYPE_CHECKING:
    from pathlib import Path

    from muster.diagnostics import Position

LIMIT = 4 << 20
"""Largest CRD file in bytes; the largest real ones are below 2 MiB."""


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
        raise InputFault(diagnostic("MU231", f"{folder} is not a folder beside the site file", position))
    root = base / folder
    paths = (
        sorted(path for path in root.glob("*") if path.suffix in {".yaml", ".yml"}) if root.is_dir() else []
    )
    found: list[dict[str, Any]] = []
    for path in paths:
        found += _read(path, f"{path.name} in {folder}", position)
    if not found:
        raise InputFault(diagnostic("MU231", f"there is no CRD in {folder}", position))
    return found


def _read(path: Path, shown: str, position: Position) -> list[dict[str, Any]]:
    import yaml

    if path.is_symlink() or not path.is_file() or path.stat().st_size > LIMIT:
        raise InputFault(diagnostic("MU231", f"{shown} is not a plain file of at most 4 MiB", position))
    try:
        documents = list(yaml.load_all(path.read_bytes(), Loader=yaml.CSafeLoader))
    except (yaml.YAMLError, ValueError) as error:
        raise InputFault(diagnostic("MU231", f"{shown} is not YAML: {error}", position)) from error
    crds = [
        item
        for item in documents
        if isinstance(item, dict) and item.get("kind") == "CustomResourceDefinition"
    ]
    if not crds:
        raise InputFault(diagnostic("MU231", f"{shown} has no CustomResourceDefinition", position))
    return crds
