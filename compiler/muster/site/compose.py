"""From text to plain data with positions: one pass over the events of libyaml, no recursion."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from muster.diagnostics.escape import first_hidden, spell
from muster.site.events import SyntaxFault, events
from muster.site.names import shown
from muster.site.scalars import Fault, resolve
from muster.site.syntax import explain

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from muster.site.findings import Findings, Place
    from muster.site.positions import Path, Span


_BLOCK_STYLES = ("|", ">")
_GLUED = re.compile(r"[|>][-+0-9]{0,2}#")
_BLANK_START = re.compile(r"[|>][^\n]*\n(?:\r?\n)* +\r?(?:\n|\Z)")


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds of one file: bytes, levels of nesting, values, findings that are reported."""

    size: int = 1 << 20
    depth: int = 50
    nodes: int = 50_000
    findings: int = 100


@dataclass(slots=True)
class Tree:
    """What a file holds: its value, the place of every field, and whether it was read to its end."""

    value: Any = None
    complete: bool = False
    spans: dict[Path, Span] = field(default_factory=dict)


class _Stop(Exception):
    """Nothing after this place can be read."""


@dataclass(slots=True)
class _Frame:
    """An open collection. ``key`` is the pending key of a mapping, None while a key is awaited.

    ``kept`` is false when the next value has no place of its own (a repeated or refused key).
    """

    container: dict[str, Any] | list[Any]
    path: Path
    is_map: bool
    is_key: bool = False
    key: str | None = None
    awaits_key: bool = True
    kept: bool = True
    key_place: Place = (1, 1)
    places: dict[str, Place] = field(default_factory=dict)


def compose(
    text: str, found: Findings, limits: Limits, source: Callable[[str], Iterator[Any]] = events
) -> Tree:
    """Read one document.

    Every problem goes to ``found``; reading goes on past each that leaves the structure clear. The tree is
    only to be used when nothing was found.
    """
    composer = _Composer(text, found, limits)
    try:
        for event in source(text):
            composer.feed(event)
    except _Stop:
        pass
    except SyntaxFault as fault:
        explain(text, fault, found)
    return composer.tree


