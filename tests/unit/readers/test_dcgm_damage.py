"""Damaged output of dcgm is never read as something better, and no bytes make its reader fail."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from muster.readers.dcgm_health import READER as HEALTH
from muster.readers.dcgm_reader import READER
from muster.readers.source import Source
from reader_mutations import better, inputs, line_damage, lines_of, read, sound, word_damage

INPUTS = inputs("dcgm")
TEXTS = [text for _, text in INPUTS]
LINES = lines_of("dcgm")


@pytest.mark.parametrize("text", [pytest.param(text, id=name) for name, text in INPUTS])
def test_no_lost_line_or_changed_word_looks_better(text: str) -> None:
    before = read(text)
    found = [
        (what, better(before, read(damaged))) for what, damaged in (*line_damage(text), *word_damage(text))
    ]
    assert found
    assert [item for item in found if item[1]] == []


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(TEXTS), st.data())
def test_no_lost_block_looks_better(text: str, data: st.DataObject) -> None:
    lines = text.split("\n")
    start = data.draw(st.integers(0, len(lines)))
    end = data.draw(st.integers(start, len(lines)))
    damaged = "\n".join(lines[:start] + lines[end:])
    assert better(read(text), read(damaged)) is None


@settings(max_examples=80, deadline=None)
@given(st.lists(st.sampled_from(LINES), max_size=40))
def test_lines_in_any_order_are_read(lines: list[str]) -> None:
    for reader in (READER, HEALTH):
        assert sound(dict(reader.read(Source.of_bytes("soup", "\n".join(lines).encode()))))


@settings(max_examples=80, deadline=None)
@given(st.binary(max_size=400), st.sampled_from(TEXTS), st.data())
def test_any_bytes_are_read(junk: bytes, text: str, data: st.DataObject) -> None:
    whole = text.encode()
    place = data.draw(st.integers(0, len(whole)))
    for reader in (READER, HEALTH):
        assert 0 <= reader.sniff(junk.decode("latin-1"), "junk") <= 100
        assert sound(dict(reader.read(Source.of_bytes("junk", junk))))
        assert sound(dict(reader.read(Source.of_bytes("junk", whole[:place] + junk + whole[place:]))))
