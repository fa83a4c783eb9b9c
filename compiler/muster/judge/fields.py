"""Take values out of JSON that nobody has checked: a value of the wrong kind counts as not there."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from decimal import Decimal
from math import isfinite
from typing import Any

JsonMap = Mapping[str, Any]
_NOTHING: JsonMap = {}


def mapping(value: object) -> JsonMap:
    """Return the value if it is a JSON object, else an empty one."""
    return value if isinstance(value, dict) else _NOTHING


def items(value: object) -> list[Any]:
    """Return the value if it is a list, else an empty one."""
    return value if isinstance(value, list) else []


def maps(value: object) -> list[JsonMap]:
    """Return the mappings of a list; what is none of them counts as an empty one, never as absent."""
    return [item if isinstance(item, dict) else _NOTHING for item in items(value)]


def text(value: object) -> str | None:
    """Return the value if it is a string that says something, else None."""
    return value if isinstance(value, str) and value else None


def whole(value: object) -> int | None:
    """Return the value if it is a whole number, else None; true and false are no numbers."""
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def names(value: object) -> tuple[str, ...]:
    """Return the strings of a list, sorted, each once."""
    found = [item for item in value if isinstance(item, str)] if isinstance(value, list) else []
    return tuple(found) if len(found) < 2 else tuple(sorted(set(found)))


def number(value: object) -> Decimal | None:
    """Return a number as the decimal that JSON shows it with, None for all else, also NaN and infinities.

    `repr` of a float is the shortest text that reads back as the same float, which is what a JSON writer
    printed: 363.443 stays 363.443, so a comparison at a bound needs no tolerance.
    """
    if isinstance(value, float):
        return Decimal(repr(value)) if isfinite(value) else None
    if isinstance(value, int):
        return None if isinstance(value, bool) else Decimal(value)
    return value if isinstance(value, Decimal) and value.is_finite() else None


def instant(value: object) -> datetime | None:
    """Return an RFC 3339 time with an offset as a time in UTC, None for all else.

    A time without an offset is nobody's time: it counts as not there.
    """
    if not isinstance(value, str):
        return None
    try:
        found = datetime.fromisoformat(value)
    except ValueError:
        return None
    if found.tzinfo is None:
        return None
    try:
        return found.astimezone(UTC)
    except OverflowError:
        return None


def shown(value: object, limit: int = 60) -> str:
    """Return a value for a message: strings as they are, all else as JSON-like text, cut at ``limit``."""
    found = value if isinstance(value, str) else repr(value)
    return found if len(found) <= limit else found[: limit - 1] + "…"


def listed(values: object, limit: int = 5) -> str:
    """Return names for a message: the first ``limit``, then how many more."""
    found = [shown(value) for value in values] if isinstance(values, (list, tuple)) else []
    more = len(found) - limit
    return ", ".join(found[:limit]) + (f" and {more} more" if more > 0 else "")
