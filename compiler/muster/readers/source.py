"""A file as the readers see it: numbered lines of clean text in bounded memory, or one whole document."""

from __future__ import annotations

import io
import re
from typing import TYPE_CHECKING, BinaryIO, NamedTuple

from muster.readers.model import problem

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from muster.readers.model import Problem

HEAD_BYTES = 64 * 1024
LINE_LIMIT = 64 * 1024
DOCUMENT_LIMIT = 64 * 1024 * 1024
_CHUNK = 1024 * 1024

_INVISIBLE = re.compile(
    rb"\x1b(?:\[[0-9;:]*m|\[[0-2]?K|\[\?\d+[hl]|\][^\x07\x1b\n]*(?:\x07|\x1b\\)|\([0AB]|[=>])"
)
_LINE_END = re.compile(rb"\r+\n")
_CONTROL_BYTES = bytes(code for code in range(32) if code not in b"\t\n") + b"\x7f"
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]")


class DocumentTooLargeError(ValueError):
    """A document is above the limit for reading it whole."""


class Line(NamedTuple):
    """One line: its number from 1, its text without line end, and whether its end was cut off."""

    number: int
    text: str
    cut: bool = False


class Block(NamedTuple):
    """Consecutive lines: the number of the first, the texts, and the indices of those that were cut."""

    first: int
    lines: list[str]
    cut: tuple[int, ...]


class Source:
    """A named stream of bytes that can be opened again and again.

    Args:
        name: how the file is called in readings.
        opener: opens the bytes from the start, each time it is called.
    """

    def __init__(self, name: str, opener: Callable[[], BinaryIO]) -> None:
        self.name = name
        self._open = opener
        self._head: bytes | None = None
        self._cut: set[int] = set()

    @classmethod
    def of_bytes(cls, name: str, data: bytes) -> Source:
        """Make a source of bytes in memory."""
        return cls(name, lambda: io.BytesIO(data))

    @classmethod
    def of_path(cls, path: Path, name: str | None = None) -> Source:
        """Make a source of a file; it is opened when it is read."""
        return cls(name if name is not None else str(path), lambda: path.open("rb"))

    @property
    def head(self) -> bytes:
        """The first 64 KiB, raw."""
        if self._head is None:
            with self._open() as stream:
                self._head = _read_fully(stream, HEAD_BYTES)
        return self._head

    @property
    def head_text(self) -> str:
        """The first 64 KiB, decoded and cleaned as `lines` does."""
        return clean(self.head)

    @property
    def problems(self) -> list[Problem]:
        """What was odd about the lines read so far: each line that was cut."""
        return [
            problem("MU702", f"line {number} is longer than {LINE_LIMIT} characters and was cut", number)
            for number in sorted(self._cut)[:20]
        ]

    def document(self, limit: int = DOCUMENT_LIMIT) -> bytes:
        """Return the whole content.

        Raises:
            DocumentTooLargeError: it has more than ``limit`` bytes.
        """
        with self._open() as stream:
            data = _read_fully(stream, limit + 1)
        if len(data) > limit:
            raise DocumentTooLargeError(f"more than {limit} bytes")
        return data

    def lines(self) -> Iterator[Line]:
        """Yield the lines, cleaned as `clean` says; tabs stay."""
        for first, texts, cut in self.blocks():
            if not cut:
                for number, text in enumerate(texts, first):
                    yield Line(number, text)
                continue
            for index, text in enumerate(texts):
                yield Line(first + index, text, index in cut)

    def blocks(self) -> Iterator[Block]:
        """Yield the lines of `lines` in blocks of about a mebibyte: the fast way through a large file."""
        number, rest = 1, b""
        with self._open() as stream:
            while chunk := stream.read(_CHUNK):
                end = chunk.rfind(b"\n")
                if end < 0:
                    rest = (rest + chunk)[: LINE_LIMIT * 4 + 1]
                    continue
                block = self._block(number, rest + chunk[:end])
                rest = chunk[end + 1 :][: LINE_LIMIT * 4 + 1]
                number += len(block.lines)
                yield block
        if rest:
            yield self._block(number, rest)

    def _block(self, first: int, data: bytes) -> Block:
        lines = clean(data, start=first == 1).split("\n")
        if max(map(len, lines)) <= LINE_LIMIT:
            return Block(first, lines, ())
        cut = tuple(index for index, text in enumerate(lines) if len(text) > LINE_LIMIT)
        for index in cut:
            lines[index] = lines[index][:LINE_LIMIT]
            if len(self._cut) < 1000:
                self._cut.add(first + index)
        return Block(first, lines, cut)


def clean(data: bytes, *, start: bool = True) -> str:
    r"""Decode bytes as UTF-8 and take out what a terminal would swallow.

    A byte-order mark at the ``start`` is dropped, ``\r\n`` becomes ``\n``, a carriage return inside a line a
    blank, ANSI colours and titles nothing. Every other control character, cursor movement or undecodable byte
    becomes U+FFFD, so that it can never join two numbers to one.
    """
    if start and data.startswith(b"\xef\xbb\xbf"):
        data = data[3:]
    if len(data.translate(None, _CONTROL_BYTES)) != len(data):
        data = _LINE_END.sub(b"\n", data)
        data = _INVISIBLE.sub(b"", data.rstrip(b"\r").replace(b"\r", b" "))
        return _CONTROL.sub("\ufffd", data.decode("utf-8", "replace"))
    if data.isascii():
        return data.decode("ascii")
    return _CONTROL.sub("\ufffd", data.decode("utf-8", "replace"))


def _read_fully(stream: BinaryIO, size: int) -> bytes:
    parts = []
    while size > 0 and (part := stream.read(size)):
        parts.append(part)
        size -= len(part)
    return b"".join(parts)
