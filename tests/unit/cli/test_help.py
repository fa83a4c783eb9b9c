"""Help and completion of every command; both must be quick, so they import little."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click
import pytest

from muster.cli.main import COMMANDS, main

if TYPE_CHECKING:
    from collections.abc import Iterator

SHELLS = ("bash", "zsh", "fish")
HEAVY = {
    *("kubernetes_validate", "kubernetes", "deepdiff", "obstore", "jsonschema_rs", "rich", "zstandard"),
    *("yaml", "ruamel", "rjsonnet", "_jsonnet", "duckdb"),
}


def commands(
    group: click.Group, path: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    """Yield every command, those of groups inside too, with its words."""
    ctx = click.Context(group)
    for name in group.list_commands(ctx):
        command = group.get_command(ctx, name)
        assert command is not None
        yield (*path, name), command
        if isinstance(command, click.Group):
            yield from commands(command, (*path, name))


EVERY = dict(commands(main))


@pytest.mark.parametrize("words", EVERY, ids=" ".join)
def test_help(words: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    """Each command tells what it does, each option what it is for; exit code 0, nothing on standard error."""
    for option in ("--help", "-h"):
        assert main.main([*words, option], "muster", standalone_mode=False) == 0
        said = capsys.readouterr()
        assert said.err == ""
        assert said.out.startswith(f"Usage: muster {' '.join(words)} ")
        assert len(said.out.splitlines()) > 4
    for parameter in EVERY[words].params:
        if isinstance(parameter, click.Option):
            assert parameter.help, parameter.name
            assert parameter.help.endswith("."), parameter.name


def test_every_command_is_listed_with_what_it_does(capsys: pytest.CaptureFixture[str]) -> None:
    assert main.main(["--help"], "muster", standalone_mode=False) == 0
    said = capsys.readouterr().out
    for name, text in COMMANDS.items():
        assert f"  {name} " in said
        assert text.endswith(".")
    package = Path(sys.modules["muster.cli.main"].__file__ or "").parent
    assert {path.stem.removeprefix("cmd_") for path in package.glob("cmd_*.py")} == set(COMMANDS)


def test_help_imports_nothing_heavy() -> None:
    program = (
        "import sys, json\nfrom muster.cli.main import main\n"
        "main.main(sys.argv[1:], 'muster', standalone_mode=False)\n"
        "print(json.dumps(sorted({name.partition('.')[0] for name in sys.modules})))"
    )
    for arguments in (["--help"], ["check", "--help"], ["compile", "--help"], ["plan", "--help"]):
        done = subprocess.run(
            [sys.executable, "-c", program, *arguments], capture_output=True, check=True, text=True
        )
        modules = set(json.loads(done.stdout.splitlines()[-1]))
        assert "click" in modules
        assert modules & HEAVY == set(), arguments


@pytest.mark.parametrize("shell", SHELLS)
def test_completion_scripts(shell: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main.main(["completion", shell], "muster", standalone_mode=False) in {0, None}
    said = capsys.readouterr().out
    assert "_MUSTER_COMPLETE" in said
    assert f"{shell}_complete" in said


def complete(shell: str, words: str, folder: Path) -> list[str]:
    """Return what a shell would offer for the last word."""
    environment = {"PATH": os.environ["PATH"], "_MUSTER_COMPLETE": f"{shell}_complete", "COMP_WORDS": words}
    last = words.rpartition(" ")[2]
    environment["COMP_CWORD"] = last if shell == "fish" else str(words.count(" "))
    program = "from muster.cli.main import run\nrun([])"
    done = subprocess.run(
        [sys.executable, "-c", program],
        env=environment,
        cwd=folder,
        capture_output=True,
        check=False,
        text=True,
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.splitlines()


def test_completion_offers_commands_options_and_sites(tmp_path: Path) -> None:
    (tmp_path / "sites").mkdir()
    for name in ("h20-lab", "h20-roce", "l20", "$(reboot)", "a\nb"):
        (tmp_path / "sites" / f"{name}.yaml").touch()
    assert complete("bash", "muster co", tmp_path) == ["plain,compile", "plain,completion"]
    assert "plain,--format" in complete("bash", "muster check --fo", tmp_path)
    assert complete("bash", "muster compile h20", tmp_path) == ["plain,h20-lab", "plain,h20-roce"]
    assert complete("zsh", "muster compile l", tmp_path)[:2] == ["plain", "l20"]
    assert complete("fish", "muster compile ", tmp_path) == ["plain,h20-lab", "plain,h20-roce", "plain,l20"]
