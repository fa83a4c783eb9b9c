"""Every case under tests/cases/judge: a desired test, records and a moment in, a verdict out."""

from __future__ import annotations

import json
from typing import Any

import pytest
import yaml

import judge_helpers as h
from case_helpers import covers
from muster.diagnostics import code_of
from muster.judge import STATES, judge
from muster.judge.states import CODES


def _cases() -> list[Any]:
    found = []
    for path in sorted((h.CASES / "judge").glob("*.yaml")):
        if path.name == "base.yaml":
            continue
        for case in yaml.safe_load(path.read_text(encoding="utf-8")):
            found.append(pytest.param(case, id=f"{path.stem}:{case['name']}"))
    return found


@pytest.mark.parametrize("case", _cases())
def test_case(case: dict[str, Any]) -> None:
    known = {"name", "base", "desired", "edit", "records", "as_of", "expect", "codes", "without"}
    assert set(case) <= known, f"unknown keys {set(case) - known}"
    base = case["base"]
    want = h.desired(base, case.get("desired"), case.get("edit"))
    records = [h.record(base, change) for change in case.get("records", [{}])]
    verdict = judge(want, records, as_of=h.moment(case.get("as_of", h.AS_OF)))
    covers(case["expect"], verdict, "verdict")
    codes = {reason["code"] for reason in verdict["reasons"]}
    assert set(case.get("codes", [])) <= codes, f"reasons are {verdict['reasons']}"
    assert not codes & set(case.get("without", [])), f"reasons are {verdict['reasons']}"
    assert verdict["state"] in STATES
    assert verdict["next"]
    assert (verdict["state"] == "satisfied") == (verdict["reason"]["code"] == "MU900")
    json.dumps(verdict, allow_nan=False)


def test_every_state_has_several_cases() -> None:
    counts = dict.fromkeys(STATES, 0)
    for case in _cases():
        counts[case.values[0]["expect"]["state"]] += 1
    counts.pop("waived")
    assert min(counts.values()) >= 2, counts


def test_every_code_of_an_attempt_is_registered_and_has_a_case() -> None:
    told = {case.values[0]["expect"].get("reason", {}).get("code") for case in _cases()}
    told |= {code for case in _cases() for code in case.values[0].get("codes", [])}
    for code in CODES:
        assert code_of(code).explanation
        assert code in told, f"no case shows {code}"
