"""Unpack gzip, zstd and tar streams within limits; a hostile one is refused, never followed."""

from __future__ import annotations

import io
import tarfile
import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, BinaryIO, Protocol, cast

from muster.diagnostics import Position, diagnostic
from muster.diagnostics.escape import clip, visible

if TYPE_CHECKING:
    from collections.abc import Iterator

    from muster.diagnostics import Diagnostic

_GZIP, _ZSTD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"
_TAR_MARK, _TAR_AT = b"ustar", 257
_TAR_BLOCK = 512
_DEEPEST = 3
_PIECE = 1024
_SUFFIXES = (".gz", ".zst", ".zstd")


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds of one ingest, in bytes of unpacked text but for ``members``.

    Attributes:
        file_bytes: one file.
        total_bytes: all files of one ingest.
        ratio: unpacked to packed bytes, asked once a stream has given more than ``ratio_floor``.
        ratio_floor: how much any stream may unpack to.
        members: files of one ingest.
    """

    file_bytes: int = 8 << 30
    total_bytes: int = 64 << 30
    ratio: int = 250
    ratio_floor: int = 64 << 20
    members: int = 200_000


class RefusedError(Exception):
    """An input is refused; ``found`` says why."""

    def __init__(self, found: Diagnostic) -> None:
        super().__init__(found.message)
        self.found = found


def refused(code: str, name: str, why: str) -> RefusedError:
    """Return the refusal of an input, with a message that is safe to show."""
    shown = visible(clip(name, 200))
    return RefusedError(diagnostic(code, f"{shown}: {visible(why)}", Position(shown, 1, 1)))


@dataclass(slots=True)
class Budget:
    """What one ingest has used of its limits so far."""

    total: int = 0
    members: int = 0


class _Decoder(Protocol):
    """The decompression objects of zlib and zstandard."""

    @property
    def eof(self) -> bool: ...
    @property
    def unused_data(self) -> bytes: ...
    def decompress(self, data: bytes, /) -> bytes: ...


class _Counted(io.RawIOBase):
    """A stream that counts what is read from it and stops at a limit."""

    def __init__(self, name: str, stream: BinaryIO, budget: Budget | None, limits: Limits) -> None:
        self._name, self._stream, self._budget, self._limits = name, stream, budget, limits
        self.count = 0
        self.tail = b""

    def readable(self) -> bool:
        """Return True."""
        return True

    def readinto(self, buffer: bytearray | memoryview, /) -> int:  # type: ignore[override]
        """Read once from the stream below."""
        data = self._stream.read(len(buffer))
        buffer[: len(data)] = data
        self.count += len(data)
        self.tail = data[-_TAR_BLOCK:] if len(data) >= _TAR_BLOCK else (self.tail + data)[-_TAR_BLOCK:]
        if self.count > self._limits.file_bytes:
            raise refused("MU812", self._name, f"more than {self._limits.file_bytes} bytes")
        if self._budget is not None:
            self._budget.total += len(data)
            if self._budget.total > self._limits.total_bytes:
                raise refused("MU812", self._name, f"more than {self._limits.total_bytes} bytes in all")
        return len(data)


class _Unpacked(io.RawIOBase):
    """A decompressed stream: whole frames only, bounded in memory and in ratio."""

    def __init__(self, name: str, packed: BinaryIO, kind: bytes, limits: Limits) -> None:
        self._name, self._packed, self._limits = name, packed, limits
        self._kind = kind
        self._decoder = self._new()
        self._ready = memoryview(b"")
        self._unused = b""
        self._in = self._out = 0
        self._started = False

    def _new(self) -> _Decoder:
        if self._kind == _GZIP:
            return cast("_Decoder", zlib.decompressobj(wbits=31))
        import zstandard

        return zstandard.ZstdDecompressor(max_window_size=1 << 27).decompressobj()

    def readable(self) -> bool:
        """Return True."""
        return True

    def readinto(self, buffer: bytearray | memoryview, /) -> int:  # type: ignore[override]
        """Decompress as much as is at hand."""
        while not self._ready:
            if not self._more():
                return 0
        data, self._ready = self._ready[: len(buffer)], self._ready[len(buffer) :]
        buffer[: len(data)] = data
        return len(data)

    def _more(self) -> bool:
        data = self._unused or self._packed.read(_PIECE)
        self._in += 0 if self._unused else len(data)
        self._unused = b""
        if not data:
            if self._started and not self._decoder.eof:
                raise refused("MU813", self._name, "the compressed stream ends early")
            return False
        if self._started and self._decoder.eof:
            if not data.strip(b"\0"):
                return True
            self._decoder = self._new()
        self._started = True
        self._ready = memoryview(self._decode(data))
        self._unused = self._decoder.unused_data if self._decoder.eof else b""
        self._out += len(self._ready)
        if self._out > max(self._limits.ratio_floor, self._in * self._limits.ratio):
            raise refused("MU812", self._name, f"unpacks to more than {self._limits.ratio} times its size")
        return True

    def _decode(self, data: bytes) -> bytes:
        from zstandard import ZstdError

        try:
            return self._decoder.decompress(data)
        except (zlib.error, ZstdError, EOFError) as error:
            raise refused("MU813", self._name, "the compressed stream is damaged") from error


def unpack(
    name: str, stream: BinaryIO, budget: Budget, limits: Limits, depth: int = 0
) -> Iterator[tuple[str, BinaryIO]]:
    """Yield the files that a stream holds, each with its name: itself, or the members of a tar file.

    Raises:
        RefusedError: as `muster.archive.inputs.items` says.
    """
    buffered = io.BufferedReader(_Counted(name, stream, None, limits), 1 << 16)
    head = buffered.peek(512)[:512]
    packed = next((kind for kind in (_GZIP, _ZSTD) if head.startswith(kind)), None)
    if packed is not None and depth < _DEEPEST:
        below = cast("BinaryIO", _Unpacked(name, cast("BinaryIO", buffered), packed, limits))
        yield from unpack(_bare(name), below, budget, limits, depth + 1)
    elif head[_TAR_AT : _TAR_AT + len(_TAR_MARK)] == _TAR_MARK and depth < _DEEPEST:
        yield from _members(name, cast("BinaryIO", buffered), budget, limits, depth + 1)
    else:
        budget.members += 1
        if budget.members > limits.members:
            raise refused("MU812", name, f"more than {limits.members} files")
        raw = _Counted(name, cast("BinaryIO", buffered), budget, limits)
        yield name, cast("BinaryIO", io.BufferedReader(raw, 1 << 18))


def _bare(name: str) -> str:
    for suffix in _SUFFIXES:
        if name.lower().endswith(suffix) and len(name) > len(suffix):
            return name[: -len(suffix)]
    return name[:-4] + ".tar" if name.lower().endswith(".tgz") else name


def _members(
    name: str, stream: BinaryIO, budget: Budget, limits: Limits, depth: int
) -> Iterator[tuple[str, BinaryIO]]:
    counted = _Counted(name, stream, None, limits)
    try:
        with tarfile.open(fileobj=cast("BinaryIO", counted), mode="r|") as members:
            for member in members:
                if member.isdir():
                    continue
                _check(name, member)
                content = members.extractfile(member)
                if content is not None:
                    yield from unpack(member.name, cast("BinaryIO", content), budget, limits, depth)
    except (tarfile.TarError, EOFError, ValueError) as error:
        raise refused("MU813", name, "the tar file is damaged") from error
    if counted.tail.strip(b"\0"):
        raise refused("MU813", name, "the tar file ends early")


def _check(name: str, member: tarfile.TarInfo) -> None:
    parts = member.name.replace("\\", "/").split("/")
    if member.name.startswith(("/", "\\")) or ".." in parts or ":" in parts[0]:
        raise refused("MU811", name, f"member {member.name} leads out of it")
    if not member.isreg() or member.issparse():
        raise refused("MU811", name, f"member {member.name} is no regular file")
