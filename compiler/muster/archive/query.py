"""Read the records of an archive back, every one: a damaged one comes as unreadable, never not at all."""

from __future__ import annotations

import re
from functools import partial
from itertools import groupby
from typing import TYPE_CHECKING, Any

from muster.archive.index import Index, shard_of
from muster.archive.note import note
from muster.archive.record import SCHEMA, DamagedError, decode
from muster.archive.summary import Entry, entry_of
from muster.archive.write import NOWHERE
from muster.diagnostics import Position, diagnostic
from muster.diagnostics.escape import visible
from muster.diagnostics.words import counted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path

    from muster.archive.record import Record
    from muster.archive.store import Object, Store
    from muster.diagnostics import Diagnostic

_PLACE = re.compile(r"v1/[^/]+/(?:[0-9a-f]{64}|orphan)/a[0-9a-f]{20}/record\.json")


class Shard:
    """A part of the records of a site: all whose digests begin alike, sorted by path.

    Attributes:
        site: the site, ``_`` for none.
        name: the name of the shard.
        listed: path and tag of each record.
    """

    def __init__(
        self,
        site: str,
        name: str,
        listed: Sequence[Object],
        load: Callable[[], list[Entry]],
        index: Index | None,
    ) -> None:
        self.site, self.name, self.listed = site, name, listed
        self._load, self._index = load, index
        self._entries: list[Entry] | None = None

    @property
    def entries(self) -> Sequence[Entry]:
        """The records, packed; read when first asked for."""
        if self._entries is None:
            self._entries = self._load()
        return self._entries

    def forget(self) -> None:
        """Let go of the records; ``entries`` reads them again."""
        self._entries = None

    def recall(self) -> bytes | None:
        """Return what `keep` kept beside the index, None without one."""
        return self._index.recall(self.name) if self._index is not None else None

    def keep(self, data: bytes) -> None:
        """Keep something that was computed from the records; it may be lost at any time."""
        if self._index is not None:
            self._index.keep(self.name, data)


class Records:
    """The records of some sites, and what was found wrong while reading them.

    Iterating gives each record as a dict, in an order that depends on nothing but their paths; orphans without
    a site come last. What an index leaves out of a record (device lists, reader problems of runs, checksum,
    declaration) is left out with and without a cache, so that both give the same.

    Args:
        store: the archive.
        sites: the sites wanted; None: all.
        cache: a directory for the index; None: read every record.
    """

    def __init__(
        self, store: Store, sites: Iterable[str] | None = None, *, cache: Path | None = None
    ) -> None:
        self._store = store
        there = store.sites()
        wanted = set(there) if sites is None else {*sites, NOWHERE}
        self._sites = sorted(
            (site for site in there if site in wanted), key=lambda site: (site == NOWHERE, site)
        )
        self._cache = cache
        self.diagnostics: list[Diagnostic] = []

    def __iter__(self) -> Iterator[dict[str, Any]]:
        for shard in self.shards():
            for entry in shard.entries:
                yield entry.record()

    def shards(self) -> Iterator[Shard]:
        """Yield the records shard by shard, each record still packed; forget a shard before the next one."""
        for site in self._sites:
            index = Index(self._cache, self._store.url, site) if self._cache is not None else None
            old = set(index.shards() if index is not None else ())
            for name, found in groupby(self._listed(site), key=lambda item: shard_of(item.path)):
                old.discard(name)
                listed = list(found)
                yield Shard(site, name, listed, partial(self._shard, index, name, listed), index)
            for name in sorted(old):
                self._shard(index, name, [])

    def _listed(self, site: str) -> Iterator[Object]:
        for item in self._store.records(site):
            if _PLACE.fullmatch(item.path):
                yield item
            else:
                found = diagnostic("MU875", f"{visible(item.path)} is no place of a record")
                self.diagnostics.append(found)

    def _shard(self, index: Index | None, name: str, listed: Sequence[Object]) -> list[Entry]:
        known = index.load(name) if index is not None else {}
        entries, fresh = [], False
        damaged: set[str] = set()
        for item in listed:
            entry = known.get(item.path)
            if entry is None or entry.tag != item.tag:
                fresh = True
                entry, sound = self._read(item)
                if not sound:
                    damaged.add(item.path)
            entries.append(entry)
        self._vanished(known.keys() - {item.path for item in listed})
        if index is not None and (fresh or len(known) != len(listed)):
            kept = [entry for entry in entries if entry.path not in damaged]
            if not index.save(name, kept):
                self._unsaved(index)
        return entries

    def _vanished(self, paths: set[str]) -> None:
        """Tell of records that were there; nothing but an index remembers them, and only this once."""
        if paths:
            text = f"{counted(len(paths), 'record')} gone from the archive, the first is {min(paths)}"
            self.diagnostics.append(diagnostic("MU878", text, Position(min(paths), 1, 1)))

    def _read(self, item: Object) -> tuple[Entry, bool]:
        try:
            record = decode(self._store.read(item.path), item.path)
        except FileNotFoundError:
            return self._damaged(item, "it vanished while it was read"), False
        except DamagedError as error:
            return self._damaged(item, str(error)), False
        return entry_of(record, item.path, item.tag), True

    def _damaged(self, item: Object, why: str) -> Entry:
        self.diagnostics.append(diagnostic("MU870", f"{item.path}: {why}", Position(item.path, 1, 1)))
        return entry_of(damaged_record(item.path, why), item.path, item.tag)

    def _unsaved(self, index: Index) -> None:
        text = f"the index cannot be written to {index.shown}"
        if not any(found.message == text for found in self.diagnostics):
            self.diagnostics.append(diagnostic("MU876", text))


def load_records(store: Store, sites: Iterable[str] | None = None, *, cache: Path | None = None) -> Records:
    """Return the records of sites, read while iterating; see `Records`.

    Raises:
        EnvironmentFault: the archive cannot be read (MU803).
    """
    return Records(store, sites, cache=cache)


def load_record(store: Store, place: str) -> Record:
    """Return one whole record by its folder, ``v1/<site>/<digest>/<attempt>``.

    Raises:
        FileNotFoundError: there is none.
        DamagedError: it is damaged.
    """
    path = f"{place}/record.json"
    return decode(store.read(path), path)


def damaged_record(path: str, why: str) -> Record:
    """Return what stands for a record that cannot be read: its place, the state ``unreadable``, and why."""
    _, site, digest, attempt, _ = path.split("/")
    return {
        "schema": SCHEMA,
        "identity": {
            "site": None if site == NOWHERE else site,
            "pool": None,
            "test": None,
            "scope": None,
            "unit": [],
            "digest": None if digest == "orphan" else f"sha256:{digest}",
        },
        "binding": "orphan",
        "synthetic": False,
        "declared": None,
        "attempt": {
            "id": attempt,
            "name": None,
            "start": None,
            "end": None,
            "exitCode": None,
            "signal": None,
            "timedOut": False,
            "reason": None,
            "rounds": [],
        },
        "measurement": None,
        "environment": {},
        "command": None,
        "parameters": {},
        "runs": [],
        "checks": [],
        "rows": [],
        "steps": None,
        "goodput": None,
        "transport": None,
        "coverage": {"targeted": [], "exercised": [], "excluded": [], "foreign": []},
        "sources": [],
        "state": "unreadable",
        "notes": [note("MU870", f"the record in the archive is damaged: {why}")],
    }
