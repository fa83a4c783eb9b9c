"""The pod script with stand-ins for the tools of an image: every case is a file of data."""

from __future__ import annotations

import json
import re
import shutil
import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from muster.readers.records import EVENTS, parse
from render_helpers.pods import MARK, SCRIPT, TOOLS, Ended, Pod, several

CASES = Path(__file__).resolve().parents[2] / "cases/render/podscript"
SHELLS = {"sh": ["/bin/sh"], "busybox": ["busybox", "sh"]}
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")


def cases() -> list[Any]:
    found = []
    for path in sorted(CASES.glob("*.yaml")):
        for name, case in yaml.safe_load(path.read_text("utf-8")).items():
            for shell in case.get("shells", ["sh"]):
                found.append(pytest.param(case, shell, id=f"{path.stem}-{name}-{shell}"))
    return found


def agrees(wanted: Any, found: Any) -> bool:
    """Whether a record holds what is wanted; lists whole, maps as far as they are written down."""
    if isinstance(wanted, dict):
        return isinstance(found, dict) and all(
            key in found and agrees(item, found[key]) for key, item in wanted.items()
        )
    return bool(wanted == found)


def run_one(case: dict[str, Any], folder: Path, shell: list[str]) -> Ended:
    pod = Pod(folder, case["mode"], case.get("command", []), case.get("env", {}), shell)
    if "term" in case:
        pod.wait_for(case["term"])
        pod.signal(signal.SIGTERM)
    return pod.end()


def run_several(case: dict[str, Any], folder: Path, shell: list[str]) -> list[Ended]:
    """Run all pods of a case at once; the list holds them by index."""
    nodes = case["nodes"]
    absent = set(case.get("absent", ()))
    shared = several(folder, case.get("env", {}), nodes, absent)
    launcher = case["mode"] == "launcher"
    pods = {}
    for index, node in enumerate(nodes):
        if index in absent:
            continue
        mode = "worker" if launcher and index else case["mode"]
        own = {
            "JOB_COMPLETION_INDEX": str(index),
            "MUSTER_ADDRESS": f"10.0.0.{index}",
            "MUSTER_NODE": node,
            **case.get("pods", {}).get(index, {}),
        }
        if launcher:
            own["MUSTER_HOSTS"] = " ".join(shared["MUSTER_HOSTS"].split()[1:])
            own["MUSTER_UNIT"] = " ".join(nodes[1:])
        pods[index] = Pod(folder / str(index), mode, case["command"], shared | own, shell)
    if "kill" in case:
        pods[0].wait_for(case["kill"])
        pods[0].kill()
    return [pods[index].end() for index in sorted(pods)]


def check(wanted: dict[str, Any], ended: Ended) -> None:
    shown = f"exit {ended.code}\n{ended.stdout}\n{ended.stderr}"
    assert ended.code == wanted["exit"], shown
    events = [record["event"] for record in ended.records]
    assert len(events) == len(wanted["records"]), shown
    for record, expected in zip(ended.records, wanted["records"], strict=True):
        assert agrees(expected, record), f"{expected}\n{record}"
        assert record["v"] == 1
        assert TIME.fullmatch(record.get("time", "2026-01-01T00:00:00Z"))
    lines = [line for line in ended.stdout.splitlines() if MARK in line]
    assert [problem for line in lines for problem in [parse(line, 1)[1]] if problem] == []
    for text in wanted.get("stdout", ()):
        assert text in ended.stdout, shown
    for text in wanted.get("stderr", ()):
        assert text in ended.stderr, shown
    for name, lines in wanted.get("noted", {}).items():
        assert ended.noted(name).splitlines() == lines
    for name, part in wanted.get("holds", {}).items():
        lines = ended.noted(name).splitlines()
        starts = range(len(lines) - len(part) + 1)
        assert any(lines[start : start + len(part)] == part for start in starts), lines
    for name, start in wanted.get("starts", {}).items():
        assert any(line.startswith(start) for line in ended.noted(name).splitlines())
    if ended.code < 0:
        return  # killed: nobody wrote a last word
    assert agrees({"v": 1, "exit": wanted["exit"], **wanted.get("message", {})}, json.loads(ended.message))
    assert len(ended.message.encode()) < 4096


@pytest.mark.parametrize(("case", "shell"), cases())
def test_case(case: dict[str, Any], shell: str, tmp_path: Path) -> None:
    if not shutil.which(SHELLS[shell][0]):
        pytest.skip(f"no {shell} on this machine")
    if "nodes" not in case:
        check(case, run_one(case, tmp_path / "pod", SHELLS[shell]))
        return
    ended = run_several(case, tmp_path, SHELLS[shell])
    assert len(ended) == len(case["ends"])
    for wanted, found in zip(case["ends"], ended, strict=True):
        check(wanted, found)


def test_script_prints_no_event_that_readers_do_not_know() -> None:
    made = set(re.findall(r'record "\\"(\w+)\\"', SCRIPT.read_text("utf-8")))
    assert made == {"begin", "end", "finish"}
    assert made < set(EVENTS)


def test_script_has_no_brace_after_a_dollar_sign() -> None:
    assert "${" not in SCRIPT.read_text("utf-8")


@pytest.mark.parametrize("path", [SCRIPT, *sorted(TOOLS.iterdir())], ids=lambda path: path.name)
def test_script_is_clean_shell(path: Path) -> None:
    subprocess.run(["/bin/sh", "-n", str(path)], check=True)
    if not shutil.which("shellcheck"):
        pytest.skip("no shellcheck on this machine")
    # Traps are called by the shell, not by the text.
    done = subprocess.run(
        ["shellcheck", "-s", "sh", "-e", "SC2317,SC2153", str(path)], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout
