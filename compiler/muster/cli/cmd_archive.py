"""``muster archive``."""

from __future__ import annotations

import click

from muster.cli.options import archive_option
from muster.cli.world import World


@click.group(help="Look after an evidence archive.")
def command() -> None:
    """Hold the commands on archives."""


@command.command(
    help="Read every record and raw file again: checksums, and what today's readers make of them. Changed readings are"
    " shown, never rewritten. Exit code 1 when anything is wrong or reads differently."
)
@click.argument("sites", nargs=-1)
@archive_option
def verify(sites: tuple[str, ...], archive: str) -> int:
    """Verify and print what is wrong."""
    from muster.archive.open import open_archive
    from muster.archive.verify import verify as verify_store
    from muster.diagnostics.escape import for_terminal
    from muster.diagnostics.render import render
    from muster.diagnostics.words import counted

    store = open_archive(archive, World.current().environment).store
    result = verify_store(store, sites or None)
    if result.diagnostics:
        click.echo(render(result.diagnostics, "text"), nl=False)
    for change in result.changes:
        click.echo(
            for_terminal(
                f"{change.place}: {change.path}: archived {change.archived!r}, read today {change.now!r}"
            )
        )
    click.echo(
        f"{counted(result.records, 'record')}, {counted(result.files, 'raw file')} whole,"
        f" {counted(len(result.changes), 'reading')} changed",
        err=True,
    )
    return 1 if result.diagnostics or result.changes or not result.records else 0
