"""Compare what a case expects with what was found."""

from __future__ import annotations

from typing import Any


def covers(expected: Any, found: Any, where: str) -> None:
    """Assert that every expected part is found: lists item by item, text under ``has`` contained."""
    if isinstance(expected, dict) and set(expected) == {"has"}:
        assert expected["has"] in str(found), f"{where}: {expected['has']!r} is not in {found!r}"
    elif isinstance(expected, dict):
        assert isinstance(found, dict), f"{where} is {found!r}"
        for key, value in expected.items():
            assert key in found, f"{where} has no {key}"
            covers(value, found[key], f"{where}.{key}")
    elif isinstance(expected, list):
        assert isinstance(found, list), f"{where} is {found!r}"
        assert len(found) == len(expected), f"{where} has {len(found)} items: {found!r}"
        for number, value in enumerate(expected):
            covers(value, found[number], f"{where}[{number}]")
    else:
        assert found == expected, f"{where} is {found!r}, not {expected!r}"
