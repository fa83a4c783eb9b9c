"""Whatever the API server would drop or refuse is refused before it is emitted."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from muster.render.validate import known_minors, validate_objects
from muster.render.validate.errors import MOST
from muster.render.validate.rules import MAX_ANNOTATIONS, MAX_DATA

if TYPE_CHECKING:
    from collections.abc import Iterator

FOLDER = Path(__file__).parents[2] / "cases/validate"
VALID = {item["kind"]: item for item in yaml.safe_load((FOLDER / "valid.yaml").read_text("utf-8"))}
CASES = yaml.safe_load((FOLDER / "faults.yaml").read_text("utf-8"))
FREE = {"labels", "annotations", "data", "matchLabels", "nodeSelector", "limits", "requests", "selector"}
VERSION = "1.30.0"


def changed(item: dict[str, Any], changes: dict[str, Any]) -> dict[str, Any]:
    """Return a copy with fields set: None deletes, ``~null`` is a null."""
    made = copy.deepcopy(item)
    for path, value in changes.items():
        *above, last = (int(step) if step.isdigit() else step for step in path.split("."))
        node: Any = made
        for step in above:
            node = node[step]
        if value is None:
            del node[last]
        else:
            node[last] = None if value == "~null" else value
    return made


def places(node: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the path of every map that has fields of a schema, not free keys."""
    if isinstance(node, dict):
        if not path or path[-1] not in FREE or (path[-1] == "selector" and "matchLabels" in node):
            yield path
            for name, value in node.items():
                yield from places(value, (*path, name))
    elif isinstance(node, list):
        for index, value in enumerate(node):
            yield from places(value, (*path, index))


def test_what_muster_emits_is_accepted_by_every_known_version() -> None:
    objects = list(VALID.values())
    assert known_minors()[-1] >= 37
    for minor in known_minors():
        if minor >= 27:
            result = validate_objects(objects, kubernetes=f"1.{minor}.3")
            assert result.diagnostics == ()
            assert result.ok
            assert result.counts == {
                f"kubernetes 1.{minor} OpenAPI": 7,
                "site CRDs": 0,
                "muster's own schema": 7,
            }


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_faults(case: dict[str, Any]) -> None:
    item = changed(VALID[case["kind"]], case.get("set", {}))
    result = validate_objects([item], kubernetes=VERSION)
    assert [f"{fault.code} {fault.path}".strip() for fault in result.faults] == case["faults"]
    assert result.ok is not bool(case["faults"])
    for finding in result.diagnostics:
        assert "\n" not in finding.message


@pytest.mark.parametrize("kind", VALID)
def test_a_field_that_does_not_exist_is_refused_everywhere(kind: str) -> None:
    spoiled = 0
    for path in places(VALID[kind]):
        item = copy.deepcopy(VALID[kind])
        node: Any = item
        for step in path:
            node = node[step]
        node["misspelled"] = "x"
        faults = validate_objects([item], kubernetes=VERSION).faults
        assert any(fault.code == "MU560" and fault.path.endswith("misspelled") for fault in faults), path
        spoiled += 1
    assert spoiled >= (1 if kind == "Kustomization" else 2)


@pytest.mark.parametrize(
    ("kind", "path", "wrong", "hint"),
    [
        ("Job", "spec.template.spec.containers.0", "imagge", "image"),
        ("Job", "spec", "backOffLimit", "backoffLimit"),
        ("MPIJob", "spec.mpiReplicaSpecs.Worker.template.spec", "containres", "containers"),
        ("MPIJob", "spec.runPolicy", "cleanPodPolcy", "cleanPodPolicy"),
        ("ServiceMonitor", "spec.endpoints.0", "intervall", "interval"),
        ("Application", "spec.syncPolicy", "automatd", "automated"),
    ],
)
def test_the_nearest_field_is_named(kind: str, path: str, wrong: str, hint: str) -> None:
    (fault,) = validate_objects([changed(VALID[kind], {f"{path}.{wrong}": {}})], kubernetes=VERSION).faults
    assert fault.code == "MU560"
    assert fault.hint == f"did you mean {hint}?"


def test_a_kind_of_a_newer_version_is_refused_with_what_there_is() -> None:
    claim = {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceClaimTemplate",
        "metadata": {"name": "a", "namespace": "b"},
        "spec": {"spec": {}},
    }
    assert validate_objects([claim], kubernetes="v1.34.1+rke2r1").ok
    fault = validate_objects([claim], kubernetes="1.30").faults[0]
    assert fault.code == "MU554"
    assert "v1alpha2" in fault.message


@pytest.mark.parametrize("version", ["1.99.0", "1.2", "2.30.0", "", "1", "latest", "1.30.0\n", "1.x"])
def test_a_version_without_schemas_is_refused(version: str) -> None:
    (fault,) = validate_objects([VALID["Job"]], kubernetes=version).faults
    assert (fault.code, fault.index) == ("MU551", -1)
    assert f"1.{known_minors()[-1]}" in fault.message


def test_no_object_is_a_failure() -> None:
    result = validate_objects([], kubernetes=VERSION)
    assert [fault.code for fault in result.faults] == ["MU550"]
    assert not result.ok


def test_the_same_object_twice_is_refused() -> None:
    other = changed(VALID["Job"], {"metadata.namespace": "other"})
    faults = validate_objects([VALID["Job"], other, VALID["Job"]], kubernetes=VERSION).faults
    assert [(fault.code, fault.index) for fault in faults] == [("MU565", 2)]


@pytest.mark.parametrize(
    "item", [None, [], "text", {}, {"apiVersion": 1, "kind": []}, {"apiVersion": "v1", "kind": None}]
)
def test_what_is_no_object_is_refused(item: Any) -> None:
    faults = validate_objects([VALID["Job"], item], kubernetes=VERSION).faults
    assert [(fault.code, fault.index) for fault in faults] == [("MU552", 1)]


def test_sizes_have_limits() -> None:
    large = changed(VALID["ConfigMap"], {"data": {"a": "x" * (MAX_DATA - 1)}})
    assert validate_objects([large], kubernetes=VERSION).ok
    large["data"]["a"] += "x"
    assert [fault.code for fault in validate_objects([large], kubernetes=VERSION).faults] == ["MU568"]
    noted = changed(VALID["Job"], {"metadata.annotations": {"a": "x" * MAX_ANNOTATIONS}})
    assert [fault.code for fault in validate_objects([noted], kubernetes=VERSION).faults] == ["MU568"]


def test_an_endless_list_of_faults_is_cut() -> None:
    item = changed(VALID["Job"], {"spec.template.spec.tolerations": [{"kee": "a"}] * 500})
    faults = validate_objects([item], kubernetes=VERSION).faults
    assert len(faults) == MOST + 1
    assert "more faults" in faults[-1].message


def test_hostile_text_stays_on_one_line() -> None:
    evil = "a\n::error::\x1b[31m|<b>\u202e"
    for changes in (
        {"metadata.name": evil},
        {"metadata.labels": {evil: evil}},
        {f"spec.{evil}": 1},
        {"kind": evil},
    ):
        item = changed(VALID["Job"], changes)
        result = validate_objects([item], kubernetes=VERSION)
        assert not result.ok
        assert all("\n" not in fault.message and "\x1b" not in fault.message for fault in result.faults)
