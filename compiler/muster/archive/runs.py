"""The runs of an attempt over all its files: which file, which round, and which tell of the same run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from muster.archive.note import Note, note
from muster.judge.prints import print_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

_SIDES = ("outOfPlace", "inPlace")


def gather(
    readings: Sequence[Mapping[str, Any]], documents: Sequence[bool], declared_round: int | None
) -> tuple[list[dict[str, Any]], list[Note]]:
    """Return all runs with the index of their ``file``, and what is odd about them.

    A JSON document and a table of the same run get the same round, so that one run never counts as two.

    Args:
        readings: what each file says.
        documents: which files are JSON documents.
        declared_round: the round that all runs without one are of, where that is declared.
    """
    runs = [
        {**run, "file": index} for index, reading in enumerate(readings) for run in reading.get("runs") or ()
    ]
    if declared_round is not None:
        for run in runs:
            run["round"] = run.get("round") or declared_round
    written = [run for run in runs if documents[run["file"]] and run.get("rows")]
    printed = [run for run in runs if not documents[run["file"]] and run.get("rows")]
    notes = _pair(written, printed) if written and printed else []
    return runs, [*notes, *_copies(written), *_copies(printed)]


def _copies(runs: Sequence[Mapping[str, Any]]) -> list[Note]:
    """Return a note for every run whose figures are those of another: one measurement must not count as two.

    Several files may tell of the same round, where record lines or the user number it.
    """
    seen: dict[tuple[Any, str], Mapping[str, Any]] = {}
    notes = []
    for run in runs:
        shown = print_of(run)
        if shown is None:
            continue
        first = seen.setdefault((run.get("op"), shown), run)
        same = first.get("round") is not None and first.get("round") == run.get("round")
        if first is not run and not same:
            text = "the figures are those of another run of the attempt, to the last digit"
            notes.append(note("MU858", text, file=run["file"], line=run.get("line")))
    return notes


def _pair(written: list[dict[str, Any]], printed: list[dict[str, Any]]) -> list[Note]:
    notes = []
    _number(printed)
    free = list(printed)
    for run in written:
        twin = next((item for item in free if _same(run, item)), None)
        if twin is None:
            text = "the figures of the document are in no table of the attempt"
            notes.append(note("MU855", text, file=run["file"], line=run.get("line")))
            continue
        free.remove(twin)
        run["round"] = twin["round"]
        run["op"] = run.get("op") or twin.get("op")
    return notes


def _number(printed: Iterable[dict[str, Any]]) -> None:
    """Number the runs of each operation in order where none has a number."""
    by_op: dict[Any, list[dict[str, Any]]] = {}
    for run in printed:
        by_op.setdefault(run.get("op"), []).append(run)
    for runs in by_op.values():
        if all(run.get("round") is None for run in runs):
            for number, run in enumerate(runs, 1):
                run["round"] = number


def _same(left: Mapping[str, Any], right: Mapping[str, Any]) -> bool:
    """Tell whether two runs show the same figures, to the digits that a table prints."""
    if None not in (left.get("op"), right.get("op")) and left["op"] != right["op"]:
        return False
    rows = zip(left["rows"], right["rows"], strict=False)
    return len(left["rows"]) == len(right["rows"]) and all(_same_row(*pair) for pair in rows)


def _same_row(left: Mapping[str, Any], right: Mapping[str, Any]) -> bool:
    if any(left.get(key) != right.get(key) for key in ("bytes", "count", "type")):
        return False
    return all(
        _near((left.get(side) or {}).get(key), (right.get(side) or {}).get(key))
        for side in _SIDES
        for key in ("algbw", "busbw")
    )


def _near(left: float | None, right: float | None) -> bool:
    """A table shows two digits below 1000, one below 10000, none above."""
    if left is None or right is None:
        return left is right
    most = max(abs(left), abs(right))
    digit = 0.01 if most < 1000 else 0.1 if most < 10000 else 1.0
    return abs(left - right) <= 0.51 * digit
