"""Evidence: raw logs in, 100,000 records judged against 10,000 desired tests with a warm index."""

from __future__ import annotations

import copy
import hashlib
import json
import os
from typing import TYPE_CHECKING, Any

from bench.run import MUSTER, ROOT, line, timed

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

SITE = "bench"
LOG_BYTES = 200_000_000
_EXAMPLES = ROOT / "examples" / "h20-roce"
_AS_OF = "2026-10-20"


def measure_evidence(folder: Path, desired: int, records: int) -> None:
    """Print the figures of ingesting a large log, and of reconciling ``records`` against ``desired`` tests."""
    os.environ["XDG_CACHE_HOME"] = str(folder / "cache")
    output = folder / "generated"
    timed(lambda: [*MUSTER, "compile", "--repository", str(ROOT), "--output", str(output), "h20-roce"], 1)
    _measure_ingest(folder, output)
    plan, made = _archive(folder, output, desired, records)
    reconciling = [*MUSTER, "reconcile", SITE, "--no-compile", "--as-of", _AS_OF]
    reconciling += ["--output", str(plan), "--archive", str(folder / "many")]
    cold = timed(lambda: reconciling, 1, allowed=(0, 1))
    line(f"reconcile {desired} desired, {made} records, no index yet", f"{cold.seconds:.1f} s", "-")
    warm = timed(lambda: reconciling, 3, allowed=(0, 1))
    line("the same with a warm index", f"{warm.seconds:.2f} s", "< 5 s for 10,000 and 100,000")
    line("peak memory of one process", f"{warm.mebibytes:.0f} MiB", "<= 500 MiB")
    whole = timed(lambda: [*reconciling, "--format", "json"], 1, allowed=(0, 1))
    line("the same as JSON, everything in it", f"{whole.seconds:.2f} s", "-")
    line("peak memory of one process", f"{whole.mebibytes:.0f} MiB", "<= 500 MiB")


def _measure_ingest(folder: Path, output: Path) -> None:
    """Time one large raw log: NCCL's own lines with a table now and then, as a long run prints them."""
    log = folder / "large.log"
    chatter = _chatter()
    size = 0
    with log.open("w", encoding="utf-8") as stream:
        table = (_EXAMPLES / "pair-roce-all-reduce.log").read_text("utf-8")
        size += stream.write(table)
        while size < LOG_BYTES:
            size += stream.write(next(chatter))
    archives = iter(folder / f"raw-{index}" for index in range(99))

    def ingesting() -> list[str]:
        said = ["--site", "h20-roce", "--test", "pair-all-reduce", "--unit", "node-a,node-b", "--synthetic"]
        return [
            *MUSTER,
            *["ingest", "--output", str(output), "--archive", str(next(archives)), *said, str(log)],
        ]

    took = timed(ingesting, 3, allowed=(0, 1))
    line(
        f"ingest one log of {size / 1e6:.0f} MB", f"{size / 1e6 / took.seconds:.1f} MB/s", ">= 25 MB/s a core"
    )
    line("peak memory of one process", f"{took.mebibytes:.0f} MiB", "-")
    log.unlink()


def _chatter() -> Iterator[str]:
    """Yield blocks of lines of NCCL, none like the other."""
    number = 0
    while True:
        block = []
        for _ in range(1000):
            number += 1
            block.append(
                f"node-{'ab'[number % 2]}:{4000 + number % 8}:{5000 + number % 64} [{number % 8}] NCCL INFO"
                f" AllReduce: opCount {number:x} sendbuff 0x7f{number * 4096:010x} recvbuff 0x7f{number:010x}"
                f" count {number % 1048576} datatype 7 op 0 root 0 comm 0x55{number % 97:08x} [nranks=16]\n"
            )
        yield "".join(block)


