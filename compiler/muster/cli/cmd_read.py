"""``muster read``."""

from __future__ import annotations

import json
import shutil
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import click

from muster.readers import read_file, read_source
from muster.readers.source import Source

if TYPE_CHECKING:
    from muster.readers.model import Reading


@click.command(
    help="Show what muster makes of tool output. FILE may be '-' for standard input. One JSON document per"
    " file; exit code 1 when a file is not read as complete."
)
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=str))
@click.option(
    "--indent", type=click.IntRange(0, 8), default=2, show_default=True, help="Indentation; 0: one line."
)
def command(files: tuple[str, ...], indent: int) -> int:
    """Read every file and print its reading."""
    complete = True
    for name in files:
        reading = _stdin() if name == "-" else read_file(Path(name))
        complete = complete and reading["state"] == "complete"
        click.echo(json.dumps(reading, indent=indent or None, ensure_ascii=False))
    return 0 if complete else 1


def _stdin() -> Reading:
    """Read standard input by way of a file, since readers may look twice."""
    with tempfile.NamedTemporaryFile(prefix="muster-stdin-") as spool:
        shutil.copyfileobj(sys.stdin.buffer, spool)
        spool.flush()
        return read_source(Source.of_path(Path(spool.name), "-"))
