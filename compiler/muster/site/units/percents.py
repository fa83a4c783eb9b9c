"""Percentages of a reference: ``-15%``, ``25%``."""

from __future__ import annotations

import re
from decimal import Decimal

from muster.site.names import shown
from muster.site.units.errors import UnitError

_PERCENT = re.compile(r"[-+]?(0|[1-9][0-9]{0,5})(\.[0-9]{1,6})?%")
_NUMBER = re.compile(r"[-+]?[0-9]{1,6}(\.[0-9]{1,6})?")


def parse_percent(text: object) -> float:
    """Return a percentage as a fraction: ``-15%`` is -0.15.

    Raises:
        UnitError: the percent sign is missing, or the number is none.
    """
    if isinstance(text, str) and _PERCENT.fullmatch(text):
        return float(Decimal(text[:-1]) / 100) or 0.0  # -0 is 0
    if isinstance(text, str):
        bare = text.strip().removesuffix("%").strip()
        hint = f"write {bare}%" if _NUMBER.fullmatch(bare) else "write a percentage such as -15%"
        raise UnitError(f"{shown(text)} is not a percentage", hint)
    if isinstance(text, int | float) and not isinstance(text, bool):
        raise UnitError(f"{text!r} has no percent sign", f"write {text}% or {text * 100:g}%")
    raise UnitError(f"{text!r} is not a percentage", "write a percentage such as -15%")
