"""The pod script with the real ssh and sshd, where a machine has them: two pods on two loopback addresses."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
from pathlib import Path

import pytest

from render_helpers.pods import TOOLS, Ended, Pod, several

NODES = ["node-a", "node-b"]


@pytest.fixture
def tools(tmp_path: Path) -> Path:
    """Stand-ins for everything but ssh."""
    for name in ("ssh", "ssh-keygen"):
        if not shutil.which(name):
            pytest.skip(f"no {name} on this machine")
    if not (shutil.which("sshd") or Path("/usr/sbin/sshd").exists()):
        pytest.skip("no sshd on this machine")
    if os.getuid() == 0 and not Path("/run/sshd").is_dir():
        pytest.skip("sshd of root needs /run/sshd here")
    folder = tmp_path / "bin"
    folder.mkdir()
    for name in ("nvidia-smi", "all_reduce_perf", "mpirun", "getent"):
        (folder / name).symlink_to(TOOLS / name)
    # Pods have one path each for their work; on one machine they cannot, so paths are exchanged on the way.
    exchange = (
        "#!/bin/sh\n"
        "index=$(($(printf '%s' \"$3\" | sed 's/.*[.]//') - 2))\n"
        'there=$(dirname "$(dirname "$MUSTER_WORK")")/$index/work\n'
        f'exec {shutil.which("ssh")} -F "$2" "$3" "$(printf %s "$4" | sed "s#$MUSTER_WORK#$there#g")"\n'
    )
    (folder / "ssh").write_text(exchange)
    (folder / "ssh").chmod(0o755)
    return folder


def keys(folder: Path, name: str = "id_ed25519") -> None:
    for old in folder.iterdir():
        old.unlink()
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(folder / name)], check=True)
    shutil.copy(folder / f"{name}.pub", folder / "authorized_keys")


def free_port() -> str:
    with socket.socket() as probe:
        probe.bind(("127.0.0.2", 0))
        return str(probe.getsockname()[1])


def start(folder: Path, tools: Path, env: dict[str, str]) -> list[Pod]:
    shared = several(folder, {"MUSTER_SSH_PORT": free_port(), **env}, NODES, set())
    hosts = shared["MUSTER_HOSTS"].split()
    names = "".join(f"{host} 127.0.0.{index + 2}\n" for index, host in enumerate(hosts))
    (folder / "net/names").write_text(names)
    keys(folder / "keys")
    pods = []
    for index, node in enumerate(NODES):
        own = {
            "JOB_COMPLETION_INDEX": str(index),
            "MUSTER_ADDRESS": f"127.0.0.{index + 2}",
            "MUSTER_NODE": node,
        }
        command = ["all_reduce_perf", "-b", "4096"]
        pods.append(Pod(folder / str(index), "index", command, shared | own, ["/bin/sh"], tools))
    return pods


def events(ended: Ended) -> list[str]:
    return [record["event"] for record in ended.records]


def test_pods_meet_over_real_ssh(tools: Path, tmp_path: Path) -> None:
    first, second = (pod.end() for pod in start(tmp_path, tools, {"MUSTER_ROUNDS": "2"}))
    assert (first.code, second.code) == (0, 0), first.stderr + second.stderr
    assert events(first) == ["begin", "begin", "end"] * 2 + ["finish"]
    assert first.noted("hostfile").split() == ["127.0.0.2", "slots=8", "127.0.0.3", "slots=8"]


def test_a_stranger_gets_in_nowhere(tools: Path, tmp_path: Path) -> None:
    """Another key is refused, and a server with another key is not believed."""
    pods = start(tmp_path, tools, {"FAKE_PERF": "hang"})
    pods[0].wait_for("427.97")
    keys(tmp_path / "keys", "other")
    port = pods[0].folder.joinpath("work/ssh_config").read_text().split("Port ")[1].split()[0]
    base = ["ssh", "-p", port, "-o", "BatchMode=yes", "-o", f"HostKeyAlias={NODES[0]}"]
    trusting = ["-o", "StrictHostKeyChecking=no", "-o", "UserKnownHostsFile=/dev/null"]
    stranger = ["-o", "IdentitiesOnly=yes", "-i", str(tmp_path / "keys/other")]
    done = subprocess.run([*base, *trusting, *stranger, "127.0.0.3", "true"], capture_output=True, text=True)
    assert done.returncode == 255
    assert "Permission denied" in done.stderr
    config = str(pods[0].folder / "work/ssh_config")
    own = ["ssh", "-F", config, "-o", f"UserKnownHostsFile={tmp_path}/none", "127.0.0.3", "true"]
    done = subprocess.run(own, capture_output=True, text=True)
    assert done.returncode == 255
    assert "Host key verification failed" in done.stderr
    pods[0].signal(signal.SIGTERM)
    first, second = (pod.end() for pod in pods)
    assert (first.code, second.code) == (143, 0)
