r"""Make hostile text safe to show. Names, log lines and YAML text may hold anything.

Every function returns one line that says what the text holds: what would be invisible or would steer a
reader (newlines, escape sequences, bidi and zero-width characters, lone surrogates) is spelled out as
``\n``, ``\x1b``, ``\u202e``.
"""

from __future__ import annotations

import re

_ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}
_HTML = str.maketrans(_ENTITIES | {'"': "&quot;", "'": "&#39;"})
_SHORT = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}
# Printable by category, yet nothing is seen: joiners, fillers, Braille blank, variation selectors.
_UNSEEN = frozenset(
    map(
        chr,
        (
            0x034F,
            0x115F,
            0x1160,
            0x17B4,
            0x17B5,
            *range(0x180B, 0x1810),
            0x2800,
            0x3164,
            0xFFA0,
            *range(0xFE00, 0xFE10),
            *range(0xE0100, 0xE01F0),
        ),
    )
)
_IDEOGRAPHIC_SPACE = "\u3000"
_MARKDOWN_SPECIAL = re.compile(r"(?i):(?=//)|\bwww(?=\.)|\bgh(?=-\d)|[\\`*_\[\]~|@#$<>&]")
_CODE_SPECIAL = re.compile(r"(?i)[\\`*_\[\]~|@#$<>&]|:(?=//)|(?<=\bwww)\.")
_MARKDOWN_ENTITIES = _ENTITIES | {"$": "<span>$</span>"}
_BREAK = "&#8203;"
_MARKDOWN_START = re.compile(r"^(\d{0,9})([-+=:.)])")
_COMMAND = re.compile(r"^\s*(::|##\[)")


def is_hidden(char: str) -> bool:
    """Tell whether a character cannot be seen, or steers what is shown.

    Space and the ideographic space are seen; newline, tab, no-break space, controls, bidi marks,
    zero-width characters, private-use and unassigned characters and lone surrogates are not.
    """
    return (not char.isprintable() and char != _IDEOGRAPHIC_SPACE) or char in _UNSEEN


def first_hidden(text: str) -> int | None:
    """Return the index of the first character that cannot be seen, None when all can."""
    if text.isascii() and text.isprintable():
        return None
    return next((index for index, char in enumerate(text) if is_hidden(char)), None)


def spell(char: str) -> str:
    r"""Spell a character out: ``\n``, ``\x1b``, ``\u202e``, ``\U000e0001``."""
    if char in _SHORT:
        return _SHORT[char]
    number = ord(char)
    if number < 0x100:
        return f"\\x{number:02x}"
    return f"\\u{number:04x}" if number < 0x10000 else f"\\U{number:08x}"


def visible(text: str) -> str:
    """Return the text on one line with everything hidden spelled out; the base of all others."""
    if first_hidden(text) is None:
        return text
    return "".join(spell(char) if is_hidden(char) else char for char in text)


def clip(text: str, limit: int) -> str:
    """Cut a text to at most ``limit`` characters, the last of which is then an ellipsis.

    Cut first, escape second: a cut through an escape would not be one any more.

    Raises:
        ValueError: the limit is below 1.
    """
    if limit < 1:
        raise ValueError(f"a limit of {limit} characters leaves no room")
    return text if len(text) <= limit else text[: limit - 1] + "…"


def for_terminal(text: str) -> str:
    """Return one line for a terminal or a log; it cannot be taken for a workflow command either."""
    shown = visible(text)
    found = _COMMAND.match(shown)
    if not found:
        return shown
    at = found.start(1)
    return shown[:at] + spell(shown[at]) + shown[at + 1 :]


def for_html(text: str) -> str:
    """Return text for an HTML element or a quoted attribute."""
    return visible(text).translate(_HTML)


def _mend_markdown(found: re.Match[str]) -> str:
    special = found[0]
    if special in _MARKDOWN_ENTITIES:
        return _MARKDOWN_ENTITIES[special]
    if special in "@#" or special.isalpha() or special == ":":
        return ("\\#" if special == "#" else special) + _BREAK
    return "\\" + special


def for_markdown(text: str) -> str:
    """Return inline Markdown that renders as the text and as nothing else, in a table cell too.

    Mentions, issue numbers and bare links are broken by a zero-width space (as an entity), since those are
    found in rendered text where a backslash has no say.
    """
    shown = visible(text)
    stripped = shown.lstrip(" ")
    blanks = "&#32;" * (len(shown) - len(stripped))
    start = _MARKDOWN_START.match(stripped)
    head = ""
    if start:
        head, stripped = f"{start[1]}&#{ord(start[2])};", stripped[start.end() :]
    body = _MARKDOWN_SPECIAL.sub(_mend_markdown, stripped)
    return blanks + head + re.sub(r" (?= |$)", "&#32;", body)


def for_markdown_code(text: str) -> str:
    """Return a ``<code>`` element for a name or a value; valid in table cells and anywhere inline."""
    body = _CODE_SPECIAL.sub(lambda found: _ENTITIES.get(found[0], f"&#{ord(found[0])};"), visible(text))
    return f"<code>{body or '&#32;'}</code>"


def for_github(text: str) -> str:
    """Return text for the message of a GitHub workflow command, after the second ``::``."""
    return visible(text).replace("%", "%25")


def for_github_property(text: str) -> str:
    """Return text for a property of a GitHub workflow command, ``file=`` or ``title=``."""
    return for_github(text).replace(":", "%3A").replace(",", "%2C")
