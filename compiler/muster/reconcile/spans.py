"""Edit a YAML text by spans: what is not edited keeps every byte, comments and quoting included."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from muster.diagnostics import InputFault, Position, diagnostic
from muster.diagnostics.escape import visible

if TYPE_CHECKING:
    from collections.abc import Mapping

    from yaml import Node

# Line breaks of YAML 1.1 that are none of YAML 1.2: readers would count lines differently.
_ODD_BREAKS: Final = re.compile("[\x85\u2028\u2029]|\r(?!\n)")
_PLAIN: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_./%-]*|[-+][0-9][0-9.]*%")


@dataclass(frozen=True, slots=True)
class Span:
    """Replace ``text[start:end]``."""

    start: int
    end: int
    text: str


def scalar(value: object) -> str:
    """Return a scalar as YAML that every reader takes for the same: plain where that is safe, else quoted."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    text = visible(str(value))
    return text if _PLAIN.fullmatch(text) else json.dumps(text, ensure_ascii=False)


def flow(value: object) -> str:
    """Return a value as YAML on one line."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {flow(part)}" for key, part in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(map(flow, value)) + "]"
    return scalar(value)


def apply(text: str, spans: list[Span]) -> str:
    """Return the text with all spans replaced.

    Raises:
        ValueError: two spans overlap.
    """
    ordered = sorted(enumerate(spans), key=lambda item: (item[1].start, item[1].end, item[0]))
    found: list[str] = []
    at = 0
    for _, span in ordered:
        if span.start < at:
            raise ValueError("two edits overlap")
        found += [text[at : span.start], span.text]
        at = span.end
    return "".join([*found, text[at:]])


class Document:
    """A YAML document whose places are known to the character.

    Attributes:
        text: the text it was made from.
        file: its name, for messages.
        newline: how its lines end.
    """

    def __init__(self, text: str, file: str) -> None:
        import yaml

        self.text, self.file = text, file
        self.newline = "\r\n" if "\r\n" in text else "\n"
        odd = _ODD_BREAKS.search(text)
        if odd:
            raise self.refuse("it holds line breaks that not every reader counts", odd.start())
        try:
            self.root: Node | None = yaml.compose(text, Loader=yaml.SafeLoader)
        except yaml.YAMLError as error:
            mark = getattr(error, "problem_mark", None)
            raise self.refuse(
                str(getattr(error, "problem", None) or error), mark.index if mark else 0
            ) from error

    def refuse(self, why: str, index: int = 0) -> InputFault:
        """Return the fault that says why the file is not edited, with the place."""
        before = self.text[:index]
        line = before.count("\n") + 1
        place = Position(self.file, line, index - (before.rfind("\n") + 1) + 1)
        return InputFault(diagnostic("MU962", f"the file is not edited: {why}", place))

    def get(self, node: Node | None, key: str) -> tuple[Node, Node] | None:
        """Return key and value of a mapping's entry, None when it has none.

        Raises:
            InputFault: the node is no mapping, has a merge key or the key twice, or the value is an alias or
                carries an anchor or a tag, so that an edit would reach further than the entry.
        """
        pairs = self.pairs(node)
        found = [(own, value) for own, value in pairs if own.value == key]
        if len(found) > 1:
            raise self.refuse(f"{visible(key)} is there twice", found[1][0].start_mark.index)
        if not found:
            return None
        own, value = found[0]
        if value.start_mark.index < own.end_mark.index:
            raise self.refuse(f"{visible(key)} is an alias of another value", own.start_mark.index)
        if self.text[value.start_mark.index : value.start_mark.index + 1] in {"&", "!"}:
            raise self.refuse(f"{visible(key)} carries an anchor or a tag", value.start_mark.index)
        return own, value

    def pairs(self, node: Node | None) -> list[tuple[Any, Any]]:
        """Return the entries of a mapping.

        Raises:
            InputFault: it is no mapping or has a merge key.
        """
        import yaml

        if not isinstance(node, yaml.MappingNode):
            raise self.refuse("a mapping was expected", node.start_mark.index if node else 0)
        for key, _ in node.value:
            if not isinstance(key, yaml.ScalarNode) or key.tag == "tag:yaml.org,2002:merge":
                raise self.refuse("it has a merge key or a key that is no text", key.start_mark.index)
        return list(node.value)

    def is_empty(self, node: Node) -> bool:
        """Tell whether a value is not written at all, or an empty flow mapping."""
        import yaml

        if isinstance(node, yaml.MappingNode):
            return not node.value
        return isinstance(node, yaml.ScalarNode) and node.start_mark.index == node.end_mark.index

    def tail(self, node: Node) -> int:
        """Return where the text of a value ends; of a block collection that is where its last part ends."""
        import yaml

        if isinstance(node, yaml.CollectionNode) and not node.flow_style and node.value:
            last = node.value[-1]
            return self.tail(last[1] if isinstance(last, tuple) else last)
        end: int = node.end_mark.index
        if isinstance(node, yaml.ScalarNode) and node.style in {"|", ">"}:
            while end > 0 and self.text[end - 1] in "\r\n":
                end -= 1
        return end

    def line_end(self, index: int) -> int:
        """Return where the line of an index ends, before its line break."""
        end = self.text.find("\n", index)
        end = len(self.text) if end < 0 else end
        return end - 1 if self.text[end - 1 : end] == "\r" else end

    def replace(self, node: Node, text: str) -> Span:
        """Replace a scalar or a flow collection."""
        return Span(node.start_mark.index, self.tail(node), text)

    def insert(self, mapping: Node, entries: Mapping[str, object], column: int | None = None) -> Span:
        """Add entries at the end of a mapping, in its own style.

        Args:
            mapping: a mapping that is not empty.
            entries: what to add; values are rendered as flow, block lines for nested ones of a block mapping.
            column: where keys of the mapping start; None takes it from its last key.
        """
        import yaml

        pairs = self.pairs(mapping)
        end = self.tail(pairs[-1][1]) if pairs else 0
        if isinstance(mapping, yaml.MappingNode) and mapping.flow_style:
            text = "".join(f", {key}: {flow(value)}" for key, value in entries.items())
            return Span(end, end, text)
        at = self.line_end(end)
        indent = pairs[-1][0].start_mark.column if column is None else column
        return Span(at, at, self.block(entries, indent))

    def block(self, entries: Mapping[str, object], indent: int) -> str:
        """Return entries as block lines, each after a line break; nested mappings of mappings as blocks."""
        lines: list[str] = []
        for key, value in entries.items():
            if isinstance(value, dict) and any(isinstance(part, dict) for part in value.values()):
                lines.append(f"{self.newline}{' ' * indent}{key}:{self.block(value, indent + 2)}")
            else:
                lines.append(f"{self.newline}{' ' * indent}{key}: {flow(value)}")
        return "".join(lines)


def flatten(node: Node | None, path: tuple[str, ...] = ()) -> dict[tuple[str, ...], str]:
    """Return every scalar of a document by its path, to compare two versions of it."""
    import yaml

    if isinstance(node, yaml.MappingNode):
        found: dict[tuple[str, ...], str] = {path: "{}"} if not node.value else {}
        for key, value in node.value:
            found |= flatten(value, (*path, str(key.value)))
        return found
    if isinstance(node, yaml.SequenceNode):
        found = {path: "[]"} if not node.value else {}
        for number, value in enumerate(node.value):
            found |= flatten(value, (*path, str(number)))
        return found
    return {path: f"{node.tag} {node.value}" if node is not None else ""}
