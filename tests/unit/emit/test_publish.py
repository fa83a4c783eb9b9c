"""A publish changes what it owns, all of it or nothing."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from emit_helpers.outputs import compiled, files_of, snapshot, strays
from muster.diagnostics import EnvironmentFault, InputFault
from muster.emit import lock
from muster.emit.tree import PublishOptions, check_tree, publish

if TYPE_CHECKING:
    from collections.abc import Mapping

CASES = yaml.safe_load((Path(__file__).parents[2] / "cases/emit/publish.yaml").read_text("utf-8"))


@pytest.fixture
def output(tmp_path: Path) -> Path:
    folder = tmp_path / "repository"
    folder.mkdir()
    return folder / "generated"


def by_hand(output: Path, changes: Mapping[str, Any]) -> None:
    for name, what in changes.items():
        path = output / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if what is None:
            path.unlink()
        elif isinstance(what, str):
            path.write_text(what)
        elif "link" in what:
            path.symlink_to(what["link"])
        else:
            os.mkfifo(path)


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_publish(case: dict[str, Any], output: Path) -> None:
    if "first" in case:
        publish(output, compiled(case["first"]), sites=case["first"])
    by_hand(output, case.get("disk", {}))
    before = snapshot(output)
    files, options = compiled(case["second"]), PublishOptions(**case.get("options", {}))
    sites, keep = case["second"], case.get("keep", ())
    if "check" in case:
        found = check_tree(output, files, sites=sites, keep=keep, full=options.full)
        assert sorted(item.code for item in found) == case["check"]
        assert snapshot(output) == before
    if "codes" in case:
        with pytest.raises(InputFault) as caught:
            publish(output, files, sites=sites, keep=keep, options=options)
        assert sorted(item.code for item in caught.value.diagnostics) == case["codes"]
        assert snapshot(output) == before
    else:
        result = publish(output, files, sites=sites, keep=keep, options=options)
        after = files_of(output)
        assert {
            name: data.decode() for name, data in after.items() if not name.endswith("/lock.json")
        } == case["files"]
        for name in ("written", "removed", "restored", "discarded", "retired", "unchanged"):
            if name in case:
                expected = case[name]
                assert getattr(result, name) == (expected if name == "unchanged" else tuple(expected)), name
        if "folders" in case:
            assert [name for name in snapshot(output) if name.endswith("/")] == case["folders"]
        assert check_tree(output, files, sites=sites, keep=keep, full=options.full) == [
            item for item in check_tree(output, files, sites=sites, keep=keep) if item.severity == "warning"
        ]
        again = publish(output, files, sites=sites, keep=keep, options=options)
        assert not again.changed
        assert files_of(output) == after
    assert strays(output) == []


def test_nothing_is_written_when_nothing_changed(output: Path) -> None:
    files = compiled({"a": {"a/x.yaml": "1"}})
    publish(output, files, sites=["a"])
    inodes = {path: path.stat().st_ino for path in output.rglob("*")}
    stamp = output.parent.stat().st_mtime_ns
    assert publish(output, files, sites=["a"]).unchanged == 2
    assert {path: path.stat().st_ino for path in output.rglob("*")} == inodes
    assert output.parent.stat().st_mtime_ns == stamp


def test_modes_do_not_depend_on_the_mask(output: Path) -> None:
    mask = os.umask(0o077)
    try:
        publish(output, compiled({"a": {"a/deep/x.yaml": "1"}}), sites=["a"])
    finally:
        os.umask(mask)
    modes = {path.name: path.stat().st_mode & 0o777 for path in [output, *output.rglob("*")]}
    assert modes == {"generated": 0o755, "a": 0o755, "deep": 0o755, "x.yaml": 0o644, "lock.json": 0o644}


def test_folders_that_are_there_keep_their_modes(output: Path) -> None:
    publish(output, compiled({"a": {"a/x.yaml": "1"}}), sites=["a"])
    private = output / "a/private"
    private.mkdir(0o700)
    (private / "note").write_text("mine")
    (private / "note").chmod(0o600)
    (output / "a").chmod(0o750)
    publish(output, compiled({"a": {"a/x.yaml": "2", "a/deep/y.yaml": "3"}}), sites=["a"])
    modes = {path.name: path.stat().st_mode & 0o777 for path in output.rglob("*")}
    assert (modes["a"], modes["private"], modes["note"], modes["deep"]) == (0o750, 0o700, 0o600, 0o755)


@pytest.mark.parametrize(
    "path",
    [
        *(
            "/etc/x",
            "../x",
            "a/../../x",
            "a//x",
            "a/./x",
            "a/",
            "",
            "a\\x",
            "a/\n",
            "a/x\x00",
            "a/é",
            ".git/hooks/x",
        ),
        "a/" + "x" * 300,
    ],
)
def test_a_path_that_leaves_the_folder_is_refused(path: str, output: Path) -> None:
    with pytest.raises((InputFault, ValueError)) as caught:
        publish(output, {path: b"x", "a/lock.json": lock.build_lock("a", {path: b"x"}, {}, {})}, sites=["a"])
    if isinstance(caught.value, InputFault):
        assert {item.code for item in caught.value.diagnostics} == {"MU601"}
    assert strays(output) == []


def test_a_lock_cannot_make_muster_delete_elsewhere(output: Path) -> None:
    publish(output, compiled({"a": {"a/x.yaml": "1"}}), sites=["a"])
    victim = output.parent / "victim"
    victim.write_text("precious")
    planted = lock.build_lock("a", {"../victim": b"precious", "a/x.yaml": b"1"}, {}, {})
    (output / "a/lock.json").write_bytes(planted)
    with pytest.raises(InputFault, match="MU604"):
        publish(output, compiled({"a": {"a/x.yaml": "2"}}), sites=["a"], options=PublishOptions(force=True))
    assert victim.read_text() == "precious"


@pytest.mark.parametrize("kind", ["link", "file", "no parent", "root"])
def test_an_output_that_is_no_folder_is_refused(kind: str, output: Path) -> None:
    target = output
    if kind == "link":
        (output.parent / "real").mkdir()
        output.symlink_to("real")
    elif kind == "file":
        output.write_text("x")
    else:
        target = Path("/") if kind == "root" else output / "deeper" / "generated"
    with pytest.raises(InputFault, match="MU61"):
        publish(target, compiled({"a": {"a/x.yaml": "1"}}), sites=["a"])


def test_a_caller_that_forgets_a_file_is_told(output: Path) -> None:
    files = compiled({"a": {"a/x.yaml": "1"}})
    with pytest.raises(ValueError, match=r"a/y\.yaml"):
        publish(output, {**files, "a/y.yaml": b"2"}, sites=["a"])
    with pytest.raises(ValueError, match=r"a/x\.yaml"):
        publish(output, {"a/lock.json": files["a/lock.json"]}, sites=["a"])
    with pytest.raises(ValueError, match=r"b/lock\.json"):
        publish(output, {**files, **compiled({"b": {"b/x": "1"}})}, sites=["a"])


def test_two_producers_are_both_named() -> None:
    with pytest.raises(InputFault, match=r"MU602.*a/x is made by renderer and by monitoring"):
        lock.merge({"renderer": {"a/x": b"1"}, "monitoring": {"a/x": b"1"}})


def test_a_lock_is_the_same_on_every_machine() -> None:
    files = {"a/y": b"2", "a/x": b"1"}
    one = lock.build_lock("a", files, {"b": "2", "a": "1"}, {"muster": "1", "cue": "2"})
    assert one == lock.build_lock(
        "a", dict(sorted(files.items())), {"a": "1", "b": "2"}, {"cue": "2", "muster": "1"}
    )
    lines = one.decode().splitlines()
    assert sum('"a/' in line for line in lines) == 2
    assert lock.parse_lock("a", one).owned["a/x"] == lock.sha256(b"1")
    for size in range(len(one) - 1):
        with pytest.raises(ValueError, match=r"."):
            lock.parse_lock("a", one[:size])


def test_findings_name_the_folder_as_asked(output: Path) -> None:
    publish(output, compiled({"a": {"a/x.yaml": "1"}}), sites=["a"])
    (output / "a/x.yaml").write_text("edited")
    (found,) = check_tree(output, compiled({"a": {"a/x.yaml": "1"}}), sites=["a"], shown="generated")
    assert str(found.position) == "generated/a/x.yaml:1:1"
    assert found.site == "a"


def test_the_lock_is_a_json_document_with_versions_and_inputs(output: Path) -> None:
    publish(output, compiled({"a": {"a/x.yaml": "1"}}), sites=["a"])
    content = json.loads((output / "a/lock.json").read_text())
    assert content["versions"] == {"muster": "0.1"}
    assert content["inputs"] == {"sites/a.yaml": "sha256:00"}
    locks, found = lock.read_locks(output)
    assert not found
    assert locks["a"].owned == {"a/x.yaml": lock.sha256(b"1")}


def test_a_mount_point_is_told_apart(output: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    publish(output, compiled({"a": {"a/x.yaml": "1"}}), sites=["a"])
    real = Path.stat

    def stat(self: Path, **options: Any) -> Any:
        found = real(self, **options)
        if self != output:
            return found
        return os.stat_result([*found[:2], found.st_dev + 1, *found[3:]])

    monkeypatch.setattr(Path, "stat", stat)
    with pytest.raises(EnvironmentFault, match="mount point"):
        publish(output, compiled({"a": {"a/x.yaml": "2"}}), sites=["a"])
