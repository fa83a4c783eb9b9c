"""Units of measured values. A threshold and a row are compared only in one family of units."""

from __future__ import annotations

from decimal import Decimal
from typing import Final

from muster.judge.statistics import EXACT

# unit -> (family, how many base units it is). GB/s = 1e9 bytes per second, Gb/s = 1e9 bits per second.
_UNITS: Final[dict[str, tuple[str, Decimal]]] = {
    "GB/s": ("rate", Decimal(1)),
    "MB/s": ("rate", Decimal("0.001")),
    "TB/s": ("rate", Decimal(1000)),
    "Gb/s": ("rate", Decimal("0.125")),
    "GiB/s": ("rate", Decimal("1.073741824")),
    "MiB/s": ("rate", Decimal("0.001048576")),
    "s": ("time", Decimal(1000000)),
    "ms": ("time", Decimal(1000)),
    "us": ("time", Decimal(1)),
    "µs": ("time", Decimal(1)),
    "μs": ("time", Decimal(1)),
    "ns": ("time", Decimal("0.001")),
    "ratio": ("ratio", Decimal(1)),
    "%": ("ratio", Decimal("0.01")),
}


def convert(value: Decimal, unit: str, wanted: str) -> Decimal | None:
    """Return a value in another unit of the same family, None where there is no way.

    >>> convert(Decimal(4), "ms", "us")
    Decimal('4000')
    """
    if unit == wanted:
        return value
    have, want = _UNITS.get(unit), _UNITS.get(wanted)
    if have is None or want is None or have[0] != want[0]:
        return None
    return EXACT.divide(EXACT.multiply(value, have[1]), want[1])
