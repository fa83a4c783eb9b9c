"""Decide one state for one desired test from all that is known of its attempts."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from muster.judge import freshness, shape
from muster.judge.advice import advise
from muster.judge.agreement import disagreements, twins
from muster.judge.attempts import assess, evidence_path, times
from muster.judge.copies import claims_of, contested, dated
from muster.judge.difference import differences
from muster.judge.fields import mapping, names, shown, text
from muster.judge.measures import figure
from muster.judge.model import Assessment, Claim, Older, Reason
from muster.judge.terms import terms_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from decimal import Decimal

    from muster.judge.fields import JsonMap
    from muster.judge.states import State

Verdict = dict[str, Any]
_UNDATED = datetime.min.replace(tzinfo=UTC)
# States of an attempt that ran to its end and was read; the others are doubts.
_JUDGED = frozenset({"satisfied", "violated", "unjudged"})


def judge(desired: JsonMap, records: Iterable[JsonMap], *, as_of: datetime) -> Verdict:
    """Give one desired test exactly one state.

    Args:
        desired: an entry of ``desired`` of a plan.
        records: evidence records; those of other tests are ignored, those of other digests of the same test
            only tell ``stale`` from ``missing``.
        as_of: the moment to judge at, with a time zone.

    Returns:
        A dict of JSON values; ``state`` is ``satisfied`` only if every doubt is answered.

    Raises:
        ValueError: ``as_of`` has no time zone.
    """
    assessments: list[Assessment] = []
    older: Older | None = None
    claims: dict[str, list[Claim]] = {}
    digest, terms = text(desired.get("digest")), terms_of(desired)
    for record in records:
        identity = mapping(record.get("identity"))
        if digest is not None and identity.get("digest") == digest:
            assessments.append(assess(desired, record, terms))
        elif same_test(desired, identity):
            older = newer(older, of_other_digest(record))
            for one, claim in claims_of(record):
                claims.setdefault(one, []).append(claim)
    assessments = [contested(item, digest, claims) for item in assessments]
    return decide(desired, assessments, older, as_of=as_of)


def same_test(desired: JsonMap, identity: JsonMap) -> bool:
    """Tell whether a record's identity names the same test on the same unit."""
    same = all(identity.get(key) == desired.get(key) for key in ("site", "pool", "test"))
    return same and names(identity.get("unit")) == names(desired.get("unit"))


def of_other_digest(record: JsonMap) -> Older:
    """Return what to remember of a record whose measurement is not the one desired now."""
    start, end, time = times(record)
    measurement = record.get("measurement")
    return Older(
        id=text(mapping(record.get("attempt")).get("id")) or "",
        digest=text(mapping(record.get("identity")).get("digest")) or "unknown",
        state=shown(record.get("state")),
        start=start,
        end=end,
        time=time,
        evidence=evidence_path(record),
        measurement=mapping(measurement) if isinstance(measurement, dict) else None,
        synthetic=record.get("synthetic") is not False,
    )


def newer(one: Older | None, two: Older) -> Older:
    """Return the newer of two; of two of one time the one with the greater id, so order never matters."""
    if one is None:
        return two
    return max(one, two, key=lambda item: (item.time or _UNDATED, item.id, item.evidence))


def _newest_first(assessments: Iterable[Assessment]) -> list[Assessment]:
    """Order attempts by time; undated ones are the oldest, and of two of one time the doubt is newer."""
    return sorted(
        assessments,
        key=lambda item: (
            item.time or _UNDATED,
            item.state not in _JUDGED,
            item.state != "satisfied",
            item.start or _UNDATED,
            item.id,
            item.evidence,
            str(item.reasons),
        ),
        reverse=True,
    )


def _of_attempts(desired: JsonMap, attempts: list[Assessment], as_of: datetime) -> tuple[State, list[Reason]]:
    """Return the state that the attempts of this digest add up to, and why, the deciding reason first."""
    newest = attempts[0]
    own = list(newest.reasons)
    damaged = [reason for item in attempts for reason in item.reasons if reason.code == "MU936"]
    if damaged:
        return "unreadable", list(dict.fromkeys([*damaged, *own]))
    if newest.time is not None and newest.time > as_of:
        late = freshness.duration(freshness.seconds(newest.time, as_of))
        return "unreadable", [
            Reason("MU915", f"the newest attempt ended {late} after the moment judged at"),
            *own,
        ]
    if newest.time is None and newest.state in {"satisfied", "unjudged"}:
        return "stale", [Reason("MU916", "no attempt carries a time, so none can be shown to be valid"), *own]
    allowed = freshness.validity(desired)
    if newest.time is not None and not freshness.is_live(allowed, newest.time, as_of):
        return "stale", [_expired(allowed, newest, newest.time, as_of), *own]
    if newest.state not in _JUDGED:
        return newest.state, own
    live = [
        item
        for item in attempts
        if item.state in _JUDGED
        and (
            freshness.is_live(allowed, item.time, as_of)
            if item.time is not None
            else item.state == "violated"
        )
    ]
    against = disagreements(live)
    if against:
        return "contested", [*against, *own]
    return newest.state, own or [accepted(newest)]


