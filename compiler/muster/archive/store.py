"""What muster asks of a place that keeps evidence: create once, read, list. There is no overwrite."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, BinaryIO, NamedTuple, Protocol

from muster.diagnostics import EnvironmentFault, diagnostic
from muster.diagnostics.escape import visible

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_SEGMENT = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._-]{0,199}")
ROOT = "v1"
RECORD = "record.json"


class Object(NamedTuple):
    """An object in a store: its path, and a tag that changes when its bytes do (size and time, or ETag)."""

    path: str
    tag: str


class Store(Protocol):
    """A place for objects that are written once. Paths are relative, with ``/``, of plain ASCII segments."""

    @property
    def url(self) -> str:
        """The address as it may be shown: it holds no credentials."""
        ...

    def create(self, path: str, content: bytes | Path) -> bool:
        """Write an object where none is; ``content`` is its bytes or a file that holds them.

        Returns:
            True when it was written, False when the very same bytes are there already.

        Raises:
            ConflictFault: other bytes are there (MU805).
            EnvironmentFault: the store cannot be written or does not keep the promise (MU803, 804, 806).
        """
        ...

    def read(self, path: str) -> bytes:
        """Return the bytes of an object.

        Raises:
            FileNotFoundError: it is not there.
            EnvironmentFault: the store cannot be read (MU803).
        """
        ...

    def open(self, path: str) -> BinaryIO:
        """Open an object for reading in bounded memory; raises as `read` does."""
        ...

    def exists(self, path: str) -> bool:
        """Tell whether an object is there."""
        ...

    def paths(self, prefix: str) -> Iterator[str]:
        """Yield the paths of all objects below a prefix (``v1/site``), sorted."""
        ...

    def records(self, site: str) -> Iterator[Object]:
        """Yield every record of a site, sorted by path; attempts without a record are left out."""
        ...

    def sites(self) -> list[str]:
        """Return the sites that have anything in the archive, sorted."""
        ...


class ConflictFault(EnvironmentFault):
    """Other bytes are already where an object was to be created."""


def conflict(path: str, url: str) -> ConflictFault:
    """Return the fault for other bytes at a path (MU805)."""
    return ConflictFault(diagnostic("MU805", f"{url} holds other content at {visible(path)}"))


def checked(path: str) -> str:
    """Return the path when each of its segments is plain; a last line of defence below all sanitising.

    Raises:
        ValueError: a segment is empty, starts with a dot, is too long or has other than plain characters.
    """
    if not all(_SEGMENT.fullmatch(part) for part in path.split("/")):
        raise ValueError(f"not a path in an archive: {path!r}")
    return path


def record_path(site: str, digest: str | None, attempt: str) -> str:
    """Return where the record of an attempt lies; ``digest`` is ``sha256:<hex>`` or None for an orphan."""
    place = "orphan" if digest is None else digest.removeprefix("sha256:")
    return checked(f"{ROOT}/{site}/{place}/{attempt}/{RECORD}")
