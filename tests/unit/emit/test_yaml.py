"""What is emitted is read back unchanged, and what readers would change is refused."""

from __future__ import annotations

import json
import math
from enum import StrEnum
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings

from emit_helpers.yaml_readers import PYTHON_READERS, TEXTS, VALUES
from muster.emit.scalar import MAX_KEY, UnwritableError
from muster.emit.yaml import MAX_DEPTH, dump

if TYPE_CHECKING:
    from pathlib import Path


class Colour(StrEnum):
    RED = "red"


def places(text: str) -> Any:
    """Put a string everywhere a string can stand."""
    return {"value": text, "list": [text, [text, {text: text}]], text: {"deep": {text: [text]}}, "after": "a"}


@pytest.mark.parametrize("reader", PYTHON_READERS)
def test_each_known_trap_is_read_back(reader: str, root: Path) -> None:
    traps = json.loads((root / "tests/cases/emit/strings.json").read_text("utf-8"))
    assert len(traps) > 200
    for text in traps:
        for value in (places(text), text, [text]):
            assert PYTHON_READERS[reader](dump(value)) == value, repr(text)


@settings(deadline=None)
@given(VALUES)
def test_any_value_is_read_back(value: Any) -> None:
    document = dump(value, "header: {")
    for name, read in PYTHON_READERS.items():
        back = read(document)
        assert back == value, name
        assert json.dumps(back) == json.dumps(value), name


@settings(deadline=None)
@given(TEXTS)
def test_only_the_value_decides_the_bytes(text: str) -> None:
    document = dump(places(text))
    assert document == dump(json.loads(json.dumps(places(text))))
    assert document.endswith(b"\n")
    assert not any(line.startswith((b"---", b"...", b"%")) for line in document.splitlines())


@settings(deadline=None)
@given(TEXTS)
def test_nothing_invisible_is_written(text: str) -> None:
    for character in dump([text]).decode():
        assert character == "\n" or (character == "\t" and "\n" in text) or character.isprintable()


@pytest.mark.parametrize(
    "value",
    [
        *(1.0, -0.0, 1e300, math.nan, math.inf, -math.inf, 2**64, -(2**63) - 1),
        *({1: "a"}, {None: "a"}, {True: "a"}, {Colour.RED: "a"}, {"\ud83d": "a"}, {"k" * (MAX_KEY + 1): 1}),
        *({1, 2}, b"a", object(), Colour.RED, "\ud800", "a\nb\udfff"),
    ],
    ids=lambda value: repr(value)[:30].split(" at 0x")[0],
)
def test_what_readers_would_change_is_refused_with_its_place(value: Any) -> None:
    with pytest.raises(UnwritableError) as caught:
        dump({"spec": {"items": ["fine", {"bad": value}]}})
    assert caught.value.path == "spec.items[1].bad"


def test_nesting_without_end_is_refused() -> None:
    value: Any = "a"
    for _ in range(3 * MAX_DEPTH):
        value = {"a": [value]}
    with pytest.raises(UnwritableError, match="levels of indentation"):
        dump(value)
    loop: dict[str, Any] = {}
    loop["self"] = [[loop]]
    with pytest.raises(UnwritableError, match="levels of indentation"):
        dump(loop)


@pytest.mark.parametrize("header", ["a\x07", "a\r\nb: c", "a\u2028b", "\u202e"])
def test_a_header_cannot_smuggle_a_line(header: str) -> None:
    with pytest.raises(UnwritableError):
        dump({}, header)


def test_the_style_is_frozen(root: Path, refresh: bool) -> None:
    folder = root / "tests/cases/emit"
    value = json.loads((folder / "style.json").read_text("utf-8"))
    golden = folder / "style.yaml"
    written = dump(value, "Written by muster.\n\nSecond line.")
    if refresh:
        golden.write_bytes(written)
    assert written == golden.read_bytes()
