"""The time that a log line carries, by the clock that wrote it."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import NamedTuple

_DATE = r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?"
_ZONED = re.compile(rf"(?:\[pod/[^\]\s]{{1,300}}\] )?({_DATE}(?:Z|[+-]\d\d:?\d\d))(?: |$)", re.ASCII)
_LOCAL = re.compile(rf"\[(?:NeMo [A-Z] )?({_DATE})(?:\]| )|\bdatetime: ({_DATE})", re.ASCII)

_CLOCK = re.compile(r"\d{1,2}:\d\d(?::\d\d)(?:[.,]\d{1,9})?", re.ASCII)


class Stamp(NamedTuple):
    """Seconds since 1970 by each clock; None where the line has no time of it.

    ``zoned`` comes from a collector's time stamp with a zone, ``local`` from one that the program printed in
    the time of its machine, taken as if it were UTC: only differences of one clock mean anything.
    """

    zoned: float | None
    local: float | None


NOWHERE = Stamp(None, None)


def stamp(text: str) -> Stamp:
    """Return the times at the start of a line, or after ``datetime:``."""
    zoned = _ZONED.match(text)
    local = _LOCAL.search(text, 0, 400)
    return Stamp(
        _seconds(zoned[1]) if zoned else None,
        _seconds(local[1] or local[2]) if local else None,
    )


def label(prefix: str) -> str:
    """Return what is left of the text before a record without its times: a job's name, a host, a rank."""
    zoned = _ZONED.match(prefix)
    rest = _LOCAL.sub("", prefix[zoned.end() :] if zoned else prefix)
    return _CLOCK.sub("", rest).strip()[:80]


def _seconds(text: str) -> float | None:
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        return None
    return (found if found.tzinfo else found.replace(tzinfo=UTC)).timestamp()