def accepted(item: Assessment) -> Reason:
    """Return in one line what a satisfied attempt met."""
    parts = [
        " ".join((shown(one.threshold.get("metric")), figure(one.value), shown(one.threshold.get("unit"))))
        for one in item.measures[:3]
    ]
    if item.passed:
        parts.append(f"{item.passed} checks passed")
    return Reason("MU900", "meets the acceptance" + (": " + ", ".join(parts) if parts else ""))


def _expired(allowed: Decimal | None, newest: Assessment, time: datetime, as_of: datetime) -> Reason:
    age = freshness.duration(freshness.seconds(time, as_of))
    limit = (
        "no validity is declared" if allowed is None else f"it was valid for {freshness.duration(allowed)}"
    )
    return Reason("MU912", f"expired: the newest evidence ({newest.state}) is {age} old, {limit}")


def _without_attempts(
    desired: JsonMap, older: Older | None
) -> tuple[State, Reason, list[tuple[str, Any, Any]]]:
    if older is None:
        return "missing", Reason("MU910", "no attempt of this measurement, and none of an older one"), []
    if older.measurement is None:
        what = f"evidence is of measurement {shown(older.digest, 20)}, which does not say what it measured"
        return "stale", Reason("MU911", what), []
    fields = differences(mapping(desired.get("measurement")), older.measurement)
    paths = ", ".join(path for path, _, _ in fields[:6]) + (" and more" if len(fields) > 6 else "")
    return (
        "stale",
        Reason("MU911", f"evidence is of another measurement; differs in {paths or 'nothing shown'}"),
        fields,
    )


def _notes(attempts: Sequence[Assessment]) -> list[dict[str, Any]]:
    """Return what a reader should know of the attempts that did not decide."""
    found: list[dict[str, Any]] = []
    for item in attempts[1:]:
        if item.state not in _JUDGED:
            message = f"an earlier attempt was {item.state}: {shape.why(item)}"
            found.append({"code": "MU930", "message": message, "attempt": item.id})
    found.extend(
        {
            "code": "MU931",
            "message": "an attempt carries no time and counts as the oldest",
            "attempt": item.id,
        }
        for item in attempts
        if item.time is None
    )
    found.extend(
        {
            "code": "MU939",
            "message": f"its figures are those of attempt {item.copied}, so it is as old as that one",
            "attempt": item.id,
        }
        for item in attempts
        if item.copied is not None
    )
    if any(item.synthetic for item in attempts):
        found.append({"code": "MU935", "message": "some of the evidence is synthetic: written, not measured"})
    return found


def _told(reasons: Sequence[Reason], newest: Assessment | None) -> list[dict[str, Any]]:
    """Return reasons as the verdict lists them, with the attempt that those of the newest attempt are of."""
    own = {*newest.reasons, accepted(newest)} if newest else set()
    return [
        {"code": item.code, "message": item.message}
        | ({"attempt": newest.id} if newest and item in own else {})
        for item in reasons
    ]


def decide(
    desired: JsonMap, assessments: Sequence[Assessment], older: Older | None = None, *, as_of: datetime
) -> Verdict:
    """Return the verdict of assessed attempts; see `judge`.

    Args:
        desired: an entry of ``desired`` of a plan.
        assessments: all attempts of its digest, in any order.
        older: the newest attempt of another digest of the same test and unit.
        as_of: the moment to judge at, with a time zone.

    Raises:
        ValueError: ``as_of`` has no time zone.
    """
    if as_of.tzinfo is None:
        raise ValueError("as_of needs a time zone")
    once, double = twins(assessments)
    attempts = _newest_first(dated(once))
    fields: list[tuple[str, Any, Any]] = []
    if not attempts:
        state, reason, fields = _without_attempts(desired, older)
        reasons = [reason]
    else:
        state, reasons = _of_attempts(desired, attempts, as_of)
        fields = list(attempts[0].fields)
        if double:
            state, reasons = "contested", [*double, *reasons]
    newest = attempts[0] if attempts else None
    return {
        **{key: desired.get(key) for key in ("id", "site", "pool", "test", "catalog", "scope", "domain")},
        "unit": list(names(desired.get("unit"))),
        "digest": desired.get("digest"),
        "state": state,
        "underlying": None,
        "reason": {"code": reasons[0].code, "message": reasons[0].message},
        "reasons": [*_told(reasons, newest), *_notes(attempts)],
        "measures": [shape.measure(item) for item in newest.measures] if newest else [],
        "transport": newest.transport if newest else None,
        "attempts": [shape.attempt(item) for item in attempts]
        if attempts
        else [shape.older_attempt(older)]
        if older
        else [],
        "stale": shape.stale(state, reasons[0].code, fields),
        "next": advise(state, reasons[0].code),
        "waiver": None,
        "synthetic": any(item.synthetic for item in attempts),
        "age": shape.age(newest, as_of),
        "position": desired.get("position"),
    }
