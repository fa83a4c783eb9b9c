"""Copies of evidence: a run is one attempt of one measurement, whatever it is declared to be."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

from muster.judge.fields import listed, mapping, names, shown, text
from muster.judge.model import Claim, Reason
from muster.judge.prints import prints_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from muster.judge.fields import JsonMap
    from muster.judge.model import Assessment

_LATEST: Final = datetime.max.replace(tzinfo=UTC)
PASSING: Final = frozenset({"satisfied", "unjudged"})


def dated(attempts: Sequence[Assessment]) -> list[Assessment]:
    """Return attempts of one digest with those told for what they are that hold figures of another.

    An attempt with the very figures of another is that other one, declared once more: it is as old as the
    older of the two, so that no new date makes old evidence fresh. One that holds some of the runs of another,
    and not the rest of them, was put together: n is fixed, and rounds are never picked. A part of an attempt
    that was archived by itself before is no doubt about the whole.
    """
    holders: dict[str, list[Assessment]] = {}
    for item in attempts:
        for one in item.prints:
            holders.setdefault(one, []).append(item)
    if not any(len(found) > 1 for found in holders.values()):
        return list(attempts)
    return [_told(item, [other for one in item.prints for other in holders[one]]) for item in attempts]


def _told(item: Assessment, others: Sequence[Assessment]) -> Assessment:
    mine = set(item.prints)
    same = [other for other in others if set(other.prints) == mine and other.time is not None]
    first = min(same, key=lambda other: (other.time or _LATEST, other.id), default=item)
    if item.time is not None and first.time is not None and first.time < item.time:
        item = item._replace(time=first.time, copied=first.id)
    whole = next((other for other in others if set(other.prints) - mine), None)
    if whole is None or item.state not in PASSING:
        return item
    reason = Reason("MU938", f"it holds some of the runs of attempt {shown(whole.id)} and leaves out others")
    return item._replace(state="contested", reasons=(reason, *item.reasons))


def claims_of(record: JsonMap) -> list[tuple[str, Claim]]:
    """Return what a record of another measurement claims: its prints with the claim; nothing unless complete."""
    digest = text(mapping(record.get("identity")).get("digest"))
    if digest is None or record.get("state") != "complete":
        return []
    op = text(mapping(record.get("measurement")).get("op"))
    claim = Claim(digest, text(record.get("binding")) or "", name_of(mapping(record.get("identity"))))
    return [(one, claim) for one in prints_of(record, op)]


def name_of(identity: JsonMap) -> str:
    """Return test and unit of a record or a desired test for messages."""
    return f"{shown(identity.get('test'))} on {'+'.join(names(identity.get('unit')))}"


def contested(item: Assessment, digest: object, claims: Mapping[str, Iterable[Claim]]) -> Assessment:
    """Return an attempt, contested where a run of it is evidence of another measurement too.

    Record lines of the pod say themselves what they are of, so that a claim by options does not touch what they
    bind. An attempt that proves nothing needs no doubt.

    Args:
        item: an attempt.
        digest: the digest of the measurement it is an attempt of.
        claims: all claims by print, its own too.
    """
    if item.state not in PASSING:
        return item
    others = [claim for one in item.prints for claim in claims.get(one, ()) if claim.digest != digest]
    if item.binding == "record":
        others = [claim for claim in others if claim.binding == "record"]
    if not others:
        return item
    told = listed(sorted({f"{claim.test} ({claim.digest[:19]})" for claim in others}), 3)
    reason = Reason("MU937", f"the same run is evidence of another measurement too: {told}")
    return item._replace(state="contested", reasons=(reason, *item.reasons))
