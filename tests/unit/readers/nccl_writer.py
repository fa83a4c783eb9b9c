"""Write logs as nccl-tests would: every figure follows from size, time, collective and ranks.

Times come from a latency, a rate and a jitter that depends on size, placement and seed only, so the same `Spec`
always gives the same bytes. Formats follow the tool's sources: fixed widths before 2.17.3, its getFloatStr after.
"""

from __future__ import annotations

import json
import zlib
from dataclasses import dataclass, field

WIDTH = {"int8": 1, "half": 2, "bfloat16": 2, "float": 4, "double": 8}
REDUCES = {"all_reduce", "reduce_scatter", "reduce", "sendrecv"}
ROOTED = {"broadcast", "reduce", "gather", "scatter"}
SHARED = {"all_gather", "reduce_scatter", "alltoall", "gather", "scatter", "hypercube"}
UNCHECKED_IN_PLACE = {"alltoall", "alltoallv", "sendrecv"}
OLD_COLUMNS = {
    "all_gather": (0, 0),
    "broadcast": (0, 1),
    "reduce": (1, 1),
    "gather": (0, 1),
    "scatter": (0, 1),
}


@dataclass
class Spec:
    """One run. ``layout``: 2.0, 2.9, 2.13, 2.14, 2.16, 2.17 or 2.19; sizes in bytes, rate in GB/s, latency in us."""

    op: str = "all_reduce"
    layout: str = "2.17"
    version: str | None = None
    hosts: list[str] = field(default_factory=lambda: ["node-a", "node-b"])
    gpus: int = 4
    one_process: bool = False
    device: str = "NVIDIA H20-3e"
    dtype: str = "float"
    redops: list[str] = field(default_factory=lambda: ["sum"])
    root: int = 0
    low: int = 1024
    high: int = 1 << 30
    factor: int = 8
    step: int = 0
    iters: int = 20
    warmup: int = 5
    check: int = 1
    cycles: int = 1
    reduced: int | None = None
    rate: float = 230.0
    latency: float = 30.0
    seed: int = 1
    wrong: dict[int, list[int]] = field(default_factory=dict)
    cpu_time: bool = False
    stamps: bool = False
    per_iteration: bool = False
    iterations_column: bool = False
    minimum: str = ""
    command: bool = False
    nccl: int = 22703
    library_line: bool = True
    info: str = ""
    footer: bool = True
    groups: int = 1

    @property
    def ranks(self) -> int:
        return len(self.hosts) * self.gpus

    @property
    def new_numbers(self) -> bool:
        return self.layout in ("2.17", "2.19")

    @property
    def old(self) -> bool:
        return self.layout in ("2.0", "2.9")

    def share(self) -> float:
        n = self.ranks // self.groups
        return {"all_reduce": 2.0, "hypercube": 0.0}.get(self.op, 1.0) * (n - 1) / n

    def sizes(self) -> list[int]:
        last = min(self.high, self.reduced or self.high)
        found, size = [], self.low
        while size <= last:
            found.append(size)
            size = size + self.step if self.step else size * self.factor
        return found


@dataclass
class Printed:
    """One row as printed: size, count, redop and, per placement, the texts of time, algbw, busbw and error."""

    size: int
    count: int
    redop: str
    root: str
    cells: list[list[str]]
    cycle: int


def number(value: float, width: int, *, new: bool) -> str:
    """Print a time (width 7) or a bandwidth (width 6) as the tool does."""
    if not new:
        if width == 6:
            return f"{value:6.2f}"
        return f"{value:7.2f}" if value < 100 else f"{value:7.1f}" if value < 10000 else f"{value:7.0f}"
    power, bound = 0, 1
    while value >= bound:
        bound *= 10
        power += 1
    if power < width - 2:
        return f"{value:{width}.2f}"
    if power < width - 1:
        return f"{value:{width}.1f}"
    if power < width + 1:
        return f"{value:{width}.0f}"
    return f"{value:{width}.1e}" if width >= 7 else f"{value:{width}.0e}"


