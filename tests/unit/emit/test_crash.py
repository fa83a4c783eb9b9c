"""Whenever a publish dies, the tree is the old one or the new one; whatever the system refuses changes nothing."""

from __future__ import annotations

import errno
import json
import os
import shutil
import stat
import subprocess
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from emit_helpers.outputs import compiled, files_of, snapshot, strays
from muster.diagnostics import EnvironmentFault
from muster.emit import exclusive, stage
from muster.emit.exchange import exchange
from muster.emit.tree import PublishOptions, publish

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

HARNESS = Path(__file__).parents[2] / "emit_helpers/crash.py"
TWO_SITES = {
    "a": {"a/plan.json": "1", "a/manifests/30-pair/y.yaml": "y", "delivery/argocd/a.yaml": "d"},
    "b": {"b/plan.json": "1", "b/x.yaml": "x"},
}
TWO_CHANGED = {
    "a": {"a/plan.json": "2", "a/manifests/50-pool/z.yaml": "z", "delivery/argocd/a.yaml": "d"},
    "b": {"b/plan.json": "2", "b/x2.yaml": "x"},
}
ONE_CHANGED = {"a": {**TWO_SITES["a"], "a/plan.json": "2"}, "b": TWO_SITES["b"]}
PLANS = {
    "two sites": {"old": TWO_SITES, "new": TWO_CHANGED},
    "one site": {"old": TWO_SITES, "new": ONE_CHANGED},
    "first": {"old": {}, "new": TWO_SITES},
    "nothing left": {"old": TWO_SITES, "new": {}},
    "unowned beside": {
        "old": TWO_SITES,
        "new": TWO_CHANGED,
        "unowned": {"a/manifests/30-pair/note": "n", "README": "r"},
    },
}


@pytest.fixture
def output(tmp_path: Path) -> Path:
    folder = tmp_path / "repository"
    folder.mkdir()
    return folder / "generated"


def kill_everywhere(tmp_path: Path, plan: dict[str, Any]) -> dict[str, Any]:
    whole = {"folder": str(tmp_path / "work"), "mode": "exchange", **plan}
    (tmp_path / "work").mkdir()
    (tmp_path / "plan.json").write_text(json.dumps(whole))
    run = subprocess.run(
        [sys.executable, str(HARNESS), str(tmp_path / "plan.json")],
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout)


@pytest.mark.parametrize("name", PLANS)
def test_a_kill_at_any_step_leaves_the_old_tree_or_the_new(name: str, tmp_path: Path) -> None:
    found = kill_everywhere(tmp_path, PLANS[name])
    assert found["wrong"] == []
    assert found["seen"]["old"] > 10
    assert found["seen"]["new"] > 1
    assert found["seen"]["neither"] == 0
    assert found["steps"] > 50


def test_without_exchange_the_next_run_recovers(tmp_path: Path) -> None:
    found = kill_everywhere(tmp_path, {**PLANS["two sites"], "mode": "renames"})
    assert found["wrong"] == []
    assert 0 < found["seen"]["neither"] <= 4


def test_a_single_file_is_replaced_in_place(tmp_path: Path) -> None:
    lock_only = {"old": {"a": {"a/x": "1"}}, "new": {"a": {"a/x": "1"}}}
    assert kill_everywhere(tmp_path, lock_only)["wrong"] == []


def test_the_harness_sees_a_mixture(tmp_path: Path) -> None:
    found = kill_everywhere(tmp_path, {**PLANS["two sites"], "mode": "naive"})
    assert found["seen"]["neither"] > 10


def publish_in_thread(output: Path, files: dict[str, bytes], errors: list[BaseException]) -> threading.Thread:
    def work() -> None:
        try:
            publish(output, files, sites=["a", "b"], options=PublishOptions(allow_prune=True))
        except BaseException as error:  # noqa: BLE001 (handed to the test)
            errors.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    return thread


def test_concurrent_publishes_exclude_each_other(output: Path) -> None:
    errors: list[BaseException] = []
    trees = [compiled(TWO_SITES), compiled(TWO_CHANGED)]
    publish(output, trees[0], sites=["a", "b"])
    for turn in range(10):
        threads = [publish_in_thread(output, trees[(turn + index) % 2], errors) for index in range(4)]
        for thread in threads:
            thread.join()
        assert errors == []
        assert files_of(output) in trees
        assert strays(output) == []


