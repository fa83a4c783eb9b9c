"""Commands run in this process, in a repository with a good site and a bad one."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

from e2e_helpers.compiling import LAB
from muster.cli.exits import run_guarded
from muster.cli.main import main

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True)
class Said:
    """What a command printed, and how it ended."""

    code: int
    out: str
    err: str


@dataclass(frozen=True)
class Shell:
    """Runs commands in one folder."""

    folder: Path
    capsys: pytest.CaptureFixture[str]

    def __call__(self, *arguments: str) -> Said:
        self.capsys.readouterr()
        code = run_guarded(main, arguments)
        return Said(code, *self.capsys.readouterr())


@pytest.fixture
def muster(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Shell:
    """Return a way to run muster in a fresh repository."""
    (tmp_path / "sites").mkdir()
    shutil.copyfile(root / LAB, tmp_path / "sites" / "h20-lab.yaml")
    text = (root / LAB).read_text("utf-8").replace("name: h20-lab", "name: bad")
    bad = text.replace("project: lab", "project: bad").replace("gpuHours: 30", "gpuHours: -30")
    (tmp_path / "sites" / "bad.yaml").write_text(bad.replace("deadline: 8h", "deadline: 8 <b>hours</b>"))
    monkeypatch.setenv("MUSTER_CUE", str(root / ".tools/bin/cue"))
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.chdir(tmp_path)
    return Shell(tmp_path, capsys)
