"""Read one value per declared round for a threshold; what cannot be read is a reason, never a number."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import TYPE_CHECKING, Final

from muster.judge.fields import items, mapping, maps, number, shown, text, whole
from muster.judge.model import Reason
from muster.judge.statistics import EXACT
from muster.judge.terms import RUN_METRICS
from muster.judge.units import convert

if TYPE_CHECKING:
    from muster.judge.fields import JsonMap
    from muster.judge.runs import Rounds
    from muster.judge.terms import Threshold

ROW_METRICS: Final = ("bandwidth", "latency")

# Half of the last digit printed, and a little for the tool's own binary rounding.
_ROUNDED: Final = Decimal("0.51")
# Row and column of a matrix, with the node before them where several report.
Cell = tuple[int | str, ...] | None


@dataclass(slots=True)
class Series:
    """Values by round of one threshold: one series, or one per cell of a matrix."""

    cells: dict[Cell, dict[int, Decimal]] = field(default_factory=dict)
    reasons: list[Reason] = field(default_factory=list)
    doubted: set[tuple[Cell, int]] = field(default_factory=set)

    def put(self, cell: Cell, round_number: int, value: Decimal, label: str) -> None:
        """Add a value; a second, different one for the same round is a contradiction of two sources."""
        known = self.cells.setdefault(cell, {})
        if (cell, round_number) in self.doubted:
            return
        if round_number not in known:
            known[round_number] = value
            return
        kept = _same(known[round_number], value)
        if kept is None:
            told = f"{known.pop(round_number)} and {value}"
            self.doubted.add((cell, round_number))
            self.reasons.append(
                Reason("MU926", f"two sources contradict each other on {label}, round {round_number}: {told}")
            )
        else:
            known[round_number] = kept


def _same(one: Decimal, two: Decimal) -> Decimal | None:
    """Return the more precise of two figures that are the same but for the digits printed, else None.

    A table of nccl-tests shows two digits after the point below 1000, one below 10000, none above.
    """
    if one == two:
        return one
    digit = (
        Decimal("0.01") if max(one, two) < 1000 else Decimal("0.1") if max(one, two) < 10000 else Decimal(1)
    )
    if abs(EXACT.subtract(one, two)) > EXACT.multiply(digit, _ROUNDED):
        return None
    return min(one, two, key=lambda value: int(value.as_tuple().exponent))


def plausible(value: object, unit: str, threshold: Threshold, label: str) -> Decimal | Reason:
    """Return the value in the threshold's unit, or why it cannot be a measured figure.

    Args:
        value: as the record holds it.
        unit: the unit it is in.
        threshold: names the unit wanted and the most the links can carry; no unit means the same.
        label: what the value is, for the message.
    """
    found = number(value)
    if value is None:
        return Reason("MU928", f"{label} was not read")
    if found is None:
        return Reason("MU927", f"{label} is {shown(value)}, which is no figure")
    if found <= 0:
        return Reason("MU927", f"{label} is {found} {unit}: nothing real measures zero or less")
    wanted, most = threshold.unit or unit, threshold.ceiling
    same = convert(found, unit, wanted)
    if same is None:
        return Reason("MU929", f"{label} is in {shown(unit)}, the threshold in {shown(wanted)}")
    if most is not None and same > most:
        return Reason("MU927", f"{label} is {same} {wanted}, above the {most} {wanted} its links can carry")
    return same


def _nearest(rows: list[JsonMap], size: int) -> str:
    sizes = [found for row in rows if (found := whole(row.get("bytes"))) is not None]
    if not sizes:
        return "the run has no rows"
    return f"the nearest is {min(sizes, key=lambda found: (abs(found - size), found))}"


def of_runs(threshold: Threshold, rounds: Rounds) -> Series:
    """Read a threshold's metric from the row of exactly its size, one value per round."""
    series = Series()
    key, unit = RUN_METRICS[threshold.metric or ""]
    size, side = threshold.size, threshold.side
    if size is None or side is None:
        why = f"threshold {threshold.label} names no size and placement, so it applies to no figure"
        series.reasons.append(Reason("MU925", why))
        return series
    label = f"{key} at {size} bytes {'out-of-place' if side == 'outOfPlace' else 'in-place'}"
    for round_number, runs in rounds.items():
        for run in runs:
            rows = [row for row in maps(run.get("rows")) if row.get("bytes") == size]
            if not rows:
                near = _nearest(maps(run.get("rows")), size)
                series.reasons.append(
                    Reason("MU921", f"round {round_number} has no row of exactly {size} bytes ({near})")
                )
            for row in rows:
                raw = mapping(row.get(side)).get(key)
                found = plausible(raw, unit, threshold, f"{label}, round {round_number},")
                if isinstance(found, Reason):
                    series.reasons.append(found)
                else:
                    series.put(None, round_number, found, label)
    return series


def _cell(row: JsonMap, *, named: bool) -> Cell:
    place = [part for part in items(row.get("cell")) if isinstance(part, (int, str))]
    return tuple([shown(row.get("node")), *place] if named else place) or None


def of_rows(threshold: Threshold, record: JsonMap) -> Series:
    """Read a threshold's metric from rows of a bandwidth tool: one series per cell of the case.

    Rows that carry no ``round`` count in the order they were printed.
    """
    series = Series()
    case, size, metric = threshold.case, threshold.size, threshold.metric
    rows = [row for row in maps(record.get("rows")) if row.get("metric") == metric]
    rows = [row for row in rows if case is None or row.get("case") == case]
    rows = [row for row in rows if size is None or whole(row.get("bytes")) == size]
    label = f"{metric} of {case or 'any case'}" + (f" at {size} bytes" if size is not None else "")
    kinds = {(text(row.get("case")), whole(row.get("bytes"))) for row in rows}
    if len(kinds) > 1:
        why = f"threshold {threshold.label} fits {len(kinds)} kinds of rows; name case and size"
        series.reasons.append(Reason("MU925", why))
        return series
    if not rows:
        series.reasons.append(Reason("MU921", f"the evidence has no row with {label}"))
    several = len({text(row.get("node")) for row in rows}) > 1
    seen: dict[Cell, int] = {}
    for row in rows:
        cell = _cell(row, named=several)
        seen[cell] = seen.get(cell, 0) + 1
        round_number = whole(row.get("round")) or seen[cell]
        where = label + (f" cell {list(cell)}" if cell else "") + f", round {round_number},"
        found = plausible(row.get("value"), text(row.get("unit")) or "no unit", threshold, where)
        if isinstance(found, Reason):
            series.reasons.append(found)
        else:
            series.put(cell, round_number, found, label)
    return series


def of_document(threshold: Threshold, record: JsonMap) -> Series:
    """Read goodput, the one figure that a whole training log gives; not found is not 100 %."""
    series = Series()
    raw = record.get("goodput")
    value = mapping(raw).get("ratio") if isinstance(raw, dict) else raw
    most = convert(Decimal(1), "ratio", threshold.unit or "ratio")
    found = plausible(value, "ratio", replace(threshold, ceiling=most), "goodput")
    if isinstance(found, Reason):
        series.reasons.append(found)
    else:
        series.put(None, 1, found, "goodput")
    return series
