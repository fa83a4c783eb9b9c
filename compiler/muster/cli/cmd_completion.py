"""``muster completion``."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class


@click.command(help="Print the completion script of a shell; source it, or write it where the shell looks.")
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def command(ctx: click.Context, shell: str) -> None:
    """Print the script."""
    cls = get_completion_class(shell)
    if cls is None:
        raise click.UsageError(f"no completion for {shell}")
    group = ctx.find_root().command
    click.echo(cls(group, {}, "muster", "_MUSTER_COMPLETE").source())
