"""Measured figures with their unit: ``427.58GB/s``, ``12.5us``, ``3.3TFLOP/s/GPU``."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import NamedTuple

from muster.site.names import nearest, shown
from muster.site.units.errors import UnitError

_FIGURE = re.compile(r"(0|[1-9][0-9]{0,14})(\.[0-9]{1,12})?([A-Za-z%][A-Za-z/%]*)")
_ANY = re.compile(r"([-+]?[0-9][0-9.,_]*(?:[eE][-+]?[0-9]+)?)(\s*)(.*)", re.DOTALL)

# Unit: quantity it measures, its size in the quantity's own unit. Prefixes are decimal: 1 GB/s = 1e9 bytes/s.
_UNITS: dict[str, tuple[str, Decimal]] = {
    "B/s": ("bandwidth", Decimal("1e-9")),
    "kB/s": ("bandwidth", Decimal("1e-6")),
    "MB/s": ("bandwidth", Decimal("1e-3")),
    "GB/s": ("bandwidth", Decimal(1)),
    "TB/s": ("bandwidth", Decimal(1000)),
    "MiB/s": ("bandwidth", Decimal("0.001048576")),
    "GiB/s": ("bandwidth", Decimal("1.073741824")),
    "Mb/s": ("link rate", Decimal("1e-3")),
    "Gb/s": ("link rate", Decimal(1)),
    "Tb/s": ("link rate", Decimal(1000)),
    "ns": ("time", Decimal("1e-3")),
    "us": ("time", Decimal(1)),
    "ms": ("time", Decimal(1000)),
    "s": ("time", Decimal(1_000_000)),
    "%": ("ratio", Decimal("0.01")),
    "GFLOP/s": ("computing", Decimal("1e-3")),
    "TFLOP/s": ("computing", Decimal(1)),
    "PFLOP/s": ("computing", Decimal(1000)),
    "TFLOP/s/GPU": ("computing per GPU", Decimal(1)),
    "token/s": ("tokens", Decimal(1)),
    "token/s/GPU": ("tokens per GPU", Decimal(1)),
}

# Metric: the unit it is kept in, and what else may be written.
METRICS: dict[str, tuple[str, tuple[str, ...]]] = {
    "busbw": ("GB/s", ("MB/s", "GB/s", "TB/s")),
    "algbw": ("GB/s", ("MB/s", "GB/s", "TB/s")),
    "bandwidth": ("GB/s", ("MB/s", "GB/s", "TB/s", "MiB/s", "GiB/s", "Gb/s")),
    "linkRate": ("Gb/s", ("Mb/s", "Gb/s", "Tb/s")),
    "timeUs": ("us", ("ns", "us", "ms", "s")),
    "latency": ("us", ("ns", "us", "ms", "s")),
    "stepTime": ("s", ("us", "ms", "s")),
    "goodput": ("ratio", ("%",)),
    "flops": ("TFLOP/s/GPU", ("TFLOP/s/GPU",)),
    "tokens": ("token/s/GPU", ("token/s/GPU",)),
}
_ALIASES = {
    "gbps": "Gb/s",
    "gbit/s": "Gb/s",
    "mbps": "Mb/s",
    "tbps": "Tb/s",
    "usec": "us",
    "µs": "us",
    "μs": "us",
    "msec": "ms",
    "nsec": "ns",
    "sec": "s",
    "tflops": "TFLOP/s",
    "tflop/s": "TFLOP/s",
}


class Rate(NamedTuple):
    """A figure and its unit; the value is exact."""

    value: Decimal
    unit: str


def parse_rate(text: object, metric: str | None = None) -> Rate:
    """Return a figure with its unit.

    Args:
        text: digits, an optional fraction, a unit of the closed list; no blank, no sign, no exponent.
        metric: a key of ``METRICS``: the unit must fit it, and the value is converted to the metric's own
            unit. Without it the figure comes back as written.

    Raises:
        UnitError: no unit, an unknown unit, one that does not fit the metric, or no number.
        KeyError: the metric is unknown.
    """
    kept, allowed = METRICS[metric] if metric is not None else ("", tuple(_UNITS))
    found = _FIGURE.fullmatch(text) if isinstance(text, str) else None
    if not found or not isinstance(text, str):
        raise UnitError(*_explain(text, allowed))
    value, unit = Decimal(found[1] + (found[2] or "")), found[3]
    if unit not in allowed:
        raise UnitError(*_wrong_unit(text, unit, allowed, metric))
    if not kept:
        return Rate(value, unit)
    return Rate(_convert(value, unit, kept), kept)


def _convert(value: Decimal, unit: str, kept: str) -> Decimal:
    quantity, size = _UNITS[unit]
    if quantity == "ratio":
        return _plain(value * size)
    target, own = _UNITS[kept]
    scaled = value * size / own
    return _plain(scaled / 8 if (quantity, target) == ("link rate", "bandwidth") else scaled)


def _plain(value: Decimal) -> Decimal:
    return value.normalize() if value else Decimal(0)


def _wrong_unit(text: str, unit: str, allowed: tuple[str, ...], metric: str | None) -> tuple[str, str]:
    listed = "one of " + ", ".join(allowed) if len(allowed) > 1 else allowed[0]
    alias = _ALIASES.get(unit.lower())
    if alias not in allowed:
        alias = unit if unit in _UNITS else nearest(unit, allowed)
    number = text[: len(text) - len(unit)]
    if unit in _UNITS:
        return f"{shown(text)} cannot be a {metric}: it is kept in another quantity", f"use {listed}"
    if alias:
        return f"{shown(text)} has the unknown unit {shown(unit)}", f"write {number}{alias}, or use {listed}"
    return f"{shown(text)} has the unknown unit {shown(unit)}", f"use {listed}"


def _explain(text: object, allowed: tuple[str, ...]) -> tuple[str, str]:
    example = f"write the number and the unit, such as 400{allowed[0]}"
    if isinstance(text, int | float) and not isinstance(text, bool):
        return f"{text!r} has no unit", example
    if not isinstance(text, str):
        return f"{text!r} is not a figure with a unit", example
    found = _ANY.fullmatch(text)
    if not found:
        return f"{shown(text)} is not a figure with a unit", example
    number, blank, unit = found.groups()
    if not unit:
        return f"{shown(text)} has no unit", f"write {number}{allowed[0]} if that is meant"
    alias = unit if unit in _UNITS else _ALIASES.get(unit.lower())
    if blank and alias:
        return f"{shown(text)} holds a blank", f"write {number}{alias}"
    if alias and alias != unit:
        return f"{shown(text)} has the unknown unit {shown(unit)}", f"write {number}{alias}"
    if number[0] in "-+":
        return f"{shown(text)} has a sign", "write it without"
    return f"{shown(text)} is not a figure with a unit", f"{example}: digits, a point, no leading zero"
