"""See what lies in an output folder before anything is decided."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from muster.diagnostics import InputFault, Position, diagnostic

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class Tree:
    """Files and folders below an output folder, by path with forward slashes.

    Attributes:
        exists: whether the output folder is there at all.
        files: paths of regular files.
        folders: paths of folders, without the output folder itself.
    """

    exists: bool
    files: set[str] = field(default_factory=set)
    folders: set[str] = field(default_factory=set)


def scan(output: Path, shown: str) -> Tree:
    """List an output folder.

    Args:
        output: the folder; it need not exist.
        shown: how findings call it.

    Raises:
        InputFault: the folder is a link or no folder, is a Git work tree of its own, or holds a symbolic link or
            a special file (MU610, MU611).
        OSError: a folder cannot be read.
    """
    if output.is_symlink() or (output.exists() and not output.is_dir()):
        kind = "a symbolic link" if output.is_symlink() else "not a folder"
        raise InputFault(diagnostic("MU610", f"the output {shown} is {kind}", Position(shown, 1, 1)))
    if not output.exists():
        return Tree(exists=False)
    if (output / ".git").exists():
        message = f"the output {shown} is a Git work tree of its own; its .git folder cannot be exchanged"
        raise InputFault(diagnostic("MU611", message, Position(shown, 1, 1)))
    tree = Tree(exists=True)
    odd: list[str] = []
    _walk(str(output), "", tree, odd)
    if odd:
        found = [
            diagnostic(
                "MU610", f"{path} is a symbolic link or a special file", Position(f"{shown}/{path}", 1, 1)
            )
            for path in sorted(odd)
        ]
        raise InputFault(found)
    return tree


def _walk(folder: str, prefix: str, tree: Tree, odd: list[str]) -> None:
    with os.scandir(folder) as entries:
        for entry in entries:
            path = prefix + entry.name
            if entry.is_file(follow_symlinks=False):
                tree.files.add(path)
            elif entry.is_dir(follow_symlinks=False):
                tree.folders.add(path)
                _walk(entry.path, path + "/", tree, odd)
            else:
                odd.append(path)
