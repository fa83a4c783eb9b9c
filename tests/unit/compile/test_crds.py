"""CRDs of a cluster are input like any other: whatever stands in them, the site's line says what is wrong."""

from __future__ import annotations

import copy
import random
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from muster.compile.crds import LIMIT, read_crds
from muster.diagnostics import InputFault, Position
from muster.render.validate import validate_objects

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

PLACE = Position("sites/x.yaml", 9, 3)
HEAD = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\n"
BOMB = "a: &a [x, x, x, x, x, x, x, x]\n" + "".join(
    f"{name}: &{name} [{', '.join(['*' + above] * 9)}]\n"
    for above, name in zip("abcdefgh", "bcdefghi", strict=True)
)

REFUSED: dict[str, tuple[bytes, str]] = {
    "nothing": (b"", "has no CustomResourceDefinition"),
    "another kind": (b"kind: Pod\n", "has no CustomResourceDefinition"),
    "a text": (b"x", "has no CustomResourceDefinition"),
    "no YAML": (b"a: [", "is not YAML"),
    "binary": (b"\x00\x01\xff", "is not YAML"),
    "a tag": ((HEAD + "x: !!python/object:os.system {}\n").encode(), "is not YAML: could not determine"),
    "deep": ((HEAD + "x: " + "[" * 10_000).encode(), "is not YAML: exceeded maximum nesting depth"),
    "aliases without end": ((HEAD + BOMB).encode(), "of reasonable size"),
    "an alias of itself": ((HEAD + "x: &x [*x]\n").encode(), "of reasonable size"),
    "bytes": ((HEAD + "x: !!binary aGk=\n").encode(), "is no plain JSON"),
    "a set": ((HEAD + "x: !!set {a}\n").encode(), "is no plain JSON"),
    "no number": ((HEAD + "x: .nan\n").encode(), "is no plain JSON"),
    "a number as key": ((HEAD + "x: {1: 2}\n").encode(), "is no plain JSON"),
    "a list as key": ((HEAD + "? [a]\n: b\n").encode(), "is not YAML"),
    "digits without end": ((HEAD + "x: " + "9" * 5000).encode(), "is not YAML"),
    "large": ((HEAD + "#" * LIMIT).encode(), "is not a plain file of at most 4 MiB"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_no_crd_is_refused_at_the_line_of_the_site(name: str, tmp_path: Path) -> None:
    data, words = REFUSED[name]
    (tmp_path / "crds").mkdir()
    (tmp_path / "crds" / "x.yaml").write_bytes(data)
    with pytest.raises(InputFault) as caught:
        read_crds(tmp_path, "crds", PLACE)
    (found,) = caught.value.diagnostics
    assert (found.code, found.position) == ("MU231", PLACE)
    assert words in found.message
    assert "\n" not in found.message


@pytest.mark.parametrize("folder", ["..", "a/../..", "/etc", "nowhere", "empty", "file.yaml", ""])
def test_a_folder_must_lie_below_and_hold_crds(folder: str, tmp_path: Path) -> None:
    base = tmp_path / "sites"
    (base / "empty").mkdir(parents=True)
    (base / "file.yaml").write_text(HEAD)
    if not folder:
        (base / "file.yaml").unlink()
    with pytest.raises(InputFault, match="MU231"):
        read_crds(base, folder, PLACE)


def test_a_link_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "crds").mkdir()
    (tmp_path / "real.yaml").write_text(HEAD)
    (tmp_path / "crds" / "x.yaml").symlink_to(tmp_path / "real.yaml")
    with pytest.raises(InputFault, match="not a plain file"):
        read_crds(tmp_path, "crds", PLACE)


def test_times_stay_texts(tmp_path: Path) -> None:
    """`kubectl get -o yaml` writes times of creation without quotes in some versions."""
    (tmp_path / "crds").mkdir()
    text = HEAD + "metadata: {creationTimestamp: 2026-10-14T08:00:00Z}\n---\nkind: Other\n---\n" + HEAD
    (tmp_path / "crds" / "x.yml").write_text(text)
    first, second = read_crds(tmp_path, "crds", PLACE)
    assert first["metadata"] == {"creationTimestamp": "2026-10-14T08:00:00Z"}
    assert second["kind"] == "CustomResourceDefinition"


CRD = """
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
spec:
  group: monitoring.coreos.com
  scope: Namespaced
  names: {kind: PrometheusRule}
  versions:
    - name: v1
      served: true
      schema:
        openAPIV3Schema:
          type: object
          required: [spec]
          properties:
            spec:
              type: object
              properties:
                groups:
                  type: array
                  minItems: 1
                  items:
                    type: object
                    allOf: [{properties: {name: {pattern: "^[a-z]+$"}}}]
                    properties: {name: {type: string, enum: [a, b]}, limit: {type: integer, maximum: 9}}
"""
OBJECT = {
    "apiVersion": "monitoring.coreos.com/v1",
    "kind": "PrometheusRule",
    "metadata": {"name": "x", "namespace": "y"},
    "spec": {"groups": [{"name": "a", "limit": 3}]},
}
VALUES: tuple[Any, ...] = (
    *(None, True, 0, -1, 1.5, "", "x", "[", "(?=x)", "a{99999999}", [], {}, [1], [None], {"a": 1}, [[]]),
    *({"$ref": "#/x"}, {"type": "object"}, 10**30, "object", ["object"]),
)


def places(node: Any) -> Iterator[tuple[Any, Any]]:
    """Yield every map or list inside a value with each of its keys."""
    pairs = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    for key, value in pairs:
        yield node, key
        yield from places(value)


def test_a_spoiled_schema_is_a_fault_or_still_checks() -> None:
    """Whatever one part of a CRD is replaced by, validation ends with an answer."""
    whole = yaml.safe_load(CRD)
    result = validate_objects([OBJECT], kubernetes="1.30.0", crds=[whole])
    assert (result.ok, result.counts["site CRDs"]) == (True, 1)
    count = len(list(places(whole)))
    chance = random.Random(7)
    refused = 0
    for number in range(count):
        for value in VALUES:
            crd = copy.deepcopy(whole)
            node, key = list(places(crd))[number]
            node[key] = copy.deepcopy(value)
            if chance.random() < 0.2:
                other, name = chance.choice(list(places(crd)))
                other[name] = copy.deepcopy(chance.choice(VALUES))
            refused += not validate_objects([OBJECT], kubernetes="1.30.0", crds=[crd]).ok
    assert refused > count
