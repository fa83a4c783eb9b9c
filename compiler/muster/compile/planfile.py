"""The text of ``plan.json``: JSON with one test, one run, one pool per line, so that Git shows what changed."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_BY_LINE = ("pools", "tests", "disabled", "desired", "waivers", "excluded")


def plan_text(plan: Mapping[str, Any]) -> bytes:
    """Return the bytes of a plan; the order of its fields is kept."""
    fields = [f" {_one(name)}: {_field(name, value)}" for name, value in plan.items()]
    return ("{\n" + ",\n".join(fields) + "\n}\n").encode()


def _field(name: str, value: Any) -> str:
    if name not in _BY_LINE or not value:
        return _one(value)
    opening, closing = ("[", "]") if isinstance(value, list) else ("{", "}")
    return opening + "\n" + ",\n".join(f"  {item}" for item in _items(value)) + f"\n {closing}"


def _items(value: Any) -> Iterator[str]:
    if isinstance(value, list):
        yield from map(_one, value)
    else:
        for key, item in value.items():
            yield f"{_one(key)}: {_one(item)}"


def _one(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
