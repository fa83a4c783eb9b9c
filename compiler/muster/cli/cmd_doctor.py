"""``muster doctor``."""

from __future__ import annotations

import importlib.metadata
import platform

import click

from muster import __version__
from muster.cli.world import World
from muster.diagnostics import MusterError
from muster.diagnostics.escape import for_terminal

PACKAGES = {
    "rjsonnet": "templates",
    "jsonnet": "template errors with file and line",
    "jsonschema-rs": "structured errors",
    "kubernetes-validate": "Kubernetes schemas",
    "PyYAML": "YAML",
    "ruamel.yaml": "YAML errors",
    "zstandard": "archive compression",
    "obstore": "object stores as archive (extra s3)",
}
OPTIONAL = {"obstore"}


@click.command(
    help="Tell which tools and packages muster finds, and what is missing. Exit code 3 when something is."
)
def command() -> int:
    """Print one line per part."""
    world = World.current()
    rows = [("muster", __version__, True), ("python", platform.python_version(), True)]
    try:
        cue = world.cue()
        rows.append(("cue", f"{cue.version} ({cue.binary})", True))
    except MusterError as error:
        rows.append(("cue", error.diagnostics[0].message, False))
    for name, purpose in PACKAGES.items():
        try:
            rows.append((name, importlib.metadata.version(name), True))
        except importlib.metadata.PackageNotFoundError:
            rows.append((name, f"not installed: no {purpose}", name in OPTIONAL))
    for name, text, good in rows:
        click.echo(for_terminal(f"{'ok  ' if good else 'MISS'} {name:20} {text}"))
    return 0 if all(good for _, _, good in rows) else 3
