"""The plans that evidence is bound to and judged by: those of the compiled output."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from muster.diagnostics import InputFault, Position, diagnostic

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

VERSION = "muster.dev/plan/v1"


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


def _read(path: Path, shown: str) -> dict[str, Any]:
    try:
        plan = json.loads(path.read_text("utf-8"))
    except (ValueError, OSError) as error:
        raise InputFault(
            diagnostic("MU005", f"{shown} cannot be read: {error}", Position(shown, 1, 1))
        ) from error
    if not isinstance(plan, dict) or plan.get("apiVersion") != VERSION:
        raise InputFault(diagnostic("MU005", f"{shown} is not a {VERSION}", Position(shown, 1, 1)))
    return plan
