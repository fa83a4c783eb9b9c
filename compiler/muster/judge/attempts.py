"""Hold one evidence record against one desired test, whatever its age and whatever other attempts say."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from muster.judge import checks, data, environment, measures, preflight, summaries, transport
from muster.judge.fields import instant, listed, mapping, maps, names, shown, text, whole
from muster.judge.model import Assessment, Measure, Reason
from muster.judge.prints import prints_of
from muster.judge.runs import Rounds, counted, of_operation
from muster.judge.states import CODES, RECORD_STATES
from muster.judge.terms import Terms, terms_of

if TYPE_CHECKING:
    from datetime import datetime

    from muster.judge.environment import Difference
    from muster.judge.fields import JsonMap

_UNFINISHED = {"incomplete": "MU920", "errored": "MU924", "unreadable": "MU917", "excluded": "MU919"}


def times(record: JsonMap) -> tuple[datetime | None, datetime | None, datetime | None]:
    """Return start, end and the time an attempt is ordered and aged by.

    That time is the end of the attempt, else the last time any of its rounds tells, else its start: an
    attempt cut short ages from the last sign of life. None when nothing in the record is dated.
    """
    attempt = mapping(record.get("attempt"))
    start, end = instant(attempt.get("start")), instant(attempt.get("end"))
    if end is not None:
        return start, end, max(end, start) if start is not None else end
    told = [instant(part.get(key)) for part in maps(attempt.get("rounds")) for key in ("start", "end")]
    known = [time for time in (*told, start) if time is not None]
    return start, end, max(known, default=None)


def evidence_path(record: JsonMap) -> str:
    """Return where the archive keeps a record: ``v1/<site>/<digest>/<attempt>``, the digest in plain hex.

    ``_`` stands for no site, ``orphan`` for no digest.
    """
    identity, attempt = mapping(record.get("identity")), mapping(record.get("attempt"))
    digest = (text(identity.get("digest")) or "orphan").removeprefix("sha256:")
    return f"v1/{text(identity.get('site')) or '_'}/{digest}/{text(attempt.get('id')) or 'unknown'}"


def _identity(desired: JsonMap, record: JsonMap) -> list[Reason]:
    """Return why a record of this digest cannot be evidence of this desired test."""
    identity = mapping(record.get("identity"))
    found: list[Reason] = []
    if not text(mapping(record.get("attempt")).get("id")):
        found.append(Reason("MU917", "the record has no attempt id, so it cannot be cited"))
    if not maps(record.get("sources")):
        found.append(Reason("MU917", "the record names no raw file that could show what it says"))
    if text(record.get("binding")) not in {"record", "options"}:
        said = next((note.get("message") for note in maps(record.get("notes"))), None)
        why = f"nothing binds the record to this test (binding {shown(record.get('binding'))})"
        found.append(Reason("MU936", shown(said, 160) if text(said) else why))
    found.extend(
        Reason("MU917", f"the record is of {key} {shown(identity.get(key))}")
        for key in ("site", "pool")
        if identity.get(key) != desired.get(key)
    )
    if identity.get("unit") != desired.get("unit") and names(identity.get("unit")) != names(
        desired.get("unit")
    ):
        found.append(Reason("MU917", f"the record is of nodes {listed(names(identity.get('unit')))}"))
    return found


def _record_state(record: JsonMap) -> list[Reason]:
    """Return what the record says of itself: unfinished, failed, doubted."""
    state = record.get("state")
    notes = [note for note in maps(record.get("notes")) if note.get("severity") == "error"]
    said = "; ".join(shown(note.get("message"), 160) for note in notes[:3])
    if state != "complete":
        known = isinstance(state, str) and state in RECORD_STATES
        code = _UNFINISHED[str(state)] if known else "MU917"
        return [Reason(code, f"the attempt is {shown(state)}" + _because(record, said))]
    return [Reason("MU917", f"the record contradicts itself: {said}")] if notes else []


def _because(record: JsonMap, said: str) -> str:
    attempt = mapping(record.get("attempt"))
    why = text(attempt.get("reason"))
    parts = [shown(why, 160)] if why else []
    if attempt.get("timedOut") is True:
        parts.append("timed out")
    if (signal := whole(attempt.get("signal"))) is not None:
        parts.append(f"signal {signal}")
    if (code := whole(attempt.get("exitCode"))) is not None and code != 0:
        parts.append(f"exit code {code}")
    excluded = [
        text(item.get("message")) or f"{shown(item.get('node'))}: {shown(item.get('reason'))}"
        for item in maps(mapping(record.get("coverage")).get("excluded"))
    ]
    parts.extend(shown(item, 160) for item in excluded[:3])
    parts.extend([said] if said else [])
    return (": " + "; ".join(parts)) if parts else ""


def _ending(record: JsonMap) -> list[Reason]:
    """Return what the ends of the attempt and its rounds say against a clean document."""
    attempt = mapping(record.get("attempt"))
    found: list[Reason] = []
    for part, where in [
        (attempt, "the attempt"),
        *((r, f"round {shown(r.get('round'))}") for r in maps(attempt.get("rounds"))),
    ]:
        exit_code = part.get("exitCode", part.get("exit"))
        if part.get("timedOut") is True:
            found.append(Reason("MU920", f"{where} timed out"))
        elif whole(part.get("signal")) is not None:
            found.append(Reason("MU920", f"{where} was ended by signal {part.get('signal')}"))
        elif exit_code is not None and exit_code != 0:
            found.append(
                Reason("MU918", f"{where} ended with exit code {shown(exit_code)} though its output is clean")
            )
    return found


def _coverage(record: JsonMap, unit: tuple[str, ...]) -> list[Reason]:
    coverage = mapping(record.get("coverage"))
    left_out = [
        shown(item.get("node")) for item in maps(coverage.get("excluded")) if item.get("node") in unit
    ]
    if left_out:
        return [Reason("MU919", f"{listed(left_out)} was left out{_because(record, '')}")]
    ran = names(coverage.get("exercised"))
    found: list[Reason] = []
    if idle := [node for node in unit if node not in ran]:
        found.append(Reason("MU920", f"nothing in the evidence shows that {listed(idle)} took part"))
    if others := [node for node in ran if node not in unit]:
        found.append(Reason("MU917", f"{listed(others)} took part, which is not of this unit"))
    return found


def _environment(terms: Terms, record: JsonMap, runs: list[JsonMap]) -> tuple[list[Reason], list[Difference]]:
    measurement, unit, skip = terms.measurement, terms.unit, terms.skip
    parts = [environment.judge_parameters(measurement, record, runs)]
    if not environment.as_declared(measurement, record, unit):
        measured = terms.op is not None
        parts += [
            environment.judge_software(measurement, record, unit, skip),
            environment.judge_hardware(
                measurement,
                record,
                unit,
                skip,
                counted=measured or (terms.diagnosed and checks.counts_gpus(record)),
                diagnosed=terms.diagnosed and not measured,
            ),
            environment.judge_image(measurement, record),
        ]
    return [item for reasons, _ in parts for item in reasons], [
        item for _, fields in parts for item in fields
    ]


def _complete(
    terms: Terms, record: JsonMap
) -> tuple[list[Reason], tuple[Measure, ...], list[Difference], list[JsonMap]]:
    """Judge a record that says it is complete."""
    reasons: list[Reason] = []
    rounds: Rounds = {}
    if terms.expected < 1:
        reasons.append(Reason("MU929", "the acceptance declares no number of rounds"))
    elif terms.op is not None:
        rounds, doubts = counted(terms, record)
        reasons.extend(doubts)
        reasons.extend(summaries.contradictions(terms.op, record, rounds))
    runs = [run for group in rounds.values() for run in group]
    found, missed = measures.judge_thresholds(terms, record, rounds)
    reasons.extend(missed)
    if runs or terms.op is None:
        reasons.extend(transport.judge_transport(terms.asked, runs, record))
    reasons.extend(checks.judge_checks(terms.acceptance, record, terms.unit, terms.expected))
    reasons.extend(preflight.judge_preflight(terms.acceptance, record, terms.unit))
    more, fields = _environment(terms, record, runs)
    reasons.extend(more)
    reasons.extend(_coverage(record, terms.unit))
    if not terms.applies:
        reasons.append(Reason("MU925", "measured, but no threshold applies, so nothing was accepted"))
    return reasons, found, fields, runs


def _proof_of_fault(terms: Terms, record: JsonMap, *, complete: bool) -> list[Reason]:
    """Return what stands against the device however the attempt ended, and whether its data was checked.

    Wrong data and a failed diagnosis count in an unfinished attempt too; that data was checked is asked of a
    complete one only.
    """
    found = checks.failures(record, terms.unit)
    if terms.op is None:
        return found
    validated = complete and terms.validated
    return [*data.examine(of_operation(record, terms.op), terms.op, validated=validated), *found]


def _ranked(reasons: list[Reason]) -> tuple[Reason, ...]:
    if len(reasons) < 2:
        return tuple(reasons)
    return tuple(sorted(dict.fromkeys(reasons), key=lambda reason: CODES[reason.code][1]))


def assess(desired: JsonMap, record: JsonMap, terms: Terms | None = None) -> Assessment:
    """Hold one record against one desired test. Never raises for odd JSON, never passes it either.

    Args:
        desired: an entry of ``desired`` of a plan.
        record: an evidence record of the same digest.
        terms: `terms_of` the desired test, for callers that have many records of it.
    """
    terms = terms or terms_of(desired)
    reasons = [*_identity(desired, record), *_record_state(record)]
    found: tuple[Measure, ...] = ()
    fields: list[Difference] = []
    runs: list[Any] = []
    state = text(record.get("state"))
    if state in {"complete", "incomplete"}:
        reasons.extend(_proof_of_fault(terms, record, complete=state == "complete"))
    if state == "complete":
        more, found, fields, runs = _complete(terms, record)
        reasons.extend(more)
        if not any(CODES[reason.code][0] == "violated" for reason in reasons):
            reasons.extend(_ending(record))
    if not terms.unit:
        reasons.append(Reason("MU917", "the desired test covers no node"))
    ranked = _ranked(reasons)
    start, end, time = times(record)
    return Assessment(
        id=text(mapping(record.get("attempt")).get("id")) or "",
        state=CODES[ranked[0].code][0] if ranked else "satisfied",
        reasons=ranked,
        measures=found,
        passed=sum(check.get("status") == "pass" for check in maps(record.get("checks"))),
        transport=transport.summary(runs or maps(record.get("runs")), record),
        fields=tuple(fields),
        start=start,
        end=end,
        time=time,
        evidence=evidence_path(record),
        synthetic=record.get("synthetic") is not False,
        binding=text(record.get("binding")) or "",
        prints=prints_of(record, terms.op),
    )
