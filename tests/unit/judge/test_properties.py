"""Whatever happens to evidence, doubt never turns into a pass."""

from __future__ import annotations

import copy
import itertools
import json
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import judge_helpers as h
from muster.judge import STATES, environment, judge
from muster.judge.fields import mapping

AS_OF = h.moment(h.AS_OF)
BASES = ("pair", "node", "dcgm", "inventory", "bandwidth")

figures = st.floats(min_value=0.01, max_value=2000, allow_nan=False).map(lambda value: round(value, 2))
three = st.lists(figures, min_size=3, max_size=3)


def _state(base: str, *records: dict[str, Any], **change: Any) -> str:
    state = judge(h.desired(base, change or None), records, as_of=AS_OF)["state"]
    assert state in STATES
    return str(state)


def _holes(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Return the path of everything in a JSON value that can be taken away."""
    found: list[tuple[Any, ...]] = []
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, part in items:
        found.append((*path, key))
        found.extend(_holes(part, (*path, key)))
    return found


def _without(value: Any, path: tuple[Any, ...]) -> Any:
    found = copy.deepcopy(value)
    target = found
    for part in path[:-1]:
        target = target[part]
    del target[path[-1]]
    return found


def _at(value: Any, path: tuple[Any, ...]) -> Any:
    for part in path:
        value = value[part]
    return value


# What a verdict does not rest on; all else in a record is evidence and must not be missing.
_FREE = {
    "schema", "measurement", "command", "parameters", "steps", "goodput", "sources", "notes", "line",
    "opFrom", "ranksFrom", "nodes", "count", "root", "redop", "timeUs", "algbw", "avgBusbw", "synthetic", "targeted",
    "excluded", "reason", "signal", "timedOut", "exitCode", "start", "kernel", "image", "messages", "errors",
    "problems", "ncclHeader", "scope", "test", "files", "node",
}  # fmt: skip


@pytest.mark.parametrize("base", BASES)
def test_taking_anything_away_never_helps(base: str) -> None:
    """A single attempt that is not satisfied stays so, whatever part of it is removed."""
    bad = {
        "pair": [{"values": [2.1, 2.2, 2.3]}, {"edit": {"runs.1.rows.1.outOfPlace.wrong": 4}}],
        "node": [{"values": [400.0, 401.0, 402.0]}, {"edit": {"runs.2.state": "incomplete"}}],
        "dcgm": [{"edit": {"checks.3.status": "skip"}}, {"edit": {"checks.3.status": "fail"}}],
        "inventory": [{"edit": {"environment.nodes.node-a.gpus": 7, "environment.gpus.node-a": 7}}],
        "bandwidth": [{"edit": {"rows.3.value": 10.0}}],
    }[base]
    for change in bad:
        record = h.record(base, change)
        assert _state(base, record) != "satisfied"
        for path in _holes(record):
            if path[-1] in {"wrong", "exitCode", "exit", "state", "status"}:
                continue
            assert _state(base, _without(record, path)) != "satisfied", path


@pytest.mark.parametrize("base", BASES)
def test_every_part_that_counts_is_missed(base: str) -> None:
    """Of a satisfied attempt nothing that the verdict rests on can be absent."""
    record = h.record(base)
    assert _state(base, record) == "satisfied"
    missed = 0
    for path in _holes(record):
        names = {part for part in path if isinstance(part, str)}
        state = _state(base, _without(record, path))
        if state != "satisfied":
            missed += 1
        elif not names & _FREE:
            # Told twice, so one of the two may go: flat and by node, at the run and at its rows; an attempt
            # without an end ages from its start.
            told_twice = names & {"environment", "transport", "runs", "rows"}
            says_nothing = _at(record, path) in (None, [], {}, False)
            assert told_twice or says_nothing or path == ("attempt", "end"), path
    assert missed > 8


def test_removing_a_round_a_row_or_a_transport_is_never_satisfied() -> None:
    record = h.record("pair")
    for number in range(3):
        for path in (
            ("runs", number),
            ("runs", number, "rows"),
            ("runs", number, "rows", 1),
            ("runs", number, "transport"),
        ):
            assert _state("pair", _without(record, path)) != "satisfied"


@given(three, three, st.permutations(range(5)))
@settings(max_examples=60, deadline=None)
def test_the_order_of_records_does_not_matter(one: list[float], two: list[float], order: list[int]) -> None:
    records = [
        h.record(
            "pair", {"values": one, "attempt": {"id": "a1", "end": "2026-10-14T07:00:00Z", "start": None}}
        ),
        h.record("pair", {"values": two, "attempt": {"id": "a2"}}),
        h.record("pair", {"state": "incomplete", "attempt": {"id": "a3", "start": None, "end": None}}),
        h.record("pair", {"state": "errored", "attempt": {"id": "a0"}}),
        h.record("pair", {"identity": {"digest": "sha256:0"}}),
    ]
    want = h.desired("pair")
    assert judge(want, [records[n] for n in order], as_of=AS_OF) == judge(want, records, as_of=AS_OF)


@given(three, st.floats(min_value=0.0001, max_value=1, exclude_max=True))
@settings(max_examples=100, deadline=None)
def test_slower_never_turns_violated_into_satisfied(values: list[float], factor: float) -> None:
    """With a lower bound alone, scaling every figure down cannot help."""
    only_lower = {
        "acceptance": {
            "thresholds": [{**h.BASE["desired"]["pair"]["acceptance"]["thresholds"][0], "upper": None}]
        }
    }
    before = _state("pair", h.record("pair", {"values": values}), **only_lower)
    after = _state("pair", h.record("pair", {"values": [value * factor for value in values]}), **only_lower)
    assert not (before == "violated" and after == "satisfied")


@given(st.lists(three, min_size=1, max_size=4))
@settings(max_examples=60, deadline=None)
def test_no_attempt_is_picked_as_the_best(attempts: list[list[float]]) -> None:
    """Satisfied means that every complete attempt alone would be satisfied."""
    records = [
        h.record(
            "pair",
            {"values": values, "attempt": {"id": f"a{n}", "start": None, "end": f"2026-10-14T0{n}:00:00Z"}},
        )
        for n, values in enumerate(attempts)
    ]
    alone = [_state("pair", record) for record in records]
    if _state("pair", *records) == "satisfied":
        assert set(alone) == {"satisfied"}
    if len(set(alone)) > 1:
        assert _state("pair", *records) == "contested"


def test_a_newer_doubt_always_counts() -> None:
    good = h.record("pair", {"attempt": {"id": "a1"}})
    for state in ("incomplete", "errored", "unreadable", "excluded", "gibberish"):
        doubt = h.record("pair", {"state": state, "attempt": {"id": "a2", "end": "2026-10-14T08:10:01Z"}})
        for records in itertools.permutations((good, doubt)):
            assert _state("pair", *records) == {"gibberish": "unreadable"}.get(state, state)


@given(st.integers(min_value=-5_000_000, max_value=5_000_000))
@settings(max_examples=100, deadline=None)
def test_validity_is_an_interval_with_both_ends(offset: int) -> None:
    as_of = h.moment(h.END) + timedelta(seconds=offset)
    state = judge(h.desired("pair"), [h.record("pair")], as_of=as_of)["state"]
    expected = "unreadable" if offset < 0 else "satisfied" if offset <= 2592000 else "stale"
    assert state == expected


junk = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=6)
    | st.sampled_from(["complete", "pass", "node-a"]),
    lambda part: st.lists(part, max_size=3) | st.dictionaries(st.text(max_size=6), part, max_size=3),
    max_leaves=8,
)


@given(st.sampled_from(BASES), st.data())
@settings(max_examples=300, deadline=None)
def test_junk_anywhere_in_a_record_never_raises(base: str, data: st.DataObject) -> None:
    record = h.record(base)
    for _ in range(data.draw(st.integers(1, 3))):
        path = data.draw(st.sampled_from(_holes(record)))
        target = record
        for part in path[:-1]:
            target = target[part]
        target[path[-1]] = data.draw(junk)
    verdict = judge(h.desired(base), [record], as_of=AS_OF)
    assert verdict["state"] in STATES
    assert verdict["reason"]["message"]
    json.dumps(verdict["measures"], allow_nan=False)


@given(st.sampled_from(BASES), st.data())
@settings(max_examples=200, deadline=None)
def test_junk_anywhere_in_a_desired_test_never_raises(base: str, data: st.DataObject) -> None:
    want = h.desired(base)
    path = data.draw(st.sampled_from(_holes(want)))
    target = want
    for part in path[:-1]:
        target = target[part]
    target[path[-1]] = data.draw(junk)
    assert judge(want, [h.record(base)], as_of=AS_OF)["state"] in STATES


@given(junk, junk)
@settings(max_examples=200, deadline=None)
def test_junk_alone_is_never_satisfied(want: Any, record: Any) -> None:
    verdict = judge(mapping(want), [mapping(record)], as_of=AS_OF)
    assert verdict["state"] != "satisfied"


def test_a_moment_without_a_time_zone_is_refused() -> None:
    with pytest.raises(ValueError, match="time zone"):
        judge(h.desired("pair"), [], as_of=AS_OF.replace(tzinfo=None))


versions = st.sampled_from(
    ["580.126.20", "580.126.21", "12.9", "13.0", "2.27.3", "2.28.9", "", None, 8, True]
)


@given(st.sampled_from(["pair", "node"]), st.data())
@settings(max_examples=300, deadline=None)
def test_the_quick_look_at_an_environment_overlooks_nothing(base: str, data: st.DataObject) -> None:
    """Where the quick look finds everything as declared, the close one finds nothing either."""
    record, want = h.record(base), h.desired(base)
    paths = [path for path in _holes(record) if "environment" in path]
    for _ in range(data.draw(st.integers(0, 3))):
        path = data.draw(st.sampled_from(paths))
        try:
            target, old = _at(record, path[:-1]), _at(record, path)
        except (LookupError, TypeError):
            continue  # what was put in before has no such place
        if isinstance(target, (dict, list)) and not isinstance(old, dict):
            target[path[-1]] = data.draw(versions | junk)
    unit = tuple(want["unit"])
    if environment.as_declared(want["measurement"], record, unit):
        nothing: tuple[list[Any], list[Any]] = ([], [])
        assert environment.judge_software(want["measurement"], record, unit, frozenset()) == nothing
        assert (
            environment.judge_hardware(
                want["measurement"], record, unit, frozenset(), counted=False, diagnosed=False
            )
            == nothing
        )
        assert environment.judge_image(want["measurement"], record) == nothing


def test_the_quick_look_knows_a_plain_record() -> None:
    """It would be no quick look if it never said yes."""
    want = h.desired("pair")
    assert environment.as_declared(want["measurement"], h.record("pair"), tuple(want["unit"]))


@given(
    st.sampled_from([None, 0, 0.0, False, True, 1, 2.5, "0", "N/A", [], {}]),
    st.sampled_from(["outOfPlace", "inPlace"]),
)
def test_only_a_count_of_zero_is_no_wrong_element(wrong: Any, side: str) -> None:
    record = h.record("pair", {"edit": {f"runs.1.rows.0.{side}.wrong": wrong}})
    zero = isinstance(wrong, (int, float)) and not isinstance(wrong, bool) and wrong == 0
    assert (_state("pair", record) == "satisfied") == zero
