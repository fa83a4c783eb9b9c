"""The record lines that the pod script prints around each round of a test.

A line is ``MUSTER-RECORD`` and one JSON object of version 1 with an ``event``: ``begin``, ``end``,
``excluded`` or ``finish``.
"""

from __future__ import annotations

import json
import re
from math import isfinite
from typing import TYPE_CHECKING, Any

from muster.readers.model import empty, problem, quoted
from muster.readers.registry import Reader

if TYPE_CHECKING:
    from muster.readers.model import Problem, Reading
    from muster.readers.source import Source

MARK = "MUSTER-RECORD"
EVENTS = ("begin", "end", "excluded", "finish")
KEPT = 10_000
_UNSHOWABLE = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff]")


def parse(text: str, line: int) -> tuple[dict[str, Any] | None, Problem | None]:
    """Return the record of one line of text that holds `MARK`, or the problem with it.

    What stands before the mark (time stamps, rank tags) is ignored. A mark that is only mentioned, as in a
    shell trace, without an object after it, is neither record nor problem.
    """
    _, _, rest = text.partition(MARK)
    if not rest.startswith(" {"):
        return None, None
    try:
        record = json.loads(
            rest,
            object_pairs_hook=_checked,
            parse_constant=_no_constant,
            parse_float=_finite,
            parse_int=_small,
        )
    except (ValueError, RecursionError):
        return None, problem("MU703", f"the record is not JSON: {quoted(rest.strip())}", line)
    if type(record.get("v")) is not int or record["v"] != 1 or record.get("event") not in EVENTS:
        found = f"v {quoted(str(record.get('v')))}, event {quoted(str(record.get('event')))}"
        return None, problem("MU703", f"the record is of an unknown kind: {found}", line)
    return {"line": line, **{key: value for key, value in record.items() if key != "line"}}, None


def _checked(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Make an object of its pairs; a key that is there twice is refused, control characters become U+FFFD."""
    made = {_shown(key): _shown(value) for key, value in pairs}
    if len(made) != len(pairs):
        raise ValueError("a key is there twice")
    return made


def _shown(value: Any) -> Any:
    if isinstance(value, str):
        return _UNSHOWABLE.sub("\ufffd", value)
    return [_shown(item) for item in value] if isinstance(value, list) else value


def _finite(text: str) -> float:
    value = float(text)
    if not isfinite(value):
        raise ValueError(f"{text} is out of range")
    return value


def _small(text: str) -> int:
    if len(text) > 20:
        raise ValueError("a number has too many digits")
    return int(text)


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


def scan(source: Source) -> tuple[list[dict[str, Any]], list[Problem]]:
    """Return all records of a file in order, and the problems with them."""
    records: list[dict[str, Any]] = []
    problems: list[Problem] = []
    for first, lines, _ in source.blocks():
        for number, text in enumerate(lines, first):
            if MARK not in text:
                continue
            record, trouble = parse(text, number)
            if record is not None and len(records) < KEPT:
                records.append(record)
            if trouble is not None and len(problems) < 100:
                problems.append(trouble)
    return records, problems


def _sniff(head: str, _name: str) -> int:
    return 5 if f"{MARK} {{" in head else 0


def _read(source: Source) -> Reading:
    """Read a pod log that holds records and no output of a tool: nothing was measured."""
    return empty(source.name, "muster-pod", "incomplete")


READER = Reader("muster-pod", _sniff, _read, "muster-pod/1")
