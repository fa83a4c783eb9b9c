"""Dates and times that exist."""

from __future__ import annotations

import re
from datetime import UTC, datetime

from muster.site.names import shown
from muster.site.units.errors import UnitError

_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_TIME = re.compile(
    r"([0-9]{4}-[0-9]{2}-[0-9]{2})T((?:[01][0-9]|2[0-3]):[0-9]{2}:[0-9]{2})(\.[0-9]{1,6})?"
    r"(Z|[-+](?:[01][0-9]|2[0-3]):[0-5][0-9])"
)
_NO_OFFSET = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt ][0-9]{2}:[0-9]{2}(:[0-9]{2}(\.[0-9]+)?)?")


def parse_date(text: object) -> datetime:
    """Return a date (00:00 UTC of that day) or an RFC 3339 time as a UTC time.

    Raises:
        UnitError: it is neither, has no offset, or does not exist (30 February).
    """
    if not isinstance(text, str):
        raise UnitError(f"{text!r} is not a date", "write a date such as 2026-12-31")
    try:
        if _DATE.fullmatch(text):
            return datetime.fromisoformat(text).replace(tzinfo=UTC)
        if _TIME.fullmatch(text) and not text.endswith("-00:00"):  # RFC 3339: an offset nobody knows
            return datetime.fromisoformat(text).astimezone(UTC)
    except (ValueError, OverflowError):
        raise UnitError(f"{shown(text)} does not exist", "give a date of the calendar") from None
    if _NO_OFFSET.fullmatch(text) or text.endswith("-00:00"):
        raise UnitError(
            f"{shown(text)} does not say in which time zone", "end it with Z or with an offset such as +08:00"
        )
    raise UnitError(f"{shown(text)} is not a date", "write 2026-12-31, or 2026-12-31T18:00:00+08:00")
