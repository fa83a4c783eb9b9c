"""No planted secret survives, nothing else is touched, and blocks of any size give the same."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from muster.archive import redact
from muster.archive.redact import LineTooLongError, Redactor

CASES: list[dict[str, Any]] = yaml.safe_load(
    (Path(__file__).resolve().parents[2] / "cases/archive/redact.yaml").read_text(encoding="utf-8")
)


def _kept(data: bytes) -> bytes:
    return b"".join(clean for _, clean in Redactor().blocks(io.BytesIO(data)))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"].replace(" ", "-"))
def test_cases(case: dict[str, Any]) -> None:
    kept = case["text"] if case["kept"] == "same" else case["kept"]
    redactor = Redactor()
    found = redactor.redact(case["text"].encode()).decode()
    assert found == kept
    assert redactor.count == kept.count("[redacted]")
    assert "PLANTED" not in found


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"].replace(" ", "-"))
def test_twice_is_once(case: dict[str, Any]) -> None:
    once = Redactor().redact(case["text"].encode())
    again = Redactor()
    assert again.redact(once) == once
    assert again.count == 0


@given(size=st.integers(1, 3000), pick=st.permutations(range(len(CASES))))
def test_blocks_of_any_size(size: int, pick: list[int]) -> None:
    texts = [CASES[index]["text"] for index in pick]
    data = "\n".join(text for text in texts if "\0" not in text and not text.startswith("{")).encode()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(redact, "BLOCK", size)
        found = _kept(data)
    assert b"PLANTED" not in found
    assert found == Redactor().redact(data)


def test_a_document_is_searched_as_a_whole() -> None:
    filler = b'"x",' * 200_000
    data = b'{"env":[' + filler + b'"lower=PLANTED"],\n"n":1}\n'
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(redact, "BLOCK", 4096)
        found = _kept(data)
    assert b"PLANTED" not in found
    assert len(found) == len(data) - len("PLANTED") + len("[redacted]")


def test_a_long_line_is_refused() -> None:
    redactor = Redactor(longest_line=1000)
    with pytest.raises(LineTooLongError):
        list(redactor.blocks(io.BytesIO(b"x" * 1_000_000)))


def test_text_without_secrets_comes_back_as_it_is() -> None:
    data = "".join(f"node-a:{n}:{n} [0] NCCL INFO Channel {n} via NET/IB/0\n" for n in range(20_000)).encode()
    redactor = Redactor()
    pairs = list(redactor.blocks(io.BytesIO(data)))
    assert all(raw is clean or raw == clean for raw, clean in pairs)
    assert b"".join(raw for raw, _ in pairs) == data
    assert redactor.count == 0


@pytest.mark.parametrize("unit", [b"-", b'"', b"token:", b"eyJ", b"://", b"\\", b"A=", b"{[", b"-----BEGIN "])
def test_hostile_repetition_stays_linear(unit: bytes) -> None:
    """Ten times the text may not take a hundred times the steps; a hang is what this test would show."""
    found = _kept(unit * (2_000_000 // len(unit)) + b"\n")
    assert found.endswith(b"\n")
