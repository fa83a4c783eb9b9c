"""Statistics, bounds and units: what is equal on paper is equal here."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from muster.judge import bounds, fabric, statistics, units
from muster.judge.difference import differences
from muster.judge.environment import at_least, nccl_version, same_product, same_version
from muster.judge.fields import instant, number

D = Decimal
figures = st.floats(min_value=0.001, max_value=100000, allow_nan=False)


@pytest.mark.parametrize(
    ("reference", "text", "bound"),
    [
        ("427.58", "-15%", "363.443"),
        ("427.58", "+10%", "470.338"),
        ("-100", "-5%", "-105"),
        ("-100", "+5%", "-95"),
        ("465.56", "-0.5%", "463.2322"),
        ("3", "-100%", "0"),
        ("0.1", "+200%", "0.3"),
    ],
)
def test_relative_bounds(reference: str, text: str, bound: str) -> None:
    assert bounds.relative(D(reference), text) == D(bound)


@pytest.mark.parametrize("text", ["15%", "-15", "-15 %", "--5%", "-1e1%", "", "-٥%", "- 5%", "-5%\n"])
def test_what_is_no_relative_bound(text: str) -> None:
    with pytest.raises(ValueError, match="no relative bound"):
        bounds.relative(D(1), text)


def test_a_relative_bound_of_zero_is_refused() -> None:
    with pytest.raises(ValueError, match="reference of 0"):
        bounds.relative(D(0), "-5%")


@pytest.mark.parametrize(
    ("value", "lower", "upper", "reference", "expected"),
    [
        ("110", "100", None, None, "0.1"),
        ("90", "100", None, None, "-0.1"),
        ("90", None, "100", None, "0.1"),
        ("110", None, "100", None, "-0.1"),
        ("105", "100", "110", None, "0.04545454545454545454545454545"),
        ("-110", "-100", None, None, "-0.1"),
        ("1", "0", None, "10", "0.1"),
        ("1", "0", None, None, None),
        ("1", None, None, "10", None),
    ],
)
def test_margin(
    value: str, lower: str | None, upper: str | None, reference: str | None, expected: str | None
) -> None:
    found = bounds.margin(
        D(value),
        None if lower is None else D(lower),
        None if upper is None else D(upper),
        None if reference is None else D(reference),
    )
    assert (None if found is None else round(found, 12)) == (
        None if expected is None else round(D(expected), 12)
    )


@given(figures, figures, figures)
def test_the_sign_of_the_margin_is_the_verdict(value: float, one: float, two: float) -> None:
    lower, upper = sorted((D(repr(one)), D(repr(two))))
    found = bounds.margin(D(repr(value)), lower, upper)
    assert found is not None
    assert (found >= 0) == bounds.holds(D(repr(value)), lower, upper)


@given(st.lists(figures, min_size=1, max_size=9))
def test_statistics_agree_with_fractions(values: list[float]) -> None:
    decimals = [D(repr(value)) for value in values]
    exact = sorted(Fraction(value) for value in decimals)
    middle = len(exact) // 2
    median = exact[middle] if len(exact) % 2 else (exact[middle - 1] + exact[middle]) / 2
    assert Fraction(statistics.median(decimals)) == median
    assert Fraction(statistics.total(decimals)) == sum(exact)
    assert statistics.statistic("min", decimals) == min(decimals)
    assert statistics.statistic("max", decimals) == max(decimals)
    spread = (exact[-1] - exact[0]) / median
    assert statistics.within_spread(decimals, D("0.25")) == (spread <= Fraction(1, 4))
    found = statistics.spread(decimals)
    assert found is not None
    assert abs(Fraction(found) - spread) < Fraction(1, 10**60)


def test_statistics_of_nothing_are_refused() -> None:
    for call in (lambda: statistics.median([]), lambda: statistics.statistic("mean", [])):
        with pytest.raises(ValueError, match="nothing"):
            call()
    with pytest.raises(ValueError, match="best"):
        statistics.statistic("best", [D(1)])
    assert statistics.spread([D(-1), D(0), D(1)]) is None
    assert not statistics.within_spread([D(-1), D(0), D(1)], D(10))


@pytest.mark.parametrize(
    ("value", "unit", "wanted", "expected"),
    [
        ("4.7", "ms", "us", "4700"),
        ("500", "ns", "us", "0.5"),
        ("200", "Gb/s", "GB/s", "25"),
        ("1", "GiB/s", "GB/s", "1.073741824"),
        ("93", "%", "ratio", "0.93"),
        ("1", "GB/s", "us", None),
        ("1", "gb/s", "GB/s", None),
        ("1", "furlong", "furlong", "1"),
        ("1", "furlong", "GB/s", None),
    ],
)
def test_units(value: str, unit: str, wanted: str, expected: str | None) -> None:
    assert units.convert(D(value), unit, wanted) == (None if expected is None else D(expected))


@pytest.mark.parametrize(
    ("declared", "found", "same"),
    [
        ("580.126.20", "580.126.20", True),
        ("580.126.20", "580.126.21", False),
        ("580.126.20", "580.126", False),
        ("12.9", "12.9.1", True),
        ("12.9", "12.90", False),
        ("12.9", "12.10", False),
        ("2.27.3", "2.27.3+cuda12.9", True),
        ("v4.5.3", "4.5.3", True),
        ("4.5.3", "4.5.3-1", True),
        ("580", "58", False),
        ("2.27.3", "", False),
    ],
)
def test_versions(declared: str, found: str, same: bool) -> None:
    assert same_version(declared, found) is same


@pytest.mark.parametrize(
    ("declared", "found", "same"),
    [
        ("NVIDIA-H20-3e", "NVIDIA H20-3e", True),
        ("NVIDIA-H100-80GB-HBM3", "NVIDIA H100 80GB HBM3", True),
        ("NVIDIA-H20", "NVIDIA H20-3e", False),
        ("NVIDIA-L40S", "NVIDIA L20", False),
        ("NVIDIA-H20-3e", "nvidia h20-3e", False),
        ("NVIDIA-H20-3e", "NVIDIAH20-3e", False),
    ],
)
def test_products(declared: str, found: str, same: bool) -> None:
    assert same_product(declared, found) is same


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (22703, "2.27.3"),
        (22902, "2.29.2"),
        ("2.27.3", "2.27.3"),
        (0, None),
        (2703, None),
        (True, None),
        ("", None),
    ],
)
def test_nccl_versions(value: object, expected: str | None) -> None:
    assert nccl_version(value) == expected


@pytest.mark.parametrize("value", [None, True, "1", [], {}, float("nan"), float("inf"), D("nan")])
def test_what_is_no_number(value: object) -> None:
    assert number(value) is None


@pytest.mark.parametrize(
    ("value", "known"),
    [
        ("2026-10-14T08:00:00Z", True),
        ("2026-10-14T16:00:00+08:00", True),
        ("2026-10-14T08:00:00", False),
        ("2026-02-30T08:00:00Z", False),
        ("0001-01-01T00:00:00+14:00", False),
        ("yesterday", False),
        (1760428800, False),
    ],
)
def test_times(value: object, known: bool) -> None:
    assert (instant(value) is not None) is known


def test_differences_name_what_lacks_a_field() -> None:
    one = {"a": 1, "b": {"c": [1, 2], "d": True}, "e": "x"}
    two = {"a": 1, "b": {"c": [1, 3], "d": 1}, "f": None}
    assert differences(one, two) == [
        ("b.c", [1, 2], [1, 3]),
        ("b.d", True, 1),
        ("e", "x", None),
        ("f", None, None),
    ]
    assert differences(one, one) == []


@pytest.mark.parametrize(
    ("hcas", "chosen_names"),
    [
        ("mlx5", ["mlx5_0", "mlx5_1:2", "mlx5_10"]),
        ("mlx5_1", ["mlx5_1:2", "mlx5_10"]),
        ("=mlx5_1", ["mlx5_1:2"]),
        ("=mlx5_0,mlx5_10:1", ["mlx5_0", "mlx5_10"]),
        ("^mlx5_1", ["mlx5_0", "ens3"]),
        ("^=mlx5_1", ["mlx5_0", "mlx5_10", "ens3"]),
        ("", []),
    ],
)
def test_devices_that_nccl_would_choose(hcas: str, chosen_names: list[str]) -> None:
    found = [name for name in ("mlx5_0", "mlx5_1:2", "mlx5_10", "ens3") if fabric.chosen(name, hcas)]
    assert found == chosen_names


@pytest.mark.parametrize(
    ("text", "gigabits"),
    [
        ("200Gb/s", 200),
        ("200 Gb/sec", 200),
        ("400 Gb/sec (4X NDR)", 400),
        ("25GB/s", 200),
        ("fast", None),
        (None, None),
    ],
)
def test_link_rates(text: object, gigabits: int | None) -> None:
    assert fabric.rate(text) == gigabits


@pytest.mark.parametrize(
    ("declared", "found", "enough"),
    [
        ("12.9", "12.9", True),
        ("12.9", "13.0", True),
        ("12.9", "12.10", True),
        ("12.9", "12.8", False),
        ("12.9", "12", False),
        ("12.9", "", False),
    ],
)
def test_versions_that_are_enough(declared: str, found: str, enough: bool) -> None:
    assert at_least(declared, found) is enough
