"""Find the runs of an attempt that count: the right operation, ranks and type, once per declared round."""

from __future__ import annotations

from typing import TYPE_CHECKING

from muster.diagnostics.words import counted as counted_words
from muster.judge.fields import listed, mapping, maps, shown, text, whole
from muster.judge.model import Reason

if TYPE_CHECKING:
    from muster.judge.fields import JsonMap
    from muster.judge.terms import Terms

# round -> the runs that claim to be it; more than one only where two sources tell of the same round
Rounds = dict[int, list["JsonMap"]]

_STATE_CODES = {"incomplete": "MU920", "errored": "MU924", "unreadable": "MU917"}


def of_operation(record: JsonMap, op: str) -> list[JsonMap]:
    """Return the runs of one operation, whatever else is wrong with them."""
    return [run for run in maps(record.get("runs")) if run.get("op") == op]


def _doubts(run: JsonMap, measurement: JsonMap) -> list[Reason]:
    """Return why a run of the right operation is not a run of the measurement."""
    found: list[Reason] = []
    state = run.get("state")
    if state != "complete":
        code = _STATE_CODES.get(state, "MU917") if isinstance(state, str) else "MU917"
        found.append(Reason(code, f"a run of {run.get('op')} is {shown(state)}"))
    ranks, declared = whole(run.get("ranks")), whole(measurement.get("ranks"))
    if ranks is None:
        found.append(Reason("MU917", "the number of ranks was not read, so the figures cannot be compared"))
    elif ranks != declared:
        found.append(
            Reason("MU917", f"{counted_words(ranks, 'rank')} ran, the measurement declares {shown(declared)}")
        )
    params = mapping(measurement.get("params"))
    found.extend(_kinds(run, text(params.get("datatype")), text(params.get("redop"))))
    return found


def _kinds(run: JsonMap, datatype: str | None, redop: str | None) -> list[Reason]:
    """Return why rows are of another data type or reduction than declared; None declares none."""
    odd = [row for row in maps(run.get("rows")) if row.get("type") != datatype or row.get("redop") != redop]
    if not odd:
        return []
    found: list[Reason] = []
    if datatype is not None:
        types = {text(row.get("type")) or text(run.get("datatype")) or "unknown" for row in odd} - {datatype}
        if types:
            other = listed(sorted(types))
            found.append(
                Reason("MU917", f"data type {other} was measured, the measurement declares {datatype}")
            )
    if redop is not None:
        redops = {kind for row in odd if (kind := text(row.get("redop"))) is not None} - {redop, "none"}
        if redops:
            other = listed(sorted(redops))
            found.append(Reason("MU917", f"reduction {other} was measured, the measurement declares {redop}"))
    return found


def _numbered(runs: list[JsonMap], expected: int) -> tuple[Rounds, list[Reason]]:
    rounds: Rounds = {}
    numbers = [whole(run.get("round")) for run in runs]
    if all(number is None for number in numbers):
        numbers = list(range(1, len(runs) + 1))
    reasons: list[Reason] = []
    for run, number in zip(runs, numbers, strict=True):
        if number is None:
            reasons.append(Reason("MU917", "a run belongs to no round while others do"))
        elif not 1 <= number <= expected:
            reasons.append(
                Reason("MU917", f"a run says it is round {number}, {expected} declared: n is fixed")
            )
        else:
            rounds.setdefault(number, []).append(run)
    return rounds, reasons


def counted(terms: Terms, record: JsonMap) -> tuple[Rounds, list[Reason]]:
    """Return the runs by round, and everything that speaks against them.

    More rounds than declared are a doubt, not a choice.

    Args:
        terms: what is asked; operation, ranks, data type and reduction are compared.
        record: an evidence record.
    """
    expected = terms.expected
    runs = maps(record.get("runs"))
    mine = [run for run in runs if run.get("op") == terms.op]
    reasons: list[Reason] = []
    if len(mine) < len(runs):
        reasons.extend(_of_others(runs, mine, terms.op))
    for run in mine:
        reasons.extend(_doubts(run, terms.measurement))
    rounds, odd = _numbered(mine, expected)
    reasons.extend(odd)
    if len(rounds) < expected:
        missing = listed([str(number) for number in range(1, expected + 1) if number not in rounds])
        why = f"fewer rounds than declared: n {len(rounds)} of {expected}, missing round {missing}"
        reasons.append(Reason("MU922", why))
    return rounds, list(dict.fromkeys(reasons))


def _of_others(runs: list[JsonMap], mine: list[JsonMap], op: str | None) -> list[Reason]:
    """Return why runs that are not of the operation are a doubt; those of others beside it are none."""
    if any(run.get("op") is None for run in runs):
        return [Reason("MU917", "a run does not say which operation it measured")]
    if mine:
        return []
    others = listed(sorted({shown(run.get("op")) for run in runs}))
    return [Reason("MU917", f"no run of {op} in the evidence, only of {others}")]
