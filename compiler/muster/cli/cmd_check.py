"""``muster check``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from muster.cli.options import format_option, output_option, repository_option, sites_argument
from muster.cli.world import World, label
from muster.diagnostics.words import counted

if TYPE_CHECKING:
    from pathlib import Path


@click.command(
    help="Check sites against the policies, and that the committed output is what they compile to. Nothing is"
    " written. Exit code 1: output out of date; 2: a site is bad."
)
@sites_argument
@repository_option
@output_option
@click.option("--no-output", is_flag=True, help="Check the sites only, not the committed output.")
@format_option()
def command(
    sites: tuple[str, ...], repository: Path, output: Path | None, form: str, *, no_output: bool
) -> int:
    """Compile in memory and compare."""
    from muster.cli.sites import compile_all
    from muster.diagnostics.render import render
    from muster.emit.tree import check_tree

    world = World.current()
    done, found = compile_all(repository, sites, world)
    if not no_output:
        target = output or repository / "generated"
        good = [site.name for site in done.sites if site.files is not None]
        bad = [site.name for site in done.sites if site.files is None]
        shown = label(target, world.folder)
        found += tuple(check_tree(target, done.files(), sites=good, keep=bad, full=not sites, shown=shown))
    if found or form != "text":
        click.echo(render(found, form), nl=False, err=False)
    errors = sum(item.is_error for item in found)
    checked = sum(count for site in done.sites for count in site.counts.values())
    sites_text = counted(len(done.sites), "site")
    what = f"{sites_text}, {counted(done.rules, 'rule')} each, {counted(checked, 'object')} checked"
    click.echo(f"{what}: {counted(errors, 'error') if errors else 'no error'}", err=True)
    if not done.complete:
        return 2
    return 1 if errors else 0
