"""Same inputs, same bytes: whatever the machine, the locale, the hash seed, the folder or the number of processes."""

from __future__ import annotations

import getpass
import os
import re
import shutil
import socket
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from e2e_helpers.compiling import LAB, compile_named

if TYPE_CHECKING:
    from muster.compile.result import Compilation, CompiledSite


def files_of(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def run(root: Path, folder: Path, environment: dict[str, str], *arguments: str) -> None:
    done = subprocess.run(
        [str(root / ".venv/bin/muster"), *arguments],
        cwd=folder,
        env={"PATH": "/usr/bin:/bin", "MUSTER_CUE": str(root / ".tools/bin/cue"), **environment},
        capture_output=True,
        check=False,
        text=True,
    )
    assert done.returncode == 0, done.stderr


@pytest.fixture
def repository(root: Path, tmp_path: Path) -> Path:
    """The sites and policies in a checkout elsewhere, the lab among them."""
    copy = tmp_path / "some where" / "über" / "fleet"
    (copy / "sites").mkdir(parents=True)
    shutil.copytree(root / "policies", copy / "policies")
    for path in [*(root / "sites").glob("*.yaml"), root / LAB]:
        shutil.copyfile(path, copy / "sites" / path.name)
    return copy


def test_nothing_around_it_changes_a_byte(
    repository: Path, root: Path, tmp_path: Path, compiled: Compilation
) -> None:
    run(
        root,
        repository,
        {"PYTHONHASHSEED": "1", "LC_ALL": "C", "TZ": "Pacific/Kiritimati", "HOME": str(tmp_path)},
        *("compile", "--output", str(tmp_path / "one")),
    )
    (repository / "deep" / "er").mkdir(parents=True)
    other = {"PYTHONHASHSEED": "4242", "LC_ALL": "tr_TR.UTF-8", "LANG": "de_DE", "TZ": "America/St_Johns"}
    other |= {"PYTHONUTF8": "0", "COLUMNS": "20", "USER": "nobody", "HOSTNAME": "elsewhere", "TERM": "dumb"}
    run(root, repository / "deep" / "er", other, "compile", "--repository", "../..")
    one, two = files_of(tmp_path / "one"), files_of(repository / "generated")
    assert sorted(one) == sorted(two)
    assert [path for path, data in one.items() if data != two[path]] == []
    shipped = {path: data for path, data in one.items() if path in compiled.files()}
    assert shipped == compiled.files(), "the checkout itself gives the same"


def test_the_names_of_files_as_arguments_change_nothing(repository: Path, root: Path, tmp_path: Path) -> None:
    run(root, repository, {}, "compile", "--output", "a", "h20-lab")
    run(root, tmp_path, {}, "compile", "--repository", str(repository), "h20-lab")
    outside = compile_named(root, [str(repository / "sites" / "h20-lab.yaml")], repository)
    assert files_of(repository / "a") == files_of(repository / "generated") == outside.files()


def test_one_process_gives_what_two_give(root: Path, tmp_path: Path) -> None:
    (tmp_path / "sites").mkdir()
    text = (root / LAB).read_text("utf-8")
    for number in range(10):
        made = text.replace("name: h20-lab", f"name: lab-{number}").replace(
            "project: lab", f"project: p{number}"
        )
        bad = made.replace("gpuHours: 30", "gpuHours: 1") if number == 4 else made
        (tmp_path / "sites" / f"lab-{number}.yaml").write_text(bad)
    one = compile_named(root, [], tmp_path, workers=1)
    two = compile_named(root, [], tmp_path, workers=2)
    assert one == two
    assert [site.name for site in one.sites if site.files is None] == ["lab-4"]
    assert {item.site for item in one.diagnostics if item.is_error} == {"lab-4"}


def test_no_trace_of_the_machine_is_left(compiled: Compilation, lab: CompiledSite, root: Path) -> None:
    git = subprocess.run(["git", "rev-parse", "HEAD"], cwd=root, capture_output=True, check=False, text=True)
    traces = {str(root), str(Path.home()), str(Path.cwd()), os.uname().release, git.stdout.strip()}
    traces |= {name for name in (socket.gethostname(), getpass.getuser()) if len(name) > 5}
    traces = {text.encode() for text in traces if len(text) > 5}
    assert traces
    for path, data in {**compiled.files(), **lab.files}.items():
        assert not [text for text in traces if text in data], path


CLOCKS = re.compile(
    r"\b(now|today|utcnow|localtime|gmtime|monotonic|gethostname|getuser|getlogin|getpid|urandom|uuid\d|getenv)\("
    r"|time\.time\(|os\.environ|random\.|\bgit\b.*rev-parse"
)


def test_the_compiler_reads_no_clock_and_no_environment(root: Path) -> None:
    looked = 0
    for layer in ("site", "policy", "plan", "render", "emit", "compile"):
        for path in sorted((root / "compiler/muster" / layer).rglob("*.py")):
            looked += 1
            for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
                assert not CLOCKS.search(line), f"{path}:{number}: {line.strip()}"
    assert looked > 50
    assert CLOCKS.search("moment = datetime.now(UTC)")


def test_every_manifest_says_what_made_it(compiled: Compilation, lab: CompiledSite) -> None:
    for path, data in {**compiled.files(), **lab.files}.items():
        if path.endswith(".yaml"):
            first = data.split(b"\n", 1)[0].decode()
            assert re.match(r"# Made by muster \d+\.\d+\.\d+, content [0-9a-f]{16}\.", first), (path, first)
