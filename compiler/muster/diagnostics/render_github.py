"""Findings as workflow commands of GitHub Actions, which become annotations of a pull request."""

from __future__ import annotations

from typing import TYPE_CHECKING

from muster.diagnostics.escape import for_github, for_github_property
from muster.diagnostics.order import by_weight

if TYPE_CHECKING:
    from collections.abc import Iterable

    from muster.diagnostics.record import Diagnostic

_COMMANDS = {"error": "error", "warning": "warning", "info": "notice"}


def render_github(diagnostics: Iterable[Diagnostic]) -> str:
    """Return one command per line, errors first: GitHub shows only the first ten of a kind in a step."""
    return "".join(f"{_command(item)}\n" for item in by_weight(diagnostics))


def _command(item: Diagnostic) -> str:
    properties = {"title": f"{item.code} {item.path}".strip()}
    if item.position:
        place = {
            "file": item.position.file,
            "line": str(item.position.line),
            "col": str(item.position.column),
        }
        properties = place | properties
    named = ",".join(f"{name}={for_github_property(value)}" for name, value in properties.items())
    lines = [item.message]
    lines += [f"{other.position}: {other.note}" for other in item.related]
    lines += [f"source: {item.source}"] if item.source else []
    lines += [f"hint: {item.hint}"] if item.hint else []
    return f"::{_COMMANDS[item.severity]} {named}::" + "%0A".join(map(for_github, lines))
