"""Say which fields of two measurements differ."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_ABSENT = object()


def differences(
    declared: object, found: object, path: str = "", depth: int = 12
) -> list[tuple[str, Any, Any]]:
    """Return every field that differs as (path, declared, found), sorted by path; None where one lacks it.

    Lists count as one value: of a command line or a unit the whole is what differs.
    """
    if isinstance(declared, Mapping) and isinstance(found, Mapping) and depth > 0:
        result: list[tuple[str, Any, Any]] = []
        for key in sorted({*map(str, declared), *map(str, found)}):
            one, two = declared.get(key, _ABSENT), found.get(key, _ABSENT)
            where = f"{path}.{key}" if path else key
            if one is _ABSENT or two is _ABSENT:
                result.append((where, None if one is _ABSENT else one, None if two is _ABSENT else two))
            else:
                result.extend(differences(one, two, where, depth - 1))
        return result
    same_kind = isinstance(declared, bool) is isinstance(found, bool)
    return [] if same_kind and declared == found else [(path, declared, found)]
