"""Write the sample evidence of the h20-roce site after its published figures; run it from anywhere.

Only the figures at 1 GiB are published: median and range over three rounds, out of place. Everything else here is
made to fit a real log's form: smaller sizes follow time = start-up + size / rate, in-place values equal the
out-of-place ones, device lines, bus ids, process ids and times are invented. Every record says `synthetic: true`.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent
GIB = 1 << 30
SIZES = [4096 * 4**power for power in range(10)]
FACTORS = {
    "all_reduce": lambda ranks: 2 * (ranks - 1) / ranks,
    "all_gather": lambda ranks: (ranks - 1) / ranks,
    "alltoall": lambda ranks: (ranks - 1) / ranks,
}
ASKED = "minBytes 4096 maxBytes 1073741824 step: 4(factor) warmup iters: 10 iters: 50"
PLACEMENT = "    time   algbw   busbw  #wrong "
HEADER = [
    "#",
    "#                                                            out-of-place                      in-place",
    "#       size         count      type   redop    root " + PLACEMENT * 2,
    "#        (B)    (elements)                         " + "    (us)  (GB/s)  (GB/s)        " * 2,
]
REDOP = {"all_reduce": "sum"}
VIA = {
    "node": "Channel {channel:02}/0 : {rank}[{device}] -> {peer}[{peer_device}] via P2P/CUMEM/read",
    "IB": "Channel {channel:02}/0 : {rank}[{device}] -> {peer}[{peer_device}] [send] via NET/IB/{device}/GDRDMA",
    "Socket": "Channel {channel:02}/0 : {rank}[{device}] -> {peer}[{peer_device}] [send] via NET/Socket/0",
}


@dataclass(frozen=True)
class Scenario:
    """One log: an operation on some nodes, with the published busbw of its rounds at 1 GiB in GB/s."""

    file: str
    op: str
    nodes: tuple[str, ...]
    rounds: tuple[float, float, float]
    net: str | None = None


AB = ("node-a", "node-b")
SCENARIOS = (
    Scenario("node-a-all-reduce.log", "all_reduce", ("node-a",), (465.02, 465.56, 466.02)),
    Scenario("node-a-all-gather.log", "all_gather", ("node-a",), (339.90, 341.38, 341.85)),
    Scenario("node-a-alltoall.log", "alltoall", ("node-a",), (293.55, 293.55, 293.76)),
    Scenario("node-b-all-reduce.log", "all_reduce", ("node-b",), (465.63, 465.73, 465.77)),
    Scenario("node-b-all-gather.log", "all_gather", ("node-b",), (341.62, 341.85, 342.42)),
    Scenario("node-b-alltoall.log", "alltoall", ("node-b",), (288.45, 288.66, 288.67)),
    Scenario("pair-roce-all-reduce.log", "all_reduce", AB, (363.76, 427.58, 452.28), "IB"),
    Scenario("pair-roce-all-gather.log", "all_gather", AB, (149.15, 172.73, 187.97), "IB"),
    Scenario("pair-roce-alltoall.log", "alltoall", AB, (37.69, 37.87, 42.26), "IB"),
    Scenario("pair-tcp-all-reduce.log", "all_reduce", AB, (2.14, 2.25, 2.29), "Socket"),
)


def fitted(value: float, width: int) -> str:
    """Print a figure as nccl-tests does since 2.17.3: as many of two decimals as fit."""
    for digits in (2, 1, 0):
        text = f"{value:.{digits}f}"
        if len(text) <= width:
            return text
    return f"{value:.{width - 6}e}"


def table(op: str, ranks: int, busbw_at_1g: float, start_up: float) -> list[str]:
    """Return the rows and the footer of one run."""
    factor = FACTORS[op](ranks)
    whole = GIB / (busbw_at_1g / factor * 1e3)
    rows, speeds = [], []
    for size in SIZES:
        time = start_up + (whole - start_up) * size / GIB
        algbw = size / time / 1e3
        busbw = algbw * factor
        speeds += [busbw, busbw]
        count = size // 4 if op == "all_reduce" else size // 4 // ranks
        cells = f"{fitted(time, 7):>7}  {fitted(algbw, 6):>6}  {fitted(busbw, 6):>6}"
        wrong = "N/A" if op == "alltoall" else "0"
        redop = REDOP.get(op, "none")
        rows.append(
            f"{size:>12}  {count:>12}     float  {redop:>6}      -1  {cells}       0  {cells}  {wrong:>6}"
        )
    average = sum(speeds) / len(speeds)
    return [*rows, "# Out of bounds values : 0 OK", f"# Avg bus bandwidth    : {average:g} ", "#"]


def run(scenario: Scenario, number: int, busbw: float) -> list[str]:
    """Return the text of one run: version, devices, transport, table."""
    ranks = 8 * len(scenario.nodes)
    pid = 4100
    lines = [
        "# nccl-tests version 2.17.9 nccl-headers=22703 nccl-library=22703",
        f"# Collective test starting: {scenario.op}_perf",
        f"# nThread 1 nGpus 1 {ASKED} agg iters: 1 validation: 1 graph: 0",
        "#",
        "# Using devices",
    ]
    for rank in range(ranks):
        node, device = scenario.nodes[rank // 8], rank % 8
        lines.append(
            f"#  Rank {rank:>2} Group  0 Pid {pid + rank:>6} on {node:>10} device {device:>2}"
            f" [0000:{0x18 + 0x11 * device:02x}:00] NVIDIA H20-3e"
        )
    lines += ["#", "NCCL version 2.27.3+cuda12.9"]
    for rank, text in via(scenario, ranks):
        process = f"{scenario.nodes[rank // 8]}:{pid + rank}:{pid + 900 + rank}"
        lines.append(f"{process} [{rank % 8}] NCCL INFO {text}")
    lines += HEADER
    start_up = {None: 24.0, "IB": 38.0, "Socket": 180.0}[scenario.net] + 0.37 * number
    lines += table(scenario.op, ranks, busbw, start_up)
    return [*lines, f"# Collective test concluded: {scenario.op}_perf", ""]


def via(scenario: Scenario, ranks: int) -> list[tuple[int, str]]:
    """Return the `via` lines of four channels: inside nodes, and between them where there are two."""
    found = []
    for channel in range(4):
        for rank in range(ranks):
            inside = rank - rank % 8 + (rank + 1) % 8
            peer = inside if scenario.net is None or rank % 8 != 2 * channel else (rank + 8) % ranks
            kind = "node" if peer // 8 == rank // 8 else scenario.net or "node"
            text = VIA[kind].format(
                channel=channel, rank=rank, device=rank % 8, peer=peer, peer_device=peer % 8
            )
            found.append((rank, text))
    return found


def diagnosis() -> str:
    """Return a DCGM 4.5.3 document of level 1 with eight passes, written as dcgmi does."""
    results = [
        {"entity_group": "GPU", "entity_group_id": 1, "entity_id": gpu, "status": "Pass"} for gpu in range(8)
    ]
    test = {"name": "software", "results": results, "test_summary": {"status": "Pass"}}
    entities = [{"device_id": "2329", "entity_id": gpu} for gpu in range(8)]
    document = {
        "DCGM Diagnostic": {"test_categories": [{"category": "Deployment", "tests": [test]}]},
        "entity_groups": [{"entities": entities, "entity_group": "GPU", "entity_group_id": 1}],
        "metadata": {"Driver Version Detected": "580.126.20", "version": "4.5.3"},
    }
    return json.dumps(document, indent="\t", sort_keys=True, separators=(",", " : ")) + "\n"


def inventory(node: str) -> str:
    """Return what nvidia-smi says of the eight GPUs of a node, as `--query-gpu=... --format=csv` prints it."""
    lines = ["index, name, uuid, pci.bus_id, driver_version, memory.total [MiB]"]
    for gpu in range(8):
        uuid = f"GPU-00000000-0000-4000-8000-{node.encode().hex()[-10:]}{gpu:02x}"
        bus = f"00000000:{0x18 + 0x11 * gpu:02X}:00.0"
        lines.append(f"{gpu}, NVIDIA H20-3e, {uuid}, {bus}, 580.126.20, 143771 MiB")
    return "\n".join(lines) + "\n"


OTHER = {
    "node-a-gpus.csv": inventory("node-a"),
    "node-b-gpus.csv": inventory("node-b"),
    "node-a-dcgm-level-1.json": diagnosis(),
    "node-b-dcgm-level-1.json": diagnosis(),
    "dcgm-missing-plugins.txt": (
        "Error: unable to load plugins: /usr/libexec/dcgm/plugins/cuda13: No such file or directory\n"
        "Error: Diagnostic could not be run because the NVVS binary failed.\n"
    ),
    "node-a-dcgm-level-2.txt": "dcgmi diag -r 2 -j\ntimeout: sending signal TERM to command 'dcgmi'\nKilled\n",
    "node-b-no-launcher.txt": "sh: 1: mpirun: not found\n",
}


def main() -> None:
    """Write every file."""
    for scenario in SCENARIOS:
        text = "\n".join(
            line for number, busbw in enumerate(scenario.rounds) for line in run(scenario, number, busbw)
        )
        (HERE / scenario.file).write_text(text, encoding="utf-8")
    for name, text in OTHER.items():
        (HERE / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
