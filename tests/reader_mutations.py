"""Damage texts that tools printed, and ask whether a reading of the damaged text looks better than before."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ruamel.yaml import YAML

from muster.readers import read_bytes

if TYPE_CHECKING:
    from collections.abc import Iterator

CASES = Path(__file__).resolve().parent / "cases" / "readers"
WORDS = {
    "Pass": ("Fail", "Skip", "Warn", "Not Run", "Passe", "pass?", ""),
    "Fail": ("Skip", "Warn", "Not Run", "Fine", ""),
    "Skip": ("Fail", "Skipped"),
    "Passed": ("Waived", "Error", "Running", "Fine"),
    "Healthy": ("Warning", "Failure", "Well"),
    "Active": ("Down", "Initializing", "Actif"),
    "LinkUp": ("Polling", "Up"),
    "GB/s": ("ns", "GiB/s", ""),
    "Gb/sec": ("MB/sec", "GB/sec", ""),
    "MiB": ("GiB", ""),
    "SUM": ("MAX", "SUN"),
    "On": ("ERR!", "Of"),
}


IDENTITY = ("index", "name", "busId", "uuid", "memoryMiB", "ecc", "mig", "port", "rate", "linkLayer")


def inputs(*tools: str) -> list[tuple[str, str]]:
    """Return name and text of every case of some tools that reads as complete."""
    found = []
    for tool in tools:
        for path in sorted((CASES / tool).glob("*.yaml")):
            for case in YAML(typ="safe", pure=True).load(path.read_text("utf-8")):
                if "input" in case and case["expect"].get("state") == "complete":
                    found.append((f"{path.stem}: {case['name']}", case["input"]))
    return found


def lines_of(*tools: str) -> list[str]:
    """Return every line of every case of some tools, to be put together in other orders."""
    found: dict[str, None] = {}
    for tool in tools:
        for path in sorted((CASES / tool).glob("*.yaml")):
            for case in YAML(typ="safe", pure=True).load(path.read_text("utf-8")):
                found |= dict.fromkeys(case.get("input", "").split("\n"))
    return list(found)


def sound(reading: dict[str, Any]) -> bool:
    """Return whether a reading is JSON without infinities, in printable messages, and complete only if clean."""
    json.dumps(reading, allow_nan=False).encode("utf-8")
    json.dumps(reading, allow_nan=False, ensure_ascii=False).encode("utf-8")
    problems = reading["problems"]
    clean = not any(item["severity"] == "error" for item in problems)
    return all(item["message"].isprintable() for item in problems) and (
        clean or reading["state"] != "complete"
    )


def read(text: str) -> dict[str, Any]:
    """Return the reading of a text."""
    return dict(read_bytes("damaged.txt", text.encode()))


def line_damage(text: str) -> Iterator[tuple[str, str]]:
    """Yield a text with each line dropped, each line doubled, and each tail cut off."""
    lines = text.split("\n")
    for index, line in enumerate(lines):
        if line.strip():
            yield f"without line {index + 1}", "\n".join(lines[:index] + lines[index + 1 :])
            yield f"with line {index + 1} twice", "\n".join([*lines[: index + 1], *lines[index:]])
            yield f"cut before line {index + 1}", "\n".join(lines[:index])
            yield f"cut inside line {index + 1}", "\n".join([*lines[:index], line[: len(line) // 2]])


def word_damage(text: str) -> Iterator[tuple[str, str]]:
    """Yield a text with one status word or unit changed to another, never to a better one."""
    for word, others in WORDS.items():
        start = text.find(word)
        while start >= 0:
            for other in others:
                yield f"{word!r} at {start} is {other!r}", text[:start] + other + text[start + len(word) :]
            start = text.find(word, start + len(word))


def better(before: dict[str, Any], after: dict[str, Any]) -> str | None:
    """Return what looks better after the damage although nothing says that something is wrong; None if nothing.

    ``before`` is complete. What is not complete after the damage is not better, and what vanished whole (a test,
    a row, a GPU) satisfies nothing. Better is: a pass that was none, a failed result whose test is still there
    without it, a figure or a device that was not there.
    """
    if after["state"] != "complete":
        return None
    if after["tool"] != before["tool"]:
        return f"read as {after['tool']}"
    return _checks(before, after) or _rows(before, after) or _devices(before, after)


def _checks(before: dict[str, Any], after: dict[str, Any]) -> str | None:
    def worst(reading: dict[str, Any]) -> dict[tuple[Any, ...], set[str]]:
        found: dict[tuple[Any, ...], set[str]] = {}
        for check in reading.get("checks", []):
            place = tuple(check.get(name) for name in ("name", "subtest", "entity"))
            found.setdefault(place, set()).add(check["status"])
        return found

    old, new = worst(before), worst(after)
    for place, statuses in new.items():
        if statuses == {"pass"} and "pass" not in old.get(place, set()):
            return f"{place} passes and did not"
    for place, statuses in old.items():
        still = any(item[:2] == place[:2] for item in new)
        if (
            "pass" not in statuses
            and place not in new
            and still
            and all(item == {"pass"} for item in new.values())
        ):
            return f"{place} was {statuses} and vanished"
    return None


def _rows(before: dict[str, Any], after: dict[str, Any]) -> str | None:
    def values(reading: dict[str, Any]) -> set[tuple[Any, ...]]:
        keys = ("value", "unit", "metric", "bytes", "cell", "aggregate")
        return {tuple(str(row.get(key)) for key in keys) for row in reading.get("rows", [])}

    new = values(after) - values(before)
    return f"new figures {sorted(new)}" if new else None


def _devices(before: dict[str, Any], after: dict[str, Any]) -> str | None:
    for kind in ("gpus", "nics"):
        old, new = before.get(kind, []), after.get(kind, [])
        if len(new) > len(old):
            return f"more {kind}"
        for device in new if len(new) == len(old) else []:
            told = {key: device[key] for key in IDENTITY if device.get(key) is not None}
            if not any(all(item.get(key) == value for key, value in told.items()) for item in old):
                return f"new {kind}: {device}"
        if len(new) == len(old) and sum(map(_well, new)) > sum(map(_well, old)):
            return f"more {kind} look well"
    return None


def _well(device: dict[str, Any]) -> bool:
    return bool(device.get("state") == "Active" or device.get("ecc") == 0)
