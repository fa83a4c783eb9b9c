"""Statistics over the rounds of an attempt, in decimals: what compares equal on paper compares equal here."""

from __future__ import annotations

from decimal import Context, Decimal
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

# 120 digits hold every sum and product of doubles that a tool prints; only a quotient is ever rounded.
EXACT: Final = Context(prec=120)

STATISTICS: Final = ("median", "mean", "min", "max")


def total(values: Sequence[Decimal]) -> Decimal:
    """Return the sum without rounding."""
    found = Decimal(0)
    for value in values:
        found = EXACT.add(found, value)
    return found


def median(values: Sequence[Decimal]) -> Decimal:
    """Return the middle value, or the mean of the two middle ones.

    Raises:
        ValueError: there is no value.
    """
    if not values:
        raise ValueError("a median of nothing")
    ranked = sorted(values)
    middle = len(ranked) // 2
    if len(ranked) % 2:
        return ranked[middle]
    return EXACT.divide(EXACT.add(ranked[middle - 1], ranked[middle]), Decimal(2))


def statistic(name: str, values: Sequence[Decimal]) -> Decimal:
    """Return a declared statistic; ``min`` and ``max`` are what they say, never a way to pick the best.

    Raises:
        ValueError: there is no value, or the statistic is none of `STATISTICS`.
    """
    if not values:
        raise ValueError(f"a {name} of nothing")
    if name == "median":
        return median(values)
    if name == "mean":
        return EXACT.divide(total(values), Decimal(len(values)))
    if name == "min":
        return min(values)
    if name == "max":
        return max(values)
    raise ValueError(f"unknown statistic {name!r}")


def within_spread(values: Sequence[Decimal], limit: Decimal) -> bool:
    """Tell whether (max - min) / median is at most ``limit``, without dividing; the limit itself is allowed.

    False for a median of zero with values that differ, since nothing bounds them then.
    """
    width = EXACT.subtract(max(values), min(values))
    return width <= EXACT.multiply(limit, abs(median(values)))


def spread(values: Sequence[Decimal]) -> Decimal | None:
    """Return (max - min) / median as a fraction, None when the median is zero."""
    middle = median(values)
    if not middle:
        return None
    return EXACT.divide(EXACT.subtract(max(values), min(values)), abs(middle))
