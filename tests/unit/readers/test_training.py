"""Training logs that are too long, too many or too twisted for a case file."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from muster.readers import read_bytes, training_sessions
from muster.readers.training_stamps import NOWHERE, Stamp, label, stamp

TAIL = "number of skipped iterations:   0 | number of nan iterations:   0 |"


def megatron(iteration: int, total: int, ms: float, prefix: str = "") -> str:
    return f"{prefix} iteration {iteration:8d}/{total:8d} | elapsed time per iteration (ms): {ms} | {TAIL}\n"


def test_a_progress_bar_longer_than_a_line_may_be_is_read_whole() -> None:
    bars = [
        f"Epoch 0: : {k}%|{'█' * 10}| {k}/1000 [0:00<0:00, train_step_timing in s={1 + k / 1000:.3f}]"
        for k in range(1, 1001)
    ]
    for separator in ("\r", " \r"):
        reading = read_bytes("bar.log", ("x" * 70_000 + "\n" + separator.join(bars) + "\n").encode()[70_001:])
        assert reading["state"] == "complete", reading["problems"]
        assert reading["steps"]["count"] == 1000
        assert reading["steps"]["steady"]["n"] == 999


def test_a_carriage_return_after_the_head_is_seen_too() -> None:
    lead = "".join(f"[NeMo I 2026-01-01 00:00:00 x:1] line {k}\n" for k in range(3000))
    bars = "\r".join(
        f"Epoch 0: : {k}%|  | {k}/900 [0:0<0:0, train_step_timing in s=1.000, filler={'y' * 60}]"
        for k in range(1, 901)
    )
    reading = read_bytes("bar.log", (lead + bars + "\n").encode())
    assert reading["state"] == "complete", reading["problems"]
    assert reading["steps"]["count"] == 900
    assert reading["steps"]["iterations"][0]["line"] == 3001


def test_a_line_that_is_too_long_and_holds_no_carriage_return_is_refused() -> None:
    text = megatron(1, 2, 5.0) + "x" * 70_000 + "\n" + megatron(2, 2, 5.0)
    reading = read_bytes("long.log", text.encode())
    assert reading["state"] == "unreadable"
    assert "MU702" in {item["code"] for item in reading["problems"]}
    assert "steps" not in reading


def test_more_steps_than_are_listed() -> None:
    text = "".join(megatron(k, 1500, 100.0 + k) for k in range(1, 1501))
    steps = read_bytes("many.log", text.encode())["steps"]
    assert (steps["count"], steps["steady"]["n"], len(steps["iterations"])) == (1500, 1499, 1000)
    assert steps["note"] == "1000 of 1500 steps are listed"
    assert [steps["iterations"][index]["iteration"] for index in (0, 499, 500, -1)] == [1, 500, 1001, 1500]


def test_more_steps_than_are_kept_are_not_a_whole_log(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(training_sessions, "STEP_LIMIT", 10)
    text = "".join(megatron(k, 12, 100.0) for k in range(1, 13))
    reading = read_bytes("many.log", text.encode())
    assert reading["state"] == "unreadable"
    assert "MU704" in {item["code"] for item in reading["problems"]}


@pytest.mark.parametrize(
    ("text", "zoned", "local"),
    [
        ("2026-03-02T10:00:00.5Z hello", 1772445600.5, None),
        ("2026-03-02T03:00:00.500000000-07:00 hello", 1772445600.5, None),
        ("[pod/a-0/main] 2026-03-02T10:00:00Z hello", 1772445600.0, None),
        ("[2026-03-02 10:00:00.25] hello", None, 1772445600.25),
        ("job/0  [2026-03-02 10:00:00] hello", None, 1772445600.0),
        ("[NeMo W 2026-03-02 10:00:00 nemo_logging:405] hello", None, 1772445600.0),
        ("[after training is done] datetime: 2026-03-02 10:00:00 ", None, 1772445600.0),
        ("2026-03-02T10:00:00Z [2026-03-02 11:00:00] both", 1772445600.0, 1772449200.0),
        ("2026-13-02T10:00:00Z no such month", None, None),
        ("[2026-02-30 10:00:00] no such day", None, None),
        ("2026-03-02 10:00:00 no zone, no bracket", None, None),
        ("", None, None),
    ],
)
def test_stamps(text: str, zoned: float | None, local: float | None) -> None:
    assert stamp(text) == Stamp(zoned, local)
    assert (stamp(text) == NOWHERE) == (zoned is None and local is None)


@pytest.mark.parametrize(
    ("prefix", "name"),
    [
        ("", ""),
        ("1: ", "1:"),
        ("[2026-03-02 10:00:00] ", ""),
        ("2026-03-02T10:00:00Z job-a/0  [2026-03-02 10:00:00] ", "job-a/0"),
        ("vm-03-11: ", "vm-03-11:"),
        ("[default7]: INFO 10:00:00,123 ", "[default7]: INFO"),
    ],
)
def test_labels_have_no_times(prefix: str, name: str) -> None:
    assert label(prefix) == name


@settings(max_examples=60, deadline=None)
@given(
    seconds=st.lists(st.integers(1, 9999), min_size=2, max_size=12),
    lost=st.integers(0, 11),
    cut=st.integers(0, 12),
)
def test_a_log_that_lost_lines_is_never_complete(seconds: list[int], lost: int, cut: int) -> None:
    """Take one line out of the middle, or the first or the last ones: the reading must notice."""
    total = len(seconds)
    lines = [megatron(k, total, float(ms)) for k, ms in enumerate(seconds, 1)]
    whole = read_bytes("a.log", "".join(lines).encode())
    assert whole["state"] == "complete"
    kept = lines[:cut] if cut < total else [line for k, line in enumerate(lines) if k != lost % total]
    less = read_bytes("a.log", "".join(kept).encode())
    assert less["state"] != "complete" or less["steps"]["logInterval"] != 1
    assert less.get("goodput", {}).get("ratio") is None
