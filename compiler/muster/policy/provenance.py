"""Where a profile's values are written: asked of CUE itself by a value that conflicts with each of them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from muster.diagnostics import Position

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from muster.policy.errors import CueError
    from muster.policy.evaluate import Policies

Steps = tuple[str | int, ...]


def profile_positions(policies: Policies, names: Sequence[str]) -> Mapping[str, Mapping[Steps, Position]]:
    """Return, for each profile, the position of every value it gives, by path from ``spec``.

    Every leaf is unified with a struct, which no scalar of a profile can be: the errors carry the positions.
    """
    known = policies.facts["profiles"]
    values = {name: known[name]["spec"] for name in names if name in known}
    if not values:
        return {}
    done = policies.cue.export(
        policies.module.root, "provenance", {"probe": {n: _probe(v) for n, v in values.items()}}
    )
    lines: dict[str, list[str]] = {}
    found: dict[str, dict[Steps, Position]] = {name: {} for name in values}
    for error in done.errors:
        if len(error.path) < 3 or error.path[0] != "provenance" or error.path[1] not in values:
            continue
        steps = _steps(values[error.path[1]], error.path[2:])
        position = _leaf_position(policies, error, _at(values[error.path[1]], steps), lines)
        if position is not None:
            found[error.path[1]][steps] = position
    return found


def _probe(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _probe(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_probe(item) for item in value]
    return {"probe": 1}


def _steps(value: Any, path: Sequence[str]) -> Steps:
    steps: list[str | int] = []
    for part in path:
        step: str | int = int(part) if isinstance(value, list) else part
        steps.append(step)
        value = value[step]
    return tuple(steps)


def _at(value: Any, steps: Steps) -> Any:
    for step in steps:
        value = value[step]
    return value


def _leaf_position(
    policies: Policies, error: CueError, value: Any, lines: dict[str, list[str]]
) -> Position | None:
    """Choose, of all places that cue names, the one where the value itself is written."""
    literal = json.dumps(value)
    candidates = [place for place in error.places if place.file.startswith("profiles/")]
    for place in candidates:
        if place.file not in lines:
            lines[place.file] = (policies.module.root / place.file).read_text("utf-8").splitlines()
        text = lines[place.file][place.line - 1].encode()[place.column - 1 :].decode("utf-8", "replace")
        if text.startswith(literal):
            return Position(policies.module.label(place.file), place.line, place.column)
    if not candidates:
        return None
    last = candidates[-1]
    return Position(policies.module.label(last.file), last.line, last.column)


def walk(value: Any, steps: Steps = ()) -> Iterator[tuple[Steps, Any]]:
    """Yield every leaf of a JSON value with its path."""
    if isinstance(value, dict):
        for key, item in value.items():
            yield from walk(item, (*steps, key))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from walk(item, (*steps, index))
    else:
        yield steps, value
