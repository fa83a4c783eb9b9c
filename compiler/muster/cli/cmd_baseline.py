"""``muster baseline``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from muster.cli.options import archive_option, output_option, repository_option
from muster.cli.world import World, label

if TYPE_CHECKING:
    from pathlib import Path


@click.command(
    help="Propose thresholds of a site from its archived evidence, as a patch that touches no other byte of the site"
    " file. Review it, then apply it with `git apply`. Exit code 1 when nothing is proposed for a threshold that the"
    " evidence does not confirm as it is."
)
@click.argument("site")
@repository_option
@output_option
@archive_option
@click.option("--test", "tests", multiple=True, help="Look at this test only (repeatable).")
@click.option("--lower", default="-15%", show_default=True, help="Lower bound of new thresholds.")
@click.option("--synthetic", is_flag=True, help="Take synthetic evidence too; it is called estimated.")
def command(
    site: str,
    repository: Path,
    output: Path | None,
    archive: str,
    tests: tuple[str, ...],
    lower: str,
    *,
    synthetic: bool,
) -> int:
    """Print the patch; what it rests on goes to standard error."""
    from muster.archive.open import open_archive
    from muster.archive.query import load_records
    from muster.cli.evidence import cache_folder
    from muster.cli.plans import read_plans
    from muster.compile.inputs import read_sites
    from muster.diagnostics.render import render
    from muster.diagnostics.words import counted
    from muster.reconcile.baseline import propose

    world = World.current()
    (source,) = read_sites(repository, [site], lambda path: label(path, world.folder))
    target = output or repository / "generated"
    (plan,) = read_plans(target, [source.path.stem], label(target, world.folder))
    records = load_records(
        open_archive(archive, world.environment).store, [plan["site"]], cache=cache_folder(world)
    )
    text = source.path.read_text("utf-8")
    inside = (
        source.path.resolve().relative_to(repository.resolve()).as_posix() if source.own else source.path.name
    )
    found = propose(text, inside, plan, records, tests=tests or None, lower=lower, synthetic=synthetic)
    if found.refused:
        click.echo(render(found.refused, "text"), nl=False, err=True)
    click.echo(found.patch, nl=False)
    told = f"{counted(len(found.proposals), 'threshold')} proposed, {len(found.unchanged)} as they are"
    click.echo(f"{told}; {found.method}", err=True)
    return 0 if found.proposals or (found.unchanged and not found.refused) else 1
