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


def examine(runs: Iterable[JsonMap], op: str, *, validated: bool) -> list[Reason]:
    """Return a reason for every run with wrong elements, and for those whose data nobody compared.

    Args:
        runs: runs of one operation.
        op: the operation; some have no in-place check.
        validated: whether data must have been checked; wrong data counts either way.
    """
    found: list[Reason] = []
    for run in runs:
        spotless = _spotless(run)
        found.extend(_wrong(run, spotless=spotless))
        if validated and (why := _unchecked(run, op, spotless=spotless)) is not None:
            found.append(Reason("MU905", f"the data was not checked: {why}{_round(run)}"))
    return found


def _wrong(run: JsonMap, *, spotless: bool) -> list[Reason]:
    summary = mapping(run.get("summary"))
    total = summary.get("outOfBounds")
    first = None if spotless else _first_wrong(run)
    if first is None and not number(total) and summary.get("outOfBoundsOk") is not False:
        return []
    detail = first or f"{shown(total)} out of bounds values"
    return [Reason("MU904", f"the data is wrong: {detail}{_round(run)}")]


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
    for row in maps(run.get("rows")):
        for side in _SIDES:
            wrong = mapping(row.get(side)).get("wrong")
            if wrong is not None and wrong != 0 and number(wrong) is not None:
                return f"wrong elements: {shown(wrong)} at {shown(row.get('bytes'))} bytes {side}"
    return None


def _unchecked(run: JsonMap, op: str, *, spotless: bool) -> str | None:
    """Return why the data of a run counts as not compared, None when it was."""
    summary = mapping(run.get("summary"))
    if run.get("validation") is False:
        return "validation is off"
    if summary.get("outOfBoundsOk") is not True and number(summary.get("outOfBounds")) is None:
        return "the tool gives no total of wrong values"
    return None if spotless else _without_check(run, op)


def _without_check(run: JsonMap, op: str) -> str | None:
    for row in maps(run.get("rows")):
        for side in _SIDES:
            placement = mapping(row.get(side))
            absent = not any(value is not None for value in placement.values())
            if side == "inPlace" and (op in NO_IN_PLACE_CHECK or absent):
                continue
            if number(placement.get("wrong")) is None:
                return f"no count of wrong elements at {shown(row.get('bytes'))} bytes {side}"
    return None


def _round(run: JsonMap) -> str:
    return "" if run.get("round") is None else f" (round {shown(run.get('round'))})"
