"""``muster images``."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import click

from muster.cli.options import format_option, repository_option, sites_argument
from muster.cli.world import World

if TYPE_CHECKING:
    from pathlib import Path


@click.command(
    help="List the images, by digest, that the tests of sites use: what to mirror for an offline site."
)
@sites_argument
@repository_option
@format_option("text", "json")
def command(sites: tuple[str, ...], repository: Path, form: str) -> int:
    """Print every image with the sites and tests that use it; exit code 2 when a site is refused."""
    from muster.cli.sites import plans
    from muster.diagnostics.escape import for_terminal
    from muster.diagnostics.render import render

    made, found = plans(repository, sites, World.current())
    if found:
        click.echo(render(found, "text"), nl=False, err=True)
    used: dict[str, dict[str, set[str]]] = {}
    for name, plan in made:
        for item in plan.data["desired"] if plan is not None else ():
            used.setdefault(item["measurement"]["image"], {}).setdefault(name, set()).add(item["test"])
    rows = [
        {"image": image, "sites": {site: sorted(tests) for site, tests in sorted(by_site.items())}}
        for image, by_site in sorted(used.items())
    ]
    if form == "json":
        click.echo(json.dumps(rows, indent=2))
    for image, by_site in sorted(used.items()) if form == "text" else ():
        click.echo(for_terminal(image))
        for site, tests in sorted(by_site.items()):
            click.echo(f"  {for_terminal(site)}: {', '.join(sorted(tests))}")
    return 2 if any(item.is_error for item in found) else 0
