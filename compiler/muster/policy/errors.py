"""Read the text that ``cue`` prints on failure: ``path: message:`` and indented ``file:line:col`` lines."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass

_SEGMENT = r'(?:"(?:[^"\\]|\\.)*"|[^\s:."\[\]]+)'
_HEAD = re.compile(rf"^({_SEGMENT}(?:\.{_SEGMENT})*): (.*?):?$")
_PLACE = re.compile(r"^\s+(\S.*?):(\d+):(\d+)$")
_CONFLICT = re.compile(r"^conflicting values (.+) and (.+?)(?: \(mismatched types .+\))?$")
_DISJUNCTION = re.compile(r"^\d+ errors in empty disjunction$")


@dataclass(frozen=True, slots=True)
class Place:
    """A position as cue prints it; ``-`` is the data on stdin."""

    file: str
    line: int
    column: int


@dataclass(frozen=True, slots=True)
class CueError:
    """One error, with the branches of a failed disjunction folded into it.

    Attributes:
        path: names and indices from the root of the evaluated package; empty for syntax errors.
        message: cue's text without positions.
        places: every position, in cue's order, data and policy mixed.
        branches: messages of the branches of a failed disjunction.
    """

    path: tuple[str, ...]
    message: str
    places: tuple[Place, ...]
    branches: tuple[str, ...] = ()

    def conflicts(self) -> tuple[tuple[str, str], ...]:
        """Return the pairs of values that contradict each other."""
        pairs = (_CONFLICT.match(text) for text in (self.message, *self.branches))
        return tuple((match[1], match[2]) for match in pairs if match)


def parse_errors(text: str) -> tuple[CueError, ...]:
    """Parse stderr. Text that has no known form still gives one error: nothing is lost."""
    flat: list[tuple[tuple[str, ...], str, list[Place]]] = []
    for line in text.splitlines():
        place = _PLACE.match(line)
        if place and flat:
            flat[-1][2].append(Place(place[1].removeprefix("./"), int(place[2]), int(place[3])))
        elif line.strip():
            head = _HEAD.match(line)
            if head and not line.startswith(" "):
                flat.append((_path(head[1]), head[2], []))
            else:
                flat.append(((), line.strip().rstrip(":"), []))
    return _fold(flat)


def _path(text: str) -> tuple[str, ...]:
    return tuple(json.loads(item) if item.startswith('"') else item for item in re.findall(_SEGMENT, text))


def _fold(flat: list[tuple[tuple[str, ...], str, list[Place]]]) -> tuple[CueError, ...]:
    found: dict[tuple[tuple[str, ...], str], CueError] = {}
    index = 0
    while index < len(flat):
        path, message, places = flat[index]
        index += 1
        branches: list[str] = []
        if _DISJUNCTION.match(message):
            while index < len(flat) and flat[index][0] == path and not _DISJUNCTION.match(flat[index][1]):
                branches.append(flat[index][1])
                places = places + flat[index][2]
                index += 1
        error = CueError(path, message, tuple(dict.fromkeys(places)), tuple(branches))
        found.setdefault((path, "|".join([message, *branches])), error)
    return tuple(found.values())