def jitter(spec: Spec, size: int, placement: int, cycle: int) -> float:
    return 1 + (zlib.crc32(f"{spec.seed}/{size}/{placement}/{cycle}".encode()) % 1999 - 999) / 40000


def measure(spec: Spec, nominal: int, placement: int, cycle: int) -> tuple[int, int, float, float, float]:
    """Return size, count, time in us, algbw and busbw in GB/s."""
    width, n = WIDTH[spec.dtype], spec.ranks // spec.groups
    count = nominal // width
    if spec.op in SHARED:
        count = count // n if spec.old else (count // n) & -(16 // width)
    size = count * width * (n if spec.op in SHARED else 1)
    time = (spec.latency + size / spec.rate / 1000) * jitter(spec, nominal, placement, cycle)
    algbw = size / time / 1000
    if spec.op == "hypercube" or (spec.layout == "2.0" and spec.op in ("all_gather", "reduce_scatter")):
        algbw = algbw * (n - 1) / n
        return size, count, time, algbw, algbw
    factor = 1.0 if spec.op in ("broadcast", "reduce", "sendrecv") else spec.share()
    return size, count, time, algbw, algbw * factor


def rows(spec: Spec) -> tuple[list[Printed], list[float]]:
    """Return the printed rows and all exact bus bandwidths."""
    printed, exact = [], []
    for redop in spec.redops:
        for cycle in range(spec.cycles):
            for nominal in spec.sizes():
                cells, size, count = [], 0, 0
                for placement in range(2):
                    size, count, time, algbw, busbw = measure(spec, nominal, placement, cycle)
                    exact.append(busbw)
                    time = 2.5 * jitter(spec, nominal, placement, cycle) if spec.cpu_time else time
                    texts = [number(time, 7, new=spec.new_numbers)]
                    texts += [number(value, 6, new=spec.new_numbers) for value in (algbw, busbw)]
                    cells.append([*texts, error(spec, nominal, placement)])
                printed.append(Printed(size, count, cell_redop(spec, redop), cell_root(spec), cells, cycle))
    return printed, exact


def error(spec: Spec, nominal: int, placement: int) -> str:
    wrong = spec.wrong.get(nominal, [0, 0])[placement]
    if not spec.check or (placement and spec.op in UNCHECKED_IN_PLACE):
        return "N/A"
    if spec.old:
        return "1e+00" if wrong else "5e-07" if spec.op in REDUCES else "0e+00"
    return f"{wrong:g}"


def cell_redop(spec: Spec, redop: str) -> str:
    if spec.op in REDUCES:
        return redop
    return "" if spec.op == "hypercube" or spec.old or spec.layout == "2.13" else "none"


def cell_root(spec: Spec) -> str:
    return str(spec.root) if spec.op in ROOTED else "-1"


def columns(spec: Spec) -> tuple[bool, bool]:
    if not spec.old:
        return True, True
    redop, root = OLD_COLUMNS.get(spec.op, (1, 0))
    return bool(redop), bool(root)


def row_text(spec: Spec, row: Printed) -> str:
    redop, root = columns(spec)
    wide = 10 if not spec.old else 6
    parts = [f"{row.size:12d}  {row.count:12d}  {spec.dtype:>{wide - 2}}"]
    parts += [f"{row.redop:>6}"] if redop else []
    parts += [f"{row.root:>6}"] if root else []
    for cell in row.cells:
        parts.append(f"{cell[0]:>7}  {cell[1]:>6}  {cell[2]:>6}  {cell[3]:>5}")
        if spec.per_iteration:
            time = float(cell[0])
            figures = (time * 0.99, time * 1.01, time * 1.01, 0.71)
            parts.append("  ".join(number(value, 7, new=True) for value in figures))
    if spec.iterations_column:
        parts.append(f"{spec.iters:6d}")
    if spec.stamps:
        parts.append(f"  2026-10-14 08:{row.size.bit_length():02d}:{row.cycle:02d}")
    return "  ".join(parts)


