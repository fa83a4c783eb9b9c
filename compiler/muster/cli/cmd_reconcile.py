"""``muster reconcile``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from muster.cli.options import archive_option, as_of_option, format_option, output_option, repository_option
from muster.cli.world import World

if TYPE_CHECKING:
    from pathlib import Path


@click.command(
    help="Judge archived evidence against what compiled sites must prove, and report drift. SITE is the name of a"
    " compiled site; none means all. Exit code 0 only when every desired test is satisfied or waived and nothing"
    " drifted."
)
@click.argument("sites", nargs=-1)
@repository_option
@output_option
@archive_option
@as_of_option
@click.option("--test", "tests", multiple=True, help="Look at this test only (repeatable).")
@click.option(
    "--no-compile", is_flag=True, help="Do not compare committed output with what the sites compile to."
)
@click.option(
    "--synthetic",
    is_flag=True,
    help="Let synthetic evidence count, for a demonstration; else it is a finding.",
)
@format_option("text", "json", "markdown", "junit", "sarif")
def command(
    sites: tuple[str, ...],
    repository: Path,
    output: Path | None,
    archive: str,
    as_of: str | None,
    tests: tuple[str, ...],
    form: str,
    *,
    no_compile: bool,
    synthetic: bool,
) -> int:
    """Print the report."""
    from muster.cli.evidence import judge_sites
    from muster.diagnostics.render import render
    from muster.report import render_report

    report, found = judge_sites(
        World.current(),
        repository,
        output,
        archive,
        sites,
        tests,
        as_of,
        compare=not no_compile,
        synthetic=synthetic,
    )
    if found:
        click.echo(render(found, "text"), nl=False, err=True)
    click.echo(render_report(report, form), nl=False)
    return max(report.exit_status, 1 if any(item.is_error for item in found) else 0)
