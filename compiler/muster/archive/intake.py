"""Take one file in: search it for secrets, hash it, compress it; one pass, in bounded memory."""

from __future__ import annotations

import hashlib
import io
import json
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, BinaryIO, cast

from muster.archive.redact import LONGEST_LINE, LineTooLongError, Redactor
from muster.archive.unpack import refused
from muster.diagnostics import EnvironmentFault, diagnostic
from muster.diagnostics.escape import visible

if TYPE_CHECKING:
    from pathlib import Path

_IN_MEMORY = 1024 * 1024
_LEVEL = 3
_MARK = b"MUSTER-RECORD {"
_KEYS = 16
_UNSAFE = re.compile(r"[^A-Za-z0-9._-]+")
_IDENTITY = ("site", "pool", "test", "scope", "digest", "attempt")


@dataclass(frozen=True, slots=True)
class Blob:
    """A file as it will be stored.

    Attributes:
        name: as the user called it; not safe for a path.
        original: sha256 of the bytes as they came, hexadecimal.
        sha256: sha256 of the bytes as they are kept, secrets taken out, hexadecimal.
        size: number of those bytes.
        redactions: how many parts were taken out.
        packed: those bytes compressed with zstd, in memory or in a file.
        keys: which attempts its record lines name; empty when it has none.
        document: whether it is a JSON document, not lines of text.
        empty: whether it holds nothing but blanks.
    """

    name: str
    original: str
    sha256: str
    size: int
    redactions: int
    packed: bytes | Path
    keys: tuple[str, ...] = field(default=())
    document: bool = False
    empty: bool = False

    def open(self) -> BinaryIO:
        """Open the kept bytes, uncompressed."""
        return unzipped(io.BytesIO(self.packed) if isinstance(self.packed, bytes) else self.packed.open("rb"))


def unzipped(stream: BinaryIO) -> BinaryIO:
    """Return the uncompressed bytes of a stored file; closing it closes the stream too."""
    import zstandard

    reader = zstandard.ZstdDecompressor().stream_reader(stream, read_across_frames=True, closefd=True)
    return cast("BinaryIO", reader)


def safe_name(name: str) -> str:
    """Return the last part of a name as a path segment of plain characters, at most 80 of them.

    ``../../etc/passwd`` gives ``passwd``, a name with nothing plain in it gives ``file``.
    """
    last = re.split(r"[/\\]", name)[-1]
    plain = _UNSAFE.sub("_", last).lstrip("._-")
    return plain[-80:].lstrip("._-") or "file"


def take_in(name: str, stream: BinaryIO, spool: Path, *, longest_line: int = LONGEST_LINE) -> Blob:
    """Read a file once and keep it compressed, in memory up to 1 MiB, above that below ``spool``.

    Raises:
        RefusedError: a line is too long to be searched for secrets (MU814).
        EnvironmentFault: the spool cannot be written (MU806).
        OSError: the file cannot be read.
    """
    import zstandard

    redactor = Redactor(longest_line=longest_line)
    original, kept = hashlib.sha256(), hashlib.sha256()
    store = _Spool(spool)
    compressor = zstandard.ZstdCompressor(level=_LEVEL, write_checksum=True).compressobj()
    keys: dict[str, None] = {}
    size, document, empty = 0, None, True
    try:
        for raw, clean in redactor.blocks(stream):
            original.update(raw)
            kept.update(clean)
            size += len(clean)
            store.write(compressor.compress(clean))
            if _MARK in clean:
                _keys_of(clean, keys)
            empty = empty and not clean.strip()
            if document is None:
                document = clean.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] == b"{"
    except LineTooLongError as error:
        raise refused("MU814", name, f"a line has {error}") from error
    store.write(compressor.flush())
    return Blob(
        name,
        original.hexdigest(),
        kept.hexdigest(),
        size,
        redactor.count,
        store.done(),
        tuple(keys),
        bool(document),
        empty,
    )


def _keys_of(text: bytes, keys: dict[str, None]) -> None:
    """Add which attempt each record line of a block names."""
    for line in text.split(b"\n"):
        at = line.find(_MARK)
        if at < 0 or len(keys) >= _KEYS:
            continue
        try:
            record = json.loads(line[at + len(_MARK) - 1 :])
        except (ValueError, RecursionError):
            continue
        if record.get("event") in ("begin", "excluded"):
            keys[attempt_key(record)] = None


def attempt_key(record: dict[str, Any]) -> str:
    """Return what tells attempts apart in a begin or excluded record, as one text."""
    unit = record.get("unit")
    nodes = sorted(map(str, unit)) if isinstance(unit, list) else str(unit)
    return json.dumps([*(str(record.get(name)) for name in _IDENTITY), nodes])


class _Spool:
    """Bytes in memory until they are many, then in a file of their own."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._memory = bytearray()
        self._file: Path | None = None

    def write(self, data: bytes) -> None:
        self._memory += data
        if len(self._memory) > _IN_MEMORY:
            self._flush()

    def _flush(self) -> None:
        if self._file is None:
            import secrets

            self._file = self._folder / f"spool-{secrets.token_hex(8)}"
        try:
            with self._file.open("ab") as stream:
                stream.write(self._memory)
        except OSError as error:
            reason = visible(error.strerror or type(error).__name__)
            raise EnvironmentFault(diagnostic("MU806", f"{visible(str(self._folder))}: {reason}")) from error
        self._memory.clear()

    def done(self) -> bytes | Path:
        if self._file is None:
            return bytes(self._memory)
        self._flush()
        return self._file
