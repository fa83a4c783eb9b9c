"""Verify: every checksum, every raw file, and readings that changed."""

from __future__ import annotations

import shutil
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
import zstandard

from archive_helpers import logs
from archive_helpers.attempts import memory
from muster.archive.ingest import Batch, ingest
from muster.archive.local import LocalStore
from muster.archive.objectstore import ObjectStore
from muster.archive.verify import differences, verify
from muster.readers import sniff
from muster.readers.model import problem
from muster.readers.registry import readers

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from archive_helpers.gateway import Gateway
    from muster.archive.store import Store
    from muster.readers.registry import Reader
    from muster.readers.source import Source

PAIR = logs.desired()


def fill(store: Store) -> str:
    batch = Batch((memory("pod0.log", logs.pod_log(PAIR)), memory("pod1.log", logs.worker_log(PAIR))))
    return ingest([batch], [logs.plan(PAIR)], store).records[0].place


@pytest.fixture
def archive(tmp_path: Path) -> tuple[LocalStore, Path]:
    store = LocalStore(tmp_path / "archive", durable=False)
    return store, store.root / fill(store)


def codes(store: Store) -> list[str]:
    return [item.code for item in verify(store).diagnostics]


def test_in_order(archive: tuple[LocalStore, Path], gateway: Gateway) -> None:
    remote = ObjectStore("s3://evidence/verify", gateway.env)
    fill(remote)
    for store in (archive[0], remote):
        result = verify(store, ["h20"])
        assert (result.records, result.files, result.diagnostics, result.exit_code) == (1, 2, [], 0)


def _repack(change: Callable[[bytes], bytes]) -> Callable[[Path], None]:
    def damage(place: Path) -> None:
        raw = place / "raw/0-pod0.log.zst"
        text = zstandard.ZstdDecompressor().decompressobj().decompress(raw.read_bytes())
        raw.write_bytes(zstandard.compress(change(text)))

    return damage


def _bytes(change: Callable[[bytes], bytes], name: str = "raw/0-pod0.log.zst") -> Callable[[Path], None]:
    return lambda place: (place / name).write_bytes(change((place / name).read_bytes()))


@pytest.mark.parametrize(
    ("damage", "found"),
    [
        (_repack(lambda text: text.replace(b"401.", b"901.", 1)), ["MU871"]),
        (_repack(lambda text: text + b"\n"), ["MU871"]),
        (_repack(lambda text: text[:-1]), ["MU871"]),
        (_bytes(lambda data: data[:-9]), ["MU871"]),
        (_bytes(lambda data: data[:60] + b"!" + data[61:]), ["MU871"]),
        (_bytes(lambda _: b""), ["MU871"]),
        (lambda place: (place / "raw/1-pod1.log.zst").unlink(), ["MU872"]),
        (_bytes(lambda data: data.replace(b'"node-a"', b'"node-x"', 1), "record.json"), ["MU870"]),
        (lambda place: (place / "raw/2-more.zst").write_bytes(b""), ["MU875"]),
        (lambda place: (place.parent / "readme").write_bytes(b""), ["MU875"]),
        (lambda place: (place / "record.json").unlink(), ["MU874", "MU877"]),
        (shutil.rmtree, ["MU877"]),
    ],
)
def test_damage_is_found(
    archive: tuple[LocalStore, Path], damage: Callable[[Path], None], found: list[str]
) -> None:
    store, place = archive
    damage(place)
    assert codes(store) == found
    assert verify(store).exit_code == 1


def test_bytes_of_another_compression_are_the_same_file(archive: tuple[LocalStore, Path]) -> None:
    store, place = archive
    _repack(lambda text: text)(place)
    assert codes(store) == []


def test_a_reading_that_changed_is_shown_and_not_rewritten(
    archive: tuple[LocalStore, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    store, place = archive
    before = (place / "record.json").read_bytes()
    import muster.readers

    read = muster.readers.read_source

    def other(source: Any) -> Any:
        reading = read(source)
        for run in reading.get("runs", ()):
            run["rows"][0]["outOfPlace"]["busbw"] = 1.0
        return reading

    monkeypatch.setattr(muster.readers, "read_source", other)
    result = verify(store)
    assert [item.code for item in result.diagnostics] == ["MU873"]
    assert [change.path for change in result.changes] == [
        f"runs[{n}].rows[0].outOfPlace.busbw" for n in range(3)
    ]
    assert (result.changes[0].now, result.exit_code, result.files) == (1.0, 1, 2)
    assert result.changes[0].archived != 1.0
    assert (place / "record.json").read_bytes() == before


def test_a_reader_of_a_new_version_is_named(
    archive: tuple[LocalStore, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a reader of tomorrow makes of the same bytes is shown beside what was archived."""
    store, place = archive
    before = (place / "record.json").read_bytes()

    def stricter(reader: Reader) -> Reader:
        def read(source: Source) -> Any:
            reading = reader.read(source)
            reading["problems"].append(problem("MU718", "a new check", 7))
            return reading

        return replace(reader, read=read, version="nccl-tests/2") if reader.tool == "nccl-tests" else reader

    monkeypatch.setattr(sniff, "readers", lambda: tuple(map(stricter, readers())))
    result = verify(store)
    assert [item.code for item in result.diagnostics] == ["MU873"]
    assert "nccl-tests/2" in result.diagnostics[0].message
    assert [(item.path, item.archived, item.now) for item in result.changes][:1] == [
        ("state", "complete", "unreadable")
    ]
    assert (place / "record.json").read_bytes() == before


@pytest.mark.parametrize(
    ("old", "new", "found"),
    [
        ({"a": 1}, {"a": 1}, []),
        ({"a": 1}, {"b": 1}, [("a", 1, None), ("b", None, 1)]),
        ([1, {"x": [2]}], [1, {"x": [3, 4]}], [("[1].x[0]", 2, 3), ("[1].x[1]", None, 4)]),
        ({"a": {"b": 1}}, {"a": [1]}, [("a", {"b": 1}, [1])]),
        (1, 1.0, []),
        (True, "True", [("", True, "True")]),
    ],
)
def test_differences(old: Any, new: Any, found: list[tuple[str, Any, Any]]) -> None:
    assert list(differences(old, new)) == found
