"""The plans that evidence is bound to and judged by: those of the compiled output."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from muster.diagnostics import InputFault, Position, diagnostic

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

VERSION = "muster.dev/plan/v1"

_PARTS: Mapping[str, type] = {
    **dict.fromkeys(("site", "siteDigest"), str),
    **dict.fromkeys(("pools", "tests", "disabled", "waivers", "totals"), dict),
    **dict.fromkeys(("desired", "excluded"), list),
    "validFor": int,
}
_DESIRED: Mapping[str, type] = {
    **dict.fromkeys(
        ("id", "site", "pool", "test", "catalog", "tool", "scope", "digest", "stage", "position"), str
    ),
    **dict.fromkeys(("measurement", "acceptance", "cost"), dict),
    **dict.fromkeys(("unit", "objects"), list),
    "wave": int,
}


def read_plans(output: Path, sites: Sequence[str], shown: str) -> list[dict[str, Any]]:
    """Return ``plan.json`` of the sites named, of every compiled site when none is.

    Raises:
        InputFault: MU001 a site has no plan, MU005 a plan cannot be read.
    """
    known = {path.parent.name: path for path in sorted(output.glob("*/plan.json"))}
    wanted = list(dict.fromkeys(sites)) or list(known)
    missing = [name for name in wanted if name not in known]
    if missing or not wanted:
        what = f"no compiled site {', '.join(missing)}" if missing else "no compiled site"
        hint = "known: " + ", ".join(known) if known else "run `muster compile` first"
        raise InputFault(diagnostic("MU001", f"{what} in {shown}", hint=hint))
    return [_read(known[name], f"{shown}/{name}/plan.json") for name in wanted]


def read_all_plans(output: Path, shown: str) -> list[dict[str, Any]]:
    """Return every ``plan.json`` of an output folder, none where there is none.

    Raises:
        InputFault: MU005 a plan cannot be read.
    """
    return [
        _read(path, f"{shown}/{path.parent.name}/plan.json") for path in sorted(output.glob("*/plan.json"))
    ]


def _read(path: Path, shown: str) -> dict[str, Any]:
    def refuse(why: str) -> InputFault:
        return InputFault(diagnostic("MU005", f"{shown} {why}", Position(shown, 1, 1)))

    try:
        plan = json.loads(path.read_text("utf-8"))
    except (ValueError, OSError, RecursionError) as error:
        raise refuse(f"cannot be read: {error}") from error
    if not isinstance(plan, dict) or plan.get("apiVersion") != VERSION:
        raise refuse(f"is not a {VERSION}")
    missing = [name for name, kind in _PARTS.items() if not isinstance(plan.get(name), kind)]
    if missing:
        raise refuse(f"has no {', '.join(missing)}, or in another form")
    if plan["site"] != path.parent.name:
        raise refuse("is the plan of another site")
    for number, item in enumerate(plan["desired"], 1):
        missing = (
            [name for name, kind in _DESIRED.items() if not isinstance(item.get(name), kind)]
            if isinstance(item, dict)
            else ["fields"]
        )
        if missing:
            raise refuse(f"has no {', '.join(missing)}, or in another form, in its run {number}")
    return plan
