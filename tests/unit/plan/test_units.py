"""Units of every scope and the waves they run in."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from muster.plan.units import Unit, count_units, units_of, waves_of


def pool(
    names: list[str], excluded: tuple[str, ...] = (), domains: dict[str, list[str]] | None = None
) -> dict:
    return {"nodes": {"names": names, "excluded": {n: {} for n in excluded}}, "domains": domains or {}}


def nodes(count: int) -> list[str]:
    return [f"n{i:03}" for i in range(count)]


@given(st.integers(0, 33))
def test_all_pairs_come_once_and_a_round_shares_no_node(count: int) -> None:
    found = [unit.nodes for unit in units_of(pool(nodes(count)), "pair", "all")]
    assert sorted(found) == sorted(combinations(nodes(count), 2))
    size = count // 2
    for start in range(0, len(found), size or 1):
        busy = [name for pair in found[start : start + size] for name in pair]
        assert len(busy) == len(set(busy))


@given(st.integers(2, 40), st.sampled_from(["ring", "neighbours"]))
def test_every_node_has_a_partner(count: int, how: str) -> None:
    found = [unit.nodes for unit in units_of(pool(nodes(count)), "pair", how)]
    assert {name for pair in found for name in pair} == set(nodes(count))
    assert len(found) == len(set(found)) <= count
    assert all(a < b for a, b in found)


@given(
    st.integers(0, 12),
    st.sampled_from(["node", "pair", "pool"]),
    st.sampled_from(["all", "ring", "neighbours"]),
)
def test_order_of_the_names_changes_nothing(count: int, scope: str, how: str) -> None:
    assert units_of(pool(nodes(count)), scope, how) == units_of(pool(nodes(count)[::-1]), scope, how)


def test_excluded_nodes_are_left_out() -> None:
    assert units_of(pool(nodes(3), ("n001",)), "pair", "all") == [Unit(("n000", "n002"))]
    assert units_of(pool(nodes(3), ("n001",)), "pool", "all") == [Unit(("n000", "n002"))]


def test_domains_and_pairs_of_domains() -> None:
    racks = pool(nodes(4), ("n003",), {"b": ["n002", "n003"], "a": ["n001", "n000"], "c": ["n003"]})
    assert units_of(racks, "domain", "all") == [Unit(("n000", "n001"), "a"), Unit(("n002",), "b")]
    assert units_of(racks, "cross-domain", "all") == [Unit(("n000", "n001", "n002"))]


@given(st.integers(1, 16), st.integers(2, 9))
def test_waves_keep_nodes_apart_and_within_the_bound(count: int, at_once: int) -> None:
    units = units_of(pool(nodes(count)), "pair", "all")
    waves = waves_of(units, at_once)
    for wave in set(waves):
        busy = [name for unit, own in zip(units, waves, strict=True) if own == wave for name in unit.nodes]
        assert len(busy) == len(set(busy)) <= at_once


def test_as_few_waves_as_a_tournament_needs() -> None:
    units = units_of(pool(nodes(8)), "pair", "all")
    assert max(waves_of(units, 8)) + 1 == 7


def test_a_unit_wider_than_the_bound_is_refused() -> None:
    with pytest.raises(ValueError, match="2 nodes at a time, 1 allowed"):
        waves_of([Unit(("a", "b"))], 1)


@given(
    st.integers(0, 14),
    st.sampled_from(["node", "pair", "pool", "domain", "cross-domain"]),
    st.sampled_from(["all", "ring", "neighbours"]),
    st.integers(0, 5),
)
def test_the_count_is_never_below_what_is_made(count: int, scope: str, how: str, domains: int) -> None:
    names = nodes(count)
    racks = {f"d{i}": names[i::domains] for i in range(domains) if names[i::domains]}
    made = pool(names, (), racks)
    assert len(units_of(made, scope, how)) <= count_units(made, scope, how)


@given(st.integers(0, 12), st.integers(2, 12), st.sampled_from(["all", "ring", "neighbours"]))
def test_each_unit_has_the_first_wave_that_fits(count: int, at_once: int, how: str) -> None:
    units = units_of(pool(nodes(count)), "pair", how)
    busy: list[set[str]] = []
    for unit, wave in zip(units, waves_of(units, at_once), strict=True):
        fits = [
            number
            for number, taken in enumerate(busy)
            if len(taken) + 2 <= at_once and not taken & set(unit.nodes)
        ]
        assert wave == min(fits, default=len(busy))
        busy += [set()] if wave == len(busy) else []
        busy[wave] |= set(unit.nodes)
