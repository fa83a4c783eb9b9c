"""Bounds around a reference, with right signs for negative and zero references.

The arithmetic follows the idea of ReFrame's ``reference_bounds``: a relative bound is a fraction of the
reference's size, so that ``-5%`` always lies below and ``+5%`` always above, also of a negative reference;
of a zero reference a relative bound says nothing and is refused.
"""

from __future__ import annotations

import re
from decimal import Decimal

from muster.judge.statistics import EXACT

_RELATIVE = re.compile(r"([+-])([0-9]{1,6}(?:\.[0-9]{1,6})?)%")


def fraction(text: str) -> Decimal:
    """Return ``-15%`` as -0.15.

    Raises:
        ValueError: the text is no signed percentage.
    """
    found = _RELATIVE.fullmatch(text)
    if not found:
        raise ValueError(f"{text!r} is no relative bound such as -15% or +10%")
    size = EXACT.divide(Decimal(found[2]), Decimal(100))
    return -size if found[1] == "-" else size


def relative(reference: Decimal, text: str) -> Decimal:
    """Return the bound that lies ``text`` away from a reference, in the reference's unit.

    Raises:
        ValueError: the text is no percentage, or the reference is zero.
    """
    part = fraction(text)
    if not reference:
        raise ValueError(f"{text} of a reference of 0 is no bound; give the bound as a figure with its unit")
    return EXACT.add(reference, EXACT.multiply(abs(reference), part))


def holds(value: Decimal, lower: Decimal | None, upper: Decimal | None) -> bool:
    """Tell whether a value lies within its bounds; a bound itself is allowed."""
    return (lower is None or value >= lower) and (upper is None or value <= upper)


def margin(
    value: Decimal, lower: Decimal | None, upper: Decimal | None, reference: Decimal | None = None
) -> Decimal | None:
    """Return how far a value is inside its nearer bound, as a fraction of that bound; negative when missed.

    A bound of zero has no fraction of itself: the reference's size stands in, and without one the margin
    is None.
    """
    found: list[Decimal] = []
    for bound, room in (
        (lower, None if lower is None else EXACT.subtract(value, lower)),
        (upper, None if upper is None else EXACT.subtract(upper, value)),
    ):
        if bound is None or room is None:
            continue
        scale = abs(bound) or abs(reference or Decimal(0))
        if not scale:
            return None
        found.append(EXACT.divide(room, scale))
    return min(found) if found else None
