"""The list of readers, the choice between them, what surrounds every reading."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from muster.diagnostics import all_codes
from muster.readers import prefixes, read_bytes, records
from muster.readers.model import problem, quoted
from muster.readers.registry import Reader, readers
from muster.readers.sniff import choose
from muster.readers.source import Source


def test_every_reader_is_whole() -> None:
    found = readers()
    assert {"nccl-tests", "muster-pod", "nccom-test"} <= {reader.tool for reader in found}
    for reader in found:
        assert isinstance(reader, Reader)
        assert re.fullmatch(r"[a-z][a-z0-9-]*/\d+", reader.version)


@given(st.text(max_size=200), st.text(max_size=20))
def test_no_sniffer_raises(head: str, name: str) -> None:
    for reader in readers():
        assert 0 <= reader.sniff(head, name) <= 100


@pytest.mark.parametrize(
    "data", [b"", b"\n", b"hello\n", b"{}", b"[1, 2]", b"\x00\x01\x02", b"\xff\xfe# nThread"]
)
def test_nothing_known(data: bytes) -> None:
    reading = read_bytes("x", data)
    assert (reading["tool"], reading["state"], reading["records"]) == (None, "unreadable", [])
    assert [item["code"] for item in reading["problems"]] == ["MU701"]


def test_the_name_of_a_file_does_not_decide() -> None:
    assert choose(Source.of_bytes("nccl-tests-all_reduce_perf.log", b"hello\n")) is None


def test_codes_of_this_area_are_documented() -> None:
    mine = [code for name, code in all_codes().items() if "MU700" <= name <= "MU739"]
    assert len(mine) >= 30
    assert all(code.title and code.explanation and not code.title.endswith(".") for code in mine)


@pytest.mark.parametrize(
    ("text", "origin", "rest"),
    [
        ("row", "", "row"),
        ("2026-10-14T08:00:00.123456789Z row", "", "row"),
        ("2026-10-14T08:00:00.1-07:00 row", "", "row"),
        ("2026-10-14T08:00:00Z", "", ""),
        ("2026-10-14T08:00:00.123456789Z stdout F row", "", "row"),
        ("2026-10-14T08:00:00 row", "", "2026-10-14T08:00:00 row"),
        ("[pod/launcher-x/main] row", "", "row"),
        ("[1,12]<stdout>:row", "mpi 1,12", "row"),
        ("[1,0]<stderr>:  row", "mpi 1,0", "  row"),
        ("[prterun-node-a-77@1,3]<stdout>: row", "mpi 1,3", "row"),
        ("Wed Oct 14 08:00:00 2026[1,2]<stdout>:row", "mpi 1,2", "row"),
        (" 3: row", "srun 3", "row"),
        ("3:", "srun 3", ""),
        ("10.0.0.1: row", "", "10.0.0.1: row"),
        ("[rank3]: row", "torch rank3", "row"),
        ("(Worker pid=9, ip=10.0.0.1) row", "ray Worker pid=9, ip=10.0.0.1", "row"),
        ("(raylet) row", "ray raylet", "row"),
        ("(elements) row", "", "(elements) row"),
        ("2026-10-14T08:00:00Z [1,0]<stdout>:0: row", "srun 0", "row"),
    ],
)
def test_prefixes(text: str, origin: str, rest: str) -> None:
    assert prefixes.split(text) == (origin, rest)
    assert prefixes.strip(text) == rest


def test_tags_inside_a_line() -> None:
    text = "[1,0]<stdout>:a[1,0]<stdout>:  b"
    assert prefixes.strip(text) == "a  b"
    joiner = prefixes.Joiner()
    assert joiner.feed(1, "[1,0]<stdout>:one[1,0]<stdout>: two") == [(1, "mpi 1,0", "one two")]
    assert joiner.feed(2, "[1,0]<stdout>:left [1,1]<stdout>:other") == [(2, "mpi 1,1", "other")]
    assert joiner.waiting
    assert joiner.feed(3, "[1,2]<stdout>:third") == [(3, "mpi 1,2", "third")]
    assert joiner.feed(4, "[1,0]<stdout>:right") == [(2, "mpi 1,0", "left right")]
    assert not joiner.waiting
    assert joiner.feed(5, "[1,0]<stdout>:never[1,1]<stdout>:x") == [(5, "mpi 1,1", "x")]
    assert joiner.rest() == [(5, "mpi 1,0", "never")]


def test_joiner_does_not_wait_for_ever() -> None:
    joiner = prefixes.Joiner()
    done = [
        joiner.feed(number, f"[1,{number}]<stdout>:{'x' * 60_000}[1,9999]<stdout>:y") for number in range(40)
    ]
    assert max(map(len, done)) > 10
    assert sum(map(len, done)) + len(joiner.rest()) == 80


@given(st.lists(st.tuples(st.integers(0, 2), st.text("ab 1", max_size=6), st.booleans()), max_size=12))
def test_joiner_loses_no_text(writes: list[tuple[int, str, bool]]) -> None:
    """Whatever ranks write in whatever pieces, each rank's text comes out whole and in order."""
    said: dict[int, str] = {}
    physical = ""
    for rank, text, ends in writes:
        piece = text + ("\n" if ends else "")
        physical += f"[1,{rank}]<stdout>:{piece}"
        said[rank] = said.get(rank, "") + piece
    joiner = prefixes.Joiner()
    heard: dict[str, str] = {}
    parts = physical.split("\n")
    whole = parts[:-1] if parts[-1] == "" else parts
    for number, line in enumerate(whole, 1):
        for _, origin, text in joiner.feed(number, line):
            heard[origin] = heard.get(origin, "") + text
    for _, origin, text in joiner.rest():
        heard[origin] = heard.get(origin, "") + text
    for rank, text in said.items():
        assert heard.get(f"mpi 1,{rank}", "") == text.replace("\n", "")


