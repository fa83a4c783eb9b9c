"""``muster schema``."""

from __future__ import annotations

from pathlib import Path

import click


@click.command(
    help="Print a JSON Schema: of site files and ingest lists for editors, of evidence records, or of JSON reports."
)
@click.argument("which", type=click.Choice(["site", "ingest-list", "evidence", "report"]))
def command(which: str) -> None:
    """Print the schema."""
    click.echo(_path(which).read_text("utf-8").rstrip("\n"))


def _path(which: str) -> Path:
    package = Path(__file__).resolve().parents[1]
    if which == "site":
        from muster.policy.module import builtin_root

        return builtin_root() / "schema" / "site.schema.json"
    return package / ("report" if which == "report" else "archive") / f"{which}.schema.json"
