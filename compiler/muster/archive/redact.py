"""Take secrets out of a stream before it is stored, in bounded memory.

Text goes through in blocks of whole lines, a JSON document as one block.
"""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING, BinaryIO

from muster.archive.secrets import REPLACEMENT, RULES, open_key, skeleton

if TYPE_CHECKING:
    from collections.abc import Iterator

    from muster.archive.secrets import Span

BLOCK = 256 * 1024
LONGEST_LINE = 64 * 1024 * 1024
# A block with more secrets than this is no output of a tool: all of it is taken out.
_MOST_SPANS = 100_000
_DOCUMENT = re.compile(rb"(?:\xef\xbb\xbf)?\s*[\[{]")


class LineTooLongError(ValueError):
    """A line is longer than what is searched for secrets as a whole."""


class Redactor:
    """Redact one stream; ``count`` says how many parts were replaced so far."""

    def __init__(self, *, longest_line: int = LONGEST_LINE) -> None:
        self.count = 0
        self._longest = longest_line

    def blocks(self, stream: BinaryIO) -> Iterator[tuple[bytes, bytes]]:
        """Yield the stream in blocks of whole lines, each as it came and as it may be stored.

        Raises:
            LineTooLongError: a line has more than ``longest_line`` bytes.
        """
        rest, least = b"", None
        while data := stream.read(BLOCK):
            if least is None:
                least = self._longest if _DOCUMENT.match(data) else 0
            rest = rest + data if rest else data
            end = _split(rest) if len(rest) >= least else 0
            if end:
                yield rest[:end], self.redact(rest[:end])
                rest = rest[end:]
            elif len(rest) > self._longest + BLOCK:
                raise LineTooLongError(f"more than {self._longest} bytes")
        if rest:
            yield rest, self.redact(rest)

    def redact(self, text: bytes) -> bytes:
        """Return whole lines without secrets; NUL bytes between their letters do not hide them."""
        if b"\0" not in text:
            return self._redact(text)
        bare = text.translate(None, b"\0")
        found = self._redact(bare)
        return text if found == bare else found

    def _redact(self, text: bytes) -> bytes:
        padded = b"\n" + text
        bones = skeleton(padded)
        rules = [rule for rule in RULES if any(key in bones for key in rule.keys)]
        low = padded.lower() if rules else b""
        found = (span for rule in rules for span in rule.find(padded, low))
        spans = list(islice(found, _MOST_SPANS + 1))
        if len(spans) > _MOST_SPANS:
            self.count += 1
            return REPLACEMENT + b"\n"
        return self._replace(padded, spans)[1:] if spans else text

    def _replace(self, text: bytes, spans: list[Span]) -> bytes:
        parts: list[bytes] = []
        at = 0
        for start, end, by in sorted(spans):
            if start >= at:
                parts += (text[at:start], by)
                self.count += 1
            at = max(at, end)
        parts.append(text[at:])
        return b"".join(parts)


def _split(data: bytes) -> int:
    """Return where to cut a block: after its last line, but not inside of a private key."""
    end = data.rfind(b"\n") + 1
    tail = data[max(0, end - 32768) : end].lower()
    begin = open_key(tail) if b"-----begin " in tail else None
    if begin is None:
        return end
    return data.rfind(b"\n", 0, max(0, end - 32768) + begin) + 1
