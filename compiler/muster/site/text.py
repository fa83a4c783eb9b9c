"""From bytes to text that holds nothing unseen."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from muster.diagnostics.escape import is_hidden, spell

if TYPE_CHECKING:
    from muster.site.findings import Findings, Place

_SUSPECT = re.compile(r"[^\n\x20-\x7e]")
_STAND_IN = "\ufffd"
_MARKS = (
    (b"\xff\xfe\x00\x00", "UTF-32"),
    (b"\x00\x00\xfe\xff", "UTF-32"),
    (b"\xff\xfe", "UTF-16"),
    (b"\xfe\xff", "UTF-16"),
    (b"\xef\xbb\xbf", "UTF-8 with a byte order mark"),
)


def decode(raw: bytes, found: Findings) -> str | None:
    """Return the text of a file, None (and a finding) when it is not plain UTF-8."""
    for mark, name in _MARKS:
        if raw.startswith(mark):
            found.add("MU104", f"the file is {name}, not plain UTF-8")
            return None
    if raw[:4].count(0) in (2, 3):  # the first character of YAML is ASCII: wide encodings pad it
        found.add("MU104", "the file looks like UTF-16 or UTF-32, not UTF-8")
        return None
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as fault:
        before = raw[: fault.start].decode("utf-8")
        byte = raw[fault.start]
        found.add("MU104", f"the byte 0x{byte:02x} is not UTF-8", place_of(before, len(before)))
        return None


def place_of(text: str, index: int) -> Place:
    """Return line and column (from 1, in characters) of an index; lines end with a line feed."""
    start = text.rfind("\n", 0, index) + 1
    return text.count("\n", 0, index) + 1, index - start + 1


def clean(text: str, found: Findings) -> str | None:
    """Report characters that cannot be seen; return the text with a stand-in for each.

    The stand-ins keep every column, so the rest of the file can still be read for further findings. None
    when a tab stands in an indentation: what the file means is then anyone's guess.
    """
    suspects = [match.start() for match in _SUSPECT.finditer(text)]
    swaps: dict[int, str] = {}
    guess = False
    cursor = _Cursor(text)
    for index in suspects:
        char = text[index]
        if char == "\t":
            place = cursor.at(index)
            indent = text[index - place[1] + 1 : index].strip(" \t") == ""
            guess = guess or indent
            if text[index - 1 : index] != "\t":
                found.add("MU106", "a tab indents this line" if indent else "the file holds a tab", place)
            swaps[index] = " "
        elif char == "\r" and text[index + 1 : index + 2] == "\n":
            continue
        elif is_hidden(char):
            if index - 1 not in swaps or text[index - 1] != char:
                found.add(
                    "MU105",
                    f"the file holds a character that cannot be seen: {spell(char)}",
                    cursor.at(index),
                )
            swaps[index] = _STAND_IN
    if guess:
        return None
    return _swapped(text, swaps) if swaps else text


def _swapped(text: str, swaps: dict[int, str]) -> str:
    parts: list[str] = []
    last = 0
    for index, char in swaps.items():
        parts += (text[last:index], char)
        last = index + 1
    return "".join(parts) + text[last:]


class _Cursor:
    """Places of growing indexes in one pass."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._line = 1
        self._start = 0

    def at(self, index: int) -> Place:
        newline = self._text.find("\n", self._start, index)
        while newline >= 0:
            self._line += 1
            self._start = newline + 1
            newline = self._text.find("\n", self._start, index)
        return self._line, index - self._start + 1
