"""Findings as one JSON document, ``muster.dev/diagnostics/v1``, or as one line each."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from muster.diagnostics.order import counts, ordered

if TYPE_CHECKING:
    from collections.abc import Iterable

    from muster.diagnostics.record import Diagnostic, Position

SCHEMA = "muster.dev/diagnostics/v1"


def as_dict(item: Diagnostic) -> dict[str, Any]:
    """Return a finding as plain data; every key is always there, null where nothing is known."""
    return {
        "code": item.code,
        "severity": item.severity,
        "message": item.message,
        "position": _position(item.position) if item.position else None,
        "path": item.path or None,
        "site": item.site or None,
        "hint": item.hint or None,
        "source": item.source or None,
        "related": [{"position": _position(other.position), "note": other.note} for other in item.related],
    }


def render_json(diagnostics: Iterable[Diagnostic]) -> str:
    """Return one document with counts and all findings. Only ASCII: hostile text stays escaped."""
    found = ordered(diagnostics)
    document = {
        "schema": SCHEMA,
        "counts": counts(found),
        "diagnostics": [as_dict(item) for item in found],
    }
    return json.dumps(document, indent=2) + "\n"


def render_json_lines(diagnostics: Iterable[Diagnostic]) -> str:
    """Return one line of JSON for each finding."""
    return "".join(json.dumps(as_dict(item)) + "\n" for item in ordered(diagnostics))


def _position(position: Position) -> dict[str, Any]:
    return {"file": position.file, "line": position.line, "column": position.column}
