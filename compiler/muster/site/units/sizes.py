"""Sizes in bytes, written with powers of 1024."""

from __future__ import annotations

import re
from fractions import Fraction

from muster.site.names import shown
from muster.site.units.errors import UnitError

_POWERS = {"": 0, "Ki": 1, "Mi": 2, "Gi": 3, "Ti": 4, "Pi": 5, "Ei": 6}
_SIZE = re.compile(r"(0|[1-9][0-9]{0,18})(\.[0-9]{1,18})?(Ki|Mi|Gi|Ti|Pi|Ei)?")
_NEAR = re.compile(r"([0-9]{1,19}(?:\.[0-9]{1,18})?) *([kKmMgGtTpPeE]?)i?[bB]?(ytes?)?")
_MOST = 2**63 - 1


def parse_bytes(value: object) -> int:
    """Return a size in bytes.

    Args:
        value: a whole number of bytes, or a text such as ``4Ki``, ``1.5Gi``. A fraction must come out as
            whole bytes.

    Raises:
        UnitError: it is no size, is negative, does not come out whole, or exceeds 2^63 - 1.
    """
    if isinstance(value, int) and not isinstance(value, bool):
        return _checked(Fraction(value), value)
    if not isinstance(value, str):
        raise UnitError(f"{value!r} is not a size", "write a text such as 4Ki, or a number of bytes")
    found = _SIZE.fullmatch(value)
    if not found:
        raise UnitError(f"{shown(value)} is not a size", _hint(value))
    whole, fraction, suffix = found[1], found[2] or "", found[3] or ""
    return _checked(Fraction(whole + fraction) * 1024 ** _POWERS[suffix], value)


def _checked(size: Fraction, value: str | int) -> int:
    said = shown(str(value)) if isinstance(value, str) else str(value)[:30]
    if size < 0:
        raise UnitError(f"the size {said} is negative")
    if size > _MOST:
        raise UnitError(f"the size {said} does not fit into 64 bits")
    if size.denominator != 1:
        near = format_bytes(round(size))
        raise UnitError(f"{said} is not a whole number of bytes", f"write {near}, which is nearest")
    return int(size)


def _hint(value: str) -> str:
    near = _NEAR.fullmatch(value.strip())
    if near is None:
        return "write a size such as 4Ki, 512Mi or 1Gi"
    suffix = near[2].upper() + "i" if near[2] else ""
    number = near[1].lstrip("0") or "0"
    return f"write {number if number[0] != '.' else '0' + number}{suffix}; sizes are powers of 1024"


def format_bytes(size: int) -> str:
    """Return the shortest exact form of a size: 1073741824 is ``1Gi``, 1500 is ``1500``.

    Raises:
        UnitError: the size is negative or exceeds 2^63 - 1.
    """
    rest = _checked(Fraction(size), size)
    suffix = ""
    for name in _POWERS:
        suffix = name
        if rest == 0 or rest % 1024 or name == "Ei":
            break
        rest //= 1024
    return f"{rest}{suffix}"
