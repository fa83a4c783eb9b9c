"""Committed output is what the sites compile to; a second site shows what a profile gives and what may be changed."""

from __future__ import annotations

import re
import shutil
from typing import TYPE_CHECKING, Any

import pytest

from e2e_helpers.compiling import LAB, compile_named, objects_of
from muster.emit.tree import check_tree

if TYPE_CHECKING:
    from pathlib import Path

    from muster.compile.result import Compilation, CompiledSite

GOLDEN = "tests/golden/h20-lab"


def test_generated_is_what_sites_compile_to(compiled: Compilation, root: Path) -> None:
    sites = [site.name for site in compiled.sites]
    assert check_tree(root / "generated", compiled.files(), sites=sites, full=True) == []


def test_the_lab_compiles_to_its_golden_files(lab: CompiledSite, root: Path, refresh: bool) -> None:
    folder = root / GOLDEN
    if refresh:
        shutil.rmtree(folder, ignore_errors=True)
        for path, data in lab.files.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_bytes(data)
    there = {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }
    assert sorted(there) == sorted(lab.files)
    assert [path for path, data in there.items() if data != lab.files[path]] == []


def test_every_object_was_checked(compiled: Compilation, lab: CompiledSite) -> None:
    for site in (*compiled.sites, lab):
        manifests = [path for path in site.files if path.endswith(".yaml")]
        assert sum(site.counts.values()) == len(manifests)
        assert site.counts[f"kubernetes 1.{_minor(site)} OpenAPI"] > 0
        assert site.counts["muster's own schema"] > 0


def _minor(site: CompiledSite) -> str:
    found = [re.search(r"kubernetes 1\.(\d+) OpenAPI", name) for name in site.counts]
    return next(match[1] for match in found if match)


def test_the_site_overrides_a_default_and_says_so(lab: CompiledSite) -> None:
    test = lab.plan["tests"]["node-all-reduce"]
    assert re.fullmatch(r"site h20-lab\.yaml:60:\d+", test["provenance"]["params.iters"])
    assert test["provenance"]["params.warmup"].startswith("profile h20-acceptance ")
    assert test["provenance"]["params.check"] == "default of nccl-all-reduce"
    runs = [item for item in lab.plan["desired"] if item["test"] == "node-all-reduce"]
    assert [item["measurement"]["params"]["iters"] for item in runs] == [20, 20, 20]
    others = [item for item in lab.plan["desired"] if item["test"] == "node-all-gather"]
    assert [item["measurement"]["params"]["iters"] for item in others] == [50, 50, 50]


def test_a_test_that_is_switched_off_keeps_its_reason(lab: CompiledSite) -> None:
    assert lab.plan["disabled"] == {
        "dcgm-level-2": {
            "reason": "the image of DCGM 4 is not mirrored yet",
            "owner": "lab-operators",
            "position": lab.plan["disabled"]["dcgm-level-2"]["position"],
        }
    }
    assert not [item for item in lab.plan["desired"] if item["test"] == "dcgm-level-2"]


def test_the_runner_is_no_part_of_the_measurement(lab: CompiledSite, root: Path, tmp_path: Path) -> None:
    text = (root / LAB).read_text("utf-8")
    changed = text.replace("    pair-all-gather:\n      runner: mpijob\n", "")
    assert changed != text
    (tmp_path / "h20-lab.yaml").write_text(changed)
    (site,) = compile_named(root, [str(tmp_path / "h20-lab.yaml")]).sites
    kinds = {}
    for one in (lab, site):
        runs = [item for item in one.plan["desired"] if item["test"] == "pair-all-gather"]
        kinds[one is lab] = {obj["kind"] for item in runs for obj in item["objects"]}
    assert "MPIJob" in kinds[True]
    assert "MPIJob" not in kinds[False]
    assert [item["digest"] for item in site.plan["desired"]] == [
        item["digest"] for item in lab.plan["desired"]
    ]


MISTAKES = {
    "against a mandate": ("params: {iters: 20}", "params: {rounds: 1}", "MU221", "contradicts 3"),
    "switched off in silence": ("      owner: lab-operators\n", "", "MU303", "without reason and owner"),
    "runner without its operator": ("      mpi-operator: 0.6.0\n", "", "MU315", "mpi-operator"),
    "more than the budget": ("gpuHours: 30", "gpuHours: 3", "MU421", "the budget is 3"),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_refused_at_its_line(mistake: str, root: Path, tmp_path: Path) -> None:
    old, new, code, words = MISTAKES[mistake]
    text = (root / LAB).read_text("utf-8")
    assert text.count(old) == 1
    (tmp_path / "h20-lab.yaml").write_text(text.replace(old, new))
    (site,) = compile_named(root, [str(tmp_path / "h20-lab.yaml")]).sites
    assert site.files is None
    errors = [item for item in site.diagnostics if item.is_error]
    assert {item.code for item in errors} == {code}
    assert words in errors[0].message
    assert errors[0].position.file == "h20-lab.yaml"
    assert errors[0].position.line > 1


def labels_of(node: Any) -> list[str]:
    """Return the values of every map of labels inside an object."""
    found = []
    if isinstance(node, dict):
        for key, value in node.items():
            if key in {"labels", "matchLabels"} and isinstance(value, dict):
                found += [item for item in value.values() if isinstance(item, str)]
            found += labels_of(value)
    elif isinstance(node, list):
        found += [item for part in node for item in labels_of(part)]
    return found


def test_names_and_labels_stay_within_their_budget(compiled: Compilation, lab: CompiledSite) -> None:
    """The longest thing derived from a name: ``<name>-launcher-xxxxx`` as the name of a pod, 63 characters."""
    seen = 0
    for path, item in objects_of({**compiled.files(), **lab.files}).items():
        name = item["metadata"]["name"]
        assert path.rpartition("/")[2] == f"{item['kind'].lower()}-{name}.yaml"
        assert re.fullmatch(r"[a-z]([-a-z0-9]*[a-z0-9])?", name), path
        assert len(name) <= (48 if item["kind"] in {"Job", "MPIJob"} else 63), path
        for value in labels_of(item):
            assert len(value) <= 63, (path, value)
            seen += 1
    assert seen > 100


def test_every_run_is_found_by_the_names_of_its_objects(lab: CompiledSite) -> None:
    objects = objects_of(lab.files)
    for item in lab.plan["desired"]:
        assert item["objects"], item["id"]
        for known in item["objects"]:
            found = objects[known["path"]]
            assert (found["kind"], found["metadata"]["name"]) == (known["kind"], known["name"])
            assert found["metadata"]["annotations"]["muster.dev/id"] == item["id"]
