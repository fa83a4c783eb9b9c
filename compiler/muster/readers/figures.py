"""Take numbers from text and from JSON; what is not plainly a number is None."""

from __future__ import annotations

import math
import re

_DECIMAL = re.compile(r"[+-]?\d{1,40}(?:\.\d{1,40})?(?:[eE][+-]?\d{1,3})?", re.ASCII)
_WHOLE = re.compile(r"\d{1,18}", re.ASCII)


def decimal(text: str) -> float | None:
    """Return the decimal number that a text is, whole; None for anything else, infinity included."""
    if _DECIMAL.fullmatch(text) is None:
        return None
    value = float(text)
    return value if math.isfinite(value) else None


def whole(text: str) -> int | None:
    """Return the whole number without a sign that a text is, of at most 18 digits; None for anything else."""
    return int(text) if _WHOLE.fullmatch(text) else None


def finite(value: object) -> float | None:
    """Return a number of a JSON document as float; None for booleans, text, infinity and the rest."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) else None


def count(value: object) -> int | None:
    """Return a whole number from 0 of a JSON document, also one in a string; None for anything else."""
    if isinstance(value, str):
        return whole(value.strip())
    if isinstance(value, bool) or not isinstance(value, int):
        return None
    return value if 0 <= value < 10**18 else None
