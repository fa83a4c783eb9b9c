"""Kubernetes quantities in the one form that the API server gives back.

Grammar and canonical form are those of ``resource.ParseQuantity`` and ``Quantity.String`` of
k8s.io/apimachinery (pkg/api/resource/quantity.go): the suffix kind is kept (binary, decimal, exponent), the
largest suffix is used that leaves a whole number, and binary quantities below 1024 become decimal. Where
apimachinery rounds or caps without a word, this module refuses.
"""

from __future__ import annotations

import re
from fractions import Fraction

from muster.site.names import shown
from muster.site.units.errors import UnitError

_QUANTITY = re.compile(
    r"([-+]?)([0-9]{1,40}(?:\.[0-9]{0,40})?|\.[0-9]{1,40})"
    r"(?:(Ki|Mi|Gi|Ti|Pi|Ei)|([numkMGTPE])|[eE]([-+]?[0-9]{1,4}))?"
)
_BINARY = {"Ki": 1, "Mi": 2, "Gi": 3, "Ti": 4, "Pi": 5, "Ei": 6}
_DECIMAL = {"n": -9, "u": -6, "m": -3, "": 0, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
_SUFFIXES = {exponent: suffix for suffix, exponent in _DECIMAL.items()}
_MOST = 2**63 - 1
_SMALLEST = Fraction(1, 10**9)


def canonical_quantity(value: object, *, whole: bool = False) -> str:
    """Return a quantity as the API server would: ``2048Mi`` is ``2Gi``, ``12000m`` is ``12``.

    Args:
        value: a quantity, or an integer.
        whole: whether only whole numbers make sense (bytes, devices); ``500m`` is then refused.

    Raises:
        UnitError: it is no quantity, is finer than 10^-9, exceeds 2^63 - 1, has a binary suffix and does not
            come out whole (``2.85Gi`` would become milli-bytes), or must be whole and is not.
    """
    text = str(value) if isinstance(value, int) and not isinstance(value, bool) else value
    if not isinstance(text, str):
        raise UnitError(f"{text!r} is not a quantity", _hint(text))
    found = _QUANTITY.fullmatch(text)
    if not found:
        raise UnitError(f"{shown(text)} is not a quantity", _hint(text))
    sign, digits, binary, decimal, exponent = found.groups()
    number = Fraction(digits if digits[0] != "." else "0" + digits) * (-1 if sign == "-" else 1)
    if binary:
        number *= 1024 ** _BINARY[binary]
    else:
        number *= Fraction(10) ** (int(exponent) if exponent else _DECIMAL[decimal or ""])
    _check(number, text, whole=whole or bool(binary))
    if binary and abs(number) >= 1024:
        return _scaled(int(number), 1024, list(_BINARY))
    return _decimal(number, with_exponent=exponent is not None)


def _check(number: Fraction, text: str, *, whole: bool) -> None:
    if abs(number) > _MOST:
        raise UnitError(f"{shown(text)} does not fit into 64 bits")
    if whole and number.denominator != 1:
        raise UnitError(
            f"{shown(text)} does not come out whole", "write a whole number with a smaller suffix"
        )
    if (number / _SMALLEST).denominator != 1:
        raise UnitError(f"{shown(text)} is finer than a billionth", "write fewer digits")


def _scaled(number: int, base: int, suffixes: list[str]) -> str:
    suffix = ""
    for name in suffixes:
        if number % base:
            break
        number //= base
        suffix = name
    return f"{number}{suffix}"


def _decimal(number: Fraction, *, with_exponent: bool) -> str:
    if number == 0:
        return "0"
    count = int(number / _SMALLEST)
    exponent = -9
    while count % 1000 == 0 and (with_exponent or exponent < 18):
        count //= 1000
        exponent += 3
    if not with_exponent:
        return f"{count}{_SUFFIXES[exponent]}"
    return f"{count}e{exponent}" if exponent else str(count)


def _hint(text: object) -> str:
    near = (
        re.fullmatch(r"\s*([0-9.]{1,20})\s*([kKmMgGtT])i?[bB]?\s*", text) if isinstance(text, str) else None
    )
    if near is None:
        return "write a quantity such as 8, 500m or 64Gi"
    return f"write {near[1]}{near[2].upper()}i"