class _Composer:
    def __init__(self, text: str, found: Findings, limits: Limits) -> None:
        self.tree = Tree()
        self._text = text
        self._found = found
        self._limits = limits
        self._stack: list[_Frame] = []
        self._nodes = 0
        self._document: Place | None = None
        self._handlers: dict[str, Callable[[Any, Place], None]] = {
            "ScalarEvent": self._scalar,
            "MappingStartEvent": self._start,
            "SequenceStartEvent": self._start,
            "MappingEndEvent": self._end,
            "SequenceEndEvent": self._end,
            "AliasEvent": self._alias,
            "DocumentStartEvent": self._start_document,
            "DocumentEndEvent": self._end_document,
            "StreamEndEvent": self._finish,
        }

    def feed(self, event: Any) -> None:
        """Take one event."""
        handler = self._handlers.get(type(event).__name__)
        if handler is not None:
            mark = event.start_mark
            handler(event, (mark.line + 1, mark.column + 1))

    def _start_document(self, event: Any, place: Place) -> None:
        if self._document is not None:
            first = ((self._document, "the first document starts here"),)
            self._found.add("MU108", "a second document starts here", place, related=first)
            raise _Stop
        self._document = place
        if event.version or event.tags:
            self._found.add("MU113", "the file has a YAML directive", place)

    def _end_document(self, event: Any, place: Place) -> None:
        if event.explicit:
            self._found.add("MU113", "the file has an end mark: ...", place)

    def _finish(self, _event: Any, _place: Place) -> None:
        if self._document is None:
            self._found.add("MU103", "the file holds no document")
        else:
            self.tree.complete = True

    def _scalar(self, event: Any, place: Place) -> None:
        self._properties(event, place)
        frame = self._stack[-1] if self._stack else None
        if frame and frame.is_map and frame.awaits_key:
            self._take_key(frame, event, place)
            return
        if event.style in _BLOCK_STYLES:
            self._check_header(event.start_mark.index, place)
        path, key_place, kept = self._open_value(frame, place)
        if not (event.value or event.style):  # parsers disagree on where nothing stands
            place = key_place
            if frame is None:
                self._found.add("MU103", "the document is empty", place)
                raise _Stop
        value = self._value(event.value, event.style, path, place)
        self._close_value(frame, path, (*key_place, *place), value, kept=kept)

    def _check_header(self, index: int, place: Place) -> None:
        """Refuse block texts that parsers read differently.

        A comment glued to the header is no YAML, yet libyaml takes it; blanks on empty lines before the first
        line are YAML up to its indentation, yet ruamel.yaml refuses them.
        """
        if _GLUED.match(self._text, index):
            self._found.add("MU107", "this is not YAML: a comment follows | or > without a blank", place)
        if _BLANK_START.match(self._text, index):
            hint = "delete the blanks on the empty lines before the text"
            self._found.add("MU107", "blanks stand on an empty line before the text", place, hint=hint)

    def _value(self, text: str, style: str, path: Path, place: Place) -> Any:
        if not style:
            resolved = resolve(text)
            if isinstance(resolved, Fault):
                self._found.add(resolved.code, resolved.message, place, hint=resolved.hint, path=path)
                return None
            if not isinstance(resolved, str):
                return resolved
        if not (text.isascii() and text.isprintable()):
            self._check_text(text, style, path, place)
        return text

    def _check_text(self, text: str, style: str, path: Path, place: Place) -> None:
        if "\n" in text:
            if style not in _BLOCK_STYLES:
                self._found.add("MU122", "the text holds a line break", place, path=path)
            text = text.replace("\n", "")
        hidden = first_hidden(text)
        if hidden is not None:
            said = f"the text holds a character that cannot be seen: {spell(text[hidden])}"
            self._found.add("MU105", said, place, path=path)

    def _take_key(self, frame: _Frame, event: Any, place: Place) -> None:
        frame.awaits_key = False
        frame.key_place = place
        frame.key = self._key(frame, event, place)
        frame.kept = frame.key is not None
        if frame.key is None:
            return
        first = frame.places.setdefault(frame.key, place)
        if first is not place:
            frame.kept = False
            note = ((first, "the first one is here"),)
            said = f"the key {shown(frame.key)} is there twice"
            self._found.add("MU114", said, place, path=(*frame.path, frame.key), related=note)

    def _key(self, frame: _Frame, event: Any, place: Place) -> str | None:
        text: str = event.value
        if not event.style:
            if text == "<<":
                self._found.add("MU111", "<< merges another mapping into this one", place, path=frame.path)
                return None
            resolved = resolve(text)
            if isinstance(resolved, Fault):
                said = f"as a key: {resolved.message}" if text else "a key is missing before the colon"
                code = "MU115" if resolved.code == "MU117" else resolved.code
                hint = f"write the key as {shown(text)}" if text else "write a name before the colon"
                self._found.add(code, said, place, hint=hint, path=frame.path)
                return None
            if not isinstance(resolved, str):
                kind = "a boolean" if isinstance(resolved, bool) else "a number"
                said = f"the key {shown(text)} is {kind}, not a text"
                self._found.add("MU115", said, place, hint=f"write it as {shown(text)}", path=frame.path)
                return None
        if not text:
            self._found.add("MU115", "a key is an empty text", place, path=frame.path)
            return None
        hidden = first_hidden(text)
        if hidden is not None:
            said = f"the key holds a character that cannot be seen: {spell(text[hidden])}"
            self._found.add("MU105", said, place, path=frame.path)
        return text

    def _start(self, event: Any, place: Place) -> None:
        self._properties(event, place)
        is_map = type(event).__name__ == "MappingStartEvent"
        frame = self._stack[-1] if self._stack else None
        container: dict[str, Any] | list[Any] = {} if is_map else []
        if frame and frame.is_map and frame.awaits_key:
            kind = "a mapping" if is_map else "a list"
            self._found.add("MU115", f"{kind} is used as a key", place, path=frame.path)
            child = _Frame(container, frame.path, is_map, is_key=True)
            frame.key_place = place
        else:
            path, key_place, kept = self._open_value(frame, place)
            self._close_value(frame, path, (*key_place, *place), container, kept=kept)
            child = _Frame(container, path, is_map)
        if len(self._stack) >= self._limits.depth:
            self._found.add("MU109", f"the nesting is deeper than {self._limits.depth} levels", place)
            raise _Stop
        self._stack.append(child)

    def _end(self, _event: Any, _place: Place) -> None:
        closed = self._stack.pop()
        if closed.is_key:
            parent = self._stack[-1]
            parent.awaits_key, parent.key, parent.kept = False, None, False

    def _alias(self, event: Any, place: Place) -> None:
        self._found.add(
            "MU111", f"the alias *{event.anchor} stands for a value that is written elsewhere", place
        )
        frame = self._stack[-1] if self._stack else None
        if frame and frame.is_map and frame.awaits_key:
            frame.awaits_key, frame.key, frame.kept, frame.key_place = False, None, False, place
        else:
            path, key_place, kept = self._open_value(frame, place)
            self._close_value(frame, path, (*key_place, *place), None, kept=kept)

    def _properties(self, event: Any, place: Place) -> None:
        if event.anchor is not None:
            self._found.add("MU111", f"the anchor &{event.anchor} marks a value for use elsewhere", place)
        if event.tag is not None:
            self._found.add("MU112", f"the tag {shown(event.tag)} says how to read a value", place)
        self._nodes += 1
        if self._nodes > self._limits.nodes:
            self._found.add("MU110", f"the file holds more than {self._limits.nodes} keys and values", place)
            raise _Stop

    def _open_value(self, frame: _Frame | None, place: Place) -> tuple[Path, Place, bool]:
        """Return path, place of the key and whether the value has a place of its own."""
        if frame is None:
            return (), place, True
        if isinstance(frame.container, list):
            return (*frame.path, len(frame.container)), place, True
        path = frame.path if frame.key is None else (*frame.path, frame.key)
        return path, frame.key_place, frame.kept

    def _close_value(self, frame: _Frame | None, path: Path, span: Span, value: Any, *, kept: bool) -> None:
        if kept:
            self.tree.spans.setdefault(path, span)
        if frame is None:
            self.tree.value = value
        elif isinstance(frame.container, list):
            frame.container.append(value)
        else:
            if kept and frame.key is not None:
                frame.container[frame.key] = value
            frame.awaits_key = True
