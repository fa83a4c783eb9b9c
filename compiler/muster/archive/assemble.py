"""Make a record of readings, record lines and declarations. Pure: no file, no store, no clock."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from muster.archive import found
from muster.archive.binding import contradiction
from muster.archive.claims import compare_claims
from muster.archive.exits import UNKNOWN, Ending, is_quiet
from muster.archive.intake import safe_name
from muster.archive.inventory import is_inventory
from muster.archive.note import Note, note, printable
from muster.archive.outcome import NO_TOOL, outcome, worst
from muster.archive.record import SCHEMA, Record, attempt_id
from muster.archive.runs import gather
from muster.archive.story import Story, latest, moment, story_of
from muster.diagnostics.words import counted

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from muster.archive.binding import Bound, Declared
    from muster.archive.outcome import Said
    from muster.archive.record import Attempt, SourceFile
    from muster.diagnostics import Diagnostic

_MOST_NOTES = 300


@dataclass(frozen=True, slots=True)
class Part:
    """One file of an attempt, read.

    Attributes:
        name: how the user called it.
        original: sha256 of the bytes as they came.
        sha256: sha256 of the bytes as they are stored, uncompressed.
        size: number of those bytes.
        redactions: how many secrets were taken out.
        document: whether it is a JSON document.
        parser: name and version of the reader; None when none knew the file.
        reading: what the reader made of it.
    """

    name: str
    original: str
    sha256: str
    size: int
    redactions: int
    document: bool
    parser: str | None
    reading: Mapping[str, Any]


def assemble(parts: Sequence[Part], bound: Bound, declared: Declared) -> tuple[Record, list[Diagnostic]]:
    """Return the record of an attempt, without its checksum, and what contradicts the declaration.

    Any contradiction in the result (MU822) means that the record must not be stored.
    """
    readings = [part.reading for part in parts]
    story = story_of([reading["records"] for reading in readings])
    unit = bound.identity["unit"]
    ending, told = _ending(story, declared)
    tool = (bound.measurement or {}).get("tool")
    said = outcome(readings, story, ending, tool)
    runs, notes = gather(readings, [part.document for part in parts], declared.round)
    covered, more = found.coverage(readings, story, unit, declared.hosts, bound.nodes)
    notes += more
    command = next((begin["command"] for begin in story.begins if begin.get("command")), None)
    record: Record = {
        "schema": SCHEMA,
        "identity": bound.identity,  # type: ignore[typeddict-item]
        "binding": bound.kind,
        "synthetic": declared.synthetic or any(begin.get("synthetic") is True for begin in story.begins),
        "declared": declared.as_json(),
        "attempt": _attempt(parts, bound, declared, story, ending, said),
        "measurement": bound.measurement,
        "environment": found.environment(readings, story, unit, declared.nodes),
        "command": [str(word) for word in command] if isinstance(command, list) else _command(runs),
        "parameters": found.parameters(runs),
        "runs": runs,
        "checks": _with_place(readings, "checks", unit, declared),
        "rows": _with_place(readings, "rows", unit, declared),
        "steps": _only(readings, "steps", notes),
        "goodput": _only(readings, "goodput", notes),
        "transport": found.transport(runs),
        "coverage": covered,
        "sources": [_source(index, part) for index, part in enumerate(parts)],
        "state": worst(said),
        "notes": [],
    }
    notes += [
        note(item.code, item.message, severity=item.severity, file=item.file) for item in said if item.code
    ]
    notes += [note(item.code, item.message) for item in bound.findings if item.code != "MU822"]
    if bound.measurement is not None:
        notes += compare_claims(bound.measurement, record)
    _conclude(record, [*notes, *_problems(parts), *_remarks(parts, record)])
    return printable(record), [*told, *_other_rounds(runs, declared), *_other_times(story, declared)]


def _conclude(record: Record, notes: list[Note]) -> None:
    distinct = list({repr(item): item for item in notes}.values())
    record["notes"] = sorted(distinct, key=lambda item: item["severity"] != "error")[:_MOST_NOTES]
    if record["state"] == "complete" and any(item["severity"] == "error" for item in distinct):
        record["state"] = "unreadable"


def _ending(story: Story, declared: Declared) -> tuple[Ending, list[Diagnostic]]:
    """Return how the attempt ended, and where declaration and record lines differ on it."""
    rounds = [item.ending for _, item in sorted(story.rounds.items())]
    timed_out = any(item.timed_out for item in rounds)
    signal = next((item.signal for item in rounds if item.signal is not None), None)
    code = story.finish.exit if story.finish is not None else None
    pairs = (
        ("exit code", declared.exit_code, code),
        ("signal", declared.signal, signal),
        ("timedOut", declared.timed_out, timed_out if rounds else None),
    )
    told = [
        contradiction(name, said, seen, declared)
        for name, said, seen in pairs
        if said is not None and seen is not None and said != seen
    ]
    if declared.exit_code is None and code is None and declared.signal is None and not declared.timed_out:
        bad = next((item for item in rounds if item != UNKNOWN and item.exit != 0), None)
        return bad or UNKNOWN, told
    code = declared.exit_code if declared.exit_code is not None else code
    signal = declared.signal if declared.signal is not None else signal
    return Ending(code, signal, bool(declared.timed_out)), told


def _attempt(
    parts: Sequence[Part],
    bound: Bound,
    declared: Declared,
    story: Story,
    ending: Ending,
    said: Sequence[Said],
) -> Attempt:
    state = worst(said)
    why = next((item.message for item in said if item.state == state and item.message), None)
    originals = [part.original for part in parts]
    marker = bound.marker or declared.attempt or ""
    rounds = [item for _, item in sorted(story.rounds.items())]
    return {
        "id": attempt_id(originals, bound.identity, marker, declared.as_json()),
        "name": marker or None,
        "start": story.start or declared.start,
        "end": latest([story.end, declared.end]),
        "exitCode": ending.exit,
        "signal": ending.signal,
        "timedOut": ending.timed_out or any(item.ending.timed_out for item in rounds),
        "reason": declared.reason or (story.reason or why if state != "complete" else None),
        "rounds": [item.as_json() for item in rounds],
    }


def _other_rounds(runs: Sequence[Mapping[str, Any]], declared: Declared) -> Iterator[Diagnostic]:
    if declared.round is not None:
        others = sorted({run["round"] for run in runs} - {declared.round, None})
        yield from (contradiction("round", declared.round, number, declared) for number in others[:1])


def _other_times(story: Story, declared: Declared) -> Iterator[Diagnostic]:
    """The declared times must hold all that the record lines tell."""
    for name, said, seen, sign in (
        ("start", declared.start, story.start, 1),
        ("end", declared.end, story.end, -1),
    ):
        first, second = moment(said), moment(seen)
        if first is not None and second is not None and sign * (first - second).total_seconds() > 0:
            yield contradiction(name, said, seen, declared)


def _command(runs: Sequence[Mapping[str, Any]]) -> list[str] | None:
    return next((list(run["command"]) for run in runs if run.get("command")), None)


def _with_place(
    readings: Sequence[Mapping[str, Any]], key: str, unit: Sequence[str], declared: Declared
) -> list[dict[str, Any]]:
    """Return checks or rows of all files, each with its file and, where it is known, its node."""
    placed = []
    for index, reading in enumerate(readings):
        node = found.node_of_file(reading, unit, declared.nodes)
        own = {"file": index} if node is None else {"file": index, "node": node}
        placed += [{**own, **item} for item in reading.get(key) or ()]
    return placed


def _only(readings: Sequence[Mapping[str, Any]], key: str, notes: list[Note]) -> Any:
    """Return what exactly one file has; several files with different values contradict each other."""
    known = [reading[key] for reading in readings if reading.get(key)]
    if len(known) > 1 and any(item != known[0] for item in known):
        notes.append(note("MU844", f"{len(known)} files give different {key}"))
        return None
    return known[0] if known else None


def _source(index: int, part: Part) -> SourceFile:
    return {
        "file": f"raw/{index}-{safe_name(part.name)}.zst",
        "name": part.name,
        "tool": part.reading["tool"],
        "toolVersion": part.reading.get("toolVersion"),
        "sha256": part.sha256,
        "originalSha256": part.original,
        "bytes": part.size,
        "redactions": part.redactions,
        "document": part.document,
        "parser": part.parser,
        "state": part.reading["state"],
    }


def _problems(parts: Sequence[Part]) -> Iterator[Note]:
    """Yield what the readers found; a file that no reader knows does not spoil the others."""
    readings = [part.reading for part in parts]
    data = any(reading["tool"] not in NO_TOOL for reading in readings)
    for index, part in enumerate(parts):
        every = list(part.reading["problems"])
        for run in part.reading.get("runs") or ():
            every += [item for item in run.get("problems") or () if item["severity"] == "error"]
        for item in every:
            unknown = (part.reading["tool"] is None and data) or is_quiet(part.reading, readings)
            unknown = unknown or is_inventory(part.reading)
            yield {
                "code": item["code"],
                "severity": "info" if unknown else item["severity"],
                "file": index,
                "line": item["line"],
                "message": item["message"],
            }


def _remarks(parts: Sequence[Part], record: Record) -> Iterator[Note]:
    for index, part in enumerate(parts):
        if part.redactions:
            yield note("MU828", f"{counted(part.redactions, 'part')} taken out as secrets", file=index)
    if record["attempt"]["start"] is None and record["attempt"]["end"] is None:
        yield note("MU827", "neither record lines nor options tell when it ran")
