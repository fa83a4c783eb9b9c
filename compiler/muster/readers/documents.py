"""Load JSON and YAML documents that somebody else wrote, in bounded memory, depth and time.

Only plain data comes out: dict with text keys, list, str, int, finite float, bool, None. What could be read
in two ways (a key twice, NaN, a tag, a deep nest, many aliases) is refused. Text values stay as they are,
line ends and all: a reader passes what it returns through `scrub`.
"""

from __future__ import annotations

import json
import math
import re
from typing import TYPE_CHECKING, Any, Self

from muster.readers.model import quoted
from muster.readers.source import DocumentTooLargeError

if TYPE_CHECKING:
    from muster.readers.source import Source

YAML_LIMIT = 8 * 1024 * 1024
DEPTH_LIMIT = 64
NODE_LIMIT = 2_000_000
YAML_NODE_LIMIT = 300_000
ALIAS_LIMIT = 16
DOCUMENTS_LIMIT = 1000

_UNCLEAN = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff]")
_TAGS = {f"tag:yaml.org,2002:{name}" for name in ("str", "int", "float", "bool", "null", "map", "seq")}
_WORDS: dict[str, bool | None] = {"": None, "~": None, "null": None, "Null": None, "NULL": None}
_WORDS |= {"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False}
_INT = re.compile(r"[-+]?(?:0|[1-9][0-9]{0,18})")
_FLOAT = re.compile(r"[-+]?(?:0|[1-9][0-9]{0,30})(?:\.[0-9]{0,40})?(?:[eE][-+]?[0-9]{1,3})?")


class Figure(float):
    """A number with a fraction that keeps how it was written: as a version ``1.30`` is not ``1.3``."""

    text: str

    def __new__(cls, text: str) -> Self:
        """Make a figure of the text of a number."""
        made = super().__new__(cls, text)
        made.text = text
        return made


class DocumentError(ValueError):
    """A document that is damaged or refused; ``line`` counts from 1, None where it is not known."""

    def __init__(self, message: str, line: int | None = None) -> None:
        super().__init__(message)
        self.line = line


def load(source: Source) -> list[Any]:
    """Return the documents of a file: one of JSON, or all of a YAML stream.

    Raises:
        DocumentError: it is neither, or it is refused.
        DocumentTooLargeError: a JSON document above 64 MiB.
    """
    first = source.head_text.lstrip()[:1]
    if first in ("{", "["):
        return [from_json(source.document())]
    try:
        return from_yaml(source.document(YAML_LIMIT))
    except DocumentTooLargeError:
        raise DocumentError(f"a YAML file may have {YAML_LIMIT} bytes at most") from None


def from_json(data: bytes) -> Any:
    """Return a JSON document as plain data.

    Raises:
        DocumentError: it is not JSON in UTF-8, has a key twice, a number that is not finite, or is too deep.
    """
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise DocumentError("a byte is not UTF-8", line) from None
    try:
        found = json.loads(
            text, object_pairs_hook=_pairs, parse_constant=_constant, parse_float=_float, parse_int=_int
        )
    except json.JSONDecodeError as error:
        raise DocumentError(f"not JSON: {error.msg}", error.lineno) from None
    except RecursionError:
        raise DocumentError(f"nested deeper than {DEPTH_LIMIT} levels") from None
    return _bounded(found)


def tidy(text: str) -> str:
    """Return a text without control characters and half surrogate pairs; each becomes U+FFFD."""
    return _UNCLEAN.sub("\ufffd", text)


def scrub(value: Any) -> Any:
    """Return plain data with every text in it tidied."""
    if isinstance(value, str):
        return tidy(value)
    if isinstance(value, dict):
        return {tidy(key): scrub(item) for key, item in value.items()}
    return [scrub(item) for item in value] if isinstance(value, list) else value


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        clean = tidy(key)
        if clean in found:
            raise DocumentError(f"the key {quoted(clean)} stands twice in one object")
        found[clean] = value
    return found


def _constant(name: str) -> Any:
    raise DocumentError(f"{name} is not a number of JSON")


def _float(text: str) -> float:
    number = Figure(text)
    if not math.isfinite(number):
        raise DocumentError(f"the number {quoted(text)} is too large")
    return number


def _int(text: str) -> int:
    if len(text) > 20:
        raise DocumentError(f"the number {quoted(text)} is too large")
    return int(text)


def _bounded(root: Any) -> Any:
    """Check depth and size level by level."""
    level, depth, nodes = [root], 0, 0
    while level:
        nodes += len(level)
        if depth > DEPTH_LIMIT:
            raise DocumentError(f"nested deeper than {DEPTH_LIMIT} levels")
        if nodes > NODE_LIMIT:
            raise DocumentError(f"more than {NODE_LIMIT} values")
        deeper: list[Any] = []
        for item in level:
            if isinstance(item, dict):
                deeper.extend(item.values())
            elif isinstance(item, list):
                deeper.extend(item)
        level, depth = deeper, depth + 1
    return root


def from_yaml(data: bytes) -> list[Any]:
    """Return all documents of a YAML stream as plain data, by the rules of YAML 1.2's core schema.

    Dates stay text, ``0777`` and ``yes`` too. The tree is built from parser events, so that nothing is
    constructed before its depth and size are known.

    Raises:
        DocumentError: it is not YAML or is refused.
    """
    import yaml

    builder = _Builder()
    try:
        for event in yaml.parse(data, Loader=yaml.CSafeLoader):
            builder.take(event)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        raise DocumentError(
            f"not YAML: {tidy(str(error.problem))}", mark.line + 1 if mark else None
        ) from None
    except yaml.YAMLError:
        raise DocumentError("not YAML: a character that YAML does not allow") from None
    return builder.documents


class _Builder:
    """Build plain data from YAML events with a stack of its own."""

    def __init__(self) -> None:
        self.documents: list[Any] = []
        self._stack: list[tuple[Any, str | None]] = []
        self._keys: list[str | None] = []
        self._anchors: dict[str, Any] = {}
        self._nodes = self._aliases = 0

    def take(self, event: Any) -> None:
        """Take the next event.

        Raises:
            DocumentError: what comes is refused.
        """
        kind, line = type(event).__name__, event.start_mark.line + 1
        if kind == "DocumentStartEvent":
            self._anchors = {}
        elif kind in ("MappingStartEvent", "SequenceStartEvent"):
            self._check(event, line)
            if len(self._stack) >= DEPTH_LIMIT:
                raise DocumentError(f"nested deeper than {DEPTH_LIMIT} levels", line)
            self._stack.append(({} if kind[0] == "M" else [], event.anchor))
            self._keys.append(None)
        elif kind in ("MappingEndEvent", "SequenceEndEvent"):
            value, anchor = self._stack.pop()
            self._keys.pop()
            self._place(value, anchor, line)
        elif kind == "ScalarEvent":
            self._check(event, line)
            self._scalar(event, line)
        elif kind == "AliasEvent":
            self._alias(event.anchor, line)

    def _check(self, event: Any, line: int) -> None:
        self._nodes += 1
        if self._nodes > YAML_NODE_LIMIT:
            raise DocumentError(f"more than {YAML_NODE_LIMIT} values", line)
        if event.tag not in (None, "!") and event.tag not in _TAGS:
            raise DocumentError(f"the tag {quoted(event.tag)} is not plain data", line)

    def _scalar(self, event: Any, line: int) -> None:
        plain = not event.style and event.tag is None and not self._wants_key()
        self._place(_plain(event.value) if plain else event.value, event.anchor, line)

    def _alias(self, anchor: str, line: int) -> None:
        self._aliases += 1
        if self._aliases > ALIAS_LIMIT:
            raise DocumentError(f"more than {ALIAS_LIMIT} aliases", line)
        if anchor not in self._anchors:
            raise DocumentError(f"the alias {quoted(anchor)} points into itself or nowhere", line)
        self._place(self._anchors[anchor], None, line)

    def _wants_key(self) -> bool:
        return bool(self._stack) and isinstance(self._stack[-1][0], dict) and self._keys[-1] is None

    def _place(self, value: Any, anchor: str | None, line: int) -> None:
        if anchor is not None:
            self._anchors[anchor] = value
        if not self._stack:
            self.documents.append(value)
            if len(self.documents) > DOCUMENTS_LIMIT:
                raise DocumentError(f"more than {DOCUMENTS_LIMIT} documents", line)
            return
        parent = self._stack[-1][0]
        if isinstance(parent, list):
            parent.append(value)
        elif self._keys[-1] is None:
            if not isinstance(value, str):
                raise DocumentError("a key is not a text", line)
            key = tidy(value)
            if key in parent:
                raise DocumentError(f"the key {quoted(key)} stands twice in one mapping", line)
            self._keys[-1] = key
        else:
            parent[self._keys[-1]] = value
            self._keys[-1] = None


def _plain(text: str) -> Any:
    """Return what a plain scalar means in YAML 1.2's core schema, without octal, hexadecimal and infinity."""
    if text in _WORDS:
        return _WORDS[text]
    if text[0] in "-+.0123456789":
        if _INT.fullmatch(text):
            return int(text)
        if _FLOAT.fullmatch(text):
            return Figure(text) if math.isfinite(float(text)) else text
    return text
