"""The grammars of units: tables as data, laws as properties."""

from __future__ import annotations

import json
from contextlib import suppress
from decimal import Decimal
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import pytest
import ruamel.yaml
from hypothesis import given
from hypothesis import strategies as st

from muster.site.units import (
    METRICS,
    Rate,
    UnitError,
    canonical_quantity,
    format_bytes,
    format_duration,
    parse_bytes,
    parse_date,
    parse_duration,
    parse_percent,
    parse_rate,
    parse_version,
)
from site_helpers import CASES

if TYPE_CHECKING:
    from collections.abc import Callable

PARSERS: dict[str, Callable[[Any], Any]] = {
    "bytes": parse_bytes,
    "durations": parse_duration,
    "percents": parse_percent,
    "dates": parse_date,
    "versions": parse_version,
    "rates": parse_rate,
}


def table(name: str, part: str) -> list[Any]:
    loaded = ruamel.yaml.YAML(typ="safe", pure=True).load(CASES / "units" / f"{name}.yaml")
    assert loaded[part]
    return loaded[part]


@pytest.mark.parametrize(("text", "size", "shortest"), table("bytes", "accepted"))
def test_bytes(text: Any, size: int, shortest: str) -> None:
    assert parse_bytes(text) == size
    assert format_bytes(size) == shortest


@pytest.mark.parametrize(("text", "seconds", "canonical"), table("durations", "accepted"))
def test_durations(text: str, seconds: float, canonical: str) -> None:
    found = parse_duration(text)
    assert (found, type(found)) == (seconds, type(seconds))
    assert format_duration(seconds) == canonical


@pytest.mark.parametrize(("text", "metric", "value", "unit"), table("rates", "accepted"))
def test_rates(text: str, metric: str | None, value: str, unit: str) -> None:
    assert parse_rate(text, metric) == Rate(Decimal(value), unit)


@pytest.mark.parametrize(("text", "fraction"), table("percents", "accepted"))
def test_percents(text: str, fraction: float) -> None:
    assert repr(parse_percent(text)) == repr(fraction)


@pytest.mark.parametrize(("text", "moment"), table("dates", "accepted"))
def test_dates(text: str, moment: str) -> None:
    assert parse_date(text).isoformat() == moment


def test_versions_are_in_order() -> None:
    lines = [[parse_version(text) for text in line] for line in table("versions", "ordered")]
    for line in lines:
        assert len(set(line)) == 1, line
    for older, newer in pairwise(lines):
        assert older[0] < newer[0]


@pytest.mark.parametrize(
    ("name", "arguments", "said"),
    [(name, row[:-1], row[-1]) for name in PARSERS for row in table(name, "refused")],
)
def test_what_is_not_of_the_grammar_is_refused_with_advice(
    name: str, arguments: list[Any], said: str
) -> None:
    with pytest.raises(UnitError) as caught:
        PARSERS[name](*arguments)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)
    assert caught.value.message


def quantities() -> list[tuple[str, str, str]]:
    lines = (CASES / "units" / "quantities.tsv").read_text(encoding="utf-8").splitlines()
    rows = [line.split("\t") for line in lines if not line.startswith("#")]
    return [(json.loads(text), theirs, mine) for text, theirs, mine in rows]


@pytest.mark.parametrize(("text", "theirs", "mine"), quantities())
def test_quantities_are_those_of_apimachinery(text: str, theirs: str, mine: str) -> None:
    if mine == "-":
        with pytest.raises(UnitError):
            canonical_quantity(text)
        return
    assert canonical_quantity(text) == mine
    assert theirs != "-", "apimachinery refuses it"
    # What is written is what apimachinery writes, or a plainer spelling of a text it passes through.
    assert mine == theirs or theirs == text
    assert canonical_quantity(mine) == mine


def test_most_of_the_table_is_the_same_on_both_sides() -> None:
    rows = quantities()
    assert sum(theirs == mine for _, theirs, mine in rows) > 0.75 * len(rows)


@pytest.mark.parametrize("text", ["500m", "0.5", "1n", "1.5"])
def test_devices_and_bytes_are_whole(text: str) -> None:
    canonical_quantity(text)
    with pytest.raises(UnitError, match="does not come out whole"):
        canonical_quantity(text, whole=True)


@pytest.mark.parametrize("value", [True, None, 1.5, [], {}])
def test_only_texts_and_integers_are_quantities(value: Any) -> None:
    with pytest.raises(UnitError):
        canonical_quantity(value)
    assert canonical_quantity(8) == "8"


def test_an_unknown_metric_is_a_bug_not_a_finding() -> None:
    with pytest.raises(KeyError):
        parse_rate("1GB/s", "speed")


@pytest.mark.parametrize("seconds", [-1, float("nan"), float("inf"), 0.0001, 10**12])
def test_seconds_that_are_no_duration_are_refused(seconds: float) -> None:
    with pytest.raises(UnitError):
        format_duration(seconds)


def test_a_size_that_is_negative_is_not_written() -> None:
    with pytest.raises(UnitError):
        format_bytes(-1)


@given(st.integers(0, 2**63 - 1))
def test_sizes_survive_writing(size: int) -> None:
    assert parse_bytes(format_bytes(size)) == size


@given(st.integers(0, (2**63 - 1) // 10**6))
def test_durations_survive_writing(millis: int) -> None:
    seconds = millis / 1000 if millis % 1000 else millis // 1000
    assert parse_duration(format_duration(seconds)) == seconds


@given(
    st.integers(-(2**63) + 1, 2**63 - 1),
    st.sampled_from(["", "n", "u", "m", "k", "M", "Ki", "Mi", "e3", "e-3"]),
)
def test_canonical_quantities_are_fixed_points(number: int, suffix: str) -> None:
    try:
        once = canonical_quantity(f"{number}{suffix}")
    except UnitError:
        return
    assert canonical_quantity(once) == once


@given(
    st.one_of(st.text(max_size=20), st.text("0123456789.+-eEKMGTPimunkswdhy%/bBs ", max_size=12)),
    st.sampled_from(sorted(METRICS)),
)
def test_no_text_makes_a_grammar_crash(text: str, metric: str) -> None:
    grammars = [*PARSERS.values(), canonical_quantity, lambda value: parse_rate(value, metric)]
    for grammar in grammars:
        with suppress(UnitError):
            grammar(text)
