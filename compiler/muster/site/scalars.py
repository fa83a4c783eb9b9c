"""Plain scalars: the YAML 1.2 core schema, less everything that another reader takes for something else.

The other readers are YAML 1.1 (PyYAML, ruamel with version 1.1) and go-yaml v2 and v3, which Kubernetes
tools use. Where one of them disagrees with 1.2 the scalar is refused and the hint says what to write.
"""

from __future__ import annotations

import math
import re
from datetime import date, datetime
from decimal import Decimal
from typing import NamedTuple

from muster.site.names import shown

Scalar = str | int | float | bool


class Fault(NamedTuple):
    """Why a scalar is refused: code, message and hint of a diagnostic."""

    code: str
    message: str
    hint: str


_BOOLS = {"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False}
_NULLS = frozenset(("", "~", "null", "Null", "NULL"))
_BOOLS_1_1 = frozenset(
    ("y", "Y", "yes", "Yes", "YES", "n", "N", "no", "No", "NO", "on", "On", "ON", "off", "Off", "OFF")
)
_WORDS = _NULLS | _BOOLS_1_1 | _BOOLS.keys() | {"=", "<<"}
_NUMBER_STARTS = frozenset("0123456789+-.")

_INT = re.compile(r"[-+]?(0|[1-9][0-9]*)")
_HEX = re.compile(r"0x[0-9a-fA-F]+")
_FLOAT = re.compile(r"(?:[-+]?(?:0|[1-9][0-9]*)\.[0-9]*|\.[0-9]+)(?:[eE][-+][0-9]+)?")
_LEADING_ZERO = re.compile(r"[-+]?0[0-9]+(\.[0-9]*)?([eE][-+]?[0-9]+)?")
_CORE_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
_RADIX = re.compile(r"[-+]?0([xX][0-9a-fA-F]+|[oO][0-7]+|[bB][01]+)")
_UNDERSCORED = re.compile(r"[-+]?(0[xX][0-9a-fA-F_]*|0[oObB][0-9_]*|[0-9_]*\.?[0-9_]*([eE][-+]?[0-9_]*)?)")
_SEXAGESIMAL = re.compile(r"[-+]?[0-9][0-9_]*(:[0-5]?[0-9])+(\.[0-9_]*)?")
_NOT_FINITE = re.compile(r"[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)")
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_TIME = re.compile(
    _DATE.pattern + r"T([01][0-9]|2[0-3]):[0-9]{2}:[0-9]{2}(\.[0-9]{1,6})?(Z|[-+][0-9]{2}:[0-9]{2})"
)
_TIME_1_1 = re.compile(
    r"[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}([Tt]|[ \t]+)[0-9]{1,2}:[0-9]{2}:[0-9]{2}(\.[0-9]*)?"
    r"([ \t]*(Z|[-+][0-9]{1,2}(:?[0-9]{2})?))?"
)
_INT64 = range(-(2**63), 2**63)


def resolve(text: str) -> Scalar | Fault:
    """Return the value of a plain scalar, or why it is refused.

    Integers are exact, floats are those whose shortest decimal form is what is written, dates and RFC 3339
    times stay text.
    """
    if text in _WORDS:
        return _word(text)
    if text[0] not in _NUMBER_STARTS:
        return text
    if _INT.fullmatch(text) or _HEX.fullmatch(text):
        return _integer(text)
    if _FLOAT.fullmatch(text):
        return _float(text)
    return _odd_number(text) or _moment(text) or text


def _word(text: str) -> Scalar | Fault:
    if text in _BOOLS:
        return _BOOLS[text]
    if text in _NULLS:
        said = f"{text} is null" if text else "no value is given"
        return Fault("MU117", said, 'remove the field; to say nothing on purpose, write an empty text: ""')
    if text in _BOOLS_1_1:
        return Fault(
            "MU116",
            f"{text} is a text here and a boolean for readers of YAML 1.1",
            f'write "{text}" for the text, true or false for the boolean',
        )
    return Fault("MU116", f"{text} has a meaning of its own for readers of YAML 1.1", f'write "{text}"')


def _integer(text: str) -> Scalar | Fault:
    if text == "-0":
        return Fault("MU119", "-0 would become 0", "write 0")
    if len(text) <= 20:  # the limit of 64 bits has 19 digits and a sign
        value = int(text, 16 if text.startswith("0x") else 10)
        if value in _INT64:
            return value
    return Fault(
        "MU120",
        f"{shown(text)} does not fit into 64 bits",
        "quote it if it is a name, else write a smaller number",
    )


def _float(text: str) -> Scalar | Fault:
    quote = f"write {shown(text)} if it is a text (a version), else write the number as it is kept"
    if len(text) > 40:
        return Fault("MU119", f"{shown(text)} has more digits than a number keeps", quote)
    value = float(text)
    exact = Decimal(text)
    digits = text.lower().partition("e")[0].partition(".")[2]
    if math.isinf(value) or Decimal(repr(value)) != exact or (len(digits) > 1 and digits[-1] == "0"):
        return Fault("MU119", f"{text} would be kept as {value!r}", quote)
    if value == 0 and text[0] == "-":
        return Fault("MU119", f"{text} would become 0", "write 0")
    return value


def _odd_number(text: str) -> Fault | None:
    quote = f"write {shown(text)} if it is a text"
    if _NOT_FINITE.fullmatch(text):
        return Fault(
            "MU118", f"{text} is not a number that can be compared", "remove the field or give a number"
        )
    if _LEADING_ZERO.fullmatch(text):
        return Fault(
            "MU116",
            f"{shown(text)} starts with 0: octal for some readers, decimal for others",
            f"{quote}, else drop the 0",
        )
    if _RADIX.fullmatch(text):
        return Fault(
            "MU116",
            f"{shown(text)} is a number for some readers, a text for others",
            f"{quote}, else decimal",
        )
    if _CORE_FLOAT.fullmatch(text):
        return Fault(
            "MU116",
            f"{shown(text)} is a text for readers of YAML 1.1 and a number for others",
            f"{quote} (a commit id), else write the number out",
        )
    if _SEXAGESIMAL.fullmatch(text):
        return Fault(
            "MU116",
            f"{shown(text)} is a number to the base of 60 for readers of YAML 1.1",
            f"{quote}; a duration is written 12h30m45s",
        )
    if "_" in text and _UNDERSCORED.fullmatch(text):
        return Fault("MU116", f"{shown(text)} is a number for some readers, a text for others", quote)
    return None


def _moment(text: str) -> Fault | None:
    """Check a date or a time. YAML 1.1 readers make dates of them, and all readers agree which."""
    try:
        if _DATE.fullmatch(text):
            date.fromisoformat(text)
        elif _TIME.fullmatch(text):
            datetime.fromisoformat(text)
        elif _TIME_1_1.fullmatch(text):
            return Fault(
                "MU116",
                f"{shown(text)} is a time for some readers, a text for others",
                f"write it as 2026-12-31T00:00:00Z, or write {shown(text)} if it is a text",
            )
    except ValueError:
        return Fault("MU121", f"{shown(text)} does not exist", "give a date of the calendar")
    return None
