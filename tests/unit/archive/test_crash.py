"""Kill an ingest at every single step of its writing: only whole attempts are there, and a repeat completes."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING

from archive_helpers import logs
from muster.archive.ingest import batch_of, ingest
from muster.archive.local import LocalStore
from muster.archive.query import load_records
from muster.archive.verify import verify

if TYPE_CHECKING:
    from pathlib import Path

STEPS = ("open", "fsync", "link", "mkdir", "unlink")
CHILD = """
import json, os, pathlib, signal, sys
from muster.archive.ingest import batch_of, ingest
from muster.archive.local import LocalStore
import muster.archive.local as local
import jsonschema_rs, zstandard
from muster.readers.registry import readers
steps, base, files = json.loads(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3]
plan = json.loads(pathlib.Path(sys.argv[4]).read_text())
readers()

def run(left, archive):
    counter = 0
    def counted(call):
        def wrapper(*args, **kwargs):
            nonlocal counter
            counter += 1
            if counter == left:
                os.kill(os.getpid(), signal.SIGKILL)
            return call(*args, **kwargs)
        return wrapper
    for name in steps:
        setattr(os, name, counted(getattr(os, name)))
    local._copy = counted(local._copy)
    ingest([batch_of([files])], [plan], LocalStore(archive))
    return counter

def forked(left, archive):
    child = os.fork()
    if child == 0:
        count = run(left, archive)
        (base / "count").write_text(str(count))
        os._exit(0)
    return os.waitpid(child, 0)[1]

assert forked(0, base / "whole") == 0
count = int((base / "count").read_text())
for left in range(1, count + 1):
    assert os.WTERMSIG(forked(left, base / f"at{left}")) == signal.SIGKILL
print(count)
"""


def test_killed_at_every_step(tmp_path: Path) -> None:
    pair = logs.desired()
    files, plan = tmp_path / "logs", tmp_path / "plan.json"
    files.mkdir()
    (files / "pod0.log").write_text(logs.pod_log(pair))
    (files / "pod1.log").write_text(logs.worker_log(pair))
    plan.write_text(json.dumps(logs.plan(pair)))
    command = [sys.executable, "-c", CHILD, json.dumps(STEPS), str(tmp_path), str(files), str(plan)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    steps = int(done.stdout)
    assert steps > 20
    wanted = _objects(tmp_path / "whole")
    committed = 0
    for left in range(1, steps + 1):
        archive = tmp_path / f"at{left}"
        store = LocalStore(archive)
        found = _objects(archive)
        assert all(wanted[name] == content for name, content in found.items())
        records = list(load_records(store))
        committed += len(records)
        if records:
            assert found == wanted
        again = ingest([batch_of([files])], [json.loads(plan.read_text())], store)
        assert again.counts.written + again.counts.present == 1
        assert _objects(archive) == wanted
        LocalStore(archive).create("v1/h20/next", b"a later write sweeps what the dead left aside")
        assert list((archive / ".tmp").iterdir()) == []
        (archive / "v1/h20/next").unlink()
        assert verify(store).exit_code == 0
    assert 0 < committed < steps


def _objects(archive: Path) -> dict[str, bytes]:
    """Everything that counts: files of attempts, not what lies aside."""
    below = archive / "v1"
    return {str(path.relative_to(below)): path.read_bytes() for path in below.rglob("*") if path.is_file()}
