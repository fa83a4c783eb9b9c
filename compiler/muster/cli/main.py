"""The `muster` command. Sub-commands are imported only when they are used."""

from __future__ import annotations

import sys
from importlib import import_module
from typing import NoReturn

import click

from muster import __version__

COMMANDS = {
    "archive": "Verify an evidence archive.",
    "baseline": "Propose thresholds from the archive as a patch of the site file.",
    "check": "Check sites against the policies and the committed output; write nothing.",
    "compile": "Compile sites into Kubernetes manifests.",
    "completion": "Print the completion script of a shell.",
    "doctor": "Tell what muster finds on this machine.",
    "explain": "Explain a code, a catalog test, an object name or a desired test.",
    "images": "List the images that the tests of sites use.",
    "ingest": "Read tool output and archive it as evidence.",
    "metrics": "Print the state of evidence as OpenMetrics text.",
    "plan": "Show what sites must prove, and what it costs.",
    "read": "Show what muster makes of tool output; no site, no archive.",
    "reconcile": "Judge archived evidence against what sites must prove.",
    "schema": "Print the JSON Schema of sites, evidence or reports.",
}


class LazyGroup(click.Group):
    """A group that knows its commands by name and imports the one that is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 (click's signature)
        """Return the names in the order of the help."""
        return sorted(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 (as above)
        """Import and return a command; None for an unknown name."""
        if cmd_name not in COMMANDS:
            return None
        module = import_module(f"muster.cli.cmd_{cmd_name}")
        command: click.Command = module.command
        command.name = cmd_name
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of commands without importing any of them."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, COMMANDS[name]) for name in self.list_commands(ctx)])


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="muster")
@click.option("--debug", is_flag=True, help="Show a trace when muster itself fails.")
@click.pass_context
def main(ctx: click.Context, *, debug: bool) -> None:
    """Compile what a GPU site must prove into Kubernetes manifests, and judge archived evidence.

    Exit codes: 0 done, nothing found; 1 findings; 2 bad input; 3 environment; 70 a bug in muster.
    """
    ctx.ensure_object(dict)["debug"] = debug


def run(argv: list[str] | None = None) -> NoReturn:
    """Run the command line and exit with its documented code."""
    arguments = sys.argv[1:] if argv is None else argv
    from muster.cli.exits import prepare_streams, run_guarded

    prepare_streams()
    sys.exit(run_guarded(main, arguments))
