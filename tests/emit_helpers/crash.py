"""Run a publish in forked children and kill each one a step later than the last.

Run as a program: ``crash.py PLAN`` where PLAN is a JSON file with ``folder``, ``old``, ``new`` (site -> path ->
text) and ``mode``: ``exchange``, ``renames`` (pretend that the file system cannot exchange folders) or ``naive``
(write file by file, to see that this program notices). It prints one JSON object: how many steps a whole publish
takes, and everything that was wrong after some kill.
"""

from __future__ import annotations

import io
import itertools
import json
import os
import shutil
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from emit_helpers.outputs import compiled, snapshot, strays
from muster.emit import exchange, stage
from muster.emit.tree import PublishOptions, publish

if TYPE_CHECKING:
    from collections.abc import Callable

_CALLS = (
    "open",
    "write",
    "link",
    "mkdir",
    "rename",
    "replace",
    "unlink",
    "rmdir",
    "fsync",
    "fchmod",
    "chmod",
)


OPTIONS = PublishOptions(allow_prune=True, allow_empty=True)


class Killer:
    """Counts the steps of this process and kills it at one of them, before and after the step's effect."""

    def __init__(self, at: int) -> None:
        self.at = at
        self.steps = 0

    def step(self) -> None:
        """Take one step, perhaps the last."""
        self.steps += 1
        if self.steps == self.at:
            os.kill(os.getpid(), signal.SIGKILL)

    def around(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Wrap a function into two steps."""

        def wrapped(*args: Any, **options: Any) -> Any:
            self.step()
            result = function(*args, **options)
            self.step()
            return result

        return wrapped

    def install(self, mode: str) -> None:
        """Wrap everything that changes files."""
        for name in _CALLS:
            setattr(os, name, self.around(getattr(os, name)))
        io.open = self.around(io.open)
        stage.exchange = self.around((lambda *_: False) if mode == "renames" else exchange.exchange)
        stage.sync_tree = self.around(stage.sync_tree)


def naive(output: Path, files: dict[str, bytes]) -> None:
    """Write file by file, as one should not."""
    for name, data in files.items():
        (output / name).parent.mkdir(parents=True, exist_ok=True)
        (output / name).write_bytes(data)


def child(output: Path, files: dict[str, bytes], sites: list[str], mode: str, at: int) -> int:
    """Publish in a child that dies at a step; return its steps, or 0 if it was killed."""
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        killer = Killer(at)
        killer.install(mode)
        if mode == "naive":
            naive(output, files)
        else:
            publish(output, files, sites=sites, options=OPTIONS)
        steps, killer.at = killer.steps, -1
        os.write(writer, str(steps).encode())
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader, "rb") as pipe:
        steps = int(pipe.read() or b"0")
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    if steps == 0 and code != -signal.SIGKILL:
        raise SystemExit(f"the child at step {at} ended with {code}")
    return steps


def prepare(output: Path, plan: dict[str, Any], old: dict[str, bytes], sites: list[str]) -> dict[str, bytes]:
    """Make the tree as it is before the publish."""
    shutil.rmtree(output, ignore_errors=True)
    if old:
        publish(output, old, sites=sites, options=OPTIONS)
    for name, text in plan.get("unowned", {}).items():
        (output / name).parent.mkdir(parents=True, exist_ok=True)
        (output / name).write_text(text)
    return snapshot(output)


def main(plan: dict[str, Any]) -> dict[str, Any]:
    """Try every step; return what was found."""
    os.fsync = stage.sync_tree = lambda *_: None
    output, mode = Path(plan["folder"]) / "generated", plan["mode"]
    old, new = compiled(plan["old"]), compiled(plan["new"])
    sites = sorted({*plan["old"], *plan["new"]})
    prepare(output, plan, old, sites)
    publish(output, new, sites=sites, options=OPTIONS)
    wanted = snapshot(output)
    wrong: list[str] = []
    seen = {"old": 0, "new": 0, "neither": 0}
    for at in itertools.count(1):
        before = prepare(output, plan, old, sites)
        steps = child(output, new, sites, mode, at)
        after = snapshot(output)
        seen["old" if after == before else "new" if after == wanted else "neither"] += 1
        if mode != "naive":
            publish(output, new, sites=sites, options=OPTIONS)
            if snapshot(output) != wanted or strays(output):
                wrong.append(
                    f"step {at}: the next run gives {sorted(snapshot(output))}, leaves {strays(output)}"
                )
        if steps:
            break
    return {"steps": steps, "seen": seen, "wrong": wrong}


if __name__ == "__main__":
    print(json.dumps(main(json.loads(Path(sys.argv[1]).read_text("utf-8")))))
