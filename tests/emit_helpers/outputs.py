"""Small compiles to publish, and ways to look at the tree that results."""

from __future__ import annotations

from typing import TYPE_CHECKING

from muster.emit import lock

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


def compiled(sites: Mapping[str, Mapping[str, str]]) -> dict[str, bytes]:
    """Return the files of a compile: text by path for each site, with the locks added."""
    files: dict[str, bytes] = {}
    for site, texts in sites.items():
        own = {path: text.encode() for path, text in texts.items()}
        files |= own
        files[lock.path_of(site)] = lock.build_lock(
            site, own, {f"sites/{site}.yaml": "sha256:00"}, {"muster": "0.1"}
        )
    return files


def snapshot(folder: Path) -> dict[str, bytes]:
    """Return every file below a folder; links and folders as marks."""
    found: dict[str, bytes] = {}
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if path.is_symlink():
            found[name] = b"-> link"
        elif path.is_dir():
            found[name + "/"] = b""
        elif path.is_file():
            found[name] = path.read_bytes()
        else:
            found[name] = b"-> special"
    return found


def files_of(folder: Path) -> dict[str, bytes]:
    """Return the files below a folder."""
    return {name: data for name, data in snapshot(folder).items() if not name.endswith("/")}


def strays(output: Path) -> list[str]:
    """Return what lies beside an output folder."""
    return sorted(path.name for path in output.parent.iterdir() if path != output)