def header(spec: Spec) -> list[str]:
    redop, root = columns(spec)
    one = f"{'cputime' if spec.cpu_time else 'time':>7}   algbw   busbw  {'error' if spec.old else '#wrong'}"
    if spec.per_iteration:
        one += "    i_min    i_max    i_p99    i_cv%"
    front = (
        "#       size         count      type" + ("   redop" if redop else "") + ("    root" if root else "")
    )
    tail = ("  #iters" if spec.iterations_column else "") + ("            timestamp" if spec.stamps else "")
    return [
        "#",
        "#" + " " * 61 + "out-of-place" + " " * 23 + "in-place          ",
        f"{front}  {one}  {one}{tail}",
        "#        (B)    (elements)                               (us)  (GB/s)  (GB/s)             (us)",
    ]


def head(spec: Spec) -> list[str]:
    lines = []
    if spec.command:
        unit = f"-i {spec.step}" if spec.step else f"-f {spec.factor}"
        lines.append(
            f"+ mpirun -np {spec.ranks} /opt/nccl-tests/build/{spec.op}_perf -b {spec.low} -e {spec.high} {unit}"
            f" -g {spec.gpus if spec.one_process else 1} -n {spec.iters} -w {spec.warmup} -c {spec.check}"
            + (f" -N {spec.cycles}" if spec.cycles > 1 else "")
        )
    if spec.version:
        lines.append(f"# nccl-tests version {spec.version} nccl-headers={spec.nccl} nccl-library={spec.nccl}")
    if spec.layout in ("2.16", "2.17", "2.19"):
        lines.append(f"# Collective test starting: {spec.op}_perf")
    step = f"{spec.step}(bytes)" if spec.step else f"{spec.factor}(factor)"
    config = (
        f"# nThread 1 nGpus {spec.gpus if spec.one_process else 1} minBytes {spec.low} maxBytes {spec.high} "
        f"step: {step} warmup iters: {spec.warmup} iters: {spec.iters} "
    )
    if spec.old:
        lines.append(f"{config}validation: {spec.check} ")
    else:
        unalign = " unalign: 0" if spec.layout == "2.19" else ""
        lines.append(f"{config}agg iters: 1 validation: {spec.check} graph: 0{unalign}")
    return [*lines, "#", "# Using devices", *devices(spec)]


