"""Check an archive: every checksum, and what today's readers make of every raw file. Nothing is rewritten."""

from __future__ import annotations

import hashlib
import re
import shutil
import tempfile
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

from muster.archive.assemble import Part, assemble
from muster.archive.binding import NOTED, Bound, declared_of
from muster.archive.intake import unzipped
from muster.archive.record import DamagedError, decode
from muster.archive.store import RECORD, ROOT
from muster.diagnostics import Position, diagnostic
from muster.diagnostics.escape import clip, visible
from muster.diagnostics.words import counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from muster.archive.record import Record, SourceFile
    from muster.archive.store import Store
    from muster.diagnostics import Diagnostic

_ATTEMPT = re.compile(r"v1/[^/]+/(?:[0-9a-f]{64}|orphan)/a[0-9a-f]{20}")
_COMPARED = (
    "state",
    "runs",
    "checks",
    "rows",
    "steps",
    "goodput",
    "transport",
    "parameters",
    "command",
    "environment",
    "coverage",
    "attempt",
)
_MOST = 50


@dataclass(frozen=True, slots=True)
class Change:
    """A value that today's readers read differently.

    Attributes:
        place: the folder of the attempt.
        path: the field, ``runs[0].rows[3].outOfPlace.busbw``.
        archived: its value in the record; None when it was not there.
        now: its value today; None when it is not there any more.
    """

    place: str
    path: str
    archived: Any
    now: Any


@dataclass(slots=True)
class VerifyResult:
    """What a check of an archive found.

    Attributes:
        records: records that were read.
        files: raw files whose bytes are those that their record names.
        diagnostics: what is wrong.
        changes: what today's readers read differently.
    """

    records: int = 0
    files: int = 0
    diagnostics: list[Diagnostic] = field(default_factory=list)
    changes: list[Change] = field(default_factory=list)

    @property
    def exit_code(self) -> int:
        """Return 1 when anything is damaged, missing or read differently, or when there is no record; else 0."""
        return 1 if any(item.severity != "info" for item in self.diagnostics) else 0


def verify(store: Store, sites: Iterable[str] | None = None) -> VerifyResult:
    """Check every record and raw file of some sites, of all when None.

    Raises:
        EnvironmentFault: the archive cannot be read (MU803).
    """
    result = VerifyResult()
    wanted = None if sites is None else set(sites)
    with tempfile.TemporaryDirectory(prefix="muster-") as spool:
        for site in store.sites():
            if wanted is None or site in wanted:
                _site(store, site, result, Path(spool) / "raw")
    if not result.records:
        result.diagnostics.append(diagnostic("MU877", f"{store.url} holds no record"))
    return result


def _site(store: Store, site: str, result: VerifyResult, spool: Path) -> None:
    paths = sorted(store.paths(f"{ROOT}/{site}"))
    for place, found in groupby(paths, key=lambda path: "/".join(path.split("/")[:4])):
        objects = set(found)
        if not _ATTEMPT.fullmatch(place):
            result.diagnostics += (_odd(path) for path in sorted(objects))
        elif f"{place}/{RECORD}" not in objects:
            text = f"{place}: {counted(len(objects), 'file')} without a record"
            result.diagnostics.append(diagnostic("MU874", text, Position(place, 1, 1)))
        else:
            _attempt(store, place, objects, result, spool)


def _odd(path: str) -> Diagnostic:
    return diagnostic("MU875", f"{visible(path)} is nothing that muster wrote")


def _attempt(store: Store, place: str, objects: set[str], result: VerifyResult, spool: Path) -> None:
    path = f"{place}/{RECORD}"
    result.records += 1
    try:
        record = decode(store.read(path), path)
    except (DamagedError, FileNotFoundError) as error:
        result.diagnostics.append(diagnostic("MU870", f"{path}: {visible(str(error))}", Position(path, 1, 1)))
        return
    named = {f"{place}/{source['file']}" for source in record["sources"]}
    result.diagnostics += (_odd(item) for item in sorted(objects - named - {path}))
    parts = []
    for source in record["sources"]:
        part = _file(store, f"{place}/{source['file']}", source, result, spool)
        if part is not None:
            parts.append(part)
    if len(parts) == len(record["sources"]):
        _compare(place, record, parts, result)


def _file(store: Store, path: str, source: SourceFile, result: VerifyResult, spool: Path) -> Part | None:
    from zstandard import ZstdError

    try:
        with store.open(path) as packed, spool.open("wb") as local:
            shutil.copyfileobj(packed, local)
    except FileNotFoundError:
        result.diagnostics.append(diagnostic("MU872", f"{path} is missing", Position(path, 1, 1)))
        return None
    found, size = hashlib.sha256(), 0
    try:
        with unzipped(spool.open("rb")) as stream:
            while block := stream.read(1 << 20):
                found.update(block)
                size += len(block)
    except ZstdError:
        size = -1
    if found.hexdigest() != source["sha256"] or size != source["bytes"]:
        text = f"{path} does not hold the bytes that the record names"
        result.diagnostics.append(diagnostic("MU871", text, Position(path, 1, 1)))
        return None
    result.files += 1
    return _read(source, spool)


def _read(source: SourceFile, packed: Path) -> Part:
    from muster.readers import read_source
    from muster.readers.sniff import choose
    from muster.readers.source import Source

    opened = Source(source["name"], lambda: unzipped(packed.open("rb")))
    reader = choose(opened)
    return Part(
        source["name"],
        source["originalSha256"],
        source["sha256"],
        source["bytes"],
        source["redactions"],
        source["document"],
        reader.version if reader is not None else None,
        read_source(opened),
    )


def _compare(place: str, record: Record, parts: list[Part], result: VerifyResult) -> None:
    bound = Bound(
        record["binding"],
        dict(record["identity"]),
        record["attempt"]["name"] or "",
        record["measurement"],
        frozenset(record["coverage"]["foreign"]),
        tuple(diagnostic(item["code"], item["message"]) for item in record["notes"] if item["code"] in NOTED),
    )
    again, _ = assemble(parts, bound, declared_of(record["declared"]))
    changes = [
        Change(place, path, old, new)
        for key in _COMPARED
        for path, old, new in differences(record[key], again[key], key)  # type: ignore[literal-required]
    ]
    if not changes:
        return
    result.changes += changes[:_MOST]
    first = changes[0]
    parsers = ", ".join(sorted({str(part.parser) for part in parts}))
    what = f"first {first.path}: {_shown(first.archived)} was archived, {_shown(first.now)} is read now"
    text = f"{place}: {counted(len(changes), 'changed value')} with {parsers}; {what}"
    result.diagnostics.append(diagnostic("MU873", text, Position(f"{place}/{RECORD}", 1, 1)))


def _shown(value: Any) -> str:
    return visible(clip(str(value), 80))


def differences(old: Any, new: Any, path: str = "") -> Iterator[tuple[str, Any, Any]]:
    """Yield where two JSON values differ: path, old value, new value; None for what one side has not."""
    if isinstance(old, dict) and isinstance(new, dict):
        yield from _in_maps(old, new, path)
    elif isinstance(old, list) and isinstance(new, list):
        for index in range(max(len(old), len(new))):
            left = old[index] if index < len(old) else None
            right = new[index] if index < len(new) else None
            yield from differences(left, right, f"{path}[{index}]")
    elif old != new:
        yield path, old, new


def _in_maps(old: Mapping[str, Any], new: Mapping[str, Any], path: str) -> Iterator[tuple[str, Any, Any]]:
    for key in sorted(old.keys() | new.keys()):
        below = f"{path}.{key}" if path else key
        yield from differences(old.get(key), new.get(key), below)
