"""Cases under tests/cases/reconcile: plans and an archive in, a report out."""

from __future__ import annotations

import json
from typing import Any

import pytest
import yaml

import judge_helpers as h
import reconcile_helpers as r
from case_helpers import covers
from muster.judge import judge
from muster.reconcile import Difference, GeneratedState, reconcile
from muster.reconcile.model import DRIFT_CLASSES

SAME = GeneratedState()


def _cases() -> list[Any]:
    return [
        pytest.param(case, id=f"{path.stem}:{case['name']}")
        for path in sorted((h.CASES / "reconcile").glob("*.yaml"))
        for case in yaml.safe_load(path.read_text(encoding="utf-8"))
    ]


def _by_class(report: dict[str, Any], *, severity: str | None = None) -> dict[str, list[Any]]:
    return {
        name: [entry for entry in found if severity is None or entry["severity"] == severity]
        for name, found in report["drift"].items()
        if found
    }


@pytest.mark.parametrize("case", _cases())
def test_case(case: dict[str, Any]) -> None:
    known = {
        "name",
        "plan",
        "plans",
        "changes",
        "extra",
        "as_of",
        "generated",
        "replay",
        "tests",
        "synthetic",
        "expect",
        "states",
        "drift",
    }
    assert set(case) <= known, f"unknown keys {set(case) - known}"
    plans = [r.plan(**said) for said in case.get("plans", [case.get("plan")]) if said is not None]
    records = r.archive(plans, case.get("changes"))
    for extra in case.get("extra", []):
        records.append(h.merge(h.record("pair"), extra))
    generated = case.get("generated", [])
    state = None if generated is None else GeneratedState(tuple(Difference(**one) for one in generated))
    report = reconcile(
        plans,
        iter(records),
        as_of=h.moment(case.get("as_of", h.AS_OF)),
        generated=state,
        replay=case.get("replay", False),
        tests=case.get("tests"),
        synthetic=case.get("synthetic", False),
    )
    shown = report.as_dict()
    covers(case.get("expect", {}), shown, "report")
    found = {verdict["id"].rpartition("/")[2]: verdict["state"] for verdict in shown["verdicts"]}
    if "states" in case:
        assert found == case["states"]
    told = {name: [entry["code"] for entry in entries] for name, entries in shown["drift"].items() if entries}
    if "drift" in case:
        assert told == case["drift"], json.dumps(shown["drift"], indent=1)
    assert list(shown["drift"]) == list(DRIFT_CLASSES)
    assert report.exit_status == (0 if shown["summary"]["ok"] else 1)
    errors = [
        entry for entries in shown["drift"].values() for entry in entries if entry["severity"] == "error"
    ]
    assert shown["summary"]["errors"] == len(errors)
    if report.exit_status == 0:
        assert not errors
        assert shown["verdicts"]
        assert {verdict["state"] for verdict in shown["verdicts"]} <= {"satisfied", "waived"}
    json.dumps(shown, allow_nan=False)


def test_a_verdict_is_the_same_as_the_judge_gives() -> None:
    plan = r.plan(["node-a", "node-b", "node-c"], {"pair": {"base": "pair"}, "node": {"base": "node"}})
    records = r.archive(
        [plan],
        {
            "node-a+node-b": [
                {"attempt": {"id": "a1"}},
                {"values": [1.0, 1.1, 1.2], "attempt": {"id": "a2"}},
            ],
            "node-a+node-c": {"state": "incomplete"},
            "node-a": {"edit": {"runs.0.rows.0.outOfPlace.wrong": 1}},
            "node-b": None,
        },
    )
    report = reconcile([plan], records, as_of=h.moment(h.AS_OF), generated=SAME)
    for want, verdict in zip(plan["desired"], report.verdicts, strict=True):
        assert verdict == judge(want, records, as_of=h.moment(h.AS_OF))


def test_a_moment_without_a_time_zone_is_refused() -> None:
    with pytest.raises(ValueError, match="time zone"):
        reconcile([], [], as_of=h.moment(h.AS_OF).replace(tzinfo=None))


def test_packed_records_give_the_same_report() -> None:
    """What an index keeps is enough; records of older measurements stay packed but for the newest where it counts."""
    summary = pytest.importorskip("muster.archive.summary")
    plan = r.plan(["a", "b", "c"], {"pair": {"base": "pair"}, "node": {"base": "node"}})
    old = [
        {
            "identity": {"digest": f"sha256:{n}"},
            "attempt": {"id": f"a{n}", "start": None, "end": f"2026-0{n}-01T00:00:00Z"},
        }
        for n in range(1, 6)
    ]
    records = r.archive(
        [plan], {"a+b": None, "node/a": old, "node/b": [{}, *old], "a+c": {"values": [1.0, 1.0, 1.0]}}
    )
    unpacked: list[str] = []

    class Entry(summary.Entry):
        def record(self) -> dict[str, Any]:
            unpacked.append(self.path)
            return super().record()

    entries = [
        Entry(*summary.entry_of(record, f"v1/h20-roce/x/{number:03}/record.json", "tag"))
        for number, record in enumerate(records)
    ]
    as_of = h.moment(h.AS_OF)
    whole = reconcile([plan], records, as_of=as_of, generated=SAME)
    packed = reconcile([plan], entries, as_of=as_of, generated=SAME)
    assert packed.as_dict() == whole.as_dict()
    assert whole.summary["records"]["superseded"] == 10
    assert len(unpacked) == len(records) - 10 + 1
