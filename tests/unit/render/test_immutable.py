"""What a cluster would refuse to change is said before, with the path."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import pytest

from muster.diagnostics import Position
from muster.render import check_frozen, frozen_changes, render_site
from render_helpers.plans import FILE, desired, plan, spec

PAIR = ["node-a", "node-b"]


def rendered(kind: str, site_spec: dict[str, Any], runner: str = "job") -> dict[str, Any]:
    site = render_site(site_spec, plan([desired("pair", "nccl-tests", PAIR)], runner))
    [found] = [item for path, item, _ in site.objects if item["kind"] == kind and "/30-pair/" in path]
    return found


@pytest.mark.parametrize("runner", ["job", "mpijob"])
def test_a_change_of_the_pod_is_named_by_its_path(runner: str) -> None:
    kind = {"job": "Job", "mpijob": "MPIJob"}[runner]
    old = rendered(kind, spec(), runner)
    changed = spec()
    changed["pools"]["h20"]["nodes"]["tolerations"][0]["effect"] = "NoExecute"
    new = rendered(kind, changed, runner)
    assert old["metadata"]["name"] == new["metadata"]["name"]
    paths = frozen_changes(old, new)
    assert all(path.endswith(".spec.tolerations[0].effect") for path in paths)
    assert len(paths) == {"job": 1, "mpijob": 2}[runner]
    [found] = check_frozen([(old, new, Position(FILE, 40, 5))], "s")
    assert (found.code, str(found.position)) == ("MU538", f"{FILE}:40:5")
    assert paths[0] in found.message


def test_a_deadline_may_change() -> None:
    old = rendered("Job", spec())
    new = rendered("Job", spec(budget={"gpuHours": 40, "maxConcurrentNodes": 2, "deadline": "2h"}))
    assert old != new
    assert frozen_changes(old, new) == []
    assert check_frozen([(old, new, None)], "s") == []


def test_fields_that_come_and_go_and_lists_that_grow() -> None:
    old = rendered("Job", spec())
    new = deepcopy(old)
    new["spec"]["template"]["spec"]["containers"].append({"name": "more"})
    new["spec"]["template"]["spec"]["hostNetwork"] = True
    del new["spec"]["completionMode"]
    assert frozen_changes(old, new) == [
        "spec.completionMode",
        "spec.template.spec.containers",
        "spec.template.spec.hostNetwork",
    ]


def test_only_an_immutable_map_is_frozen() -> None:
    old = {"kind": "ConfigMap", "metadata": {"name": "x"}, "data": {"a": "1"}, "immutable": True}
    assert frozen_changes(old, {**old, "data": {"a": "2"}}) == ["data.a"]
    assert frozen_changes({**old, "immutable": False}, {**old, "data": {"a": "2"}}) == []
    assert frozen_changes(old, {**old, "metadata": {"name": "x", "labels": {}}}) == []
