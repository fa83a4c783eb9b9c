"""What a user hands over, file by file: files, folders, tar files, gzip and zstd streams, standard input."""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, NamedTuple

from muster.archive.unpack import Budget, Limits, refused, unpack
from muster.diagnostics.escape import visible

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

STDIN = "-"


class Item(NamedTuple):
    """One file: its name and its bytes, which must be read before the next item is asked for."""

    name: str
    stream: BinaryIO


@dataclass(frozen=True, slots=True)
class Input:
    """Something to ingest: how it is called, and how its bytes are opened. A path may name a folder.

    Attributes:
        name: the name of the file in records; for a folder, what messages call it.
        path: a file or folder; None when ``opener`` gives the bytes.
        opener: opens the bytes of something that is no file.
    """

    name: str
    path: Path | None = None
    opener: Callable[[], BinaryIO] | None = None


def input_of(path: str | Path, stdin: BinaryIO | None = None) -> Input:
    """Make an input of an argument; ``-`` is standard input."""
    if str(path) == STDIN and stdin is not None:
        return Input("stdin", opener=lambda: stdin)
    return Input(Path(path).name or str(path), Path(path))


def items(source: Input, budget: Budget, limits: Limits) -> Iterator[Item]:
    """Yield every file of an input, unpacked.

    Raises:
        RefusedError: it cannot be read (MU810), a member is refused (MU811), a limit is passed (MU812), a
            compressed stream is damaged (MU813).
    """
    if source.opener is not None:
        with source.opener() as stream:
            yield from _opened(source.name, stream, budget, limits)
        return
    path = source.path or Path(source.name)
    try:
        kind = path.stat().st_mode
    except (OSError, ValueError) as error:
        raise refused("MU810", str(path), _reason(error)) from error
    if not stat.S_ISDIR(kind):
        yield from _file(path, source.name, budget, limits)
        return
    for below, name in _walk(path):
        yield from _file(below, name, budget, limits)


def _walk(folder: Path) -> Iterator[tuple[Path, str]]:
    """Yield the files below a folder, sorted; links may only lead to files inside of it."""
    inside = folder.resolve()
    for parent, folders, files in os.walk(folder, onerror=_unreadable):
        folders.sort()
        for name in sorted(files):
            path = Path(parent) / name
            shown = path.relative_to(folder).as_posix()
            if path.is_symlink() and not path.resolve().is_relative_to(inside):
                raise refused("MU811", shown, "a link that leads out of the folder")
            yield path, shown


def _unreadable(error: OSError) -> None:
    raise refused("MU810", str(error.filename), _reason(error)) from error


def _file(path: Path, name: str, budget: Budget, limits: Limits) -> Iterator[Item]:
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except (OSError, ValueError) as error:
        raise refused("MU810", str(path), _reason(error)) from error
    with os.fdopen(descriptor, "rb") as stream:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise refused("MU810", str(path), "not a regular file")
        yield from _opened(name, stream, budget, limits)


def _opened(name: str, stream: BinaryIO, budget: Budget, limits: Limits) -> Iterator[Item]:
    for member, content in unpack(name, stream, budget, limits):
        yield Item(member, content)


def _reason(error: Exception) -> str:
    text = error.strerror if isinstance(error, OSError) and error.strerror else type(error).__name__
    return visible(text)
