"""How one string is written so that every YAML reader gives it back unchanged.

A string stays plain only if it is of a narrow shape that no resolver of YAML 1.1 (PyYAML, with base-60
numbers, ``y``/``n``/``on``/``off``, ``=``, ``<<`` and dates), of the YAML 1.2 core schema or of go-yaml takes
for anything else; everything else is quoted. What looks like a number in any of them begins with a digit, a
sign or a dot, so none of these may begin a plain string. The style is frozen: it depends on nothing but the
string, not even on the Unicode tables of the Python that runs it.
"""

from __future__ import annotations

import re
from functools import lru_cache

MAX_KEY = 1000
"""Bytes a written key may take; readers give up on a simple key after 1,024."""

_WORDS = frozenset(["y", "yes", "n", "no", "on", "off", "true", "false", "null", "nan", "inf", "infinity"])

# Inside a plain string: no quote, bracket, brace, '#', backslash or backtick at all; a colon only before
# something other than a blank, a blank only single and never last.
_PLAIN = re.compile(
    r"[A-Za-z_/$(]"
    r"(?:[A-Za-z0-9_./@%+,=;~()$*?!<>&|^-]|:(?![ ]|\Z)|[ ](?![ ]|\Z))*"
)

# Written as themselves: printable ASCII, Latin, Greek, Cyrillic, punctuation without its format characters,
# arrows, mathematics, boxes, CJK, Hangul, pictographs. Everything else, right-to-left scripts and combining
# marks with it, is escaped, so that what a reviewer sees is what a reader gets.
_SHOWN = (
    r" -~\u00a1-\u00ac\u00ae-\u024f\u0370-\u0373\u0376\u0377\u037b-\u037f\u0384-\u0482\u048a-\u0529"
    r"\u2010-\u2027\u2030-\u205e\u20a0-\u20bf\u2100-\u23ff\u2500-\u27bf\u3001-\u3029\u3030-\u303d"
    r"\u3041-\u3096\u30a1-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uff01-\uff9f\U0001f300-\U0001f6ff"
    r"\U0001f900-\U0001f9ff"
)
_ESCAPED = re.compile(rf'[^{_SHOWN}]|["\\]')
_SINGLE = re.compile(rf"[{_SHOWN}]*")
_BLOCK = re.compile(rf"(?![\t ])[\t{_SHOWN}]+(?:\n+[\t{_SHOWN}]+)*\n?")
_SURROGATE = re.compile("[\ud800-\udfff]")
_SHORT = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r"}


class UnwritableError(ValueError):
    """A value that YAML cannot carry to every reader; ``path`` says where it lies in the object."""

    def __init__(self, reason: str, path: str = "") -> None:
        super().__init__(f"{path}: {reason}" if path else reason)
        self.reason = reason
        self.path = path


def _escape(match: re.Match[str]) -> str:
    character = match[0]
    short = _SHORT.get(character)
    if short:
        return short
    number = ord(character)
    return f"\\u{number:04x}" if number < 0x10000 else f"\\U{number:08x}"


def quoted(text: str) -> str:
    """Write a string in quotes, on one line.

    Single quotes spare backslashes where the string holds quotes or backslashes and nothing to escape.

    Raises:
        UnwritableError: it holds half of a surrogate pair, which is no character.
    """
    if _SURROGATE.search(text):
        raise UnwritableError(f"{text!r} holds half of a surrogate pair, which UTF-8 cannot carry")
    if ('"' in text or "\\" in text) and _SINGLE.fullmatch(text):
        return "'" + text.replace("'", "''") + "'"
    return '"' + _ESCAPED.sub(_escape, text) + '"'


@lru_cache(maxsize=65536)
def inline(text: str) -> str:
    """Write a string on one line: plain where every reader agrees, else quoted.

    Raises:
        UnwritableError: see ``quoted``.
    """
    if _PLAIN.fullmatch(text) and text.lower() not in _WORDS:
        return text
    return quoted(text)


@lru_cache(maxsize=16384)
def key(text: str) -> str:
    """Write the key of a mapping with its colon.

    Raises:
        UnwritableError: see ``quoted``, or the key is longer than readers accept.
    """
    written = inline(text)
    if len(written.encode()) > MAX_KEY:
        raise UnwritableError(f"a key of {len(text)} characters; YAML readers accept about {MAX_KEY}")
    return written + ":"


def is_block(text: str) -> bool:
    """Tell whether a string of several lines can be written as a literal block and read back exactly.

    The first line must not begin with a blank, and at most one line break may end the text: readers disagree
    about the rest. Control characters, carriage returns and what is escaped elsewhere are not for blocks.
    """
    return _BLOCK.fullmatch(text) is not None
