"""How old evidence is, and for how long it proves anything."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING

from muster.judge.fields import mapping, number

if TYPE_CHECKING:
    from datetime import datetime

    from muster.judge.fields import JsonMap


def seconds(time: datetime, as_of: datetime) -> Decimal:
    """Return the age in seconds, exact to the microsecond; negative for a time after ``as_of``."""
    age = as_of - time
    return Decimal(age.days * 86400 + age.seconds) + Decimal(age.microseconds) / 1_000_000


def validity(desired: JsonMap) -> Decimal | None:
    """Return for how many seconds evidence of a desired test proves; None where nothing says it."""
    return number(mapping(desired.get("acceptance")).get("validFor"))


def is_live(allowed: Decimal | None, time: datetime, as_of: datetime) -> bool:
    """Tell whether evidence of that time still proves: its age is at most ``allowed`` seconds.

    At exactly ``allowed`` it does, one microsecond later it does not. Without a validity nothing is accepted;
    evidence from after ``as_of`` is not live either.
    """
    return allowed is not None and 0 <= seconds(time, as_of) <= allowed


def duration(value: Decimal) -> str:
    """Return seconds for people: ``3d 4h``, ``12m 5s``; the two largest parts."""
    left = int(abs(value))
    parts: list[str] = []
    for name, size in (("d", 86400), ("h", 3600), ("m", 60), ("s", 1)):
        count, left = divmod(left, size)
        if count or (name == "s" and not parts):
            parts.append(f"{count}{name}")
    return " ".join(parts[:2])
