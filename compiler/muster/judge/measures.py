"""Hold every threshold of an acceptance against the figures of one attempt."""

from __future__ import annotations

from decimal import Context, Decimal
from typing import TYPE_CHECKING

from muster.judge import bounds, series, statistics
from muster.judge.fields import mapping, number, shown, text
from muster.judge.model import Measure, Reason
from muster.judge.terms import RUN_METRICS

if TYPE_CHECKING:
    from muster.judge.fields import JsonMap
    from muster.judge.runs import Rounds
    from muster.judge.series import Cell, Series
    from muster.judge.terms import Terms, Threshold


def figure(value: Decimal | None) -> str:
    """Return a figure for people, ``?`` when unknown.

    What was read is shown in full, so that a value just beside a bound does not look like the bound; what was
    computed with more than 17 digits is cut to 9.
    """
    if value is None:
        return "?"
    plain = value.normalize(statistics.EXACT)
    if len(plain.as_tuple().digits) > 17:
        plain = Context(prec=9).plus(plain).normalize()
    return f"{plain:f}" if -9 <= plain.adjusted() <= 15 else f"{plain:e}"


def percent(value: Decimal | None) -> str:
    """Return a fraction as a percentage with two decimals; ``?`` when unknown."""
    return "?" if value is None else f"{value * 100:.2f} %"


def _read(threshold: Threshold, record: JsonMap, rounds: Rounds) -> Series:
    if threshold.key:
        return series.of_runs(threshold, rounds)
    if threshold.metric in series.ROW_METRICS:
        return series.of_rows(threshold, record)
    if threshold.metric == "goodput":
        return series.of_document(threshold, record)
    unknown = series.Series()
    known = ", ".join((*RUN_METRICS, *series.ROW_METRICS, "goodput"))
    why = f"metric {shown(threshold.raw.get('metric'))} is not one that can be judged; known are {known}"
    unknown.reasons.append(Reason("MU929", why))
    return unknown


def _measure(threshold: Threshold, cell: Cell, values: dict[int, Decimal], expected: int) -> Measure:
    """Compute the statistic of one series; with a round missing nothing is computed at all."""
    by_round = tuple([values.get(number_) for number_ in range(1, expected + 1)])
    known = [value for value in by_round if value is not None]
    name = threshold.statistic
    if not known or len(known) != expected or len(values) != expected or name not in statistics.STATISTICS:
        return Measure(threshold.raw, by_round, None, ok=False, expected=expected, cell=cell)
    value = statistics.statistic(name, known)
    steady = not threshold.has_spread
    if threshold.spread is not None:
        steady = statistics.within_spread(known, threshold.spread)
    ok = steady and bounds.holds(value, threshold.lower, threshold.upper)
    return Measure(threshold.raw, by_round, value, ok, expected, cell)


def _worst(measures: list[Measure]) -> Measure:
    """Return the cell with the least margin; a cell without a value is worse than any."""

    def gravity(item: Measure) -> tuple[bool, bool, Decimal, str]:
        least = item.margin if item.margin is not None else Decimal(0)
        return (item.value is not None, item.ok, least, str(item.cell))

    return min(measures, key=gravity)._replace(cells=len(measures))


def _missed(measure: Measure) -> list[Reason]:
    """Return what a measure misses, with all figures that were compared."""
    value, threshold = measure.value or Decimal(0), measure.threshold
    at, unit = mapping(threshold.get("at")), text(threshold.get("unit")) or ""
    place = " ".join(shown(at[key]) for key in ("case", "bytes", "placement") if at.get(key) is not None)
    name = text(threshold.get("statistic")) or "median"
    what = f"{shown(threshold.get('name'))}: {name} {shown(threshold.get('metric'))} at {place}"
    if measure.cell is not None:
        what += f", cell {list(measure.cell)}"
    what += f" is {figure(value)} {unit}"
    found: list[Reason] = []
    lower, upper = number(threshold.get("lower")), number(threshold.get("upper"))
    if lower is not None and value < lower:
        found.append(Reason("MU901", f"{what}, below {figure(lower)} {unit} ({percent(measure.margin)})"))
    if upper is not None and value > upper:
        found.append(Reason("MU902", f"{what}, above {figure(upper)} {unit} ({percent(measure.margin)})"))
    if (limit := number(threshold.get("spread"))) is not None and not statistics.within_spread(
        [item for item in measure.values if item is not None], limit
    ):
        found.append(
            Reason("MU903", f"{what}, its spread over rounds {percent(measure.spread)} > {percent(limit)}")
        )
    return found or [
        Reason("MU929", f"{what}, but its spread limit {shown(threshold.get('spread'))} is no figure")
    ]


def judge_thresholds(
    terms: Terms, record: JsonMap, rounds: Rounds
) -> tuple[tuple[Measure, ...], list[Reason]]:
    """Return one measure per threshold and every reason why one does not hold."""
    measures: list[Measure] = []
    reasons: list[Reason] = []
    expected = terms.expected
    for threshold in terms.thresholds:
        found = _read(threshold, record, rounds)
        most = max([number_ for values in found.cells.values() for number_ in values], default=0)
        if most > expected:
            why = f"{threshold.label}: round {most} was measured, {expected} declared: n is fixed"
            found.reasons.append(Reason("MU917", why))
        reasons.extend(found.reasons)
        cells = [
            _measure(threshold, cell, values, expected)
            for cell, values in (found.cells or {None: {}}).items()
        ]
        measures.append(_worst(cells) if len(cells) > 1 else cells[0])
        for item in cells:
            if item.value is not None and not item.ok:
                reasons.extend(_missed(item))
            elif item.value is None and not found.reasons:
                reasons.append(_short(item, expected))
    return tuple(measures), reasons


def _short(measure: Measure, expected: int) -> Reason:
    name = shown(measure.threshold.get("name"))
    have = sum(value is not None for value in measure.values)
    statistic = text(measure.threshold.get("statistic")) or "median"
    if have == expected and statistic not in statistics.STATISTICS:
        return Reason("MU929", f"{name}: statistic {shown(statistic)} is not one that can be judged")
    where = f", cell {list(measure.cell)}" if measure.cell is not None else ""
    return Reason("MU922", f"{name}: n {have} of {expected} declared rounds{where}")
