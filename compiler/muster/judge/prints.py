"""Finger prints of measured figures: two measurements never give the same figures to the last digit.

What tells a copy from a measurement is how much the figures say, so a run has a print only when at least four
of them differ. Results without figures (a diagnosis, an inventory) have none: they may well repeat.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

from muster.judge.fields import items, mapping, maps, whole

if TYPE_CHECKING:
    from collections.abc import Iterable

    from muster.judge.fields import JsonMap

FEWEST = 4
_SIDES = ("outOfPlace", "inPlace")


def prints_of(record: JsonMap, op: str | None) -> tuple[str, ...]:
    """Return the print of every run of an operation, sorted, each once; without one that of all rows.

    Of a round that both a table and a document tell of, the table has the print: it is there more often.

    Args:
        record: an evidence record, its state does not matter.
        op: the collective that counts; None for tools that have none, whose rows count as one run.
    """
    found = [_of_rows(maps(record.get("rows")))]
    if op is not None:
        found = [print_of(run) for run in _distinct(record, op)]
    return tuple(sorted({one for one in found if one is not None}))


def _distinct(record: JsonMap, op: str) -> list[JsonMap]:
    """Return the runs of an operation, one for each round that has a number."""
    documents = {
        number for number, source in enumerate(maps(record.get("sources"))) if source.get("document") is True
    }
    mine = [run for run in maps(record.get("runs")) if run.get("op") == op]
    mine.sort(key=lambda run: whole(run.get("file")) in documents)
    rounds: dict[int, JsonMap] = {}
    for place, run in enumerate(mine):
        number = whole(run.get("round"))
        rounds.setdefault(number if number is not None else -1 - place, run)
    return list(rounds.values())


def print_of(run: JsonMap) -> str | None:
    """Return the print of the times of one run of nccl-tests; None when they say too little."""
    figures = [
        (row.get("bytes"), *(_figure(mapping(row.get(side)).get("timeUs")) for side in _SIDES))
        for row in maps(run.get("rows"))
    ]
    return _hashed(figures, {time for _, *times in figures for time in times})


def _of_rows(rows: Iterable[JsonMap]) -> str | None:
    figures = [
        (
            row.get("case"),
            row.get("bytes"),
            tuple(map(str, items(row.get("cell")))),
            _figure(row.get("value")),
        )
        for row in rows
    ]
    return _hashed(figures, {value for *_, value in figures})


def _figure(value: object) -> float | None:
    return value if isinstance(value, (int, float)) else None


def _hashed(figures: list[tuple[Any, ...]], distinct: set[Any]) -> str | None:
    if len(distinct - {None}) < FEWEST:
        return None
    return hashlib.blake2b(repr(figures).encode("utf-8", "replace"), digest_size=8).hexdigest()
