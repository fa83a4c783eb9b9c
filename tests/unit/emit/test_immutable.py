"""The table of immutable fields, as the API server would see a change."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from muster.emit import immutable
from muster.emit.yaml import dump

CASES = yaml.safe_load((Path(__file__).parents[2] / "cases/emit/immutable.yaml").read_text("utf-8"))


def manifest(case: dict[str, Any], version: str) -> bytes:
    metadata = {"name": "x", "namespace": "n", **case.get("metadata", {})}
    content = {"apiVersion": case["apiVersion"], "kind": case["kind"], "metadata": metadata, **case[version]}
    return dump(content, f"header of {version}")


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_changes(case: dict[str, Any]) -> None:
    found = immutable.check("a/x.yaml", manifest(case, "old"), manifest(case, "new"), shown="generated")
    assert [item.path for item in found] == case.get("paths", [])[:1]
    for path in case.get("paths", []):
        assert path in found[0].message
        assert "campaign" in found[0].hint


def test_every_entry_of_the_table_can_refuse() -> None:
    entries = [rule for found in immutable.rules().values() for rule in found]
    assert len(entries) > 15
    for rule in entries:
        assert rule.source
        for field in rule.fields:
            old: dict[str, Any] = {"apiVersion": f"{rule.group}/v1".removeprefix("/"), "kind": rule.kind}
            old["metadata"] = {"name": "x"}
            if rule.whenImmutable:
                old["immutable"] = True
            new = yaml.safe_load(dump(old))
            inner = new
            *above, last = field.split(".")
            for name in above:
                inner = inner.setdefault(name, {})
            inner[last] = "changed"
            (found,) = immutable.check("x", dump(old), dump(new), shown="g")
            assert (found.code, found.path) == ("MU612", field)


def test_another_object_may_be_anything() -> None:
    case = {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "old": {"spec": {"template": 1}},
        "new": {"spec": {"template": 2}},
    }
    old = manifest(case, "old")
    for change in ({"name": "y"}, {"namespace": "m"}):
        assert immutable.check("x", old, manifest({**case, "metadata": change}, "new"), shown="g") == []
    assert (
        immutable.check("x", old, manifest({**case, "apiVersion": "batch.example.com/v1"}, "new"), shown="g")
        == []
    )


@pytest.mark.parametrize(
    "old",
    [
        b"a: 2026-13-45\n",
        b"[" * 5000,
        b"a: [",
        b"a: 1\n---\nb: 2\n",
        b"\xff",
        b"&a [*a",
        b"!!python/object:os.system {}",
    ],
)
def test_an_old_file_that_is_no_yaml_is_told(old: bytes) -> None:
    case = {"apiVersion": "batch/v1", "kind": "Job", "new": {"spec": {}}}
    (found,) = immutable.check("a/x.yaml", old, manifest(case, "new"), shown="generated")
    assert found.code == "MU613"
    assert str(found.position) == "generated/a/x.yaml:1:1"


@pytest.mark.parametrize("old", [b"", b"[]", b"text", b"kind: Job\nmetadata: text\n"])
def test_an_old_file_of_another_shape_is_another_object(old: bytes) -> None:
    case = {"apiVersion": "batch/v1", "kind": "Job", "new": {"spec": {}}}
    assert immutable.check("a/x.yaml", old, manifest(case, "new"), shown="generated") == []
