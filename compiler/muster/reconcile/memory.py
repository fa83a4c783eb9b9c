"""Remember what attempts came to, so that an archive that did not change is not judged again.

A memory is a cache of a pure function: `assess` of one desired test and one record. What is remembered counts
only for the very record (its tag), the very desired test (measurement, acceptance, unit) and the very code of
the judge; all else is judged anew. Age, other attempts and waivers are never remembered.
"""

from __future__ import annotations

import hashlib
import json
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Final

from muster.judge import Assessment, Measure, Reason

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from muster.judge import Terms
    from muster.reconcile.packed import Packed, Shelf

OLDER: Final = "older"
_TRANSPORT: Final = 7
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND: Final = timedelta(microseconds=1)


@cache
def code_of_the_judge() -> bytes:
    """Return a digest of the code that assesses attempts."""
    found = hashlib.sha256()
    for part in sorted(files("muster.judge").iterdir(), key=lambda item: item.name):
        if part.name.endswith(".py"):
            found.update(part.name.encode() + b"\0" + part.read_bytes())
    return found.digest()


def key_of(desired: Mapping[str, Any]) -> str:
    """Return what a remembered assessment counts for: the desired test as the judge sees it, and the judge."""
    seen = {name: desired.get(name) for name in ("site", "pool", "unit", "measurement", "acceptance")}
    text = json.dumps(seen, sort_keys=True, separators=(",", ":"), default=repr)
    return hashlib.blake2b(text.encode(), digest_size=12, key=code_of_the_judge()).hexdigest()


def load(data: bytes | None) -> dict[str, Any]:
    """Return what a shard remembers: a row by the path of the record; nothing when it cannot be read.

    Rows share one object for each transport that was found.
    """
    try:
        transports, rows = json.loads(data) if data else ([], {})
        for row in rows.values():
            if row[1] != OLDER:
                row[_TRANSPORT] = transports[row[_TRANSPORT]]
    except (ValueError, RecursionError, TypeError, LookupError, AttributeError):
        return {}
    return dict(rows)


def dump(rows: Mapping[str, Sequence[Any]]) -> bytes:
    """Return the bytes that `load` reads."""
    transports: dict[str, int] = {}
    packed = {}
    for path, row in rows.items():
        shown = list(row)
        if row[1] != OLDER:
            text = json.dumps(row[_TRANSPORT])
            shown[_TRANSPORT] = transports.setdefault(text, len(transports))
        packed[path] = shown
    return json.dumps([list(map(json.loads, transports)), packed], separators=(",", ":")).encode()


def head_of(tag: str, entry: Packed) -> list[Any]:
    """Return what is to be known of a record that is not judged: evidence of another measurement."""
    return [tag, OLDER, entry.digest, entry.test, entry.state, entry.time, entry.binding, entry.prints]


class Remembered:
    """A record of another measurement whose head is remembered; the rest is fetched from its shelf."""

    def __init__(self, shelf: Shelf, path: str, row: Sequence[str]) -> None:
        self.shelf, self.path = shelf, path
        self.digest, self.test, self.state, self.time, self.binding, self.prints = row[2:]

    def record(self) -> Mapping[str, Any]:
        """Return the whole record."""
        return next(entry.record() for entry in self.shelf.entries if entry.path == self.path)


def row_of(tag: str, key: str, found: Assessment, nodes: Sequence[str]) -> list[Any]:
    """Return an assessment as JSON: the tag of its record, what it counts for, and ``nodes`` beyond the unit."""
    return [
        tag,
        key,
        found.id,
        found.state,
        found.reasons,
        [_measure(number, item) for number, item in enumerate(found.measures)],
        found.passed,
        found.transport,
        found.fields,
        [_micros(time) for time in (found.start, found.end, found.time)],
        found.evidence,
        found.synthetic,
        found.binding,
        found.prints,
        list(nodes),
    ]


def _measure(number: int, item: Measure) -> list[Any]:
    values = [None if value is None else str(value) for value in item.values]
    value = None if item.value is None else str(item.value)
    return [number, values, value, item.ok, item.expected, item.cell, item.cells]


def _micros(time: datetime | None) -> int | None:
    return None if time is None else (time - _EPOCH) // _MICROSECOND


def assessment_of(row: Sequence[Any], terms: Terms) -> tuple[Assessment, list[str]]:
    """Return the assessment of a row and the nodes beyond the unit.

    Raises:
        ValueError, TypeError, LookupError, ArithmeticError: it is no such row.
    """
    _, _, name, state, reasons, measures, passed, transport, fields, times, evidence, synthetic, *rest = row
    binding, prints, nodes = rest
    start, end, time = [None if value is None else _EPOCH + timedelta(microseconds=value) for value in times]
    found = Assessment(
        name,
        state,
        tuple([Reason(code, message) for code, message in reasons]),
        tuple([_measured(item, terms) for item in measures]),
        passed,
        transport,
        tuple([(path, declared, seen) for path, declared, seen in fields]),
        start,
        end,
        time,
        evidence,
        synthetic,
        binding,
        tuple(prints),
    )
    return found, nodes


def _measured(item: Sequence[Any], terms: Terms) -> Measure:
    number, values, value, ok, expected, cell, cells = item
    return Measure(
        terms.thresholds[number].raw,
        tuple([None if one is None else Decimal(one) for one in values]),
        None if value is None else Decimal(value),
        ok,
        expected,
        None if cell is None else tuple(cell),
        cells,
    )
