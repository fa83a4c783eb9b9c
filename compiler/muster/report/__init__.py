"""Show a report: every format is made of the same records, ``Report.as_dict()`` of reconcile."""

from muster.report.findings import diagnostics_of
from muster.report.json import SCHEMA_FILE, render_json, schema
from muster.report.junit import render_junit
from muster.report.markdown import render_markdown
from muster.report.render import FORMS, render_report
from muster.report.sarif import render_sarif
from muster.report.text import render_text

__all__ = [
    "FORMS",
    "SCHEMA_FILE",
    "diagnostics_of",
    "render_json",
    "render_junit",
    "render_markdown",
    "render_report",
    "render_sarif",
    "render_text",
    "schema",
]
