"""``muster metrics``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from muster.cli.options import archive_option, as_of_option, output_option, repository_option
from muster.cli.world import World

if TYPE_CHECKING:
    from pathlib import Path


@click.command(
    help="Print the state of evidence as OpenMetrics text (muster_*), for a textfile collector or a push gateway."
    " Exit code 0 also when tests are not satisfied: the numbers say so."
)
@click.argument("sites", nargs=-1)
@repository_option
@output_option
@archive_option
@as_of_option
def command(
    sites: tuple[str, ...], repository: Path, output: Path | None, archive: str, as_of: str | None
) -> None:
    """Print the metrics."""
    from muster.cli.evidence import judge_sites
    from muster.cli.plans import read_plans
    from muster.cli.world import label
    from muster.diagnostics.render import render
    from muster.reconcile.metrics import openmetrics

    world = World.current()
    report, found = judge_sites(world, repository, output, archive, sites, (), as_of, compare=False)
    if found:
        click.echo(render(found, "text"), nl=False, err=True)
    target = output or repository / "generated"
    plans = read_plans(target, sites, label(target, world.folder))
    valid_for = {item["id"]: item["acceptance"]["validFor"] for plan in plans for item in plan["desired"]}
    click.echo(openmetrics(report, valid_for=valid_for), nl=False)