def devices(spec: Spec) -> list[str]:
    lines = []
    for rank in range(spec.ranks):
        host, local = spec.hosts[rank // spec.gpus], rank % spec.gpus
        pid = 4000 + 100 * spec.seed + (rank // spec.gpus if spec.one_process else rank)
        group = "" if spec.old else f" Group {rank * spec.groups // spec.ranks:2d}"
        mark = "#   Rank" if spec.old else "#  Rank"
        bus = (
            f"[0x{16 + local:02x}]"
            if spec.layout in ("2.0", "2.9", "2.13")
            else f"[0000:{16 + local:02x}:00]"
        )
        lines.append(
            f"{mark} {rank:2d}{group} Pid {pid:6d} on {host:>10} device {local:2d} {bus} {spec.device}"
        )
    return lines


def footer(spec: Spec, exact: list[float]) -> list[str]:
    bad = sum(count > 0 for nominal in spec.sizes() for count in spec.wrong.get(nominal, []))
    bad *= spec.cycles * len(spec.redops) if spec.check else 0
    lines = [
        f"# Out of bounds values : {bad} {'FAILED' if bad else 'OK'}",
        f"# Avg bus bandwidth    : {sum(exact) / len(exact):g} {spec.minimum}".rstrip(" ")
        + " " * bool(spec.version),
        "#",
    ]
    if spec.layout in ("2.16", "2.17", "2.19"):
        lines += [f"# Collective test concluded: {spec.op}_perf", "#", ""]
    return lines


def write(spec: Spec) -> str:
    """Return the whole text of one run."""
    printed, exact = rows(spec)
    lines = head(spec)
    if spec.reduced:
        lines += ["#", f"# Reducing maxBytes to {spec.reduced} due to memory limitation"]
    if spec.library_line:
        code = spec.nccl
        lines.append(f"NCCL version {code // 10000}.{code // 100 % 100}.{code % 100}+cuda12.9")
    lines += header(spec)
    if spec.info:
        lines += info(spec)
    lines += [row_text(spec, row) for row in printed]
    if spec.footer:
        lines += footer(spec, exact)
    return "\n".join(lines) + "\n"


def info(spec: Spec) -> list[str]:
    """Return NCCL's channel lines: ``info`` names the path between nodes, ``IB/0/GDRDMA`` or ``Socket/0``."""
    lines, n = [], spec.ranks
    for rank in range(n):
        host, other = spec.hosts[rank // spec.gpus], (rank + 1) % n
        start = f"{host}:{4000 + 100 * spec.seed + rank}:{5000 + rank} [{rank % spec.gpus}] NCCL INFO"
        lines.append(
            f"{start} comm 0x55d0c0de rank {rank} nRanks {n} nNodes {len(spec.hosts)} localRanks {spec.gpus}"
            f" localRank {rank % spec.gpus} MNNVL 0"
        )
        for channel in range(2):
            between = f"{rank}[{rank % spec.gpus}] -> {other}[{other % spec.gpus}]"
            if rank // spec.gpus == other // spec.gpus:
                lines.append(f"{start} Channel {channel:02d}/0 : {between} via P2P/CUMEM/read")
            else:
                lines.append(f"{start} Channel {channel:02d}/0 : {between} [send] via NET/{spec.info}")
                lines.append(f"{start} Channel {channel:02d}/0 : {between} [receive] via NET/{spec.info}")
        lines.append(f"{start} Connected all rings, use ring PXN 0 GDR 1")
    return lines


def report(spec: Spec, version: int = 3) -> dict[str, object]:
    """Return the JSON report of the same run."""
    printed, exact = rows(spec)
    results = []
    for index, row in enumerate(printed):
        made: dict[str, object] = {
            "size": row.size,
            "count": row.count,
            "type": spec.dtype,
            "redop": row.redop,
        }
        made["root"] = f"{row.root:>6}"
        nominal = spec.sizes()[index % len(spec.sizes())]
        for placement, key in enumerate(("out_of_place", "in_place")):
            _, _, time, algbw, busbw = measure(spec, nominal, placement, row.cycle)
            wrong = row.cells[placement][3]
            made[key] = {
                "time": round(time, 6),
                "alg_bw": round(algbw, 6),
                "bus_bw": round(busbw, 6),
                "nwrong": None if wrong == "N/A" else float(wrong),
            }
        results.append({**made, "actual_iterations": spec.iters, "experiment_name": ""})
    bad = sum(count > 0 for pair in spec.wrong.values() for count in pair)
    average = "average_bus_bandwidith" if version == 1 else "average_bus_bandwidth"
    first = {"rank": 0, "group": 0, "pid": 4100, "hostname": spec.hosts[0], "device": 0}
    return {
        "version": version,
        "start_time": "2026-10-14 08:00:00",
        "args": [
            f"./build/{spec.op}_perf",
            "-b",
            str(spec.low),
            "-e",
            str(spec.high),
            "-f",
            str(spec.factor),
        ],
        "env": ["PATH=/usr/bin", "HF_TOKEN=hf_planted_secret"],
        "nccl_version": spec.nccl,
        "config": {
            "nthreads": 1,
            "ngpus": spec.ranks,
            "minimum_bytes": spec.low,
            "maximum_bytes": spec.high,
            "step_factor": spec.factor,
            "warmup_iters": spec.warmup,
            "iterations": spec.iters,
            "aggregated_iterations": 1,
            "validation": spec.check,
            "graph": 0,
            "blocking_collectives": "false",
            "parallel_init": "false",
            "devices": [{**first, "device_hex": "0000:1b:00", "device_info": spec.device}],
        },
        "results": results,
        "out_of_bounds": {"count": bad, "okay": "false" if bad else "true"},
        average: {average.rpartition("_")[2]: round(sum(exact) / len(exact), 6), "okay": "unchecked"},
        "errors": [""],
        "end_time": "2026-10-14 08:01:00",
    }


def report_text(spec: Spec, version: int = 3) -> str:
    return json.dumps(report(spec, version), separators=(",", ":")).replace("/", "\\/") + "\n"
