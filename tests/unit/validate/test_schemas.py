"""CRDs become closed schemas; our own schemas accept nothing that the real CRDs refuse."""

from __future__ import annotations

import copy
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml

from emit_helpers.crds import real_crds, real_schema, refused_by_real_crds, wider
from muster.render.validate import builtin, own, validate_objects
from muster.render.validate.crd import CrdError, close
from muster.render.validate.schema import builtin_scope

FOLDER = Path(__file__).parents[2] / "cases/validate"
CASES = yaml.safe_load((FOLDER / "crds.yaml").read_text("utf-8"))
VALID = yaml.safe_load((FOLDER / "valid.yaml").read_text("utf-8"))
OURS = [
    (group, version, kind)
    for (group, kind), versions in own.entries().items()
    for version, entry in versions.items()
    if entry["scope"] != "File"
]


def crd_of(spec: Any, **changes: Any) -> dict[str, Any]:
    schema = {
        "type": "object",
        "required": ["spec"],
        "properties": {"spec": spec, "status": {"type": "object"}},
    }
    version = {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}}
    names = {"kind": "Thing", "plural": "things"}
    content = {
        "group": "example.com",
        "names": names,
        "scope": "Namespaced",
        "versions": [version],
        **changes,
    }
    return {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "spec": content}


def thing(spec: Any, **more: Any) -> dict[str, Any]:
    metadata = {"name": "a", "namespace": "b"}
    return {"apiVersion": "example.com/v1", "kind": "Thing", "metadata": metadata, "spec": spec, **more}


def codes(item: dict[str, Any], *crds: Any) -> list[str]:
    return [fault.code for fault in validate_objects([item], kubernetes="1.30.0", crds=crds).faults]


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_structural_schemas(case: dict[str, Any]) -> None:
    crd = crd_of(case["spec"])
    for value in case["good"]:
        result = validate_objects([thing(value)], kubernetes="1.30.0", crds=[crd])
        assert result.diagnostics == ()
        assert result.counts["site CRDs"] == 1
    for value in case["bad"]:
        assert set(codes(thing(value), crd)) & {"MU560", "MU561"}, value


def test_the_envelope_is_closed_too() -> None:
    crd = crd_of({"type": "object", "properties": {"a": {"type": "string"}}})
    assert codes(thing({}, other=1), crd) == ["MU560"]
    assert codes(thing({}, metadata={"name": "a", "namespace": "b", "lables": {}}), crd) == ["MU560"]
    without = thing({})
    del without["spec"]
    assert codes(without, crd) == ["MU561"]
    cluster = crd_of({"type": "object"}, scope="Cluster")
    assert codes(thing({}), cluster) == ["MU564"]
    assert codes(thing({}, metadata={"name": "a"}), cluster) == []


def test_the_crd_of_the_site_counts_more_than_our_own_schema() -> None:
    item = next(item for item in VALID if item["kind"] == "MPIJob")
    crd = crd_of({"type": "object", "properties": {"other": {"type": "string"}}})
    crd["spec"] |= {"group": "kubeflow.org", "names": {"kind": "MPIJob"}}
    crd["spec"]["versions"][0]["name"] = "v2beta1"
    assert set(codes(item, crd)) == {"MU560"}
    crd["spec"]["versions"][0]["served"] = False
    assert codes(item, crd) == ["MU554", "MU550"]
    assert codes(item, crd_of({"type": "object"})) == []


@pytest.mark.parametrize(
    ("crd", "code"),
    [
        ({}, "MU556"),
        ({"apiVersion": "apiextensions.k8s.io/v1beta1", "kind": "CustomResourceDefinition"}, "MU556"),
        (crd_of({"type": "object"}, group=""), "MU556"),
        (crd_of({"type": "object"}, names={}), "MU556"),
        (crd_of({"type": "object"}, names=[]), "MU556"),
        (crd_of({"$ref": "http://example.com/schema"}), "MU556"),
        (crd_of({"type": "object", "properties": {"a": {"type": "string", "pattern": "("}}}), "MU556"),
        (crd_of({"type": "object", "properties": []}), "MU556"),
        (crd_of("text"), "MU556"),
        (crd_of({"type": "object", "x-kubernetes-preserve-unknown-fields": True}), "MU555"),
    ],
)
def test_a_crd_that_checks_nothing_is_refused(crd: Any, code: str) -> None:
    assert code in codes(thing({}), crd)


def test_two_crds_of_one_kind_are_refused() -> None:
    crd = crd_of({"type": "object"})
    assert codes(thing({}), crd, copy.deepcopy(crd)) == ["MU556"]


def test_a_schema_without_end_is_refused() -> None:
    spec: dict[str, Any] = {"type": "object"}
    for _ in range(200):
        spec = {"type": "object", "properties": {"a": spec}}
    with pytest.raises(CrdError, match="deeply"):
        close(crd_of(spec), "v1", 30)


def test_cluster_scope_is_known_for_kinds_that_exist() -> None:
    kinds = {key for minor in builtin.known_minors() for key in builtin.kinds(minor)}
    cluster = {key for key in kinds if builtin_scope(*key) == "Cluster"}
    assert {("", "Namespace"), ("", "Node"), ("rbac.authorization.k8s.io", "ClusterRole")} <= cluster
    assert {
        ("batch", "Job"),
        ("", "ConfigMap"),
        ("resource.k8s.io", "ResourceClaimTemplate"),
    } <= kinds - cluster


@pytest.mark.parametrize("entry", OURS, ids=lambda entry: entry[2])
def test_our_own_schema_is_narrower_than_the_real_crd(entry: tuple[str, str, str], shared: Path) -> None:
    group, version, kind = entry
    real = real_schema(shared, group, version, kind, 34)
    assert wider(own.schema_of(group, version, kind, 34), real) == []


@pytest.mark.parametrize(
    ("path", "value", "told"),
    [
        (["slotsPerWorker"], {"type": "string"}, "spec.slotsPerWorker: type"),
        (["slotPerWorker"], {"type": "integer"}, "spec.slotPerWorker: is not in the CRD"),
        (["mpiImplementation", "enum"], ["OpenMPI", "Other"], "spec.mpiImplementation: "),
        (["mpiReplicaSpecs", "additionalProperties"], {"type": "string"}, "spec.mpiReplicaSpecs.*: type"),
    ],
)
def test_the_comparison_can_fail(path: list[str], value: Any, told: str, shared: Path) -> None:
    real = real_schema(shared, "kubeflow.org", "v2beta1", "MPIJob", 34)
    ours = own.schema_of("kubeflow.org", "v2beta1", "MPIJob", 34)
    document = copy.deepcopy(dict(ours.document))
    node = document["properties"]["spec"]["properties"]
    for step in path[:-1]:
        node = node[step]
    node[path[-1]] = value
    assert any(told in text for text in wider(replace(ours, document=document), real))


def test_what_we_take_for_valid_the_real_crds_accept(shared: Path) -> None:
    assert refused_by_real_crds(VALID, shared, "1.34.0") == []
    spoiled = copy.deepcopy(next(item for item in VALID if item["kind"] == "Application"))
    spoiled["spec"]["syncPolicy"]["automatd"] = {}
    assert refused_by_real_crds([spoiled], shared, "1.34.0")


def test_every_real_crd_can_be_closed(shared: Path) -> None:
    crds = real_crds(shared)
    assert len(crds) > 40
    for crd in crds:
        for version in crd["spec"]["versions"]:
            assert close(crd, version["name"], 34).validator
