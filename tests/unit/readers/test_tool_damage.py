"""Damaged output of a tool is never read as something better, and no bytes make its readers fail."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from muster.readers import dcgm_health, dcgm_reader, infiniband, nvbandwidth, nvidia_smi, perftest
from muster.readers.source import Source
from reader_mutations import better, inputs, line_damage, lines_of, read, sound, word_damage

READERS = {
    "dcgm": (dcgm_reader.READER, dcgm_health.READER),
    "infiniband": tuple(infiniband.READERS),
    "nvbandwidth": (nvbandwidth.READER,),
    "nvidia_smi": (nvidia_smi.READER,),
    "perftest": (perftest.READER,),
}
"""Readers by the folder of their cases."""

CASES = [(f"{tool}-{name}", text) for tool in READERS for name, text in inputs(tool)]
TEXTS = {tool: [text for _, text in inputs(tool)] for tool in READERS}
LINES = {tool: lines_of(tool) for tool in READERS}


@pytest.mark.parametrize("text", [pytest.param(text, id=name) for name, text in CASES])
def test_no_lost_line_or_changed_word_looks_better(text: str) -> None:
    before = read(text)
    found = [
        (what, better(before, read(damaged))) for what, damaged in (*line_damage(text), *word_damage(text))
    ]
    assert found
    assert [item for item in found if item[1]] == []


@pytest.mark.parametrize("tool", READERS)
@settings(max_examples=60)
@given(data=st.data())
def test_no_lost_block_looks_better(tool: str, data: st.DataObject) -> None:
    text = data.draw(st.sampled_from(TEXTS[tool]))
    lines = text.split("\n")
    start = data.draw(st.integers(0, len(lines)))
    end = data.draw(st.integers(start, len(lines)))
    damaged = "\n".join(lines[:start] + lines[end:])
    assert better(read(text), read(damaged)) is None


@pytest.mark.parametrize("tool", READERS)
@settings(max_examples=80)
@given(data=st.data())
def test_lines_in_any_order_are_read(tool: str, data: st.DataObject) -> None:
    lines = data.draw(st.lists(st.sampled_from(LINES[tool]), max_size=40))
    for reader in READERS[tool]:
        assert sound(dict(reader.read(Source.of_bytes("soup", "\n".join(lines).encode()))))


@pytest.mark.parametrize("tool", READERS)
@settings(max_examples=80)
@given(junk=st.binary(max_size=400), data=st.data())
def test_any_bytes_are_read(tool: str, junk: bytes, data: st.DataObject) -> None:
    whole = data.draw(st.sampled_from(TEXTS[tool])).encode()
    place = data.draw(st.integers(0, len(whole)))
    for reader in READERS[tool]:
        assert 0 <= reader.sniff(junk.decode("latin-1"), "junk") <= 100
        assert sound(dict(reader.read(Source.of_bytes("junk", junk))))
        assert sound(dict(reader.read(Source.of_bytes("junk", whole[:place] + junk + whole[place:]))))
