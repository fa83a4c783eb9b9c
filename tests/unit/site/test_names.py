"""Names, paths and positions."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from muster.diagnostics import Position
from muster.site.names import (
    label_key_problem,
    label_problem,
    label_value_problem,
    nearest,
    shown,
    subdomain_problem,
)
from muster.site.positions import PositionMap, format_path

if TYPE_CHECKING:
    import random
    from collections.abc import Callable

# The expressions of apimachinery (pkg/util/validation/validation.go) as oracles.
LABEL = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?")
SUBDOMAIN = re.compile(rf"{LABEL.pattern}(\.{LABEL.pattern})*")
VALUE = re.compile(r"(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?")

_NAMES = st.one_of(st.text("aZ0-._/ é\n", max_size=8), st.text("ab-.", min_size=60, max_size=70))


@given(_NAMES)
def test_labels_are_those_of_kubernetes(name: str) -> None:
    assert (label_problem(name) is None) == (bool(LABEL.fullmatch(name)) and len(name) <= 63)


@given(_NAMES)
def test_subdomains_are_those_of_kubernetes_with_labels_that_dns_can_carry(name: str) -> None:
    fits = len(name) <= 253 and all(len(part) <= 63 for part in name.split("."))
    assert (subdomain_problem(name) is None) == (bool(SUBDOMAIN.fullmatch(name)) and fits)


@given(_NAMES)
def test_label_values_are_those_of_kubernetes(value: str) -> None:
    assert (label_value_problem(value) is None) == (bool(VALUE.fullmatch(value)) and len(value) <= 63)


@pytest.mark.parametrize(
    ("check", "name", "said"),
    [
        (label_problem, "", "empty"),
        (label_problem, "A", "upper-case"),
        (label_problem, "a_b", "only a-z"),
        (label_problem, "-a", "start and end"),
        (label_problem, "a" * 64, "64 characters"),
        (subdomain_problem, "a..b", "nothing stands before, after or between"),
        (subdomain_problem, "a.B", 'in "B": it has upper-case'),
        (subdomain_problem, "a." * 130 + "a", "261 characters"),
        (label_value_problem, "-a", "start and end"),
        (label_value_problem, "a b", "only letters"),
        (label_value_problem, "a\nb", "only letters"),
        (label_key_problem, "", "empty"),
        (label_key_problem, "/a", "nothing stands before"),
        (label_key_problem, "a/", "empty"),
        (label_key_problem, "A.b/c", "before the /"),
        (label_key_problem, "a.b/c/d", "before the /"),
        (label_key_problem, "a.b/-c", "start and end"),
    ],
)
def test_problems_are_said(check: Callable[[str], str | None], name: str, said: str) -> None:
    assert said in (check(name) or "")


@pytest.mark.parametrize("key", ["a", "nvidia.com/gpu.product", "app.kubernetes.io/name", "A_b.c"])
def test_good_label_keys(key: str) -> None:
    assert label_key_problem(key) is None


@pytest.mark.parametrize(
    ("name", "known", "expected"),
    [
        ("per_node", ["perNode", "product"], "perNode"),
        ("pernode", ["perNode", "per"], "perNode"),
        ("treshold", ["thresholds", "tests"], "thresholds"),
        ("nccl-allreduce", ["nccl-all-reduce", "nccl-all-gather"], "nccl-all-reduce"),
        ("zzz", ["perNode"], None),
        ("", ["a"], None),
        ("a" * 300, ["a" * 299], None),
        ("perNode", ["perNode"], None),
        ("x", [], None),
    ],
)
def test_nearest(name: str, known: list[str], expected: str | None) -> None:
    assert nearest(name, known) == expected


@given(st.text(max_size=10), st.lists(st.text(max_size=10), max_size=8), st.randoms())
def test_the_nearest_does_not_depend_on_the_order(name: str, known: list[str], chance: random.Random) -> None:
    shuffled = chance.sample(known, len(known))
    assert nearest(name, known) == nearest(name, shuffled)


@given(st.text(max_size=200))
def test_what_is_shown_is_one_short_line(text: str) -> None:
    quoted = shown(text)
    assert quoted[0] == quoted[-1] == '"'
    assert quoted.isprintable() or "\u3000" in quoted
    assert len(quoted) <= 2 + 60 * 10


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ((), ""),
        (("spec", "pools", "h20", "gpu", "perNode"), "spec.pools.h20.gpu.perNode"),
        (("spec", "tests", "pair-all-reduce"), "spec.tests.pair-all-reduce"),
        (("numa", 0, 1), "numa[0][1]"),
        (("labels", "nvidia.com/gpu.product"), 'labels."nvidia.com/gpu.product"'),
        (("a", ""), 'a.""'),
        (("a", 'say "hi"\\'), r'a."say \"hi\"\\"'),
        (("a\nb",), r'"a\nb"'),
        (("-a",), '"-a"'),
        (("0",), "0"),
    ],
)
def test_paths(path: tuple[str | int, ...], text: str) -> None:
    assert format_path(path) == text


@given(st.lists(st.one_of(st.text(max_size=4), st.integers(0, 99)), max_size=4).map(tuple), st.data())
def test_different_paths_are_written_differently(path: tuple[str | int, ...], data: st.DataObject) -> None:
    other = tuple(data.draw(st.permutations(path))) if path else ("a",)
    assert (format_path(path) == format_path(other)) == (path == other)


def test_a_missing_field_stands_at_its_deepest_ancestor() -> None:
    positions = PositionMap(
        "f", {(): (1, 1, 1, 1), ("a",): (1, 1, 2, 3), ("a", "l"): (2, 3, 2, 6), ("a", "l", 0): (2, 7, 2, 7)}
    )
    assert positions.of(("a",)) == Position("f", 2, 3)
    assert positions.key(("a",)) == Position("f", 1, 1)
    assert positions.of(("a", "b", "c")) == Position("f", 1, 1)
    assert positions.of(("a", "l", 9)) == positions.key(("a", "l")) == Position("f", 2, 3)
    assert positions.of(("a", "l", "0")) == Position("f", 2, 7)
    assert positions.of(("z",)) == positions.of(()) == Position("f", 1, 1)
    assert PositionMap("g").of(("a",)) == Position("g", 1, 1)
    assert ("a", "l") in positions
    assert len(positions) == len(list(positions)) == 4
