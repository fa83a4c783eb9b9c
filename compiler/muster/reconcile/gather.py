"""Read all records once and keep of each only what verdicts need."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from muster.judge import assess
from muster.judge.attempts import evidence_path, times
from muster.judge.fields import mapping, maps, names, text
from muster.judge.verdict import newer, of_other_digest

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import datetime

    from muster.judge import Assessment, Older

KEPT = 1000
Key = tuple[str | None, str | None, str | None, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Orphan:
    """Evidence that no desired test asks for."""

    site: str
    evidence: str
    test: str
    nodes: tuple[str, ...]
    time: datetime | None
    why: str


@dataclass(slots=True)
class Gathered:
    """What the records tell.

    Attributes:
        attempts: assessments by the id of the desired test.
        older: the newest attempt of another digest by the id of the desired test.
        orphans: evidence nobody desires, at most `KEPT`; ``counts`` has all of it.
        nodes: by site, each node that evidence names with the newest time it was named at.
        counts: records read, used, superseded, orphan, other-site, malformed, later.
        malformed: what is wrong with records that cannot be used, at most `KEPT`.
    """

    attempts: dict[str, list[Assessment]] = field(default_factory=dict)
    older: dict[str, Older] = field(default_factory=dict)
    orphans: list[Orphan] = field(default_factory=list)
    nodes: dict[str, dict[str, datetime | None]] = field(default_factory=dict)
    counts: Counter[str] = field(default_factory=Counter)
    malformed: list[str] = field(default_factory=list)


def gather(
    plans: Sequence[Mapping[str, Any]], records: Iterable[Mapping[str, Any]], *, until: datetime | None
) -> Gathered:
    """Sort records to the desired tests they are evidence of, in one pass; records are not kept.

    Args:
        plans: the plans.
        records: evidence records in any order; those of other sites are counted and left alone.
        until: leave out what ended later than this; None takes everything.
    """
    found = Gathered()
    by_digest: dict[str, list[Mapping[str, Any]]] = {}
    by_test: dict[Key, list[Mapping[str, Any]]] = {}
    for plan in plans:
        found.nodes[plan["site"]] = {}
        for desired in plan["desired"]:
            by_digest.setdefault(desired["digest"], []).append(desired)
            by_test.setdefault(_key(desired), []).append(desired)
    for record in records:
        found.counts["read"] += 1
        _sort(found, record, by_digest, by_test, until)
    return found


def _key(identity: Mapping[str, Any]) -> Key:
    site, pool, test = (text(identity.get(part)) for part in ("site", "pool", "test"))
    return site, pool, test, names(identity.get("unit"))


def _sort(
    found: Gathered,
    record: Mapping[str, Any],
    by_digest: Mapping[str, list[Mapping[str, Any]]],
    by_test: Mapping[Key, list[Mapping[str, Any]]],
    until: datetime | None,
) -> None:
    identity = mapping(mapping(record).get("identity"))
    site = text(identity.get("site"))
    if site is None:
        _without_site(found, mapping(record), identity)
        return
    if site not in found.nodes:
        found.counts["otherSite"] += 1
        return
    time = times(record)[2]
    if until is not None and time is not None and time > until:
        found.counts["later"] += 1
        return
    _see(found.nodes[site], record, identity, time)
    wanted = by_digest.get(text(identity.get("digest")) or "")
    if wanted:
        found.counts["used"] += 1
        for desired in wanted:
            found.attempts.setdefault(desired["id"], []).append(assess(desired, record))
        return
    same_test = by_test.get(_key(identity))
    if same_test and record.get("binding") != "orphan":
        found.counts["superseded"] += 1
        for desired in same_test:
            older = newer(found.older.get(desired["id"]), of_other_digest(record))
            found.older[desired["id"]] = older
        return
    found.counts["orphan"] += 1
    if len(found.orphans) < KEPT:
        found.orphans.append(_orphan(record, identity, site, time))


def _without_site(found: Gathered, record: Mapping[str, Any], identity: Mapping[str, Any]) -> None:
    """Keep evidence that was archived without a binding; anything else that names no site is malformed."""
    if record.get("binding") == "orphan":
        found.counts["orphan"] += 1
        if len(found.orphans) < KEPT:
            found.orphans.append(_orphan(record, identity, "", times(record)[2]))
        return
    found.counts["malformed"] += 1
    if len(found.malformed) < KEPT:
        found.malformed.append(evidence_path(record))


def _orphan(
    record: Mapping[str, Any], identity: Mapping[str, Any], site: str, time: datetime | None
) -> Orphan:
    why = (
        "nothing binds it to a test"
        if record.get("binding") == "orphan" or text(identity.get("digest")) is None
        else "no desired test has this measurement, test or unit"
    )
    test = text(identity.get("test")) or "unknown test"
    return Orphan(site, evidence_path(record), test, names(identity.get("unit")), time, why)


def _see(
    nodes: dict[str, datetime | None],
    record: Mapping[str, Any],
    identity: Mapping[str, Any],
    time: datetime | None,
) -> None:
    """Remember every node that a record names, with the newest time."""
    coverage = mapping(record.get("coverage"))
    left_out = [item.get("node") for item in maps(coverage.get("excluded"))]
    for node in {*names(identity.get("unit")), *names(coverage.get("exercised")), *names(left_out)}:
        known = nodes.get(node)
        nodes[node] = time if known is None else known if time is None else max(known, time)
