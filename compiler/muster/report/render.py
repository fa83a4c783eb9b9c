"""One door to all formats of a report."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal

from muster.report.json import render_json
from muster.report.junit import render_junit
from muster.report.markdown import render_markdown
from muster.report.sarif import render_sarif
from muster.report.text import render_text

if TYPE_CHECKING:
    from muster.reconcile import Report

Form = Literal["text", "json", "markdown", "junit", "sarif"]
FORMS: Final = ("text", "json", "markdown", "junit", "sarif")


def render_report(report: Report, form: str, *, colour: bool = False, version: str = "") -> str:
    """Return a report in one of `FORMS`.

    Args:
        report: a reconciliation.
        form: the format.
        colour: whether text may hold ANSI colours; no other format ever does.
        version: version of muster, for SARIF.

    Raises:
        ValueError: the format is none of them.
    """
    data = report.as_dict()
    if form == "text":
        return render_text(data, colour=colour)
    if form == "sarif":
        return render_sarif(data, version=version)
    plain = {"json": render_json, "markdown": render_markdown, "junit": render_junit}.get(form)
    if plain is None:
        raise ValueError(f"{form!r} is no format of a report")
    return plain(data)