def test_a_lock_held_too_long_is_told(output: Path) -> None:
    before = snapshot(output.parent)
    with exclusive.exclusive(output, "generated", 1), pytest.raises(EnvironmentFault, match="MU620"):
        publish(output, compiled(TWO_SITES), sites=["a", "b"], options=PublishOptions(wait=0.1))
    assert snapshot(output.parent) == before
    publish(output, compiled(TWO_SITES), sites=["a", "b"], options=PublishOptions(wait=0.1))


def test_where_folders_cannot_be_locked_a_file_is(output: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = exclusive.fcntl.flock

    def flock(descriptor: int, operation: int) -> None:
        if stat.S_ISDIR(os.fstat(descriptor).st_mode):
            raise OSError(errno.EBADF, "Bad file descriptor")
        real(descriptor, operation)

    monkeypatch.setattr(exclusive.fcntl, "flock", flock)
    publish(output, compiled(TWO_SITES), sites=["a", "b"])
    assert strays(output) == [".generated.muster-lock"]
    with exclusive.exclusive(output, "generated", 1), pytest.raises(EnvironmentFault, match="MU620"):
        publish(output, compiled(TWO_CHANGED), sites=["a", "b"], options=PublishOptions(wait=0.1))
    assert files_of(output) == compiled(TWO_SITES)


def test_leftovers_of_killed_runs_go_but_nothing_else(output: Path) -> None:
    publish(output, compiled(TWO_SITES), sites=["a", "b"])
    leftover = output.parent / ".generated.muster-abcd1234"
    (leftover / "new/a").mkdir(parents=True)
    others = [
        ".generated.muster-notes",
        ".generated.muster-abcd1235/mine",
        ".other.muster-abcd1234/new/x",
        "file",
    ]
    for name in others:
        path = output.parent / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("x")
    publish(output, compiled(TWO_SITES), sites=["a", "b"])
    assert not leftover.exists()
    assert all((output.parent / name).read_text() == "x" for name in others)


@pytest.mark.parametrize("target", ["../elsewhere", "/etc", "a/../.."])
def test_a_planted_recovery_record_moves_nothing_elsewhere(target: str, output: Path) -> None:
    publish(output, compiled(TWO_SITES), sites=["a", "b"])
    planted = output.parent / ".generated.muster-abcd1234"
    (planted / "old").mkdir(parents=True)
    (planted / "target").write_text(target)
    publish(output, compiled(TWO_SITES), sites=["a", "b"])
    assert strays(output) == []


NUMBERS = [errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES, errno.EIO]
CALLS = ["mkdtemp", "mkdir", "link", "open", "write", "sync", "exchange"]
# A link that is not allowed becomes a copy, so that it does not refuse anything.
REFUSED = [(call, number) for call in CALLS for number in NUMBERS if (call, number) != ("link", errno.EACCES)]


@pytest.mark.parametrize(("call", "number"), REFUSED)
def test_a_refused_step_changes_nothing(
    call: str, number: int, output: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    publish(output, compiled(TWO_SITES), sites=["a", "b"])
    before = snapshot(output.parent)
    failures = {"on": True}

    def refused(real: Callable[..., Any]) -> Callable[..., Any]:
        def wrapped(*args: Any, **options: Any) -> Any:
            writing = call != "open" or (len(args) > 1 and isinstance(args[1], int) and args[1] & os.O_CREAT)
            if failures["on"] and writing:
                raise OSError(number, os.strerror(number), "somewhere")
            return real(*args, **options)

        return wrapped

    owner: Any = {"mkdtemp": stage.tempfile, "sync": stage, "exchange": stage}.get(call, os)
    name = {"sync": "sync_tree"}.get(call, call)
    monkeypatch.setattr(owner, name, refused(getattr(owner, name)))
    with pytest.raises(EnvironmentFault, match="MU621") as caught:
        publish(output, compiled(TWO_CHANGED), sites=["a", "b"])
    failures["on"] = False
    assert caught.value.exit_code == 3
    assert os.strerror(number) in str(caught.value)
    assert snapshot(output.parent) == before


def test_a_link_that_fails_becomes_a_copy(output: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    publish(output, compiled(TWO_SITES), sites=["a", "b"])

    def link(*_: Any, **__: Any) -> None:
        raise OSError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(os, "link", link)
    publish(output, compiled(TWO_CHANGED), sites=["a", "b"])
    assert files_of(output) == compiled(TWO_CHANGED)


def test_a_failed_second_rename_puts_the_old_folder_back(
    output: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    publish(output, compiled(TWO_SITES), sites=["a", "b"])
    before = snapshot(output.parent)
    monkeypatch.setattr(stage, "exchange", lambda *_: False)
    real = Path.rename

    def rename(self: Path, target: Path) -> Path:
        if self.name == "new":
            raise OSError(errno.EIO, "Input/output error")
        return real(self, target)

    monkeypatch.setattr(Path, "rename", rename)
    with pytest.raises(EnvironmentFault, match="MU621"):
        publish(output, compiled(TWO_CHANGED), sites=["a", "b"])
    assert snapshot(output.parent) == before


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of its own that is soon full."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = shutil.which("mount")
    if mount is None or os.geteuid() != 0:
        pytest.skip("mounting needs root")
    mounted = subprocess.run(
        [mount, "-t", "tmpfs", "-o", "size=256k", "tmpfs", str(folder)], capture_output=True
    )
    if mounted.returncode != 0:
        pytest.skip("this machine does not let root mount a tmpfs")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


def test_a_disk_that_fills_up(small_disk: Path) -> None:
    output = small_disk / "generated"
    publish(output, compiled(TWO_SITES), sites=["a", "b"])
    before = snapshot(small_disk)
    large = {
        "a": {**TWO_SITES["a"], **{f"a/{index}": str(index) * 60_000 for index in range(8)}},
        "b": TWO_SITES["b"],
    }
    with pytest.raises(EnvironmentFault, match="No space left on device"):
        publish(output, compiled(large), sites=["a", "b"])
    assert snapshot(small_disk) == before
    publish(output, compiled(TWO_CHANGED), sites=["a", "b"])
    assert files_of(output) == compiled(TWO_CHANGED)


def test_a_read_only_file_system(small_disk: Path) -> None:
    output = small_disk / "generated"
    publish(output, compiled(TWO_SITES), sites=["a", "b"])
    before = snapshot(small_disk)
    subprocess.run(["mount", "-o", "remount,ro", str(small_disk)], check=True)
    assert not publish(output, compiled(TWO_SITES), sites=["a", "b"]).changed
    with pytest.raises(EnvironmentFault, match="Read-only file system"):
        publish(output, compiled(TWO_CHANGED), sites=["a", "b"])
    assert snapshot(small_disk) == before


def test_an_output_that_is_a_mount_point(small_disk: Path) -> None:
    (small_disk / "note").write_text("mine")
    with pytest.raises(EnvironmentFault, match="mount point"):
        publish(small_disk, compiled(TWO_SITES), sites=["a", "b"])
    assert files_of(small_disk) == {"note": b"mine"}


def test_a_file_size_limit(output: Path) -> None:
    publish(output, compiled(TWO_SITES), sites=["a", "b"])
    before = snapshot(output.parent)
    large = {"a": {**TWO_SITES["a"], "a/x": "x" * 9000}}
    code = (
        "import resource, signal, sys; from pathlib import Path\n"
        f"sys.path.insert(0, {str(HARNESS.parents[1])!r})\n"
        "from emit_helpers.outputs import compiled; from muster.emit.tree import publish\n"
        "from muster.diagnostics import EnvironmentFault\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096)); signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "try:\n"
        f"    publish(Path({str(output)!r}), compiled({large!r}), sites=['a'])\n"
        "except EnvironmentFault as fault:\n"
        "    print(fault)\n"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert "MU621" in run.stdout, run.stderr
    assert os.strerror(errno.EFBIG) in run.stdout
    assert snapshot(output.parent) == before


def test_exchange_swaps_two_folders(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / name).write_text(name)
    if not exchange(tmp_path / "one", tmp_path / "two"):
        pytest.skip("this file system cannot exchange folders")
    assert [path.name for path in (tmp_path / "one").iterdir()] == ["two"]
    with pytest.raises(FileNotFoundError):
        exchange(tmp_path / "one", tmp_path / "three")
