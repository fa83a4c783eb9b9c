"""Write an attempt into a store: raw files first, the record last, so that a record means all is there."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from muster.archive.intake import unzipped
from muster.archive.note import note
from muster.archive.record import DamagedError, decode, encode
from muster.archive.store import RECORD, ConflictFault, record_path

if TYPE_CHECKING:
    from collections.abc import Sequence

    from muster.archive.intake import Blob
    from muster.archive.record import Identity, Record
    from muster.archive.store import Store

NOWHERE = "_"
_BLOCK = 1 << 20


@dataclass(frozen=True, slots=True)
class Written:
    """An attempt in the archive.

    Attributes:
        place: its folder, ``v1/<site>/<digest>/<attempt>``.
        identity: what it is evidence for.
        attempt: its id.
        state: its state.
        binding: ``record``, ``options`` or ``orphan``.
        new: whether this ingest wrote it; False when it was there.
    """

    place: str
    identity: Identity
    attempt: str
    state: str
    binding: str
    new: bool


class Known:
    """Which files the attempts of a digest hold, asked once for each digest."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._files: dict[str, dict[str, str]] = {}

    def others(self, folder: str, attempt: str, originals: Sequence[str]) -> list[str]:
        """Return the other attempts below a folder that hold any of the files, and remember these files."""
        if folder not in self._files:
            self._files[folder] = self._load(folder)
        known = self._files[folder]
        found = {known[item] for item in originals if known.get(item, attempt) != attempt}
        known.update(dict.fromkeys(originals, attempt))
        return sorted(found)

    def _load(self, folder: str) -> dict[str, str]:
        known: dict[str, str] = {}
        for path in self._store.paths(folder):
            if not path.endswith(f"/{RECORD}"):
                continue
            try:
                record = decode(self._store.read(path), path)
            except DamagedError:
                continue
            known.update((item["originalSha256"], record["attempt"]["id"]) for item in record["sources"])
        return known


def write(store: Store, record: Record, blobs: Sequence[Blob], known: Known) -> Written:
    """Write an attempt unless it is there.

    Raises:
        EnvironmentFault: the store cannot be used, or holds other bytes in a place of this attempt.
    """
    identity, attempt = record["identity"], record["attempt"]["id"]
    path = record_path(identity["site"] or NOWHERE, identity["digest"], attempt)
    place = path.rpartition("/")[0]
    new = not store.exists(path) and _create(store, record, blobs, known, path)
    return Written(place, identity, attempt, record["state"], record["binding"], new)


def _create(store: Store, record: Record, blobs: Sequence[Blob], known: Known, path: str) -> bool:
    place = path.rpartition("/")[0]
    originals = [blob.original for blob in blobs if blob.size]
    for other in known.others(place.rpartition("/")[0], record["attempt"]["id"], originals):
        record["notes"].append(note("MU826", f"attempt {other} holds the same file"))
    content = encode(record)
    for source, blob in zip(record["sources"], blobs, strict=True):
        _raw(store, f"{place}/{source['file']}", blob)
    try:
        return store.create(path, content)
    except ConflictFault:
        return False


def _raw(store: Store, path: str, blob: Blob) -> None:
    """Write a raw file; other compressed bytes of the same text, of another version of zstd, are as good."""
    try:
        store.create(path, blob.packed)
    except ConflictFault:
        if sha256_of(store, path) != blob.sha256:
            raise


def sha256_of(store: Store, path: str) -> str | None:
    """Return the sha256 of the uncompressed bytes of a raw file, None when it does not unpack."""
    from zstandard import ZstdError

    found = hashlib.sha256()
    try:
        with store.open(path) as packed, unzipped(packed) as stream:
            while block := stream.read(_BLOCK):
                found.update(block)
    except ZstdError:
        return None
    return found.hexdigest()
