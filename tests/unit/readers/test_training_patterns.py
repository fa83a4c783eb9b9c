"""The patterns are data: each must match its own example and must be linear."""

from __future__ import annotations

import re
from re import _parser  # type: ignore[attr-defined]
from typing import Any

import pytest

from muster.readers.training_patterns import FAILURES, PROFILES, SECONDS, TERMINATIONS

EVENTS = [
    pytest.param(event, id=f"{profile.name}-{kind}-{index}")
    for profile in PROFILES
    for kind, events in (*profile.events.items(), ("anchor", (profile.anchor,)))
    for index, event in enumerate(events)
]
FIELDS = [pytest.param(item, id=f"{p.name}-{item.name}-{item.unit}") for p in PROFILES for item in p.fields]
UNBOUNDED = 1000


def repeats(parsed: Any, inside: bool = False) -> list[str]:
    """Return what makes an expression more than linear, or linear with a large factor."""
    found = []
    open_before = False
    for op, arg in parsed:
        name = str(op)
        is_open = False
        if name in ("MAX_REPEAT", "MIN_REPEAT"):
            _, high, body = arg
            is_open = high > UNBOUNDED
            if inside and high > 1:
                found.append("a repeat in a repeat")
            if is_open and open_before:
                found.append("two unbounded repeats next to each other")
            if is_open and any(str(kind) in ("ANY", "NOT_LITERAL") for kind, _ in body):
                found.append("an unbounded repeat of anything")
            found += repeats(body, inside or high > 1)
        elif name == "SUBPATTERN":
            found += repeats(arg[3], inside)
        elif name == "BRANCH":
            for branch in arg[1]:
                found += repeats(branch, inside)
        elif name in ("ASSERT", "ASSERT_NOT"):
            found += repeats(arg[1], inside)
        open_before = is_open
    return found


@pytest.mark.parametrize("event", EVENTS)
def test_an_event_matches_its_example_and_its_needle(event: Any) -> None:
    assert event.needle in event.example
    assert event.regex.search(event.example)
    assert event.unit in SECONDS


@pytest.mark.parametrize("event", EVENTS)
def test_an_event_is_linear(event: Any) -> None:
    assert repeats(_parser.parse(event.regex.pattern)) == []


@pytest.mark.parametrize("item", FIELDS)
def test_a_field_is_linear_and_has_a_value(item: Any) -> None:
    assert repeats(_parser.parse(item.regex.pattern)) == []
    assert "value" in item.regex.groupindex
    assert item.unit in SECONDS


@pytest.mark.parametrize("regex", [r"(a+)+", r"(?:a|b*)*c", r".*x", r"[0-9]+[0-9]*", r"(?:(a{1,9}){2})+"])
def test_the_check_sees_what_is_not_linear(regex: str) -> None:
    assert repeats(_parser.parse(regex)) != []
    assert re.compile(regex)


def test_profiles_and_failures_are_distinct() -> None:
    names = [profile.name for profile in PROFILES]
    assert len(set(names)) == len(names) >= 3
    assert set(TERMINATIONS) < set(FAILURES)
    for profile in PROFILES:
        assert {"iteration", "total"} <= set(profile.anchor.regex.groupindex)
        assert "elapsedTime" in {item.name for item in profile.fields}
