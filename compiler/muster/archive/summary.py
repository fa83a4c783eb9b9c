"""Records as an index keeps them: what a judge reads, in few bytes, one line each.

Rows of nccl-tests become plain lists of numbers under one list of what all rows share; device lists, problems
and line numbers are left out. `unpacked` gives back the same keys and values for all that is kept.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

from muster.judge.prints import prints_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

_SIDES = ("outOfPlace", "inPlace")
_FIGURES = ("timeUs", "algbw", "busbw", "wrong")
_ROW = frozenset({"line", "bytes", "count", "cycle", "type", "redop", "root", *_SIDES})
_SHARED = ("cycle", "type", "redop", "root")
_BETWEEN = "\x1f"
_LEFT_OUT = frozenset({"devices", "problems"})


class Entry(NamedTuple):
    """A record in an index: where it lies, what it is of, and the rest as JSON that is read when asked for.

    Attributes:
        path: the path of its ``record.json``.
        tag: changes when its bytes do.
        digest: ``sha256:<hex>``, empty for an orphan.
        test: ``<site>/<pool>/<test>/<unit joined by +>``, empty for an orphan.
        state: its state.
        time: RFC 3339 end, else start of the attempt; empty when neither is known.
        binding: ``record``, ``options`` or ``orphan``.
        prints: the finger prints of its runs (`muster.judge.prints`), joined by commas.
        measurement: JSON of its measurement.
        body: JSON of all else.
    """

    path: str
    tag: str
    digest: str
    test: str
    state: str
    time: str
    binding: str
    prints: str
    measurement: bytes
    body: bytes

    def record(self) -> dict[str, Any]:
        """Return the record, without what an index leaves out."""
        found: dict[str, Any] = json.loads(self.body)
        found["runs"] = unpacked_runs(found["runs"])
        found["measurement"] = json.loads(self.measurement)
        return found

    def line(self) -> bytes:
        """Return it as a line of an index."""
        head = _BETWEEN.join(self[:8]).encode("utf-8")
        return b"\t".join((head, self.measurement, self.body)) + b"\n"


def entry_of_line(line: bytes) -> Entry:
    """Return the entry of a line.

    Raises:
        ValueError: it is none.
    """
    head, measurement, body = line.rstrip(b"\n").split(b"\t")
    path, tag, digest, test, state, time, binding, prints = head.decode("utf-8").split(_BETWEEN)
    return Entry(path, tag, digest, test, state, time, binding, prints, measurement, body)


def entry_of(record: Mapping[str, Any], path: str, tag: str) -> Entry:
    """Return the entry of a record."""
    identity, attempt = record["identity"], record["attempt"]
    rest = {key: value for key, value in record.items() if key not in ("measurement", "declared", "checksum")}
    rest["runs"] = packed_runs(record["runs"])
    test = "/".join((*(str(identity[key]) for key in ("site", "pool", "test")), "+".join(identity["unit"])))
    return Entry(
        path,
        tag,
        identity["digest"] or "",
        test if identity["test"] else "",
        record["state"],
        attempt["end"] or attempt["start"] or "",
        record["binding"],
        ",".join(prints_of(record, (record["measurement"] or {}).get("op"))),
        _json(record["measurement"]),
        _json(rest),
    )


def _json(value: Any) -> bytes:
    return json.dumps(value, separators=(",", ":"), sort_keys=True).encode("ascii")


def packed_runs(runs: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return the first run whole, of the others what differs from it."""
    whole = [packed(run) for run in runs]
    return whole[:1] + [_like(run, whole[0]) for run in whole[1:]]


def _like(run: dict[str, Any], first: Mapping[str, Any]) -> dict[str, Any]:
    if run.keys() != first.keys():
        return run
    return {"like": 0, **{key: value for key, value in run.items() if value != first[key]}}


def unpacked_runs(runs: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the runs that `packed_runs` packed."""
    first = runs[0] if runs else {}
    whole = [{**first, **run} if "like" in run else dict(run) for run in runs]
    return list(map(unpacked, whole))


def packed(run: Mapping[str, Any]) -> dict[str, Any]:
    """Return a run with its rows as lists of numbers, where all of them have the usual columns."""
    kept = {key: value for key, value in run.items() if key not in _LEFT_OUT}
    rows = run["rows"]
    shared = {key: rows[0][key] for key in _SHARED if key in rows[0]} if rows else {}
    if not rows or not all(_usual(row, shared) for row in rows):
        return kept
    del kept["rows"]
    return {**kept, "table": [shared, [_flat(row) for row in rows]]}


def _usual(row: Mapping[str, Any], shared: Mapping[str, Any]) -> bool:
    return (
        row.keys() <= _ROW
        and {"bytes", "count", *_SIDES} <= row.keys()
        and all(row.get(key, row) == value for key, value in shared.items())
        and not any(key in row and key not in shared for key in _SHARED)
        and all(row[side].keys() == set(_FIGURES) for side in _SIDES)
    )


def _flat(row: Mapping[str, Any]) -> list[Any]:
    return [row["bytes"], row["count"], *(row[side][key] for side in _SIDES for key in _FIGURES)]


def unpacked(run: dict[str, Any]) -> dict[str, Any]:
    """Return a run with its rows as they were, line numbers aside."""
    run.pop("like", None)
    if "table" not in run:
        return run
    shared, rows = run.pop("table")
    run["rows"] = list(_rows(shared, rows))
    return run


def _rows(shared: Mapping[str, Any], rows: list[list[Any]]) -> Iterator[dict[str, Any]]:
    for size, count, time, algbw, busbw, wrong, time2, algbw2, busbw2, wrong2 in rows:
        yield {
            "bytes": size,
            "count": count,
            **shared,
            "outOfPlace": {"timeUs": time, "algbw": algbw, "busbw": busbw, "wrong": wrong},
            "inPlace": {"timeUs": time2, "algbw": algbw2, "busbw": busbw2, "wrong": wrong2},
        }
