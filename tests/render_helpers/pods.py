"""Run the pod script as one pod or several, with stand-ins for the tools of an image."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import threading
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

TESTS = Path(__file__).resolve().parent.parent
SCRIPT = TESTS.parent / "compiler/muster/render/scripts/muster-run.sh"
TOOLS = TESTS / "scripts_podscript"
MARK = "MUSTER-RECORD "
PATIENCE = 60

BASE = {
    "MUSTER_ATTEMPT": "pod-uid-1",
    "MUSTER_CUDA": "12.9",
    "MUSTER_DIGEST": "sha256:" + "ab" * 32,
    "MUSTER_DRIVER": "580.126.20",
    "MUSTER_GPUS": "8",
    "MUSTER_IMAGE": "registry.example.com/x@sha256:" + "0" * 64,
    "MUSTER_NCCL": "2.27.3",
    "MUSTER_NODE": "node-a",
    "MUSTER_POOL": "h20",
    "MUSTER_PRODUCT": "NVIDIA-H20-3e",
    "MUSTER_RANKS": "8",
    "MUSTER_RANKS_PER_NODE": "8",
    "MUSTER_ROUNDS": "1",
    "MUSTER_ROUND_SECONDS": "30",
    "MUSTER_SCOPE": "node",
    "MUSTER_SITE": "h20-roce",
    "MUSTER_TEST": "node-all-reduce",
    "MUSTER_UNIT": "node-a",
    "FAKE_GPUS": "8",
    "FAKE_PRODUCT": "NVIDIA H20-3e",
}


@dataclass
class Ended:
    """What a pod left behind."""

    code: int
    stdout: str
    stderr: str
    message: str
    folder: Path
    records: list[dict[str, Any]] = field(default_factory=list)

    def __post_init__(self) -> None:
        lines = [line for line in self.stdout.splitlines() if line.startswith(MARK)]
        self.records = [json.loads(line.removeprefix(MARK)) for line in lines]

    def noted(self, name: str) -> str:
        """What a stand-in wrote down."""
        return (self.folder / name).read_text(encoding="utf-8", errors="replace")


class Pod:
    """One pod: a work folder, an environment, the script as its first process."""

    def __init__(
        self,
        folder: Path,
        mode: str,
        command: list[str],
        env: dict[str, str],
        shell: list[str],
        tools: Path = TOOLS,
    ) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder
        _devices(folder / "sys")
        named = {
            "MUSTER_MESSAGE": str(folder / "message"),
            "MUSTER_SYS": str(folder / "sys"),
            "MUSTER_WORK": str(folder / "work"),
            "FAKE_DIR": str(folder),
        }
        path = f"{tools}:{os.environ['PATH']}"
        self.process = subprocess.Popen(
            [*shell, str(SCRIPT), mode, *command],
            env={"PATH": path, **BASE, **named, **env},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
        self.lines: list[str] = []
        self.errors: list[str] = []
        self.seen = threading.Condition()
        self.readers = [
            threading.Thread(target=self._read, args=(self.process.stdout, self.lines), daemon=True),
            threading.Thread(target=self._read, args=(self.process.stderr, self.errors), daemon=True),
        ]
        for reader in self.readers:
            reader.start()

    def _read(self, stream: Any, into: list[str]) -> None:
        for raw in stream:
            with self.seen:
                into.append(raw.decode("utf-8", "replace"))
                self.seen.notify_all()

    def wait_for(self, text: str) -> None:
        """Wait until a line of output holds a text."""

        def there() -> bool:
            return any(text in line for line in (*self.lines, *self.errors))

        with self.seen:
            assert self.seen.wait_for(there, PATIENCE), f"{text!r} was never printed:\n{''.join(self.errors)}"

    def signal(self, number: signal.Signals) -> None:
        """Send a signal to the script alone, as the container runtime does."""
        self.process.send_signal(number)

    def kill(self) -> None:
        """End everything in the pod at once, as a node that goes away does."""
        for pid in self._processes():
            _kill(pid)

    def _processes(self) -> list[int]:
        """Everything that still runs in the pod: what shares the session that it began."""
        found = []
        for entry in Path("/proc").iterdir():
            if entry.name.isdecimal():
                try:
                    if os.getsid(int(entry.name)) == self.process.pid:
                        found.append(int(entry.name))
                except (ProcessLookupError, PermissionError):
                    continue
        return found

    def end(self) -> Ended:
        """Wait for the script and return what it left; nothing of the pod lives on."""
        try:
            code = self.process.wait(PATIENCE)
        finally:
            self.kill()
        for reader in self.readers:
            reader.join(PATIENCE)
        for stream in (self.process.stdout, self.process.stderr):
            assert stream is not None
            stream.close()
        message = self.folder / "message"
        text = message.read_text(encoding="utf-8") if message.exists() else ""
        return Ended(code, "".join(self.lines), "".join(self.errors), text, self.folder)


def _kill(pid: int) -> None:
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        return


def _devices(sysfs: Path) -> None:
    """Two RDMA devices as the kernel shows them."""
    for name, state in (("mlx5_0", "4: ACTIVE"), ("mlx5_1", "1: DOWN")):
        port = sysfs / "class/infiniband" / name / "ports/1"
        port.mkdir(parents=True, exist_ok=True)
        (port / "state").write_text(state + "\n")
        (port / "rate").write_text("200 Gb/sec (4X HDR)\n")
        (port / "link_layer").write_text("Ethernet\n")


def several(folder: Path, env: dict[str, str], nodes: list[str], absent: set[int]) -> dict[str, Any]:
    """Return what the pods of one run share: names, keys, environment."""
    net, keys = folder / "net", folder / "keys"
    net.mkdir(parents=True)
    keys.mkdir()
    for name in ("id_ed25519", "id_ed25519.pub", "authorized_keys"):
        (keys / name).write_text("ssh-ed25519 AAAAC3Nza comment\n")
    hosts = [f"job-{index}.job" for index in range(len(nodes))]
    known = [f"{host} 10.0.0.{index}\n" for index, host in enumerate(hosts) if index not in absent]
    (net / "names").write_text("".join(known))
    return {
        "FAKE_NET": str(net),
        "MUSTER_HEAD": hosts[0],
        "MUSTER_HOSTS": " ".join(hosts),
        "MUSTER_INTERFACE": "eth0",
        "MUSTER_LOST_SECONDS": "2",
        "MUSTER_POLL_SECONDS": "0.2",
        "MUSTER_RANKS": str(8 * len(nodes)),
        "MUSTER_SCOPE": "pair",
        "MUSTER_SSH_DIR": str(keys),
        "MUSTER_SSH_KEY": "id_ed25519",
        "MUSTER_SSH_PORT": "2222",
        "MUSTER_UNIT": " ".join(sorted(nodes)),
        "MUSTER_WAIT_SECONDS": "30",
        **env,
    }
