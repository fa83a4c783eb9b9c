"""``muster ingest``."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from muster.archive.binding import Declared
from muster.archive.story import moment
from muster.cli.options import archive_option, format_option, output_option, repository_option
from muster.cli.plans import read_plans
from muster.cli.world import World, label

if TYPE_CHECKING:
    from muster.archive.ingest import Batch, IngestResult


@click.command(
    help="Read tool output and archive it as evidence. FILE is a file, a folder, a tar, gzip or zstd file, or '-'."
    " Evidence binds to the run that its own record lines name; where it has none, say which by --site, --test and"
    " --unit, or by a list (--list). What binds to nothing is kept as orphan (exit code 1)."
)
@click.argument("files", nargs=-1, type=str)
@repository_option
@output_option
@archive_option
@click.option(
    "--list", "lists", multiple=True, type=click.Path(path_type=Path), help="An ingest list (YAML)."
)
@click.option("--site", help="Name of the site.")
@click.option("--test", help="Name of the test in the site.")
@click.option("--pool", help="Name of the pool, where several run the test.")
@click.option("--unit", help="The nodes it ran on, joined by commas.")
@click.option("--digest", help="The measurement digest, where plans of several ages fit.")
@click.option("--attempt", help="A name that tells this attempt from others with the very same files.")
@click.option("--exit-code", type=click.IntRange(0, 255), help="How the attempt ended.")
@click.option("--signal", type=click.IntRange(1, 64), help="The signal that ended it.")
@click.option("--timed-out", is_flag=True, default=None, help="A time limit ended it.")
@click.option("--start", help="RFC 3339 time with offset.")
@click.option("--end", help="RFC 3339 time with offset.")
@click.option("--round", type=click.IntRange(1, 1000), help="The round that all the files are of.")
@click.option(
    "--node", "nodes", multiple=True, metavar="FILE=NODE", help="A file that is of one node (repeatable)."
)
@click.option(
    "--host", "hosts", multiple=True, metavar="HOST=NODE", help="A host name in logs that is a node's."
)
@click.option("--note", help="Anything else worth keeping, one line.")
@click.option("--reason", help="Why it ended as it did, one line.")
@click.option("--synthetic", is_flag=True, help="The figures were made, not measured.")
@click.option("--together", is_flag=True, help="All files are of one attempt, in this order.")
@format_option("text", "json")
def command(
    files: tuple[str, ...],
    repository: Path,
    output: Path | None,
    archive: str,
    lists: tuple[Path, ...],
    **said: Any,
) -> int:
    """Archive the files and say what became of each."""
    from muster.archive.ingest import batch_of, ingest
    from muster.archive.ingestlist import read_ingest_list
    from muster.archive.open import open_archive
    from muster.diagnostics.render import render

    if not files and not lists:
        raise click.UsageError("give files, or a list with --list")
    world = World.current()
    form, together = said.pop("form"), said.pop("together")
    target = output or repository / "generated"
    plans = read_plans(target, (), label(target, world.folder))
    batches: list[Batch] = []
    for path in lists:
        batches += read_ingest_list(path, label(path, world.folder))
    if files:
        batches.append(batch_of(files, _declared(said), grouped=together, stdin=sys.stdin.buffer))
    store = open_archive(archive, world.environment, create=True).store
    result = ingest(batches, plans, store)
    if result.diagnostics:
        click.echo(render(result.diagnostics, "text"), nl=False, err=True)
    click.echo(_json(result) if form == "json" else _text(result))
    return result.exit_code


def _declared(said: dict[str, Any]) -> Declared:
    times = {key: moment(said[key]) for key in ("start", "end")}
    for key, found in times.items():
        if said[key] is not None and found is None:
            raise click.UsageError(f"--{key} {said[key]}: write a time with offset, 2026-10-14T08:00:00Z")
    if times["start"] is not None and times["end"] is not None and times["end"] < times["start"]:
        raise click.UsageError("--end is before --start")
    unit = said.pop("unit")
    names = tuple(name.strip() for name in unit.split(",") if name.strip()) if unit else None
    nodes, hosts = _pairs("--node", said.pop("nodes")), _pairs("--host", said.pop("hosts"))
    return Declared(unit=names, nodes=nodes, hosts=hosts, **said)


def _pairs(option: str, texts: tuple[str, ...]) -> dict[str, str]:
    found = {}
    for text in texts:
        key, sign, value = text.partition("=")
        if not (key and sign and value):
            raise click.UsageError(f"{option} {text}: write NAME=NODE")
        found[key] = value
    return found


def _json(result: IngestResult) -> str:
    rows = [
        {
            "place": item.place,
            "identity": item.identity,
            "attempt": item.attempt,
            "state": item.state,
            "binding": item.binding,
            "new": item.new,
        }
        for item in result.records
    ]
    return json.dumps(rows, indent=2, ensure_ascii=False)


def _text(result: IngestResult) -> str:
    from muster.diagnostics.escape import for_terminal
    from muster.diagnostics.words import counted

    lines = []
    for item in result.records:
        identity = item.identity
        what = f"{identity['test']} {'+'.join(identity['unit'])}" if identity["test"] else "bound to nothing"
        lines.append(for_terminal(f"{'new ' if item.new else 'kept'} {item.state:10} {what}  {item.place}"))
    counts = result.counts
    parts = [
        f"{counted(counts.written, 'attempt')} written",
        f"{counts.present} there already",
        counted(counts.orphans, "orphan"),
        f"{counts.refused} refused",
        f"{counted(counts.redactions, 'secret')} taken out",
        *([f"{counts.empty} empty and kept out"] if counts.empty else []),
    ]
    lines.append(f"{counted(counts.files, 'file')}: {', '.join(parts)}")
    return "\n".join(lines)
