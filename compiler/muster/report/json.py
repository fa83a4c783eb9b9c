"""A report as JSON, ``muster.dev/report/v1``; its schema is published beside it."""

from __future__ import annotations

import json
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

SCHEMA_FILE: Final = "report.schema.json"
READABLE: Final = 500
_EMPTY: Final = "[]\n}"


def render_json(report: Mapping[str, Any]) -> str:
    """Return a report as JSON of ASCII characters, so that no terminal or log reads anything into it.

    It is indented for people to read; a report of more than `READABLE` verdicts has one verdict in each line.

    Raises:
        ValueError: a number is not finite, which is a bug of whoever made the report.
    """
    if len(report["verdicts"]) <= READABLE:
        return json.dumps(report, indent=2, allow_nan=False) + "\n"
    head = json.dumps({**report, "verdicts": []}, indent=2, allow_nan=False)
    parts = [head.removesuffix(_EMPTY), "["]
    for verdict in report["verdicts"]:
        parts += ("\n", json.dumps(verdict, allow_nan=False), ",")
    parts[-1] = "\n  ]\n}\n"
    return "".join(parts)


def schema() -> dict[str, Any]:
    """Return the JSON Schema of a report (draft 2020-12)."""
    text = (files("muster.report") / SCHEMA_FILE).read_text(encoding="utf-8")
    found: dict[str, Any] = json.loads(text)
    return found
