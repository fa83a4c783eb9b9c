"""Every option of the compile side changes something, and something else comes out without it."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import click

from muster.cli.main import COMMANDS, main

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

    from unit.cli.conftest import Shell

SIDE = ("check", "compile", "completion", "doctor", "explain", "images", "plan", "schema")


def options(name: str) -> set[str]:
    command = main.get_command(click.Context(main), name)
    assert command is not None
    return {item.opts[0] for item in command.params if isinstance(item, click.Option)}


def test_every_option_is_used_by_a_test(root: Path) -> None:
    """By a session or by a test of this folder, after the name of its command."""
    assert set(SIDE) <= set(COMMANDS)
    texts = [path.read_text("utf-8") for path in sorted((root / "tests/scripts").glob("*.txtar"))]
    texts += [path.read_text("utf-8") for path in sorted((root / "tests/unit/cli").glob("test_*.py"))]
    lines = [line for text in texts for line in text.splitlines()]
    unused = {
        f"{name} {option}"
        for name in SIDE
        for option in options(name)
        if not any(f"{name}" in line and option in line for line in lines)
    }
    assert unused == set()
    assert options("compile") >= {"--force", "--allow-prune", "--allow-immutable", "--output", "--format"}


def test_repository(muster: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    (muster.folder / "elsewhere").mkdir()
    monkeypatch.chdir(muster.folder / "elsewhere")
    for command in ("check", "compile", "images", "plan"):
        assert muster(command, "h20-lab").code == 2
    assert muster("check", "--repository", "..", "--no-output", "h20-lab").code == 0
    assert muster("images", "--repository", "..", "h20-lab").code == 0
    assert muster("plan", "--repository", "..", "h20-lab").code == 0
    assert muster("compile", "--repository", "..", "h20-lab").code == 0
    name = "h20-lab/bench/node-inventory/lab-1"
    assert muster("explain", name).code == 2
    assert muster("explain", "--repository", "..", name).code == 0
    assert (muster.folder / "generated" / "h20-lab" / "lock.json").is_file()


def test_output(muster: Shell) -> None:
    assert muster("compile", "--output", "made", "h20-lab").code == 0
    assert not (muster.folder / "generated").exists()
    assert muster("check", "h20-lab").code == 1
    assert muster("check", "--output", "made", "h20-lab").code == 0
    name = "h20-lab/bench/node-inventory/lab-1"
    assert muster("explain", name).code == 2
    found = muster("explain", "--output", "made", name)
    assert found.code == 0
    assert found.out.startswith(name)


def test_no_output(muster: Shell) -> None:
    assert muster("check", "h20-lab").code == 1
    assert muster("check", "--no-output", "h20-lab").code == 0


def test_policies_of_a_repository_count(muster: Shell, root: Path) -> None:
    """A repository that brings the whole module is judged by that one."""
    shutil.copytree(root / "policies", muster.folder / "policies")
    before = muster("check", "--no-output", "h20-lab")
    assert before.code == 0
    for path in (muster.folder / "policies" / "guardrails").glob("MU3*.cue"):
        path.unlink()
    assert muster("check", "--no-output", "h20-lab").code == 2, "no rule is no check"
