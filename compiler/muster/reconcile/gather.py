"""Read all records once and keep of each only what verdicts need."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, cast

from muster.judge import assess, terms_of
from muster.judge.attempts import evidence_path, times
from muster.judge.copies import PASSING, claims_of, contested, name_of
from muster.judge.fields import instant, mapping, maps, names, text
from muster.judge.model import Claim
from muster.judge.verdict import newer, of_other_digest
from muster.reconcile import memory

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from muster.judge import Assessment, Older, Terms
    from muster.reconcile.packed import Packed, Shelf

KEPT = 1000
_UNDATED = datetime.min.replace(tzinfo=UTC)
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
    plans: Sequence[Mapping[str, Any]],
    records: Iterable[Mapping[str, Any] | Packed | Shelf],
    *,
    until: datetime | None,
) -> Gathered:
    """Sort records to the desired tests they are evidence of, in one pass; records are not kept.

    Args:
        plans: the plans.
        records: evidence records in any order: whole, packed, or shelves of packed ones. Of packed ones only
            those are unpacked that a verdict needs, of a shelf those that it does not remember. Those of other
            sites are counted and left alone.
        until: leave out what ended later than this; None takes everything.
    """
    desk = _Desk(plans, until)
    for record in records:
        if isinstance(record, Mapping):
            desk.found.counts["read"] += 1
            desk.sort(record)
        elif hasattr(record, "listed"):
            shelf = cast("Shelf", record)
            desk.found.counts["read"] += len(shelf.listed)
            desk.sort_shelf(shelf)
        else:
            desk.found.counts["read"] += 1
            desk.sort_packed(record)
    return desk.done()


def _key(identity: Mapping[str, Any]) -> Key:
    site, pool, test = (text(identity.get(part)) for part in ("site", "pool", "test"))
    return site, pool, test, names(identity.get("unit"))


class _Desk:
    """Sorts one record after the other."""

    def __init__(self, plans: Sequence[Mapping[str, Any]], until: datetime | None) -> None:
        self.found = Gathered()
        self._until = until
        self._by_digest: dict[str, list[tuple[Mapping[str, Any], Terms]]] = {}
        self._by_test: dict[Key, list[Mapping[str, Any]]] = {}
        self._by_id: dict[str, Mapping[str, Any]] = {}
        self._packed: dict[str, tuple[tuple[datetime, str], Packed]] = {}
        self._keys: dict[str, str] = {}
        self._claims: dict[str, list[Claim]] = {}
        self._own: dict[tuple[str, str], Claim] = {}
        for plan in plans:
            self.found.nodes[plan["site"]] = {}
            for desired in plan["desired"]:
                self._by_digest.setdefault(desired["digest"], []).append((desired, terms_of(desired)))
                self._by_test.setdefault(_key(desired), []).append(desired)
                self._by_id[desired["id"]] = desired

    def sort(self, record: Mapping[str, Any]) -> None:
        """Take in a whole record."""
        found, identity = self.found, mapping(record.get("identity"))
        site = text(identity.get("site"))
        if site is None:
            self._without_site(record, identity)
            return
        if site not in found.nodes:
            found.counts["otherSite"] += 1
            return
        wanted = self._by_digest.get(text(identity.get("digest")) or "")
        if wanted:
            self._use(wanted, record, identity, site)
            return
        time = times(record)[2]
        if self._is_late(time):
            return
        for node in _named(record, identity):
            _note(found.nodes[site], node, time)
        same_test = self._by_test.get(_key(identity))
        if same_test and record.get("binding") != "orphan":
            found.counts["superseded"] += 1
            for one, claim in claims_of(record):
                self._claims.setdefault(one, []).append(claim)
            for desired in same_test:
                found.older[desired["id"]] = newer(found.older.get(desired["id"]), of_other_digest(record))
            return
        self._keep_orphan(record, identity, site, time)

    def _use(
        self,
        wanted: list[tuple[Mapping[str, Any], Terms]],
        record: Mapping[str, Any],
        identity: Mapping[str, Any],
        site: str,
    ) -> list[Assessment]:
        """Assess a record for every desired test of its digest."""
        assessed = [assess(desired, record, terms) for desired, terms in wanted]
        self._take(wanted, assessed, site, _named(record, identity))
        return assessed

    def _take(
        self,
        wanted: Sequence[tuple[Mapping[str, Any], Terms]],
        assessed: Sequence[Assessment],
        site: str,
        nodes: Iterable[str],
    ) -> None:
        """Take in what an attempt came to for each desired test of its digest."""
        time = assessed[0].time
        if self._is_late(time):
            return
        self.found.counts["used"] += 1
        for node in nodes:
            _note(self.found.nodes[site], node, time)
        for found, (desired, _) in zip(assessed, wanted, strict=True):
            self.found.attempts.setdefault(desired["id"], []).append(found)
            if found.prints and found.state in PASSING:
                self._claim(found.prints, self._claim_of(desired, found.binding))

    def _claim_of(self, desired: Mapping[str, Any], binding: str) -> Claim:
        place = (desired["id"], binding)
        if place not in self._own:
            self._own[place] = Claim(desired["digest"], binding, name_of(desired))
        return self._own[place]

    def _claim(self, prints: Iterable[str], claim: Claim) -> None:
        for one in prints:
            self._claims.setdefault(one, []).append(claim)

    def sort_shelf(self, shelf: Shelf) -> None:
        """Take in the records of a shelf: those that it remembers as they are, the others anew."""
        told, rows = memory.load(shelf.recall()), {}
        left: list[int] = []
        for number, (path, tag) in enumerate(shelf.listed):
            row = told.get(path)
            if isinstance(row, list) and row[:1] == [tag] and self._recall(shelf, path, row):
                rows[path] = row
            else:
                left.append(number)
        if left or len(rows) != len(told):
            entries = shelf.entries
            for number in left:
                path, tag = shelf.listed[number]
                row = self._sort_anew(entries[number], tag)
                if row is not None:
                    rows[path] = row
            shelf.keep(memory.dump(rows))
            shelf.forget()

    def _recall(self, shelf: Shelf, path: str, row: list[Any]) -> bool:
        """Take in a record by what is remembered of it; False when that does not count any more."""
        digest = f"sha256:{path.split('/')[2]}"
        wanted = self._by_digest.get(digest)
        try:
            if row[1] == memory.OLDER:
                known = wanted is None and row[3] in self._by_id
                if known:
                    self.sort_packed(memory.Remembered(shelf, path, row))
                return known
            if wanted is None or len(wanted) > 1 or row[1] != self._key_of(wanted[0][0]):
                return False
            found, nodes = memory.assessment_of(row, wanted[0][1])
        except (ValueError, TypeError, LookupError, ArithmeticError):
            return False
        self._take(wanted, [found], shelf.site, nodes)
        return True

    def _key_of(self, desired: Mapping[str, Any]) -> str:
        name = desired["id"]
        if name not in self._keys:
            self._keys[name] = memory.key_of(desired)
        return self._keys[name]

    def _sort_anew(self, entry: Packed, tag: str) -> list[Any] | None:
        """Take in a packed record, and return what to remember of it."""
        wanted = self._by_digest.get(entry.digest, [])
        if len(wanted) != 1 or entry.binding == "orphan":
            self.sort_packed(entry)
            older = not wanted and entry.test in self._by_id
            return memory.head_of(tag, entry) if older else None
        record = entry.record()
        identity = mapping(record.get("identity"))
        site = text(identity.get("site"))
        if site is None or site not in self.found.nodes:
            self.sort(record)
            return None
        (found,) = self._use(wanted, record, identity, site)
        return memory.row_of(tag, self._key_of(wanted[0][0]), found, _named(record, identity))

    def sort_packed(self, entry: Packed) -> None:
        """Take in a packed record; one of another measurement of a desired test stays packed."""
        superseded = entry.digest not in self._by_digest and entry.test in self._by_id
        if not superseded:
            self.sort(entry.record())
            return
        desired, time = self._by_id[entry.test], instant(entry.time)
        if self._is_late(time):
            return
        self.found.counts["superseded"] += 1
        nodes = self.found.nodes[desired["site"]]
        for node in desired["unit"]:
            _note(nodes, node, time)
        if entry.prints and entry.state == "complete":
            claim = Claim(entry.digest, entry.binding, name_of(desired))
            self._claim(entry.prints.split(","), claim)
        rank = (time or _UNDATED, entry.path)
        known = self._packed.get(entry.test)
        if known is None or rank > known[0]:
            self._packed[entry.test] = (rank, entry)

    def done(self) -> Gathered:
        """Unpack what is left, and return everything found."""
        shelf: Shelf | None = None
        for name, (_, entry) in sorted(self._packed.items(), key=lambda item: item[1][1].path):
            if name in self.found.attempts:
                continue
            if isinstance(entry, memory.Remembered) and entry.shelf is not shelf:
                if shelf is not None:
                    shelf.forget()
                shelf = entry.shelf
            older = of_other_digest(entry.record())
            self.found.older[name] = newer(self.found.older.get(name), older)
        self._contest()
        return self.found

    def _contest(self) -> None:
        """Take back what attempts prove whose runs are evidence of another measurement too."""
        doubtful = {
            one for one, claims in self._claims.items() if len({claim.digest for claim in claims}) > 1
        }
        for name, attempts in self.found.attempts.items() if doubtful else ():
            digest = self._by_id[name]["digest"]
            self.found.attempts[name] = [
                contested(item, digest, self._claims) if doubtful.intersection(item.prints) else item
                for item in attempts
            ]

    def _is_late(self, time: datetime | None) -> bool:
        late = self._until is not None and time is not None and time > self._until
        self.found.counts["later"] += late
        return late

    def _without_site(self, record: Mapping[str, Any], identity: Mapping[str, Any]) -> None:
        """Keep evidence archived without a binding; anything else that names no site is malformed."""
        if record.get("binding") == "orphan":
            self._keep_orphan(record, identity, "", times(record)[2])
            return
        self.found.counts["malformed"] += 1
        if len(self.found.malformed) < KEPT:
            self.found.malformed.append(evidence_path(record))

    def _keep_orphan(
        self, record: Mapping[str, Any], identity: Mapping[str, Any], site: str, time: datetime | None
    ) -> None:
        self.found.counts["orphan"] += 1
        if len(self.found.orphans) < KEPT:
            self.found.orphans.append(_orphan(record, identity, site, time))


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


def _named(record: Mapping[str, Any], identity: Mapping[str, Any]) -> list[str]:
    """Return every node that a record names."""
    coverage, unit = mapping(record.get("coverage")), identity.get("unit")
    named = list(names(unit))
    if coverage.get("exercised") != unit:
        named.extend(names(coverage.get("exercised")))
    if coverage.get("excluded"):
        named.extend(names([item.get("node") for item in maps(coverage.get("excluded"))]))
    return named


def _note(nodes: dict[str, datetime | None], node: str, time: datetime | None) -> None:
    known = nodes.get(node)
    if node not in nodes or known is None or (time is not None and time > known):
        nodes[node] = time if time is not None else known
