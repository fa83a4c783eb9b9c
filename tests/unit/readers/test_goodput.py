"""Goodput has a value only when each of its parts has one."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from muster.readers.goodput import PARTS, goodput, ratio

SECONDS = st.floats(min_value=0, max_value=1e7)
FIVE = st.fixed_dictionaries(dict.fromkeys(PARTS, SECONDS))


@pytest.mark.parametrize(
    ("parts", "value"),
    [
        ((1000, 0, 0, 0, 0), 1.0),
        ((1000, 50, 30, 200, 20), 700 / 800),
        ((1000, 0, 0, 900, 0), 1.0),
        ((1000, 100, 0, 0, 0), 0.9),
        ((1000, 0, 1000, 0, 0), 0.0),
    ],
)
def test_the_formula(parts: tuple[float, ...], value: float) -> None:
    assert ratio(dict(zip(PARTS, parts, strict=True))) == (pytest.approx(value), None)


@pytest.mark.parametrize(
    ("parts", "reason"),
    [
        ((None, 0, 0, 0, 0), "wall is not known"),
        ((1000, 0, 0, 0, None), "save is not known"),
        ((0, 0, 0, 0, 0), "no wall time"),
        ((100, 0, 0, 100, 0), "no wall time"),
        ((100, 60, 50, 0, 0), "longer than the wall time"),
        ((100, -1, 0, 0, 0), "lost is -1"),
        ((float("inf"), 0, 0, 0, 0), "wall is inf"),
        ((float("nan"), 0, 0, 0, 0), "wall is nan"),
    ],
)
def test_no_value_and_why(parts: tuple[float | None, ...], reason: str) -> None:
    value, why = ratio(dict(zip(PARTS, parts, strict=True)))
    assert value is None
    assert reason in str(why)


@given(FIVE)
def test_a_value_lies_between_0_and_1(parts: dict[str, float]) -> None:
    value, reason = ratio(parts)
    assert (value is None) == (reason is not None)
    assert value is None or 0 <= value <= 1


@given(FIVE, st.sampled_from(PARTS))
def test_a_part_that_is_not_known_leaves_no_value(parts: dict[str, float], name: str) -> None:
    found = goodput({**parts, name: None})
    assert found["ratio"] is None
    assert name in found["unknown"]
    json.dumps(found, allow_nan=False)


@given(FIVE, st.sampled_from(["lost", "recovery", "save"]), SECONDS)
def test_more_overhead_is_never_better(parts: dict[str, float], name: str, more: float) -> None:
    before, _ = ratio(parts)
    after, _ = ratio({**parts, name: parts[name] + more})
    assert after is None or (before is not None and after <= before)


def test_a_caller_can_withhold_the_value() -> None:
    parts = dict(zip(PARTS, (10.0, 0.0, 0.0, 0.0, 0.0), strict=True))
    assert goodput(parts)["ratio"] == 1.0
    found = goodput(parts, unknown={"ratio": "the log is not whole"}, end_to_end=12.0, restarts=0)
    assert found["ratio"] is None
    assert found["unknown"] == {"ratio": "the log is not whole"}
    assert (found["endToEndSeconds"], found["queueSeconds"], found["restarts"]) == (12.0, None, 0)
