"""A report as SARIF 2.1.0, for code scanning: one result per finding, at its line of the site file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from muster.diagnostics.render_sarif import render_sarif as render
from muster.report.findings import diagnostics_of

if TYPE_CHECKING:
    from collections.abc import Mapping


def render_sarif(report: Mapping[str, Any], *, version: str = "") -> str:
    """Return a SARIF log with one run; bounded as code scanning wants it."""
    return render(diagnostics_of(report), version=version)
