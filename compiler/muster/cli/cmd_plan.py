"""``muster plan``."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import click

from muster.cli.options import format_option, repository_option, sites_argument
from muster.cli.world import World

if TYPE_CHECKING:
    from pathlib import Path


@click.command(help="Show what sites must prove and what it costs in GPU-hours; nothing is written.")
@sites_argument
@repository_option
@format_option("text", "json", "markdown")
def command(sites: tuple[str, ...], repository: Path, form: str) -> int:
    """Print the plan of every site; exit code 2 when a site is refused."""
    from muster.cli.sites import plans
    from muster.diagnostics.render import render
    from muster.report.plan import plan_markdown, plan_text

    made, found = plans(repository, sites, World.current())
    if found:
        click.echo(render(found, "text"), nl=False, err=True)
    data = [plan.data for _, plan in made if plan is not None]
    if form == "json":
        click.echo(json.dumps(data, indent=2, ensure_ascii=False))
    elif data:
        click.echo(plan_text(data) if form == "text" else plan_markdown(data))
    return 2 if any(item.is_error for item in found) else 0
