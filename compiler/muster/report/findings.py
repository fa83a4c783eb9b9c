"""A report's findings as diagnostics, for formats that every command shares (SARIF, GitHub)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from muster.diagnostics import Diagnostic, Position

if TYPE_CHECKING:
    from collections.abc import Mapping

_PLACE = re.compile(r"(?s)(.+):([1-9][0-9]{0,8}):([1-9][0-9]{0,8})")


def position_of(text: object) -> Position | None:
    """Return the place that ``file:line:column`` names, None for all else."""
    found = _PLACE.fullmatch(text) if isinstance(text, str) else None
    return Position(found[1], int(found[2]), int(found[3])) if found else None


def diagnostics_of(report: Mapping[str, Any]) -> list[Diagnostic]:
    """Return one diagnostic per finding of a report, with the place in the site file to mend it."""
    return [
        Diagnostic(
            code=entry["code"],
            severity=entry["severity"],
            message=entry["message"],
            position=position_of(entry["position"]),
            hint=entry["next"],
            path=str(entry["subject"] or ""),
            site=entry["site"],
        )
        for entries in report["drift"].values()
        for entry in entries
    ]
