"""Names and words of DCGM's diagnosis by version, brought to those of DCGM 4."""

from __future__ import annotations

import re
from typing import Any, Literal

Status = Literal["pass", "skip", "warn", "fail", "not-run", "waived", "error"]

STATUSES: dict[str, Status] = {
    "pass": "pass",
    "skip": "skip",
    "warn": "warn",
    "fail": "fail",
    "not run": "not-run",
    "notrun": "not-run",
}
RANK: tuple[Status, ...] = ("pass", "waived", "skip", "not-run", "warn", "fail", "error")

SOFTWARE = "software"
LEVEL_ONE = (
    "denylist",
    "nvml_library",
    "cuda_main_library",
    "permissions_and_os_blocks",
    "persistence_mode",
    "environment_variables",
    "page_retirement_row_remap",
    "graphics_processes",
    "inforom",
)
_LEVEL_ONE = {name: name for name in (*LEVEL_ONE, "cuda_toolkit_library")} | {
    "blacklist": "denylist",
    "permissions_and_os_related_blocks": "permissions_and_os_blocks",
    "environmental_variables": "environment_variables",
}
_TESTS = {"gpu_memory": "memory", "eud_test": "eud", "cpu_eud_test": "cpu_eud"}
_SEPARATORS = re.compile(r"[^a-z0-9]+")


def snake(text: str) -> str:
    """Return a name in lower case, its words joined by underscores."""
    return _SEPARATORS.sub("_", text.lower()).strip("_")


def test_name(raw: str) -> tuple[str, str | None]:
    """Return the name that DCGM 4 has for a test, and for a part of level 1 of older versions that part.

    Level 1 was nine tests up to DCGM 3 and is one test, ``software``, from DCGM 4 on; so ``Persistence Mode``
    gives ``("software", "persistence_mode")``.
    """
    name = snake(raw)
    if name in _LEVEL_ONE:
        return SOFTWARE, _LEVEL_ONE[name]
    return _TESTS.get(name, name), None


def status_of(word: object) -> Status | None:
    """Return the status that a word of dcgmi or nvvs means; None for any other word."""
    return STATUSES.get(word.strip().lower()) if isinstance(word, str) else None


def worst(statuses: list[Status]) -> Status | None:
    """Return the worst of several statuses; None of none."""
    return max(statuses, key=RANK.index, default=None)


def overall(checks: list[dict[str, Any]]) -> str | None:
    """Return the result of all checks together: ``fail``, ``warn``, ``skip`` (also not run) or ``pass``."""
    found = worst([check["status"] for check in checks])
    return {"error": "fail", "not-run": "skip", "waived": "skip"}.get(found, found) if found else None
