"""``muster compile``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from muster.cli.options import format_option, output_option, repository_option, sites_argument
from muster.cli.world import World, label
from muster.diagnostics.words import counted

if TYPE_CHECKING:
    from pathlib import Path

    from muster.compile.result import Compilation
    from muster.emit.tree import PublishResult


@click.command(
    help="Compile sites into Kubernetes manifests. SITE is a name of sites/ or a path of a site file anywhere; none"
    " means all of sites/. Nothing is written when any site asked for is bad."
)
@sites_argument
@repository_option
@output_option
@click.option("--force", is_flag=True, help="Overwrite generated files that were edited by hand.")
@click.option(
    "--allow-prune", is_flag=True, help="Allow removing more than half of a site's files, or a whole site."
)
@click.option(
    "--allow-immutable", is_flag=True, help="Allow changes that Kubernetes refuses on existing objects."
)
@format_option()
def command(
    sites: tuple[str, ...],
    repository: Path,
    output: Path | None,
    form: str,
    *,
    force: bool,
    allow_prune: bool,
    allow_immutable: bool,
) -> int:
    """Compile and write; exit code 2 when a site is refused."""
    from muster.cli.sites import compile_all
    from muster.diagnostics.render import render
    from muster.emit.tree import PublishOptions, publish

    world = World.current()
    done, found = compile_all(repository, sites, world)
    if form == "text":
        found = tuple(item for item in found if item.severity != "info")
    if found or form != "text":
        click.echo(render(found, form), nl=False, err=form == "text")
    if not done.complete:
        bad = sum(site.files is None for site in done.sites)
        click.echo(f"muster: nothing is written: {bad} of {len(done.sites)} sites refused", err=True)
        return 2
    target = output or repository / "generated"
    options = PublishOptions(
        full=not sites,
        force=force,
        allow_prune=allow_prune,
        allow_immutable=allow_immutable,
        shown=label(target, world.folder),
    )
    result = publish(target, done.files(), sites=[site.name for site in done.sites], options=options)
    click.echo(_summary(done, result, options.shown), err=form != "text")
    return 0


def _summary(done: Compilation, result: PublishResult, shown: str) -> str:
    from muster.diagnostics.escape import for_terminal

    checked: dict[str, int] = {}
    for site in done.sites:
        for against, count in site.counts.items():
            checked[against] = checked.get(against, 0) + count
    plans = [site.plan for site in done.sites if site.plan is not None]
    runs = sum(len(plan["desired"]) for plan in plans)
    hours = sum(plan["totals"]["gpuHours"] for plan in plans)
    rules = f"{counted(len(done.sites), 'site')}, {counted(done.rules, 'rule')} each"
    by = [f"{counted(count, 'object')} against {name}" for name, count in sorted(checked.items()) if count]
    written = f"{counted(len(result.written), 'file')} written, {len(result.removed)} removed"
    lines = [
        f"{rules}, {counted(runs, 'run')}, about {hours:g} GPU-hours",
        f"checked: {', '.join(by)}",
        f"{shown}: {written}, {result.unchanged} unchanged",
    ]
    lines += [f"removed site: {name}" for name in result.retired]
    lines += [f"overwritten although edited by hand: {name}" for name in result.discarded]
    return "\n".join(map(for_terminal, lines))
