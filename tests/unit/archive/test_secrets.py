"""Secrets planted in what every reader reads reach neither archive nor record nor report."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from functools import cache
from typing import TYPE_CHECKING, Any

import pytest
import zstandard

from archive_helpers import logs
from archive_helpers.attempts import memory
from fuzz.fuzz_readers import corpus
from muster.archive.binding import Declared
from muster.archive.ingest import Batch, ingest
from muster.archive.local import LocalStore
from muster.archive.query import load_records
from muster.cli.cmd_ingest import _json, _text
from muster.diagnostics.render import render
from muster.readers import read_bytes
from muster.readers.registry import readers
from muster.reconcile import reconcile
from muster.reconcile.metrics import openmetrics
from muster.report import FORMS, render_report

if TYPE_CHECKING:
    from pathlib import Path

    from muster.archive.binding import Declared as Said

SECRET = "pLaNtEd0123456789abcdefXYZ"
TOOLS = sorted({reader.tool for reader in readers()})
LINES = [
    f"HF_TOKEN={SECRET}",
    f"export AWS_SECRET_ACCESS_KEY={SECRET}",
    f"2026-10-14T08:00:00.123456789Z stdout F DB_URL=postgres://{SECRET}",
    f"[1,0]<stdout>:SOMETHING_PRIVATE={SECRET}",
    f"+ git clone https://bot:{SECRET}@git.example.com/x.git",
    f"curl -H 'Authorization: Bearer {SECRET}' https://api.example.com/v1?sig={SECRET}",
    f"node-a:1:2 [0] NCCL INFO NET/Plugin: token={SECRET}",
    f"password: {SECRET}",
    f"ghp_{SECRET}1234567890",
    f"all_reduce_perf -b 8 --api-key {SECRET}",
]
ENTRIES = [
    f'"env": ["NCCL_NET=IB", "lower_case={SECRET}", "DB_URL=postgres://{SECRET}"]',
    f'"environment": {{"PRIVATE": "{SECRET}"}}',
    f'"container": {{"env": [{{"name": "DB_URL", "value": "{SECRET}"}}]}}',
    f'"url": "https://bot:{SECRET}@registry.example.com/gpu"',
    f'"apiToken": "{SECRET}"',
]


@cache
def inputs() -> dict[str, list[bytes]]:
    """Up to four inputs of each tool, those that read best first."""
    found: dict[str, list[tuple[bool, str, bytes]]] = {tool: [] for tool in TOOLS}
    for name, data in sorted(corpus().items()):
        reading = read_bytes(name, data)
        if reading["tool"] in found:
            found[reading["tool"]].append((reading["state"] != "complete", name, data))
    return {tool: [data for _, _, data in sorted(some)[:4]] for tool, some in found.items()}


def planted(data: bytes) -> list[bytes]:
    """The input with secrets around, between and, where it is a document, inside of what the tool wrote."""
    text = data.decode("utf-8", "replace")
    lines = text.split("\n")
    dump = "\n".join(LINES)
    middle = len(lines) // 2
    made = [f"{dump}\n{text}", f"{text}\n{dump}\n", "\n".join([*lines[:middle], *LINES, *lines[middle:]])]
    start = text.find("{")
    if text.lstrip().startswith("{"):
        made += [f"{text[: start + 1]}{entry},{text[start + 1 :]}" for entry in ENTRIES]
        made.append(f"{text[: start + 1]}{', '.join(ENTRIES)},{text[start + 1 :]}")
    if "apiVersion:" in text:
        made.append(f"{text.rstrip()}\nwebhookToken: {SECRET}\n")
    return [one.encode("utf-8", "replace") for one in made]


def kept(folder: Path) -> bytes:
    """Everything that stands below a folder, uncompressed, with the names."""
    parts = []
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        data = path.read_bytes()
        if path.suffix == ".zst":
            data = zstandard.ZstdDecompressor().decompressobj().decompress(data)
        parts += [str(path).encode(), data]
    return b"\n".join(parts)


@pytest.mark.parametrize("tool", TOOLS)
def test_no_planted_secret_is_kept_or_shown(tool: str, tmp_path: Path) -> None:
    wanted = logs.desired(unit=("node-a",), tool=tool)
    acceptance = {"validFor": 2592000, "rounds": 1, "thresholds": []}
    plan = {**logs.plan({**wanted, "acceptance": acceptance}), "tests": {}}
    said: Said = Declared(
        test="pair-all-reduce",
        end="2026-10-14T08:00:00Z",
        reason=f"token={SECRET}",
        note=f"see https://bot:{SECRET}@git.example.com",
    )
    store, batches = LocalStore(tmp_path / "archive", durable=False), []
    assert inputs()[tool], "there is an input for every reader"
    for data in inputs()[tool]:
        for number, made in enumerate(planted(data)):
            assert SECRET.encode() in made
            batches.append(Batch((memory(f"{number}.log", made),), said))
            batches.append(Batch((memory(f"{number}.log", _with_records(wanted, made)),)))
            batches.append(Batch((memory(f"{number}.log", made),)))
    result = ingest(batches, [plan], store)
    assert result.counts.redactions >= len(batches)
    records = load_records(store, None, cache=tmp_path / "cache")
    entries = [entry for shard in records.shards() for entry in shard.entries]
    report = reconcile([plan], entries, as_of=datetime(2026, 10, 15, tzinfo=UTC))
    shown = [render_report(report, form) for form in FORMS]
    shown += [openmetrics(report), _text(result), _json(result), render(result.diagnostics, "text")]
    archived = kept(tmp_path / "archive")
    assert f'"tool":"{tool}"'.encode() in archived or tool == "muster-pod", "the reader read it"
    assert SECRET.encode() not in archived
    assert SECRET.encode() not in kept(tmp_path)
    assert not [text for text in shown if SECRET in text]
    assert SECRET not in json.dumps([list(entry) for entry in entries], default=repr)


def _with_records(wanted: dict[str, Any], data: bytes) -> bytes:
    """The same as the log of a pod whose record lines hold secrets too."""
    found = {"gpus": 8, "image": f"https://bot:{SECRET}@registry.example.com/x@sha256:00", "token": SECRET}
    command = ["all_reduce_perf", "--api-key", SECRET, f"--url=https://bot:{SECRET}@x"]
    begin = logs.begin(wanted, rounds=1, found=found, command=command)
    end = logs.end() + logs.finish(rounds=1, message=f"password={SECRET}", reason="x")
    return begin.encode() + data + b"\n" + end.encode()
