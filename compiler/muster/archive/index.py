"""A cache of the records of a site, in shards by digest. Never the truth: it is made anew when in doubt.

Each shard is one zstd file of lines. A line is used only while the store lists the record with the same tag,
so that new, changed and vanished records are seen at once.
"""

from __future__ import annotations

import hashlib
import os
import secrets
from contextlib import suppress
from typing import TYPE_CHECKING

from muster.archive.summary import Entry, entry_of_line
from muster.diagnostics.escape import visible

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

FORMAT = b"muster-index/3\n"
SHARDS = 64
_INDEX, _ASIDE = ".zst", ".judged"


def shard_of(path: str) -> str:
    """Return the shard of a record by the first two hexadecimal digits of its digest; orphans have their own.

    Sorting by shard and path is sorting by path.
    """
    place = path.split("/")[2]
    return place if place == "orphan" else f"{int(place[:2], 16) // (256 // SHARDS):02x}"


class Index:
    """The cached shards of one site of one store.

    Args:
        folder: the cache directory; it need not exist.
        store: the address of the store.
        site: the site.
    """

    def __init__(self, folder: Path, store: str, site: str) -> None:
        self._folder = folder / hashlib.sha256(store.encode()).hexdigest()[:16] / site

    @property
    def shown(self) -> str:
        """Where it is, for messages."""
        return visible(str(self._folder))

    def shards(self) -> list[str]:
        """Return the names of the shards that there are, sorted."""
        return sorted(path.name.removesuffix(_INDEX) for path in self._folder.glob(f"*{_INDEX}"))

    def load(self, shard: str) -> dict[str, Entry]:
        """Return the entries of a shard by path; none when it is missing, damaged or of another version."""
        text = self._read(f"{shard}{_INDEX}")
        try:
            entries = map(entry_of_line, text.splitlines() if text else ())
            return {entry.path: entry for entry in entries}
        except ValueError:
            return {}

    def save(self, shard: str, entries: Iterable[Entry]) -> bool:
        """Write a shard, as a whole or not at all; return False when it cannot be written."""
        return self._write(f"{shard}{_INDEX}", b"".join(entry.line() for entry in entries))

    def recall(self, shard: str) -> bytes | None:
        """Return what was kept beside a shard, None when nothing was or it is damaged."""
        return self._read(f"{shard}{_ASIDE}")

    def keep(self, shard: str, data: bytes) -> bool:
        """Keep something beside a shard; return False when it cannot be written."""
        return self._write(f"{shard}{_ASIDE}", data)

    def _read(self, name: str) -> bytes | None:
        import zstandard

        try:
            packed = (self._folder / name).read_bytes()
            text = zstandard.ZstdDecompressor().decompress(packed)
        except (OSError, zstandard.ZstdError):
            return None
        return text.removeprefix(FORMAT) if text.startswith(FORMAT) else None

    def _write(self, name: str, data: bytes) -> bool:
        import zstandard

        packed = zstandard.ZstdCompressor(level=1, write_checksum=True).compress(FORMAT + data)
        aside = self._folder / f".{name}-{secrets.token_hex(6)}"
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            aside.write_bytes(packed)
            os.replace(aside, self._folder / name)  # noqa: PTH105 - Path.replace hides the rename
        except OSError:
            with suppress(OSError):
                aside.unlink(missing_ok=True)
            return False
        return True
