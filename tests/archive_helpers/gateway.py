"""A real S3 server for tests: versitygw, built once from its pinned Go module into ``.tools/bin``."""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import socket
import subprocess
import time
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

ACCESS, SECRET = "muster-test", "muster-test-secret-9f2c"


def build(root: Path) -> Path:
    """Return the server's binary; skip where neither the binary nor Go is there."""
    binary, stamp = root / ".tools/bin/versitygw", root / ".tools/versitygw.stamp"
    module = root / "tools/versitygw"
    wanted = hashlib.sha256((module / "go.mod").read_bytes() + (module / "go.sum").read_bytes()).hexdigest()
    binary.parent.mkdir(parents=True, exist_ok=True)
    with (root / ".tools/versitygw.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if binary.is_file() and stamp.is_file() and stamp.read_text() == wanted:
            return binary
        go = shutil.which("go") or shutil.which(str(root / ".tools/go/bin/go"))
        if go is None:
            pytest.skip("no Go here to build versitygw with")
        command = [go, "build", "-mod=readonly", "-trimpath", "-ldflags=-s -w", "-o", str(binary)]
        done = subprocess.run(
            [*command, "github.com/versity/versitygw/cmd/versitygw"],
            cwd=module,
            env={**os.environ, "GOFLAGS": "", "GOTOOLCHAIN": "local"},
            capture_output=True,
            text=True,
        )
        if done.returncode:
            pytest.skip(f"versitygw does not build here: {done.stderr[-300:]}")
        stamp.write_text(wanted)
    return binary


class Gateway:
    """A running server over a folder; each folder below ``data`` is a bucket."""

    def __init__(self, binary: Path, data: Path) -> None:
        self.binary, self.data = binary, data
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port: int = free.getsockname()[1]
        self.process: subprocess.Popen[bytes] | None = None

    @property
    def env(self) -> dict[str, str]:
        return {
            "AWS_ACCESS_KEY_ID": ACCESS,
            "AWS_SECRET_ACCESS_KEY": SECRET,
            "AWS_ENDPOINT_URL": f"http://127.0.0.1:{self.port}",
            "AWS_REGION": "us-east-1",
            "AWS_ALLOW_HTTP": "true",
        }

    def start(self) -> None:
        self.process = subprocess.Popen(
            [str(self.binary), "--port", f"127.0.0.1:{self.port}", "posix", str(self.data)],
            env={"PATH": os.environ["PATH"], "ROOT_ACCESS_KEY": ACCESS, "ROOT_SECRET_KEY": SECRET},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        for _ in range(600):
            if self.process.poll() is not None:
                raise RuntimeError("versitygw ended at once")
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", self.port)) == 0:
                    return
            time.sleep(0.05)
        raise RuntimeError("versitygw does not answer")

    def stop(self) -> None:
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process = None
