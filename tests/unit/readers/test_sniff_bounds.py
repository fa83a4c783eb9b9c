"""No sniffer looks long at a head made to be slow: the count of steps is linear, so the time is far below a second."""

from __future__ import annotations

import multiprocessing

import pytest

from muster.readers import read_bytes

HEADS = {
    "braces": b"{\n" * 32768,
    "blank lines": b" \n" * 32768,
    "newlines": b"\n" * 65536,
    "hashes": b"#" * 65536,
    "hash lines": b"#\n" * 32768,
    "zeros": b"0 " * 32768,
    "tags": b"[1,0]<stdout>:" * 4096,
    "quotes": b'"' * 65536,
    "brackets": b"[" * 65536,
    "bars": b"| " * 32768,
    "dashes": b"-\n" * 32768,
    "words": b"a b\n" * 16384,
    "colons": b"a: " * 20000,
}


def _read(data: bytes) -> None:
    read_bytes("x", data)


@pytest.mark.parametrize("name", HEADS)
def test_hostile_heads_end(name: str) -> None:
    process = multiprocessing.get_context("fork").Process(target=_read, args=(HEADS[name],))
    process.start()
    process.join(20)
    stuck = process.is_alive()
    process.kill()
    assert not stuck, "a sniffer or reader hangs on this head"
    assert process.exitcode == 0
