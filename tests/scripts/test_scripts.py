"""Run every session in this folder and compare its transcript."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

HERE = Path(__file__).parent
TRANSCRIPT = "transcript"
RULES = re.compile(r"\b\d+ rules each")
"""Every new rule would change every transcript."""


@dataclass(frozen=True)
class Script:
    head: str
    files: dict[str, str]

    @property
    def commands(self) -> list[str]:
        return [line[2:] for line in self.head.splitlines() if line.startswith("$ ")]

    @property
    def copies(self) -> list[tuple[str, str]]:
        """Source in the repository and target of every file to copy."""
        lines = [line.split()[1:] for line in self.head.splitlines() if line.startswith("file ")]
        return [(names[0], names[-1]) for names in lines]


def parse(text: str) -> Script:
    """Split a txtar text: a head, then files between lines `-- NAME --`."""
    head: list[str] = []
    files: dict[str, list[str]] = {}
    current = head
    for line in text.splitlines(keepends=True):
        name = line.strip()
        if name.startswith("-- ") and name.endswith(" --"):
            current = files.setdefault(name[3:-3], [])
        else:
            current.append(line)
    return Script("".join(head), {name: "".join(lines) for name, lines in files.items()})


def write(script: Script, transcript: str) -> str:
    parts = [script.head]
    for name, text in {**script.files, TRANSCRIPT: transcript}.items():
        parts.append(f"-- {name} --\n{text}")
    return "".join(parts)


def play(script: Script, root: Path, folder: Path) -> str:
    for name, copy in script.copies:
        source, target = root / name, folder / copy
        target.parent.mkdir(parents=True, exist_ok=True)
        (shutil.copytree if source.is_dir() else shutil.copyfile)(source, target)
    for name, text in script.files.items():
        if name != TRANSCRIPT:
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(text, encoding="utf-8")
    environment = {
        "PATH": f"{root / '.venv' / 'bin'}:{os.environ['PATH']}",
        "HOME": str(folder),
        "LC_ALL": "C.UTF-8",
        "COLUMNS": "100",
        "MUSTER_CUE": str(root / ".tools" / "bin" / "cue"),
    }
    said = []
    for command in script.commands:
        done = subprocess.run(
            ["sh", "-c", command],
            cwd=folder,
            env=environment,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        said.append(f"$ {command}\n")
        said += [f"{line}\n" for line in done.stdout.splitlines()]
        said += [f"! {line}\n" for line in done.stderr.splitlines()]
        if done.returncode:
            said.append(f"[exit {done.returncode}]\n")
    text = "".join(said).replace(str(folder), "$WORK").replace(str(root), "$ROOT")
    return RULES.sub("N rules each", text)


@pytest.mark.parametrize("path", sorted(HERE.glob("*.txtar")), ids=lambda path: path.stem)
def test_script(path: Path, root: Path, tmp_path: Path, refresh: bool) -> None:
    script = parse(path.read_text(encoding="utf-8"))
    assert script.commands, "a script has commands"
    transcript = play(script, root, tmp_path)
    if refresh:
        path.write_text(write(script, transcript), encoding="utf-8")
    assert transcript == parse(path.read_text(encoding="utf-8")).files.get(TRANSCRIPT)


def test_there_are_scripts() -> None:
    assert list(HERE.glob("*.txtar"))
