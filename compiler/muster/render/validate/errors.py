"""Say in one line what a schema does not accept, and what may have been meant."""

from __future__ import annotations

import json
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

from muster.render.validate.faults import Fault

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from muster.render.validate.schema import Schema

MOST = 20
"""Faults told about one object; that there are more is told too."""
_LONGEST = 80


def path_text(path: Iterable[str | int]) -> str:
    """Return ``spec.containers[0].env`` for a path of an instance."""
    text = ""
    for step in path:
        text += f"[{step}]" if isinstance(step, int) else f".{step}" if text else step
    return text


def explain(schema: Schema, item: Mapping[str, Any]) -> list[Fault]:
    """Return a fault for each thing a schema refuses about an object (MU560, MU561)."""
    found: list[Fault] = []
    for error in schema.validator.iter_errors(item):
        if len(found) >= MOST:
            found.append(Fault("MU561", "", f"has more faults than these {MOST}"))
            break
        found += _faults(schema, error)
    return found


def _faults(schema: Schema, error: Any) -> Iterator[Fault]:
    where = list(error.instance_path)
    if error.kind.name != "additionalProperties":
        yield Fault("MU561", path_text(where), _reason(error))
        return
    known = list(schema.fields_at(where))
    for unknown in error.kind.unexpected:
        near = get_close_matches(unknown, known, 1)
        hint = f"did you mean {near[0]}?" if near else ""
        yield Fault("MU560", path_text([*where, unknown]), "does not exist", hint)


def _reason(error: Any) -> str:
    kind, detail = error.kind.name, error.kind.as_dict()
    if kind == "required":
        return f"lacks the field {detail['property']}"
    value = _short(error.instance)
    if kind == "type":
        return f"is {value}, which is no {' or '.join(detail['types'])}"
    if kind == "enum":
        return f"is {value}, not one of {_short(detail['options'])}"
    if kind == "constant":
        return f"is {value}, not {_short(detail['expected_value'])}"
    if kind == "pattern":
        return f"is {value}, which does not match {detail['pattern']}"
    if kind in {"anyOf", "oneOf"}:
        return f"is {value}, which fits none of the allowed forms, or more than one"
    return f"is {value}: {kind} {_short(next(iter(detail.values()), ''))}"


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=True, default=str)
    return text if len(text) <= _LONGEST else text[:_LONGEST] + "..."
