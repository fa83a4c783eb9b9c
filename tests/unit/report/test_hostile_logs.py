"""From hostile logs and declarations to every format: nothing in them is obeyed by what shows them."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

import pytest

from archive_helpers import logs
from archive_helpers.attempts import memory
from fuzz.fuzz_readers import texts
from muster.archive.binding import Declared
from muster.archive.ingest import Batch, ingest
from muster.archive.local import LocalStore
from muster.archive.query import load_records
from muster.archive.verify import verify
from muster.cli.cmd_ingest import _text as ingest_text
from muster.diagnostics.escape import visible
from muster.diagnostics.render import render
from muster.reconcile import reconcile
from muster.reconcile.metrics import openmetrics
from muster.report import FORMS, render_report
from reconcile_helpers.hostile import HOSTILE, check_markdown

if TYPE_CHECKING:
    from pathlib import Path

    from muster.archive.ingest import IngestResult
    from muster.reconcile import Report

AS_OF = datetime(2026, 10, 15, tzinfo=UTC)
ACCEPTANCE: dict[str, Any] = {
    "validFor": 2592000,
    "rounds": 3,
    "validation": True,
    "thresholds": [
        {"name": "t", "metric": "busbw", "at": {"bytes": 1 << 30, "placement": "out-of-place"}}
        | {"statistic": "median", "unit": "GB/s", "lower": 1.0, "position": "sites/h20.yaml:1:1"}
    ],
    "transport": None,
    "checks": None,
    "preflight": None,
}


def _wanted(test: str, *unit: str) -> dict[str, Any]:
    hardware = {"product": "NVIDIA-H20-3e", "gpusPerNode": 8}
    made = logs.desired(test=test, unit=unit, hardware=hardware, software={"driver": "580.126.20"})
    return {**made, "acceptance": ACCEPTANCE, "position": "sites/h20.yaml:1:1"}


def _archive(folder: Path, text: str) -> tuple[Report, IngestResult, LocalStore]:
    """Ingest logs that say a text wherever a log or a user can say one, and judge them."""
    one = text.replace("\n", " ").replace("\r", " ").encode("utf-8", "replace").decode()
    failing, odd, short, foreign, named = (
        _wanted(name, "node-a", "node-b") for name in ("failing", "odd", "short", "foreign", "named")
    )
    begin = logs.begin(failing, rounds=1, attempt=one)
    device = logs.table().replace("on     node-a device", f"on {one[:40] or 'x'} device")
    batches = [
        Batch(
            (
                memory(
                    f"{one[:60]}.log",
                    begin
                    + f"node-a: Test NCCL failure common.cu:401 '{one}'\n{one}\n"
                    + logs.end(exit_code=3)
                    + logs.finish(3, 1, 1, reason=one, message=one),
                ),
            )
        ),
        Batch(
            (memory("odd.log", logs.table().replace("sum", one[:20] or "x")), memory("b.log", f"{one}\n")),
            Declared(test="odd", reason=one, note=one, attempt=one, hosts={one: one}, nodes={"b.log": one}),
            grouped=True,
        ),
        Batch((memory("short.log", _excluded(short, one)),)),
        Batch((memory("foreign.log", device),), Declared(test="foreign", end="2026-10-14T08:00:00Z")),
        Batch((memory("stray.log", f"{one}\n"), memory(one or "x", f"{begin.replace('failing', 'none')}"))),
        Batch((memory("named.log", logs.pod_log(named)),), Declared(test=one, site=one, pool=one)),
    ]
    plan = {
        **logs.plan(failing, odd, short, foreign, named),
        "campaign": None,
        "tests": {},
        "disabled": {},
        "waivers": {},
        "excluded": [],
    }
    store = LocalStore(folder, durable=False)
    result = ingest(batches, [plan], store)
    records = load_records(store, ["h20"], cache=folder / "cache")
    entries = [entry for shard in records.shards() for entry in shard.entries]
    return reconcile([plan], entries, as_of=AS_OF), result, store


def _excluded(wanted: dict[str, Any], text: str) -> str:
    identity = {key: wanted[key] for key in ("digest", "site", "pool", "test", "scope", "unit")}
    return logs.record(
        "excluded", **identity, node="node-a", reason=text, message=text, attempt="x"
    ) + logs.finish(69, 0, message=text, reason=text)


def _lines_are_plain(text: str) -> None:
    for line in text.split("\n"):
        assert line.isprintable(), ascii(line)
        assert not re.match(r"\s*(::|##\[)", line), line


@pytest.mark.parametrize("text", HOSTILE, ids=ascii)
def test_hostile_logs_are_shown_and_obeyed_by_nothing(text: str, tmp_path: Path) -> None:
    report, result, store = _archive(tmp_path / "archive", text)
    assert {item.state for item in result.records} >= {"errored", "excluded"}
    states = {verdict["test"]: verdict["state"] for verdict in report.verdicts}
    assert states["failing"] == "errored"
    assert states["short"] == "excluded"
    assert "satisfied" not in states.values()
    said = text.replace("\n", " ").replace("\r", " ").encode("utf-8", "replace").decode()
    ways = (visible(said)[:30], re.sub("[\x00-\x1f\x7f-\x9f]", "\ufffd", said)[:30])
    assert any(way in one for one in texts(report.as_dict()) for way in ways), "the report shows the text"
    shown = {form: render_report(report, form) for form in FORMS}
    for form in ("text", "markdown", "json"):
        _lines_are_plain(shown[form])
    check_markdown(shown["markdown"])
    assert shown["json"].isascii()
    assert json.loads(shown["json"])["exitStatus"] == 1
    assert json.loads(shown["sarif"])["runs"]
    root = ET.fromstring(shown["junit"])
    assert all(
        part.isprintable()
        for element in root.iter()
        for part in [*element.attrib.values(), *(element.text or "").split("\n")]
    )
    _lines_are_plain(openmetrics(report))
    _lines_are_plain(ingest_text(result))
    _lines_are_plain(render([*result.diagnostics, *verify(store).diagnostics], "text"))
