"""Write a change of one text file as a unified diff that `git apply` and `patch -p1` take."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING

from muster.diagnostics import InputFault, diagnostic

if TYPE_CHECKING:
    from collections.abc import Iterator


def _lines(text: str) -> list[str]:
    """Split at line feeds only, since that is what diff tools do; a carriage return stays in its line."""
    parts = text.split("\n")
    lines = [part + "\n" for part in parts[:-1]]
    return [*lines, parts[-1]] if parts[-1] else lines


def unified(before: str, after: str, file: str) -> str:
    """Return the diff between two versions of a file, empty when they are the same.

    Args:
        before: the file as it is.
        after: the file as it should be.
        file: its path from the root of the repository, with forward slashes.

    Raises:
        InputFault: the path cannot stand in a diff header (MU962).
    """
    if not file or file != file.strip() or any(not char.isprintable() or char in '"\\' for char in file):
        raise InputFault(diagnostic("MU962", f"a file named {file!r} cannot stand in a patch"))

    def made() -> Iterator[str]:
        for line in difflib.unified_diff(_lines(before), _lines(after), f"a/{file}", f"b/{file}"):
            yield line if line.endswith("\n") else line + "\n\\ No newline at end of file\n"

    return "".join(made())
