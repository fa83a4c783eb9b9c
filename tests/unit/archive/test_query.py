"""Reading back: with and without an index the same, and nothing damaged is skipped."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from archive_helpers import logs
from archive_helpers.attempts import memory
from muster.archive.binding import Declared
from muster.archive.index import FORMAT, SHARDS, shard_of
from muster.archive.ingest import Batch, ingest
from muster.archive.local import LocalStore
from muster.archive.query import Records, load_record, load_records
from muster.archive.record import DamagedError, checksum

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

LEFT_OUT = {"checksum", "declared"}


@pytest.fixture
def store(tmp_path: Path) -> LocalStore:
    """An archive of two sites and an orphan of nobody."""
    store = LocalStore(tmp_path / "archive", durable=False)
    wanted = [logs.desired(unit=(f"node-{letter}",)) for letter in "abcdef"]
    other = logs.desired(site="l20", unit=("node-a",))
    batches = [Batch((memory("log", logs.pod_log(item, rounds=2)),)) for item in (*wanted, other)]
    repeat = Batch((memory("log", logs.pod_log(wanted[0], attempt="job-2")),))
    ingest(
        [*batches, repeat, Batch((memory("x", "stray\n"),))], [logs.plan(*wanted), logs.plan(other)], store
    )
    return store


def whole(store: LocalStore) -> list[dict[str, Any]]:
    paths = [item.path for site in ("h20", "l20", "_") for item in store.records(site)]
    return [json.loads(store.read(path)) for path in paths]


def loaded(
    store: LocalStore, cache: Path | None = None, sites: list[str] | None = None
) -> list[dict[str, Any]]:
    records = load_records(store, sites, cache=cache)
    found = list(records)
    assert records.diagnostics == []
    return found


def without(record: dict[str, Any]) -> dict[str, Any]:
    """A record without what an index leaves out."""
    runs = [
        {key: value for key, value in run.items() if key not in ("devices", "problems")}
        for run in record["runs"]
    ]
    for run in runs:
        run["rows"] = [{key: value for key, value in row.items() if key != "line"} for row in run["rows"]]
    return {**{key: value for key, value in record.items() if key not in LEFT_OUT}, "runs": runs}


def test_the_same_with_and_without_an_index(store: LocalStore, tmp_path: Path) -> None:
    wanted = [without(record) for record in whole(store)]
    assert len(wanted) == 9
    cache = tmp_path / "cache"
    assert loaded(store) == wanted
    assert loaded(store, cache) == wanted
    assert list(cache.rglob("*.zst"))
    assert loaded(store, cache) == wanted


def test_a_warm_index_reads_no_record(
    store: LocalStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    loaded(store, tmp_path / "cache")

    def fail(*_: object) -> bytes:
        raise AssertionError("a record was read")

    monkeypatch.setattr(LocalStore, "read", fail)
    assert len(loaded(store, tmp_path / "cache")) == 9


def test_sites(store: LocalStore) -> None:
    assert [record["identity"]["site"] for record in loaded(store, sites=["l20"])] == ["l20", None]
    assert [record["identity"]["site"] for record in loaded(store, sites=["nobody"])] == [None]
    assert {record["identity"]["site"] for record in loaded(store)} == {"h20", "l20", None}


def test_new_and_vanished_records_are_seen(store: LocalStore, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    before = loaded(store, cache)
    new = logs.desired(unit=("node-z",))
    place = ingest([Batch((memory("log", logs.pod_log(new)),))], [logs.plan(new)], store).records[0].place
    assert len(loaded(store, cache)) == len(before) + 1
    (store.root / place / "record.json").unlink()
    records = load_records(store, cache=cache)
    assert list(records) == before
    assert [(item.code, item.severity) for item in records.diagnostics] == [("MU878", "warning")]
    assert place in records.diagnostics[0].message
    assert loaded(store, cache) == before


def test_records_that_all_vanished_are_told(store: LocalStore, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    loaded(store, cache)
    for item in store.records("l20"):
        (store.root / item.path).unlink()
    for codes in (["MU878"], []):
        records = load_records(store, ["l20"], cache=cache)
        assert [record["identity"]["site"] for record in records] == [None]
        assert [item.code for item in records.diagnostics] == codes


def _cut(data: bytes) -> bytes:
    return data[: len(data) // 2]


def _flip(data: bytes) -> bytes:
    return data.replace(b'"exit":0', b'"exit":1', 1)


def _moved(data: bytes) -> bytes:
    record = json.loads(data)
    record["identity"]["digest"] = "sha256:" + "0" * 64
    return json.dumps({**record, "checksum": checksum(record)}).encode()


def _foreign(data: bytes) -> bytes:
    record = {**json.loads(data), "extra": 1}
    return json.dumps({**record, "checksum": checksum(record)}).encode()


@pytest.mark.parametrize(
    "damage", [_cut, _flip, _moved, _foreign, lambda _: b"", lambda _: b"[]", lambda _: b"\xff"]
)
@pytest.mark.parametrize("cached", [False, True])
def test_a_damaged_record_is_unreadable_and_never_skipped(
    store: LocalStore, tmp_path: Path, damage: Callable[[bytes], bytes], cached: bool
) -> None:
    cache = tmp_path / "cache" if cached else None
    loaded(store, cache)
    path = next(item.path for item in store.records("h20"))
    (store.root / path).write_bytes(damage(store.read(path)))
    for _ in range(2):
        records = load_records(store, cache=cache)
        found = [record for record in records if record["attempt"]["id"] == path.split("/")[3]]
        assert [record["state"] for record in found] == ["unreadable"]
        assert found[0]["identity"]["digest"] == f"sha256:{path.split('/')[2]}"
        assert found[0]["notes"][0]["severity"] == "error"
        assert [item.code for item in records.diagnostics] == ["MU870"]
    with pytest.raises(DamagedError):
        load_record(store, path.removesuffix("/record.json"))


def test_a_damaged_index_is_made_anew(store: LocalStore, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    wanted = loaded(store, cache)
    shards = sorted(cache.rglob("*.zst"))
    for damage in (
        lambda data: data[:-5],
        lambda _: b"",
        lambda _: b"garbage",
        lambda data: data[:20] + b"x" + data[21:],
    ):
        for shard in shards:
            shard.write_bytes(damage(shard.read_bytes()))
        assert loaded(store, cache) == wanted
    assert not list(cache.rglob(".*"))


def test_an_index_that_cannot_be_written_is_done_without(store: LocalStore, tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("in the way")
    records = load_records(store, cache=tmp_path / "cache")
    assert len(list(records)) == 9
    assert {item.code for item in records.diagnostics} == {"MU876"}


def test_a_stray_folder_is_reported(store: LocalStore) -> None:
    stray = store.root / "v1/h20/notes/today"
    stray.mkdir(parents=True)
    (stray / "record.json").write_text("{}")
    records = load_records(store)
    assert len(list(records)) == 9
    assert [item.code for item in records.diagnostics] == ["MU875"]


def test_entries_tell_what_they_are_without_being_parsed(store: LocalStore) -> None:
    entries = [entry for shard in Records(store, ["l20"]).shards() for entry in shard.entries]
    assert [entry.test for entry in entries] == ["l20/h20/pair-all-reduce/node-a", ""]
    assert entries[0].time == "2026-10-14T08:09:00Z"
    assert (entries[0].state, entries[1].digest) == ("complete", "")


def test_shards() -> None:
    paths = [f"v1/s/{number:02x}{'0' * 62}/a1/record.json" for number in range(256)]
    assert sorted(map(shard_of, paths)) == [shard_of(path) for path in paths]
    assert len(set(map(shard_of, paths))) == SHARDS
    assert shard_of("v1/s/orphan/a1/record.json") > shard_of(paths[-1])
    assert FORMAT.endswith(b"\n")


def test_declared_orphans_of_a_site(store: LocalStore) -> None:
    ingest([Batch((memory("y", "stray\n"),), Declared(site="h20"))], [], store)
    found = [record for record in loaded(store, sites=["h20"]) if record["binding"] == "orphan"]
    assert [record["identity"]["site"] for record in found] == ["h20", None]