@pytest.mark.parametrize(
    ("text", "event", "code"),
    [
        ('MUSTER-RECORD {"v":1,"event":"end","exit":0}', "end", None),
        ('2026-10-14T08:00:00Z MUSTER-RECORD {"v":1,"event":"begin"}', "begin", None),
        ("MUSTER-RECORD", None, None),
        ("MUSTER-RECORD %s", None, None),
        ("MUSTER-RECORD {", None, "MU703"),
        ('MUSTER-RECORD {"v":1,"event":"begin"} more', None, "MU703"),
        ('MUSTER-RECORD {"v":1,"event":"sleep"}', None, "MU703"),
        ('MUSTER-RECORD {"v":"1","event":"end"}', None, "MU703"),
        ('MUSTER-RECORD {"v":true,"event":"end"}', None, "MU703"),
        ('MUSTER-RECORD {"v":1,"event":["end"]}', None, "MU703"),
        ('MUSTER-RECORD {"v":1,"event":"end","exit":NaN}', None, "MU703"),
        ('MUSTER-RECORD {"v":1,"event":"end","v":2}', None, "MU703"),
        ("MUSTER-RECORD {" + '"a":{' * 3000, None, "MU703"),
    ],
)
def test_record_lines(text: str, event: str | None, code: str | None) -> None:
    record, trouble = records.parse(text, 7)
    assert (record and record["event"]) == event
    assert (trouble and trouble["code"]) == code
    assert record is None or record["line"] == 7


def test_a_record_cannot_name_its_own_line() -> None:
    record, _ = records.parse('MUSTER-RECORD {"line":99,"v":1,"event":"end"}', 7)
    assert record == {"line": 7, "v": 1, "event": "end"}


def test_messages_are_one_printable_line() -> None:
    hostile = "a\nb\x1b[31m\u202e`$(rm)`|<b>"
    assert quoted(hostile).isprintable()
    assert quoted(hostile).isascii()
    assert len(quoted("x" * 500)) < 90
    assert problem("MU701", hostile)["message"].isprintable()


def test_records_are_found_around_any_tool() -> None:
    data = b'MUSTER-RECORD {"v":1,"event":"begin"}\n# Avg bus bandwidth    : 1 \n'
    reading: Any = read_bytes("x", data)
    assert [record["event"] for record in reading["records"]] == ["begin"]
