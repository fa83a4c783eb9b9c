"""Lines and documents as readers see them."""

from __future__ import annotations

import io
import tracemalloc
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from muster.diagnostics import InputFault
from muster.readers import read_bytes, read_file, read_source
from muster.readers.source import LINE_LIMIT, DocumentTooLargeError, Source, clean

if TYPE_CHECKING:
    from pathlib import Path


def lines(data: bytes) -> list[str]:
    return [line.text for line in Source.of_bytes("x", data).lines()]


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"", []),
        (b"\n", [""]),
        (b"a", ["a"]),
        (b"a\n", ["a"]),
        (b"a\n\nb", ["a", "", "b"]),
        (b"a\r\nb\r\r\nc\r", ["a", "b", "c"]),
        (b"10%\r20%\rdone\r\n", ["10% 20% done"]),
        (b"\xef\xbb\xbfa\n\xef\xbb\xbfb\n", ["a", "\ufeffb"]),
        (b"\x1b[1;32m12\x1b[0m\x1b[K\n", ["12"]),
        (b"\x1b]0;title\x07\x1b[?25hrow\n", ["row"]),
        (b"1\x1b[5D2\n", ["1\ufffd[5D2"]),
        (b"1\x002\n", ["1\ufffd2"]),
        (b"1\xff2\n", ["1\ufffd2"]),
        ("1\u009b2\n".encode(), ["1\ufffd2"]),
        (b"a\x0bb\x0cc\x1cd\n", ["a\ufffdb\ufffdc\ufffdd"]),
        ("a\u2028b\n".encode(), ["a\u2028b"]),
        (b"a\tb\n", ["a\tb"]),
    ],
)
def test_lines(data: bytes, expected: list[str]) -> None:
    assert lines(data) == expected


@given(st.binary(max_size=400))
def test_lines_never_raise_and_hold_no_control(data: bytes) -> None:
    for text in lines(data):
        assert "\n" not in text
        assert all(char == "\t" or not (ord(char) < 32 or 127 <= ord(char) < 160) for char in text)


class Trickle(io.RawIOBase):
    """A stream that gives its bytes in small pieces."""

    def __init__(self, data: bytes, piece: int) -> None:
        self._data, self._piece = io.BytesIO(data), piece

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        return self._data.read(min(self._piece, size) if size > 0 else self._piece)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.text("ab \u20ac\r", max_size=9), max_size=30), st.integers(1, 40))
def test_pieces_do_not_matter(texts: list[str], piece: int) -> None:
    data = "".join(f"{text}\n" for text in texts).encode()
    whole = list(Source.of_bytes("x", data).lines())
    assert [line.number for line in whole] == list(range(1, len(texts) + 1))
    assert list(Source("x", lambda: Trickle(data, piece)).lines()) == whole  # type: ignore[arg-type, return-value]


def test_numbers_across_blocks() -> None:
    data = b"".join(b"line %d\n" % number for number in range(1, 300_001))
    found = list(Source.of_bytes("x", data).lines())
    assert len(found) == 300_000
    assert all(line.text == f"line {line.number}" for line in found[::1009])


def test_long_lines_are_cut_and_told() -> None:
    source = Source.of_bytes(
        "x", b"short\n" + b"y" * (LINE_LIMIT + 1) + b"\n" + b"z" * LINE_LIMIT + b"\nend\n"
    )
    found = list(source.lines())
    assert [(line.number, len(line.text), line.cut) for line in found] == [
        (1, 5, False),
        (2, LINE_LIMIT, True),
        (3, LINE_LIMIT, False),
        (4, 3, False),
    ]
    assert [(item["code"], item["line"]) for item in source.problems] == [("MU702", 2)]


def test_a_line_without_end_takes_little_memory() -> None:
    class Endless(io.RawIOBase):
        left = 64

        def readable(self) -> bool:
            return True

        def read(self, size: int = -1) -> bytes:
            self.left -= 1
            return b"" if self.left < 0 else b"x" * size

    tracemalloc.start()
    found = list(Source("x", Endless).lines())  # type: ignore[arg-type]
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert [(line.number, line.cut) for line in found] == [(1, True)]
    assert peak < 8 << 20


def test_document_has_a_limit() -> None:
    source = Source.of_bytes("x", b"abc")
    assert source.document(3) == b"abc"
    with pytest.raises(DocumentTooLargeError):
        source.document(2)


def test_document_over_the_limit_is_unreadable() -> None:
    class Huge(io.RawIOBase):
        def __init__(self) -> None:
            self.first = True

        def readable(self) -> bool:
            return True

        def read(self, size: int = -1) -> bytes:
            head = b'{"version":1,"start_time":"now","args":["' if self.first else b""
            self.first = False
            return head + b"x" * (min(size, 1 << 22) - len(head))

    reading = read_source(Source("big.json", Huge))  # type: ignore[arg-type]
    assert (reading["tool"], reading["state"]) == ("nccl-tests", "unreadable")
    assert [item["code"] for item in reading["problems"]] == ["MU705"]


def test_long_line_inside_a_run_makes_it_unreadable() -> None:
    from unit.readers.nccl_writer import Spec, write

    text = write(Spec(layout="2.14"))
    inside = text.replace("# Out of", "y" * 70_000 + "\n# Out of")
    after = text + "y" * 70_000 + "\n"
    assert read_bytes("x", inside.encode())["state"] == "unreadable"
    reading = read_bytes("x", after.encode())
    assert reading["state"] == "complete"
    assert [(item["code"], item["severity"]) for item in reading["problems"]] == [("MU702", "warning")]


def test_missing_file_is_bad_input(tmp_path: Path) -> None:
    for path in (tmp_path / "none.log", tmp_path):
        with pytest.raises(InputFault) as caught:
            read_file(path)
        assert caught.value.diagnostics[0].code == "MU700"


def test_file_and_bytes_read_alike(tmp_path: Path) -> None:
    path = tmp_path / "some.log"
    path.write_bytes(b"hello\n")
    assert read_file(path) == read_bytes(str(path), b"hello\n")


def test_clean_keeps_the_number_of_lines() -> None:
    assert clean(b"a\n\x1b[31m\nb").count("\n") == 2
