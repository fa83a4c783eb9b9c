"""Which output paths are allowed, alone and together."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from muster.diagnostics import diagnostic

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from muster.diagnostics import Diagnostic

_SEGMENT = re.compile(r"[A-Za-z0-9._@+=-]{1,255}")
_LONGEST = 1024


def is_safe(path: str) -> bool:
    """Tell whether a path stays inside the output folder on every system.

    Segments are made of ASCII letters, digits and ``._@+=-`` and are neither ``.`` nor ``..`` nor ``.git``;
    there is no leading, trailing or double slash, and at most 1,024 characters.
    """
    return len(path) <= _LONGEST and all(
        _SEGMENT.fullmatch(segment) and segment.lower() not in {".", "..", ".git"}
        for segment in path.split("/")
    )


def folders_of(path: str) -> Iterable[str]:
    """Yield the folders above a path, innermost first, without the output folder itself."""
    while "/" in path:
        path = path.rpartition("/")[0]
        yield path


def conflicts(new: Iterable[str], files: Collection[str], folders: Collection[str]) -> list[Diagnostic]:
    """Report paths that cannot lie in one tree: equal but for case, or a file where a folder is needed.

    Args:
        new: paths of files to write.
        files: paths of files that are there and stay; conflicts among them are not ours.
        folders: paths of folders that are there.
    """
    fresh = sorted(new)
    spelled = {name.casefold(): name for name in (*folders, *files)}
    above = {folder for path in fresh for folder in folders_of(path)}
    all_files, all_folders = {*files, *fresh}, {*folders, *above}
    found: list[Diagnostic] = []
    for name in sorted({*above, *fresh}):
        other = spelled.setdefault(name.casefold(), name)
        if other != name:
            found.append(diagnostic("MU603", f"{name} and {other} differ in case only", path=name))
        elif name in all_files and name in all_folders:
            found.append(diagnostic("MU603", f"{name} is a file, and a folder too", path=name))
    return found
