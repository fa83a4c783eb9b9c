"""What a log shows against what it is claimed for."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from archive_helpers import logs
from muster.archive.claims import compare_claims, expected_sizes
from muster.readers import read_bytes

MEASUREMENT = logs.desired()["measurement"]


def record(text: str, **more: Any) -> dict[str, Any]:
    reading: dict[str, Any] = dict(read_bytes("log", text.encode()))
    sources = [{"tool": reading["tool"]}]
    return {"runs": [{**run, "file": 0} for run in reading.get("runs", ())], "sources": sources, **more}


def told(measurement: dict[str, Any], found: dict[str, Any]) -> list[tuple[str, str]]:
    return [(item["code"], item["severity"]) for item in compare_claims(measurement, found)]


def test_a_log_of_the_measurement() -> None:
    assert told(MEASUREMENT, record(logs.table())) == []


@pytest.mark.parametrize(
    ("change", "found"),
    [
        ({"ranks": 8}, [("MU851", "error")]),
        ({"op": "reduce_scatter"}, [("MU850", "error")]),
        ({"tool": "dcgm", "op": None}, [("MU850", "error")]),
        ({"params": {"iters": 20}}, [("MU853", "error")]),
        ({"params": {"warmup": 5}}, [("MU853", "error")]),
        ({"params": {"datatype": "half"}}, [("MU853", "error")]),
        ({"params": {"factor": 2}}, [("MU852", "error")]),
        ({"params": {"minBytes": 8}}, [("MU852", "error")]),
        ({"params": {"maxBytes": 1 << 33}}, [("MU852", "error")]),
        (
            {"params": {"minBytes": 4096, "maxBytes": 1 << 32, "factor": 4}},
            [("MU852", "error"), ("MU852", "error")],
        ),
    ],
)
def test_contradictions(change: dict[str, Any], found: list[tuple[str, str]]) -> None:
    assert told({**MEASUREMENT, **change}, record(logs.table())) == found


def test_what_the_log_does_not_say_is_no_contradiction() -> None:
    lines = [line for line in logs.table().splitlines() if "nThread" not in line]
    found = told(MEASUREMENT, record("\n".join(lines) + "\n"))
    assert found
    assert set(found) == {("MU856", "warning")}


def test_other_operations_beside_the_one_asked_for() -> None:
    found = record(logs.table())
    found["runs"].append({**found["runs"][0], "op": "all_gather", "ranks": 4})
    assert told(MEASUREMENT, found) == []


def test_the_command_of_record_lines_must_be_the_one_of_the_measurement() -> None:
    found = record(logs.table(), binding="record", command=["all_reduce_perf"])
    assert told(MEASUREMENT, found) == [("MU853", "error")]
    assert told(MEASUREMENT, {**found, "binding": "options"}) == []
    assert told(MEASUREMENT, {**found, "command": MEASUREMENT["command"]}) == []


def test_reports_that_wrap_a_tool_are_not_of_another_tool() -> None:
    found = {"runs": [], "sources": [{"tool": "nvcre-report"}, {"tool": None}, {"tool": "muster-pod"}]}
    assert told(MEASUREMENT, found) == []


@given(low=st.integers(-5, 1 << 40), high=st.integers(-5, 1 << 40), factor=st.integers(-2, 20))
def test_expected_sizes(low: int, high: int, factor: int) -> None:
    sizes = expected_sizes({"minBytes": low, "maxBytes": high, "factor": factor})
    assert len(sizes) <= 128
    assert all(low <= size <= high for size in sizes)
    assert all(after == before * factor for before, after in pairwise(sizes))
    if 1 <= low <= high and factor >= 2:
        assert sizes[0] == low
        assert sizes[-1] * factor > high


def test_sizes_need_all_three_parameters() -> None:
    assert expected_sizes({}) == []
    assert expected_sizes({"minBytes": 8, "maxBytes": 8, "factor": True}) == []