def _archive(folder: Path, output: Path, desired: int, records: int) -> tuple[Path, int]:
    """Write a plan of many desired tests, and an archive in which each has as many attempts."""
    known = json.loads((output / "h20-roce" / "plan.json").read_text("utf-8"))
    ingested = folder / "few"
    listed = str(_EXAMPLES / "evidence.yaml")
    timed(
        lambda: [*MUSTER, "ingest", "--output", str(output), "--archive", str(ingested), "--list", listed], 1
    )
    wanted = {item["digest"]: item for item in known["desired"]}
    kinds = []
    for path in sorted((ingested / "v1" / "h20-roce").glob("*/*/record.json")):
        record = json.loads(path.read_text("utf-8"))
        if record["state"] == "complete" and record["runs"]:
            kinds.append((wanted[record["identity"]["digest"]], record))
    tests = [_test(*kinds[number % len(kinds)], number) for number in range(desired)]
    nodes = sorted({node for want, _ in tests for node in want["unit"]})
    plan = {**known, "site": SITE, "desired": [want for want, _ in tests], "waivers": {}, "disabled": {}}
    plan["pools"] = {"h20": {**known["pools"]["h20"], "nodes": nodes}}
    plan["tests"] = {name: {**test, "enabled": True} for name, test in known["tests"].items()}
    target = folder / "many-generated" / SITE
    target.mkdir(parents=True)
    (target / "plan.json").write_text(json.dumps(plan), "utf-8")
    each = max(1, records // desired)
    for number, (want, record) in enumerate(tests):
        for attempt in range(each):
            _write(folder / "many" / "v1" / SITE, want, record, number, attempt)
    return target.parent, each * desired


def _test(want: dict[str, Any], record: dict[str, Any], number: int) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return a desired test on nodes of its own, and the record to copy for it."""
    unit = [f"node-{number:06}-{index}" for index in range(len(want["unit"]))]
    name = f"{SITE}/h20/{want['test']}/{'+'.join(unit)}"
    measurement = {**want["measurement"], "site": SITE, "unit": unit}
    digest = "sha256:" + hashlib.sha256(name.encode()).hexdigest()
    return {
        **want,
        "id": name,
        "site": SITE,
        "unit": unit,
        "measurement": measurement,
        "digest": digest,
    }, record


def _write(folder: Path, want: dict[str, Any], record: dict[str, Any], number: int, attempt: int) -> None:
    """Write one attempt as the archive keeps it, with figures and times of its own."""
    from muster.archive.record import checksum

    made = copy.deepcopy(record)
    names = dict(zip(record["identity"]["unit"], want["unit"], strict=True))
    made["identity"] |= {key: want[key] for key in ("site", "unit", "digest")}
    made["measurement"] = want["measurement"]
    made["coverage"] |= dict.fromkeys(("targeted", "exercised"), want["unit"])
    for key in ("nodes", "gpus"):
        made["environment"][key] = {names[node]: value for node, value in made["environment"][key].items()}
    for run in made["runs"]:
        run["hosts"] = [names[host] for host in run["hosts"]]
        run["devices"] = [{**device, "host": names[device["host"]]} for device in run["devices"]]
        for row in run["rows"]:
            for side in ("outOfPlace", "inPlace"):
                row[side]["timeUs"] = round(row[side]["timeUs"] + attempt / 100 + number / 1e6, 6)
    identity = hashlib.sha256(f"{want['id']} {attempt}".encode()).hexdigest()[:20]
    made["attempt"] |= {"id": f"a{identity}", "end": f"2026-10-{8 + attempt % 10:02}T{number % 24:02}:00:00Z"}
    made["attempt"]["start"] = None
    made["synthetic"] = True
    made["checksum"] = checksum(made)
    place = folder / want["digest"].removeprefix("sha256:") / made["attempt"]["id"]
    place.mkdir(parents=True)
    text = json.dumps(made, sort_keys=True, separators=(",", ":"))
    (place / "record.json").write_text(text + "\n", "utf-8")
