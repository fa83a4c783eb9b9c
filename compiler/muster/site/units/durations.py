"""Durations in the grammar of Prometheus: ``30d``, ``1h30m``.

Grammar and canonical form follow ``ParseDuration`` and ``Duration.String`` of prometheus/common
(model/time.go): units y w d h m s ms, each at most once and in this order, whole numbers only. A year has
365 days. The longest duration is what fits into 64 bits of nanoseconds.
"""

from __future__ import annotations

import re

from muster.site.names import shown
from muster.site.units.errors import UnitError

_MILLIS = {
    "y": 365 * 86_400_000,
    "w": 7 * 86_400_000,
    "d": 86_400_000,
    "h": 3_600_000,
    "m": 60_000,
    "s": 1000,
    "ms": 1,
}
_DURATION = re.compile("".join(f"(?:([0-9]{{1,18}}){unit})?" for unit in _MILLIS))
_ANY_LENGTH = re.compile("".join(f"(?:[0-9]+{unit})?" for unit in _MILLIS))
_MOST = (2**63 - 1) // 1_000_000
_LONG_NAMES = re.compile(
    r"(?i)([0-9]+) *(y|w|d|h|ms|m|s)(?:ears?|eeks?|ays?|ours?|rs?|inutes?|ins?|econds?|ecs?|illis)?"
)


def parse_duration(text: object) -> int | float:
    """Return a duration in seconds: an int, or a float where it has milliseconds.

    Raises:
        UnitError: it is not of the grammar, or exceeds 2^63 - 1 nanoseconds (292 years).
    """
    if not isinstance(text, str):
        raise UnitError(f"{text!r} is a number without a unit", f"write a duration such as {text}s")
    if text == "0":
        return 0
    found = _DURATION.fullmatch(text)
    if text and not found and _ANY_LENGTH.fullmatch(text):
        raise UnitError(f"the duration {shown(text)} is longer than 292 years")
    if not text or not found:
        raise UnitError(f"{shown(text)} is not a duration", _hint(text))
    counts = [int(part) if part else 0 for part in found.groups()]
    millis = sum(count * size for count, size in zip(counts, _MILLIS.values(), strict=True))
    if millis > _MOST:
        raise UnitError(f"the duration {shown(text)} is longer than 292 years")
    return millis / 1000 if millis % 1000 else millis // 1000


def format_duration(seconds: float) -> str:
    """Return the form that Prometheus writes: 5400 is ``1h30m``, 2592000 is ``30d``, 0 is ``0s``.

    Years and weeks are used only where nothing remains, as Prometheus does.

    Raises:
        UnitError: it is negative, not finite, longer than 292 years, or not whole milliseconds.
    """
    if not 0 <= seconds <= _MOST / 1000:
        raise UnitError(f"{seconds!r} seconds are not a duration")
    rest = round(seconds * 1000)
    if rest / 1000 != seconds:
        raise UnitError(f"{seconds!r} seconds are not whole milliseconds")
    if rest == 0:
        return "0s"
    parts: list[str] = []
    for unit, size in _MILLIS.items():
        if rest < size or (unit in ("y", "w") and rest % size):
            continue
        parts.append(f"{rest // size}{unit}")
        rest %= size
    return "".join(parts)


def _hint(text: str) -> str:
    usage = "write whole numbers with the units y w d h m s ms, largest first, such as 30d or 1h30m"
    if re.fullmatch(r"[0-9]{1,18}", text):
        return f"give a unit, such as {text}s"
    if text.startswith(("-", "+")):
        return "write it without a sign"
    parts = _LONG_NAMES.findall(text)
    if parts and len(text) < 40 and not _LONG_NAMES.sub("", text).strip(" ,"):
        counts = {unit.lower(): number for number, unit in parts}
        if len(counts) == len(parts):
            return "write " + "".join(f"{counts[unit]}{unit}" for unit in _MILLIS if unit in counts)
    half = re.fullmatch(r"([0-9]{1,6})[.,]5 *([hmd])", text)
    if half:
        small = {"h": "30m", "m": "30s", "d": "12h"}[half[2]]
        return f"write {half[1]}{half[2]}{small}" if int(half[1]) else f"write {small}"
    return usage
