"""Every case under ``tests/cases/readers/<tool>/*.yaml``: a tool's text goes in, a reading comes out.

A file holds a list of cases. A case is a mapping:

``name``
    says what is at stake; unique in its file.
``input`` | ``file`` | ``sample``
    the text itself (a literal block), or a file beside the YAML file, or a file of the folder of real samples
    (``samples/<sample>``; the case is skipped where that folder is absent).
``filename``
    how the reading calls the file; ``case.txt`` when absent.
``tool``
    the tool that must be found; null when no reader may take the text.
``expect``
    a partial match of the reading, recursively: a mapping matches when each of its keys matches, a list when
    it has the same length and matches element by element, a float within one part in a million, everything
    else when type and value are equal. Mappings with ``$`` keys ask other questions:
    ``{$has: [a, b]}`` each of a, b matches some element of the list;
    ``{$lacks: a}`` no element of the list matches a;
    ``{$length: 3}`` the list has three elements;
    ``{$count: {of: a, is: 3}}`` exactly three elements match a;
    ``{$text: part}`` the string holds the part;
    ``{$absent: true}`` the key is missing.
``problems``
    the set of codes that the reading and its runs report, exactly; ``[]`` when absent.

Of every case the runner also asks what must hold of any reading: it is JSON, each code is registered,
messages are one printable line, and nothing with an ``error`` problem is ``complete``.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from muster.diagnostics import all_codes
from muster.readers import read_bytes

CASES = Path(__file__).resolve().parents[2] / "cases" / "readers"
TOOLS = ("dcgm", "nvbandwidth", "perftest", "nvidia_smi", "infiniband", "training", "nvcre", "aicr")
KEYS = {"name", "input", "file", "sample", "filename", "tool", "expect", "problems"}


def _cases() -> list[Any]:
    found = []
    for tool in TOOLS:
        for path in sorted((CASES / tool).glob("*.yaml")):
            for case in YAML(typ="safe", pure=True).load(path.read_text("utf-8")) or []:
                unknown = set(case) - KEYS
                assert not unknown, f"{path}: {case.get('name')}: unknown keys {sorted(unknown)}"
                found.append(pytest.param(path, case, id=f"{tool}/{path.stem}:{case['name']}"))
    return found


def mismatch(found: Any, wanted: Any, path: str = "$") -> str | None:
    """Return where and why a value does not match, None when it does."""
    if isinstance(wanted, dict) and any(str(key).startswith("$") for key in wanted):
        return _special(found, wanted, path)
    if isinstance(wanted, dict):
        return _mapping(found, wanted, path)
    if isinstance(wanted, list):
        if not isinstance(found, list) or len(found) != len(wanted):
            return f"{path}: wanted {len(wanted)} elements, found {found!r}"
        pairs = enumerate(zip(found, wanted, strict=True))
        return next((r for index, (f, w) in pairs if (r := mismatch(f, w, f"{path}[{index}]"))), None)
    if isinstance(wanted, float) and type(found) in (int, float):
        return None if found == pytest.approx(wanted, rel=1e-6) else f"{path}: {found!r} is not {wanted!r}"
    if type(found) is not type(wanted) or found != wanted:
        return f"{path}: {found!r} is not {wanted!r}"
    return None


def _mapping(found: Any, wanted: dict[str, Any], path: str) -> str | None:
    if not isinstance(found, dict):
        return f"{path}: {found!r} is no mapping"
    for key, value in wanted.items():
        if value == {"$absent": True}:
            if key in found:
                return f"{path}.{key}: is there: {found[key]!r}"
        elif key not in found:
            return f"{path}.{key}: missing among {sorted(map(str, found))}"
        elif reason := mismatch(found[key], value, f"{path}.{key}"):
            return reason
    return None


def _special(found: Any, wanted: dict[str, Any], path: str) -> str | None:
    for question, value in wanted.items():
        if question == "$text":
            held = isinstance(found, str) and value in found
        elif not isinstance(found, list):
            return f"{path}: {found!r} is no list"
        elif question == "$has":
            missing = [item for item in value if all(mismatch(one, item) for one in found)]
            if missing:
                return f"{path}: nothing matches {missing!r} in {found!r}"
            held = True
        elif question == "$lacks":
            held = all(mismatch(one, value) for one in found)
        elif question == "$length":
            held = len(found) == value
        elif question == "$count":
            held = sum(mismatch(one, value["of"]) is None for one in found) == value["is"]
        else:
            raise AssertionError(f"unknown question {question}")
        if not held:
            return f"{path}: {question} {value!r} does not hold of {found!r}"
    return None


def all_problems(reading: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the problems of a reading and of its runs."""
    return [*reading["problems"], *(item for run in reading.get("runs", []) for item in run["problems"])]


def _input(path: Path, case: dict[str, Any], request: pytest.FixtureRequest) -> bytes:
    if "sample" in case:
        return (request.getfixturevalue("shared") / "samples" / case["sample"]).read_bytes()
    if "file" in case:
        return (path.parent / case["file"]).read_bytes()
    return case["input"].encode()


@pytest.mark.parametrize(("path", "case"), _cases())
def test_case(path: Path, case: dict[str, Any], request: pytest.FixtureRequest) -> None:
    data = _input(path, case, request)
    reading = read_bytes(case.get("filename", case.get("sample", "case.txt")), data)
    shown = json.dumps(reading, allow_nan=False, indent=1)
    assert reading["tool"] == case["tool"], shown
    reason = mismatch(reading, case["expect"])
    assert reason is None, f"{reason}\n{shown}"
    found = all_problems(reading)
    assert {item["code"] for item in found} == set(case.get("problems", [])), shown
    assert {item["code"] for item in found} <= set(all_codes()), shown
    assert all(item["message"].isprintable() for item in found), shown
    if reading["state"] == "complete":
        assert not [item for item in reading["problems"] if item["severity"] == "error"], shown


def test_the_matcher_sees_differences() -> None:
    reading = {"a": [{"n": 1, "s": "pass"}, {"n": 2, "s": "fail"}], "f": 1.5, "none": None}
    good: list[Any] = [
        {"f": 1.5},
        {"a": [{"n": 1}, {"s": "fail"}]},
        {"a": {"$has": [{"n": 2}], "$length": 2, "$lacks": {"n": 3}, "$count": {"of": {"n": 1}, "is": 1}}},
        {"none": None, "other": {"$absent": True}},
    ]
    bad: list[Any] = [
        {"f": 1.5001},
        {"a": [{"n": 1}]},
        {"a": [{"n": True}, {}]},
        {"a": {"$has": [{"n": 3}]}},
        {"a": {"$lacks": {"n": 2}}},
        {"a": {"$length": 1}},
        {"a": {"$count": {"of": {}, "is": 1}}},
        {"none": 0},
        {"f": {"$absent": True}},
        {"missing": None},
    ]
    assert [item for item in good if mismatch(reading, item)] == []
    assert [item for item in bad if mismatch(reading, item) is None] == []
