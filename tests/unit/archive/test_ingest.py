"""Ingest end to end: idempotence, grouping, binding, secrets, and real figures."""

from __future__ import annotations

import json
import multiprocessing
from typing import TYPE_CHECKING, Any

import pytest
import zstandard

from archive_helpers import logs
from archive_helpers.attempts import memory
from muster.archive.binding import Declared
from muster.archive.ingest import Batch, Options, batch_of, ingest
from muster.archive.local import LocalStore
from muster.archive.objectstore import ObjectStore
from muster.archive.query import load_record, load_records
from muster.archive.store import ConflictFault
from muster.diagnostics import EnvironmentFault

if TYPE_CHECKING:
    from multiprocessing.queues import Queue
    from pathlib import Path

    from archive_helpers.gateway import Gateway
    from muster.archive.store import Store

PAIR = logs.desired()
NODE = logs.desired(test="node-all-reduce", unit=("node-a",))
PLAN = logs.plan(PAIR, NODE)


@pytest.fixture
def store(tmp_path: Path) -> LocalStore:
    return LocalStore(tmp_path / "archive", durable=False)


def record_of(store: Store, place: str) -> dict[str, Any]:
    return json.loads(store.read(f"{place}/record.json"))


def raw(store: Store, place: str, record: dict[str, Any], index: int = 0) -> bytes:
    return (
        zstandard.ZstdDecompressor()
        .decompressobj()
        .decompress(store.read(f"{place}/{record['sources'][index]['file']}"))
    )


