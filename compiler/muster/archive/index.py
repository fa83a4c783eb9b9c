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

    def load(self, shard: str) -> dict[str, Entry]:
        """Return the entries of a shard by path; none when it is missing, damaged or of another version."""
        import zstandard

        try:
            packed = (self._folder / f"{shard}.zst").read_bytes()
            text = zstandard.ZstdDecompressor().decompress(packed)
            head, _, rest = text.partition(b"\n")
            if head + b"\n" != FORMAT:
                return {}
            entries = map(entry_of_line, rest.splitlines())
            return {entry.path: entry for entry in entries}
        except (OSError, ValueError, zstandard.ZstdError):
            return {}

    def save(self, shard: str, entries: Iterable[Entry]) -> bool:
        """Write a shard, as a whole or not at all; return False when it cannot be written."""
        import zstandard

        compressor = zstandard.ZstdCompressor(level=1, write_checksum=True)
        packed = compressor.compress(FORMAT + b"".join(entry.line() for entry in entries))
        aside = self._folder / f".{shard}-{secrets.token_hex(6)}"
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            aside.write_bytes(packed)
            os.replace(aside, self._folder / f"{shard}.zst")  # noqa: PTH105 - Path.replace hides the rename
        except OSError:
            with suppress(OSError):
                aside.unlink(missing_ok=True)
            return False
        return True
