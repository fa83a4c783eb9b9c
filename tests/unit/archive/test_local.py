"""A directory: what a crash, a full disk and a rival process leave."""

from __future__ import annotations

import errno
import fcntl
import multiprocessing
import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from muster.archive.local import LocalStore
from muster.archive.store import ConflictFault
from muster.diagnostics import EnvironmentFault

if TYPE_CHECKING:
    from multiprocessing.queues import Queue
    from pathlib import Path


def test_left_overs_of_the_dead_are_removed_and_of_the_living_kept(tmp_path: Path) -> None:
    (tmp_path / ".tmp").mkdir()
    (tmp_path / ".tmp/dead").write_bytes(b"half")
    (tmp_path / ".tmp/alive").write_bytes(b"half")
    with (tmp_path / ".tmp/alive").open("rb") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        store = LocalStore(tmp_path)
        store.create("v1/x", b"x")
        assert [item.name for item in (tmp_path / ".tmp").iterdir()] == ["alive"]
    assert list(store.paths("v1")) == ["v1/x"]


def test_a_full_disk_is_a_fault_and_leaves_nothing_half(tmp_path: Path) -> None:
    script = f"""
import resource, pathlib
from muster.archive.local import LocalStore
from muster.diagnostics import EnvironmentFault
resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
store = LocalStore(pathlib.Path({str(tmp_path)!r}))
store.create("v1/small", b"x")
try:
    store.create("v1/large", b"x" * 10000)
except EnvironmentFault as fault:
    print(fault.diagnostics[0].code)
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == "MU806\n"
    assert sorted(item.name for item in tmp_path.rglob("*") if item.is_file()) == ["small"]


@pytest.mark.parametrize(
    ("number", "code"), [(errno.ENOSPC, "MU806"), (errno.EROFS, "MU806"), (errno.EPERM, "MU808")]
)
def test_faults_of_the_file_system(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int, code: str
) -> None:
    def fail(*_: object) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(os, "link", fail)
    with pytest.raises(EnvironmentFault) as caught:
        LocalStore(tmp_path).create("v1/x", b"x")
    assert caught.value.diagnostics[0].code == code
    assert [item for item in tmp_path.rglob("*") if item.is_file()] == []


def _race(root: Path, content: bytes, start: str, results: Queue[str]) -> None:
    store = LocalStore(root)
    while not os.path.exists(start):  # noqa: PTH110
        pass
    for number in range(40):
        try:
            results.put("written" if store.create(f"v1/{number}", content) else "there")
        except ConflictFault:
            results.put("conflict")


@pytest.mark.parametrize("contents", [(b"same", b"same"), (b"one", b"other")])
def test_two_processes_write_one_object(tmp_path: Path, contents: tuple[bytes, bytes]) -> None:
    context = multiprocessing.get_context("spawn")
    results: Queue[str] = context.Queue()
    start = tmp_path / "start"
    rivals = [
        context.Process(target=_race, args=(tmp_path / "a", content, str(start), results))
        for content in contents
    ]
    for rival in rivals:
        rival.start()
    start.touch()
    found = sorted(results.get(timeout=60) for _ in range(80))
    for rival in rivals:
        rival.join()
    assert found.count("written") == 40
    assert set(found) == {"written", "there" if contents[0] == contents[1] else "conflict"}
    assert {(tmp_path / f"a/v1/{number}").read_bytes() for number in range(40)} <= set(contents)


def test_unreadable_directory_name_is_shown_safely(tmp_path: Path) -> None:
    assert LocalStore(tmp_path / "a\x1b[31m\nb").url.endswith("a\\x1b[31m\\nb")
