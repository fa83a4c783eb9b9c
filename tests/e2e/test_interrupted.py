"""A compile that is killed, crowded out or refused by the disk leaves the old tree or the new, and nothing beside."""

from __future__ import annotations

import errno
import os
import shutil
import signal
import subprocess
import time
from typing import TYPE_CHECKING

import pytest

from e2e_helpers.compiling import LAB
from emit_helpers.outputs import snapshot, strays
from muster.cli.exits import run_guarded
from muster.cli.main import main
from muster.emit import stage
from muster.emit.tree import publish

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from muster.compile.result import CompiledSite


@pytest.fixture
def repository(root: Path, tmp_path: Path, lab: CompiledSite) -> Path:
    """The lab with its compiled output, and a change of campaign that is not compiled yet."""
    place = tmp_path / "fleet"
    (place / "sites").mkdir(parents=True)
    shutil.copyfile(root / LAB, place / "sites" / "h20-lab.yaml")
    publish(place / "generated", lab.files, sites=["h20-lab"])
    change(place, "2026-10", "2026-11")
    return place


def change(place: Path, old: str, new: str) -> None:
    site = place / "sites" / "h20-lab.yaml"
    text = site.read_text("utf-8")
    assert old in text
    site.write_text(text.replace(f'campaign: "{old}"', f'campaign: "{new}"'))


def start(root: Path, place: Path, *arguments: str) -> subprocess.Popen[bytes]:
    environment = {"PATH": os.environ["PATH"], "MUSTER_CUE": str(root / ".tools/bin/cue")}
    argv = [str(root / ".venv/bin/muster"), "compile", *arguments]
    return subprocess.Popen(
        argv, cwd=place, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )


@pytest.mark.parametrize("later", [0, 1, 4, 16], ids=lambda later: f"{later} ms into the writing")
def test_kill_in_the_middle(later: int, repository: Path, root: Path, tmp_path: Path) -> None:
    output = repository / "generated"
    before = snapshot(output)
    running = start(root, repository)
    while running.poll() is None and not any(repository.glob(".generated.muster-*")):
        time.sleep(0.0005)
    time.sleep(later / 1000)
    running.send_signal(signal.SIGKILL)
    running.wait()
    after = snapshot(output)
    assert start(root, repository, "--output", str(tmp_path / "wanted")).wait() == 0
    wanted = snapshot(tmp_path / "wanted")
    assert after in (before, wanted), "the tree is a mixture"
    assert start(root, repository).wait() == 0
    assert snapshot(output) == wanted
    assert set(strays(output)) == {"sites"}


def test_two_at_once_exclude_each_other(repository: Path, root: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    shutil.copytree(repository / "sites", other / "sites")
    change(other, "2026-11", "2026-12")
    shared = repository / "generated"
    pair = [start(root, place, "--output", str(shared)) for place in (repository, other)]
    assert [running.wait() for running in pair] == [0, 0]
    for place in (repository, other):
        assert start(root, place, "--output", str(place / "alone")).wait() == 0
    ends = [snapshot(place / "alone") for place in (repository, other)]
    assert ends[0] != ends[1]
    assert snapshot(shared) in ends


REFUSALS: Mapping[str, int] = {
    "full disk": errno.ENOSPC,
    "quota": errno.EDQUOT,
    "read-only": errno.EROFS,
    "no permission": errno.EACCES,
    "broken disk": errno.EIO,
}


STEPS = [("_write_file", refusal) for refusal in REFUSALS]


@pytest.mark.parametrize(("step", "refusal"), [*STEPS, ("_install", "full disk"), ("_make_folder", "quota")])
def test_what_the_system_refuses_changes_nothing(
    refusal: str,
    step: str,
    repository: Path,
    root: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    number = REFUSALS[refusal]
    real, calls = getattr(stage, step), iter(range(1000))

    def refused(*arguments: object) -> object:
        if step == "_install" or next(calls) == 3:
            raise OSError(number, os.strerror(number), "generated/x")
        return real(*arguments)

    before = snapshot(repository / "generated")
    monkeypatch.setenv("MUSTER_CUE", str(root / ".tools/bin/cue"))
    monkeypatch.chdir(repository)
    monkeypatch.setattr(stage, step, refused)
    assert run_guarded(main, ["compile"]) == 3
    said = capsys.readouterr()
    assert said.out == ""
    assert f"error MU621: cannot write the output generated: {os.strerror(number)}" in said.err
    assert snapshot(repository / "generated") == before
    assert set(strays(repository / "generated")) == {"sites"}


def test_a_read_only_folder(repository: Path, root: Path) -> None:
    if os.geteuid() == 0:
        pytest.skip("root may write everywhere")
    repository.chmod(0o555)
    try:
        assert start(root, repository).wait() == 3
    finally:
        repository.chmod(0o755)
