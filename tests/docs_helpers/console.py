"""Run the ``console`` blocks of a page, one after another in one shell, and compare what they print.

A line ``$ command`` is a command, ``> more`` its continuation; the lines below are what it prints, standard output
and standard error together. ``...`` on a line of its own stands for any lines, inside a line for any characters.
``[exit 1]`` as the last line says how it ends where that is not 0. A block ``yaml file=sites/lab.yaml`` is written to
that file before the commands below it run.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from docs_helpers.pages import Page

FOLDERS = ("sites", "policies", "examples", "generated")
_MARK = "==8<=="
_EXIT = re.compile(r"\[exit (\d+)\]")


@dataclass(frozen=True)
class Command:
    """A command of a page with what it should do."""

    line: int
    text: str
    output: tuple[str, ...]
    code: int


@dataclass(frozen=True)
class Write:
    """A file that a page shows."""

    line: int
    path: str
    text: str


def steps(page: Page) -> list[Command | Write]:
    """Return what the reader of a page does, in order."""
    found: list[Command | Write] = []
    for block in page.blocks:
        if block.file:
            found.append(Write(block.line, block.file, "\n".join(block.text) + "\n"))
        elif block.language == "console":
            found += _commands(block.text, block.line)
    return found


def _commands(lines: Sequence[str], first: int) -> list[Command]:
    found: list[Command] = []
    index = 0
    assert lines[:1], f"line {first}: an empty console block"
    assert lines[0].startswith("$ "), f"line {first}: a console block starts with a command"
    while index < len(lines):
        at, text = first + index, lines[index][2:]
        index += 1
        while index < len(lines) and lines[index].startswith("> "):
            text += "\n" + lines[index][2:]
            index += 1
        output = []
        while index < len(lines) and not lines[index].startswith("$ "):
            output.append(lines[index].rstrip())
            index += 1
        code = _EXIT.fullmatch(output[-1]) if output else None
        found.append(Command(at, text, tuple(output[:-1] if code else output), int(code[1]) if code else 0))
    return found


def scratch(root: Path, folder: Path) -> Path:
    """Copy what a reader needs into an empty folder."""
    for name in FOLDERS:
        shutil.copytree(root / name, folder / name)
    return folder


def run(todo: Sequence[Command | Write], folder: Path, root: Path) -> list[tuple[Command, list[str], int]]:
    """Run all commands of a page in one shell; return each with what it printed and its exit code."""
    script = ["exec 2>&1", "set +e"]
    for number, step in enumerate(todo):
        if isinstance(step, Write):
            aside = folder.parent / f"{folder.name}.{number}"
            aside.write_text(step.text, encoding="utf-8")
            target = step.path
            script.append(f"mkdir -p \"$(dirname '{target}')\" && cp '{aside}' '{target}'")
        else:
            script += [step.text, f"printf '\\n{_MARK} %s\\n' \"$?\""]
    done = subprocess.run(
        ["sh"],
        input="\n".join(script) + "\n",
        cwd=folder,
        env=_environment(folder, root),
        stdout=subprocess.PIPE,
        text=True,
        encoding="utf-8",
        timeout=300,
    )
    commands = [step for step in todo if isinstance(step, Command)]
    parts = re.split(rf"\n{_MARK} (\d+)\n", done.stdout)
    assert len(parts) == 2 * len(commands) + 1, f"the shell stopped early: {done.stdout[-2000:]}"
    return [
        (command, [line.rstrip() for line in parts[2 * i].splitlines()], int(parts[2 * i + 1]))
        for i, command in enumerate(commands)
    ]


def _environment(folder: Path, root: Path) -> dict[str, str]:
    return {
        "PATH": f"{root / '.venv' / 'bin'}:{os.environ.get('PATH', '/usr/bin:/bin')}",
        "HOME": str(folder.parent),
        "LC_ALL": "C.UTF-8",
        "TZ": "UTC",
        "COLUMNS": "100",
        "GIT_CONFIG_GLOBAL": "/dev/null",
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_AUTHOR_NAME": "Reader",
        "GIT_AUTHOR_EMAIL": "reader@example.com",
        "GIT_COMMITTER_NAME": "Reader",
        "GIT_COMMITTER_EMAIL": "reader@example.com",
    }


def difference(command: Command, printed: Sequence[str], code: int) -> str | None:
    """Return what a command did otherwise than the page says, None when it did as told."""
    wrong = [] if code == command.code else [f"ends with {code} instead of {command.code}"]
    if not matches(command.output, printed):
        wrong.append("prints other lines")
    if not wrong:
        return None
    expected = "\n".join(f"  page| {line}" for line in command.output)
    actual = "\n".join(f"  real| {line}" for line in printed)
    return f"line {command.line}: `{command.text}` {' and '.join(wrong)}\n{expected}\n{actual}"


def matches(expected: Sequence[str], printed: Sequence[str]) -> bool:
    """Tell whether lines are those expected, where ``...`` stands for any number of lines."""
    if not expected:
        return not printed
    if expected[0] == "...":
        return any(matches(expected[1:], printed[skip:]) for skip in range(len(printed) + 1))
    if not printed:
        return False
    line = ".*".join(map(re.escape, expected[0].split("...")))
    return bool(re.fullmatch(line, printed[0])) and matches(expected[1:], printed[1:])
