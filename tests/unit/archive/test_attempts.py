"""What becomes of an attempt, as data: files and declarations in, record out."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import jsonschema_rs
import pytest
import yaml

from archive_helpers.attempts import batch, plans
from muster.archive.ingest import ingest
from muster.archive.local import LocalStore
from muster.archive.record import checksum, schema
from muster.archive.verify import verify

if TYPE_CHECKING:
    from muster.archive.ingest import IngestResult

CASES: list[dict[str, Any]] = yaml.safe_load(
    (Path(__file__).resolve().parents[2] / "cases/archive/attempts.yaml").read_text(encoding="utf-8")
)
ROUTINE = {"MU828"}


def run(case: dict[str, Any], folder: Path) -> tuple[IngestResult, dict[str, Any]]:
    store = LocalStore(folder, durable=False)
    result = ingest([batch(case)], plans(case), store)
    assert len(result.records) == 1, result.diagnostics
    return result, json.loads(store.read(f"{result.records[0].place}/record.json"))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"].replace(" ", "-"))
def test_cases(case: dict[str, Any], tmp_path: Path) -> None:
    result, record = run(case, tmp_path)
    want = case["want"]
    found = {
        "state": record["state"],
        "binding": record["binding"],
        "exit": record["attempt"]["exitCode"],
        "start": record["attempt"]["start"],
        "timedOut": record["attempt"]["timedOut"],
        "reason": record["attempt"]["reason"],
        "exercised": record["coverage"]["exercised"],
        "excluded": [item["node"] for item in record["coverage"]["excluded"]],
        "codes": sorted({note["code"] for note in record["notes"] if note["code"][:3] == "MU8"} - ROUTINE),
        "synthetic": record["synthetic"],
        "digest": record["identity"]["digest"],
        "measurement": record["measurement"],
        "driver": record["environment"]["driver"],
        "drivers": {node: own.get("driver") for node, own in record["environment"]["nodes"].items()},
        "gpus": record["environment"]["gpus"],
    }
    assert {key: found[key] for key in want} == want, record["notes"]
    assert result.records[0].state == record["state"]
    if record["state"] == "complete":
        assert not [note for note in record["notes"] if note["severity"] == "error"]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"].replace(" ", "-"))
def test_every_record_is_sound(case: dict[str, Any], tmp_path: Path) -> None:
    """It fits the published schema, has its checksum, shows no hidden character, and reads the same again."""
    result, record = run(case, tmp_path)
    jsonschema_rs.Draft202012Validator(schema()).validate(record)
    assert record["checksum"] == checksum(record)
    assert all(text.isprintable() for text in _texts(record))
    store = LocalStore(tmp_path)
    checked = verify(store)
    assert (checked.records, checked.files) == (1, len(record["sources"]))
    assert checked.changes == []
    assert checked.diagnostics == []
    again = ingest([batch(case)], plans(case), store)
    assert [item.new for item in again.records] == [False]
    assert [item.place for item in again.records] == [item.place for item in result.records]
    assert again.counts.written == 0


def _texts(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value]
    if isinstance(value, dict):
        return [text for key, item in value.items() for text in (key, *_texts(item))]
    return [text for item in value for text in _texts(item)] if isinstance(value, list) else []
