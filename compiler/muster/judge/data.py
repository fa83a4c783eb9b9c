"""Was the data right? Wrong elements outweigh any bandwidth, and unchecked data proves nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from muster.judge.fields import mapping, maps, number, shown
from muster.judge.model import Reason

if TYPE_CHECKING:
    from collections.abc import Iterable

    from muster.judge.fields import JsonMap

# nccl-tests never checks these in place: its N/A there is no error.
NO_IN_PLACE_CHECK: Final = frozenset({"alltoall", "alltoallv", "sendrecv"})
_SIDES: Final = ("outOfPlace", "inPlace")


def wrong_data(runs: Iterable[JsonMap]) -> list[Reason]:
    """Return a reason for every run that the tool itself found wrong elements in."""
    found: list[Reason] = []
    for run in runs:
        summary = mapping(run.get("summary"))
        bad = number(summary.get("outOfBounds"))
        first = _first_wrong(run)
        if first is not None or (bad is not None and bad != 0) or summary.get("outOfBoundsOk") is False:
            detail = first or f"{shown(summary.get('outOfBounds'))} out of bounds values"
            found.append(Reason("MU904", f"the data is wrong: {detail}{_round(run)}"))
    return found


def _spotless(run: JsonMap) -> bool:
    """Tell quickly whether every row has a count of zero wrong elements in both placements.

    False means only that one has to look closer.
    """
    try:
        for row in run["rows"]:
            out, inside = row["outOfPlace"]["wrong"], row["inPlace"]["wrong"]
            if out.__class__ is not int or inside.__class__ is not int or out or inside:
                return False
    except (KeyError, TypeError, IndexError):
        return False
    return True


def _first_wrong(run: JsonMap) -> str | None:
    if _spotless(run):
        return None
    for row in maps(run.get("rows")):
        for side in _SIDES:
            wrong = mapping(row.get(side)).get("wrong")
            if wrong is not None and wrong != 0 and number(wrong) is not None:
                return f"{shown(wrong)} wrong elements at {shown(row.get('bytes'))} bytes {side}"
    return None


def unchecked(runs: Iterable[JsonMap], op: str) -> list[Reason]:
    """Return a reason for every run whose data nobody compared; asked only where validation is declared."""
    found: list[Reason] = []
    for run in runs:
        summary = mapping(run.get("summary"))
        if run.get("validation") is False:
            found.append(Reason("MU905", f"the data was not checked: validation is off{_round(run)}"))
        elif summary.get("outOfBoundsOk") is not True and number(summary.get("outOfBounds")) is None:
            found.append(
                Reason(
                    "MU905", f"the data was not checked: the tool gives no total of wrong values{_round(run)}"
                )
            )
        elif (where := _without_check(run, op)) is not None:
            found.append(Reason("MU905", f"the data was not checked: {where}{_round(run)}"))
    return found


def _without_check(run: JsonMap, op: str) -> str | None:
    if _spotless(run):
        return None
    for row in maps(run.get("rows")):
        for side in _SIDES:
            placement = mapping(row.get(side))
            wrong = placement.get("wrong")
            if side == "inPlace" and (
                op in NO_IN_PLACE_CHECK or not any(v is not None for v in placement.values())
            ):
                continue
            if number(wrong) is None:
                return f"no count of wrong elements at {shown(row.get('bytes'))} bytes {side}"
    return None


def _round(run: JsonMap) -> str:
    return "" if run.get("round") is None else f" (round {shown(run.get('round'))})"
