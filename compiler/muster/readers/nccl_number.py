"""Printed numbers of nccl-tests with what their digits leave open, and arithmetic on such intervals.

A number that was printed with two decimals stands for everything within half of the last digit; one in
exponent form has one or two digits and stands for a wide range. Every cross check uses these intervals and
nothing else: there is no other tolerance.
"""

from __future__ import annotations

import re
from typing import NamedTuple

_NUMBER = re.compile(r"(\d+)(?:\.(\d+))?(?:e([+-]\d{1,3}))?", re.ASCII)
_INTEGER = re.compile(r"\d{1,19}", re.ASCII)
_SLACK = 1e-9

TYPE_BYTES = {
    "int8": 1, "uint8": 1, "char": 1, "int32": 4, "uint32": 4, "int": 4, "int64": 8, "uint64": 8,
    "half": 2, "float": 4, "double": 8, "bfloat16": 2,
    "f8e4m3": 1, "f8e5m2": 1, "fp8_e4m3": 1, "fp8_e5m2": 1,
}  # fmt: skip
"""Bytes of one element, by the name that any version of the tool prints."""


class Figure(NamedTuple):
    """A printed number: its value and half of its last digit."""

    value: float
    half: float


class Span(NamedTuple):
    """All values from ``low`` to ``high``; empty when low is above high."""

    low: float
    high: float

    @property
    def empty(self) -> bool:
        """Whether no value lies in it, beyond what floating point itself loses."""
        return self.low > self.high + _SLACK * max(1.0, abs(self.high))

    def __and__(self, other: object) -> Span:
        if not isinstance(other, Span):
            return NotImplemented
        return Span(max(self.low, other.low), min(self.high, other.high))

    def times(self, factor: float) -> Span:
        """Return the span of all products with a factor that is not negative."""
        return Span(self.low * factor, self.high * factor)

    def holds(self, value: float) -> bool:
        """Whether a value lies in it, within what floating point loses."""
        slack = _SLACK * max(1.0, abs(value))
        return self.low - slack <= value <= self.high + slack


ANY = Span(0.0, float("inf"))


def figure(token: str) -> Figure | None:
    """Read one printed number that is not negative; None for anything else, also for nan and inf."""
    found = _NUMBER.fullmatch(token)
    if found is None or len(token) > 32:
        return None
    digits = len(found[2] or "")
    exponent = int(found[3] or 0)
    if abs(exponent) > 300:
        return None
    value = float(token)
    return Figure(value, 0.5 * 10.0 ** (exponent - digits)) if value != float("inf") else None


def measured_time(token: str) -> Figure | None:
    """Read a time, printed as some version prints it; None for anything else."""
    return _measured(token, ((99.0, 2), (9999.0, 1)))


def measured_bandwidth(token: str) -> Figure | None:
    """Read a bandwidth, printed as some version prints it; None for anything else."""
    return _measured(token, ((999.0, 2),))


def _measured(token: str, decimals: tuple[tuple[float, int], ...]) -> Figure | None:
    """Refuse fewer decimals than any version prints, and the exponent form below a million.

    Such a number would stand for so wide a range that it passes every comparison.
    """
    number = figure(token)
    if number is None:
        return None
    if "e" in token:
        return number if number.value >= 1e6 else None
    have = len(token.partition(".")[2])
    return None if any(number.value < below and have < least for below, least in decimals) else number


def integer(token: str) -> int | None:
    """Read a whole number of at most 19 digits; None for anything else."""
    return int(token) if _INTEGER.fullmatch(token) else None


def span(number: Figure) -> Span:
    """Return what a printed number stands for; nothing that the tool prints is negative."""
    return Span(max(0.0, number.value - number.half), number.value + number.half)


def rate(size: int, time: Figure) -> Span:
    """Return size over time in GB/s: bytes over microseconds over 1000."""
    stands = span(time)
    high = size / stands.low / 1000.0 if stands.low > 0 else float("inf")
    return Span(size / stands.high / 1000.0, high if size else 0.0)


def ratio(top: Span, bottom: Span) -> Span:
    """Return the span of all quotients."""
    low = top.low / bottom.high if bottom.high > 0 else 0.0
    return Span(low, top.high / bottom.low if bottom.low > 0 else float("inf"))