def tree(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_twice_is_once(store: LocalStore) -> None:
    batch = Batch((memory("pod0.log", logs.pod_log(PAIR)), memory("pod1.log", logs.worker_log(PAIR))))
    first = ingest([batch], [PLAN], store)
    before = tree(store.root)
    again = ingest([batch], [PLAN], store)
    assert (first.counts.written, first.counts.present) == (1, 0)
    assert (again.counts.written, again.counts.present) == (0, 1)
    assert tree(store.root) == before
    assert sorted(before) == [
        f"{first.records[0].place.removeprefix('')}/{name}"
        for name in ("raw/0-pod0.log.zst", "raw/1-pod1.log.zst", "record.json")
    ]
    assert (first.exit_code, again.exit_code) == (0, 0)


def test_the_order_of_files_changes_nothing(store: LocalStore, tmp_path: Path) -> None:
    files = (memory("pod0.log", logs.pod_log(PAIR)), memory("pod1.log", logs.worker_log(PAIR)))
    other = LocalStore(tmp_path / "other", durable=False)
    ingest([Batch(files)], [PLAN], store)
    ingest([Batch(files[::-1])], [PLAN], other)
    assert tree(store.root) == tree(other.root)


def test_a_repeat_stands_beside_the_first(store: LocalStore) -> None:
    failed = Batch(
        (memory("log", "bash: mpirun: command not found\n"),), Declared(test="pair-all-reduce", exit_code=127)
    )
    good = Batch((memory("log", logs.pod_log(PAIR, attempt="job-2")),))
    result = ingest([failed, good], [PLAN], store)
    assert [item.state for item in result.records] == ["errored", "complete"]
    assert len({item.place.rpartition("/")[0] for item in result.records}) == 1
    assert sorted(record["state"] for record in load_records(store)) == ["complete", "errored"]


def test_other_claims_on_the_same_file_stand_beside_and_say_so(store: LocalStore) -> None:
    log = (memory("log", logs.table()),)
    said = Declared(test="pair-all-reduce", end="2026-10-14T08:00:00Z")
    first = ingest([Batch(log, said)], [PLAN], store).records[0]
    killed = Declared(test="pair-all-reduce", end="2026-10-14T08:00:00Z", exit_code=137)
    second = ingest([Batch(log, killed)], [PLAN], store).records[0]
    assert (first.state, second.state) == ("complete", "incomplete")
    notes = record_of(store, second.place)["notes"]
    assert [item["message"] for item in notes if item["code"] == "MU826"] == [
        f"attempt {first.attempt} holds the same file"
    ]


def test_empty_logs_of_two_attempts_are_two(store: LocalStore) -> None:
    batches = [
        Batch((memory("log", ""),), Declared(test="pair-all-reduce", exit_code=127, attempt=name))
        for name in ("first", "second")
    ]
    result = ingest(batches, [PLAN], store)
    assert result.counts.written == 2
    assert not [
        note
        for item in result.records
        for note in record_of(store, item.place)["notes"]
        if note["code"] == "MU826"
    ]


def test_an_empty_log_of_nobody_is_kept_out(store: LocalStore) -> None:
    """A pod that only lends its GPUs leaves one; it is no orphan, and no run of nothing either."""
    logs_of_job = (
        memory("pod0.log", logs.pod_log(PAIR)),
        memory("pod1.log", ""),
        memory("pod2.log", " \n\n"),
    )
    result = ingest([Batch(logs_of_job)], [PLAN], store)
    assert [item.state for item in result.records] == ["complete"]
    assert [item.code for item in result.diagnostics] == ["MU816", "MU816"]
    counts = result.counts
    assert (counts.files, counts.empty, counts.orphans, result.exit_code) == (3, 2, 0, 0)


def test_nothing_but_empty_files_is_nothing(store: LocalStore) -> None:
    result = ingest([Batch((memory("pod1.log", "\n"),))], [PLAN], store)
    assert (result.records, result.exit_code) == ((), 2)
    assert [item.code for item in result.diagnostics] == ["MU816", "MU815"]


def test_a_log_of_a_serving_pod_with_words_in_it_is_an_orphan(store: LocalStore) -> None:
    words = "muster: node-b: declared DRIVER 580.126.20, found 570.1\n"
    result = ingest([Batch((memory("pod1.log", words),))], [PLAN], store)
    assert (result.counts.orphans, result.exit_code) == (1, 1)


def test_a_folder_of_several_attempts(store: LocalStore, tmp_path: Path) -> None:
    folder = tmp_path / "logs"
    folder.mkdir()
    for name, text in {
        "job-1-0.log": logs.pod_log(PAIR, attempt="job-1"),
        "job-1-1.log": logs.worker_log(PAIR, attempt="job-1"),
        "job-2-0.log": logs.pod_log(PAIR, attempt="job-2"),
        "node.log": logs.pod_log(NODE, attempt="job-1"),
        "stray.txt": "hello\n",
    }.items():
        (folder / name).write_text(text)
    result = ingest([batch_of([folder])], [PLAN], store)
    found = sorted(
        (item.identity["test"] or "", len(record_of(store, item.place)["sources"])) for item in result.records
    )
    assert found == [("", 1), ("node-all-reduce", 1), ("pair-all-reduce", 1), ("pair-all-reduce", 2)]
    assert (result.counts.orphans, result.exit_code) == (1, 1)
    assert [item.code for item in result.diagnostics] == ["MU823"]


@pytest.mark.parametrize(
    ("declared", "codes"),
    [
        ({"test": "pair-all-reduce", "unit": ("node-a", "node-b")}, []),
        ({"pool": "h20", "exit_code": 0, "attempt": "job-1"}, []),
        ({"test": "node-all-reduce"}, ["MU822"]),
        ({"unit": ("node-a",)}, ["MU822"]),
        ({"site": "elsewhere", "pool": "l20"}, ["MU822", "MU822"]),
        ({"digest": "sha256:" + "0" * 64}, ["MU822"]),
        ({"attempt": "job-9"}, ["MU822"]),
        ({"exit_code": 1}, ["MU822"]),
        ({"timed_out": True}, ["MU822"]),
        ({"round": 7}, ["MU822"]),
        ({"start": "2026-10-14T08:30:00Z"}, ["MU822"]),
        ({"end": "2026-10-14T08:02:00Z"}, ["MU822"]),
        ({"start": "2026-10-14T07:00:00Z", "end": "2026-10-14T09:00:00Z"}, []),
    ],
)
def test_options_may_not_contradict_the_log(
    store: LocalStore, declared: dict[str, Any], codes: list[str]
) -> None:
    result = ingest([Batch((memory("log", logs.pod_log(PAIR)),), Declared(**declared))], [PLAN], store)
    assert [item.code for item in result.diagnostics] == codes
    assert (result.exit_code, len(result.records)) == ((2, 0) if codes else (0, 1))
    assert store.root.exists() is not bool(codes)


@pytest.mark.parametrize(
    ("declared", "code", "says"),
    [
        ({"test": "pair-al-reduce"}, "MU820", "test pair-all-reduce"),
        (
            {"test": "pair-all-reduce", "unit": ("node-a", "node-z")},
            "MU820",
            "h20/h20/pair-all-reduce/node-a+node-b",
        ),
        ({"site": "other", "test": "pair-all-reduce"}, "MU820", "site h20"),
        ({"test": "many"}, "MU821", "h20/h20/many/node-c"),
    ],
)
def test_a_test_that_cannot_be_told(
    store: LocalStore, declared: dict[str, Any], code: str, says: str
) -> None:
    plan = logs.plan(PAIR, NODE, *(logs.desired(test="many", unit=(node,)) for node in ("node-c", "node-d")))
    result = ingest([Batch((memory("log", logs.table()),), Declared(**declared))], [plan], store)
    assert [item.code for item in result.diagnostics] == [code]
    assert says in result.diagnostics[0].message
    assert result.exit_code == 2
    assert not store.root.exists()


def test_plans_of_two_ages(store: LocalStore) -> None:
    older = logs.desired(campaign="2026-09")
    log, plans = memory("log", logs.table()), [PLAN, logs.plan(older), PLAN]
    unsaid = ingest([Batch((log,), Declared(test="pair-all-reduce"))], plans, store)
    assert [item.code for item in unsaid.diagnostics] == ["MU821"]
    said = ingest([Batch((log,), Declared(test="pair-all-reduce", digest=older["digest"]))], plans, store)
    assert said.records[0].identity["digest"] == older["digest"]


def test_secrets_never_reach_the_archive(store: LocalStore) -> None:
    log = "HF_TOKEN=PLANTED\n" + logs.begin(PAIR, rounds=1, command=["all_reduce_perf", "--token", "PLANTED"])
    log += logs.table() + "git clone https://u:PLANTED@host/x\n" + logs.end() + logs.finish(rounds=1)
    declared = Declared(note="password: PLANTED", reason="see https://u:PLANTED@host")
    result = ingest([Batch((memory("log", log),), declared)], [PLAN], store)
    record = record_of(store, result.records[0].place)
    kept = raw(store, result.records[0].place, record)
    assert b"PLANTED" not in kept
    assert "PLANTED" not in json.dumps(record)
    assert record["sources"][0]["redactions"] == result.counts.redactions == 3
    assert [item["code"] for item in record["notes"] if item["code"] == "MU828"] == ["MU828"]


def test_raw_is_raw_and_the_record_is_printable(store: LocalStore) -> None:
    log = logs.table() + "\x1b[31mred\x1b[0m \u202e \x07\n"
    result = ingest(
        [Batch((memory("a\x1b[31m\u202e.log", log),), Declared(test="pair-all-reduce"))], [PLAN], store
    )
    record = record_of(store, result.records[0].place)
    assert raw(store, result.records[0].place, record) == log.encode()
    assert record["sources"][0]["name"].isprintable()
    assert store.read(f"{result.records[0].place}/record.json").isascii()


def test_the_table_and_the_document_of_one_run_are_one_run(store: LocalStore) -> None:
    said = Declared(test="pair-all-reduce", end="2026-10-14T08:02:00Z")
    tables = (memory("1.log", logs.table(busbw=401)), memory("2.log", logs.table(busbw=402)))
    same = ingest(
        [Batch((*tables, memory("2.json", logs.document(402))), said, grouped=True)], [PLAN], store
    ).records[0]
    record = record_of(store, same.place)
    assert [(run["round"], run["file"]) for run in record["runs"]] == [(1, 0), (2, 1), (2, 2)]
    assert (same.state, record["sources"][2]["state"]) == ("complete", "complete")
    other = ingest(
        [Batch((*tables, memory("3.json", logs.document(403))), said, grouped=True)], [PLAN], store
    ).records[0]
    assert other.state == "unreadable"
    assert "MU855" in {item["code"] for item in record_of(store, other.place)["notes"]}


def _ingest(folder: Path, start: Path, results: Queue[int]) -> None:
    while not start.exists():
        pass
    log = memory("log", logs.pod_log(PAIR))
    results.put(ingest([Batch((log,))], [PLAN], LocalStore(folder)).counts.written)


def test_two_processes_ingest_the_same_file(tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    results: Queue[int] = context.Queue()
    start = tmp_path / "start"
    rivals = [context.Process(target=_ingest, args=(tmp_path / "a", start, results)) for _ in range(2)]
    for rival in rivals:
        rival.start()
    start.touch()
    assert sum(results.get(timeout=60) for _ in rivals) == 1
    for rival in rivals:
        rival.join()
    assert [record["state"] for record in load_records(LocalStore(tmp_path / "a"))] == ["complete"]


def test_raw_files_packed_by_another_zstd_are_as_good(store: LocalStore) -> None:
    log = logs.pod_log(PAIR)
    batch = Batch((memory("pod0.log", log),))
    place = ingest([batch], [PLAN], store).records[0].place
    (store.root / place / "record.json").unlink()
    packed = store.root / place / "raw/0-pod0.log.zst"
    packed.write_bytes(zstandard.ZstdCompressor(level=19).compress(log.encode()))
    assert ingest([batch], [PLAN], store).counts.written == 1
    (store.root / place / "record.json").unlink()
    packed.write_bytes(zstandard.compress(log.encode() + b"!"))
    with pytest.raises(ConflictFault):
        ingest([batch], [PLAN], store)
    assert list(load_records(store)) == []


def test_a_full_spool_is_a_fault(store: LocalStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("muster.archive.intake._IN_MEMORY", 10)

    def fail(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("pathlib.Path.open", fail)
    with pytest.raises(EnvironmentFault) as caught:
        ingest([Batch((memory("log", logs.pod_log(PAIR)),))], [PLAN], store, Options(spool=tmp_path))
    assert caught.value.diagnostics[0].code == "MU806"


def test_an_object_store(gateway: Gateway) -> None:
    store = ObjectStore("s3://evidence/ingest", gateway.env)
    batch = Batch((memory("pod0.log", logs.pod_log(PAIR)), memory("pod1.log", logs.worker_log(PAIR))))
    first = ingest([batch], [PLAN], store)
    assert (first.counts.written, ingest([batch], [PLAN], store).counts.present) == (1, 1)
    assert [record["state"] for record in load_records(store, ["h20"])] == ["complete"]
    assert load_record(store, first.records[0].place)["checksum"].startswith("sha256:")


def test_real_logs(shared: Path, store: LocalStore) -> None:
    result = ingest([batch_of([shared / "samples"])], [], store)
    assert result.counts.written == result.counts.orphans > 50
    assert result.counts.refused == 0
    assert {item.state for item in result.records} == {"complete", "incomplete", "errored", "unreadable"}
