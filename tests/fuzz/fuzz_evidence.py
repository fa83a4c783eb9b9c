"""Damage evidence that proves nothing at random, and look for a verdict that takes it for a proof.

Run ``python tests/fuzz/fuzz_evidence.py --seconds 60 --seed 1``. It prints each finding with the case and the
seed that show it again (``--case``, ``--seed``, ``--once``) and ends with 1 if there was one.

Each case is one attempt with one fault: the wrong transport, a slow network, wrong data, a kill, an exit code, a
round too few, a node short of a GPU, another driver, a failed check. Lines are dropped, doubled, moved, cut and
joined, prefixes put before them, digits changed that are not the fault itself; no such change may turn it into
a pass.
"""

from __future__ import annotations

import argparse
import hashlib
import random
import re
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples" / "h20-roce"
AS_OF = datetime(2026, 10, 20, tzinfo=UTC)
Json = dict[str, Any]
Texts = dict[str, str]


@dataclass(frozen=True)
class Case:
    """One attempt: its test, its files, what a user declares, and lines whose digits are the fault itself."""

    test: Json
    files: Texts
    declared: Json = field(default_factory=dict)
    fault: str = r"(?!)"


def _acceptance(**more: Any) -> Json:
    threshold = {"name": "t", "metric": "busbw", "at": {"bytes": 1 << 30, "placement": "out-of-place"}}
    threshold |= {"statistic": "median", "unit": "GB/s", "lower": 300.0, "upper": 520.0, "spread": 0.25}
    return {
        "validFor": 2592000,
        "rounds": 3,
        "validation": True,
        "thresholds": [threshold],
        "transport": {"require": ["NET/IB"], "forbid": ["NET/Socket"], "gpudirect": "required"},
        "checks": None,
        "preflight": None,
        **more,
    }


def _test(**more: Any) -> Json:
    from archive_helpers import logs

    software = {"driver": "580.126.20", "cuda": "12.9", "nccl": "2.27.3"}
    made = logs.desired(
        site="h20-roce",
        hardware={"product": "NVIDIA-H20-3e", "gpusPerNode": 8},
        software=software,
        **more.pop("measured", {}),
    )
    return {**made, "acceptance": _acceptance(**more)}


def _by_hand(log: str, **declared: Any) -> Json:
    """Return files and declarations of evidence gathered by hand: a log and an inventory of each node."""
    files = {"log": log}
    for node in ("node-a", "node-b"):
        files[f"{node}.csv"] = (EXAMPLES / f"{node}-gpus.csv").read_text("utf-8")
    nodes = {f"{node}.csv": node for node in ("node-a", "node-b")}
    said = {"test": "pair-all-reduce", "exit_code": 0, "end": "2026-10-14T08:10:00Z", "nodes": nodes}
    return {"files": files, "declared": {**said, **declared}}


def _pod(log: str, test: Json, drop: int | None = None, **more: Any) -> Texts:
    """Put the record lines of a pod around the rounds of a log; one round may be left out."""
    from archive_helpers import logs

    rounds = re.split(r"(?m)^(?=# nccl-tests version)", log)[1:]
    parts = []
    for number, text in enumerate(rounds, 1):
        if number == drop:
            continue
        for node in ("node-a", "node-b"):
            parts.append(logs.begin(test, number, node=node, **more.get("begin", {})))
        parts += [text, logs.end(number, **more.get("end", {}).get(number, {}))]
    return {"pod.log": "".join(parts) + logs.finish(**more.get("finish", {}))}


def _changed(log: str, pattern: str, by: str, count: int = 0) -> str:
    made, times = re.subn(pattern, by, log, count=count, flags=re.MULTILINE)
    assert times, pattern
    return made


@cache
def cases() -> dict[str, Case]:
    """Return the faulty attempts by name."""
    good = (EXAMPLES / "pair-roce-all-reduce.log").read_text("utf-8")
    tcp = (EXAMPLES / "pair-tcp-all-reduce.log").read_text("utf-8")
    test = _test()
    halved = {**test, "acceptance": _acceptance()}
    halved["acceptance"]["thresholds"][0] |= {"lower": 450.0}
    cut = good[: good.rindex("# Out of bounds")]
    wrong = _changed(good, r"^( +1073741824 .* )0( +[0-9.]+ +[0-9.]+ +[0-9.]+ +0)$", r"\g<1>5\2", 1)
    wrong = _changed(wrong, r"# Out of bounds values : 0 OK", "# Out of bounds values : 5 FAILED", 1)
    two = good[: good.rindex("# nccl-tests version")]
    seven = {**_by_hand(good)["files"]}
    seven["node-b.csv"] = "\n".join(seven["node-b.csv"].rstrip("\n").split("\n")[:-1]) + "\n"
    old = {**_by_hand(good)["files"]}
    old["node-b.csv"] = old["node-b.csv"].replace("580.126.20", "570.86.15")
    figures = r"^\s*(?:\S+ )*?\s*[0-9]+\s+[0-9]+\s+float|Avg bus"
    return {
        "tcp by hand": Case(test, **_by_hand(tcp), fault=figures),
        "tcp of a pod": Case(test, _pod(tcp, test), fault=figures),
        "slow by hand": Case(halved, **_by_hand(good), fault=figures),
        "slow of a pod": Case(halved, _pod(good, halved), fault=figures),
        "wrong data by hand": Case(test, **_by_hand(wrong), fault=r"Out of bounds|^\s+1073741824 "),
        "wrong data of a pod": Case(test, _pod(wrong, test), fault=r"Out of bounds|^\s+1073741824 "),
        "killed by hand": Case(test, **_by_hand(cut)),
        "killed of a pod": Case(
            test,
            _pod(cut, test, end={3: {"exit_code": 137, "signal": 9}}, finish={"exit_code": 137, "failed": 1}),
            fault="MUSTER-RECORD",
        ),
        "failed by hand": Case(test, **_by_hand(good, exit_code=3)),
        "failed of a pod": Case(
            test,
            _pod(good, test, end={2: {"exit_code": 3}}, finish={"exit_code": 3, "failed": 1}),
            fault="MUSTER-RECORD",
        ),
        "two rounds by hand": Case(test, **_by_hand(two)),
        "two rounds of a pod": Case(test, _pod(good, test, drop=2), fault="MUSTER-RECORD"),
        "seven GPUs": Case(test, seven, _by_hand(good)["declared"], fault="GPU|H20-3e"),
        "an old driver": Case(test, old, _by_hand(good)["declared"], fault="570"),
        "no validation": Case(
            test, **_by_hand(_changed(good, r"validation: 1", "validation: 0")), fault="validation"
        ),
    }


def verdict(case: Case, files: Texts) -> Json:
    """Return what becomes of an attempt: read, bound, assembled, kept in few bytes, judged."""
    from archive_helpers import logs
    from muster.archive.assemble import Part, assemble
    from muster.archive.binding import Declared, Plans
    from muster.archive.ingest import _REFUSING, _distinct, bind
    from muster.archive.summary import entry_of
    from muster.judge import judge
    from muster.readers import read_bytes

    declared = Declared(**case.declared)
    parts = []
    for name, text in files.items():
        data = text.encode("utf-8", "replace")
        digest = hashlib.sha256(data).hexdigest()
        parts.append(Part(name, digest, digest, len(data), 0, False, "x", read_bytes(name, data)))
    parts = [parts[index] for index in _distinct(parts, declared)]
    bound = bind(parts, declared, Plans([logs.plan(case.test)]))
    record, told = assemble(parts, bound, declared)
    if any(item.code in _REFUSING for item in (*bound.findings, *told)):
        return {"state": "refused", "reasons": []}
    kept = entry_of(record, "v1/h20-roce/x/a1/record.json", "t").record()
    return judge(case.test, [kept], as_of=AS_OF)


Change = Callable[[random.Random, list[str], "re.Pattern[str]"], list[str]]


def _span(rng: random.Random, lines: list[str], most: int) -> tuple[int, int]:
    start = rng.randrange(len(lines))
    return start, min(len(lines), start + rng.randint(1, most))


def _drop(rng: random.Random, lines: list[str], _: re.Pattern[str]) -> list[str]:
    start, end = _span(rng, lines, rng.choice((1, 3, 40, 200)))
    return lines[:start] + lines[end:]


def _double(rng: random.Random, lines: list[str], _: re.Pattern[str]) -> list[str]:
    start, end = _span(rng, lines, rng.choice((1, 3, 60, 400)))
    return lines[:end] + lines[start:end] + lines[end:]


def _move(rng: random.Random, lines: list[str], _: re.Pattern[str]) -> list[str]:
    start, end = _span(rng, lines, rng.choice((1, 5, 60)))
    rest = lines[:start] + lines[end:]
    at = rng.randrange(len(rest) + 1)
    return rest[:at] + lines[start:end] + rest[at:]


def _cut(rng: random.Random, lines: list[str], _: re.Pattern[str]) -> list[str]:
    return lines[: rng.randrange(1, len(lines) + 1)]


def _behead(rng: random.Random, lines: list[str], _: re.Pattern[str]) -> list[str]:
    return lines[rng.randrange(len(lines)) :]


def _prefix(rng: random.Random, lines: list[str], _: re.Pattern[str]) -> list[str]:
    words = ("[1,0]<stdout>:", "0: ", "2026-10-14T08:00:00.1Z ", "(pid=1) ", "# ", "x", "[pod/a/b] ")
    start, end = _span(rng, lines, rng.choice((1, 10, 10_000)))
    word = rng.choice(words)
    return lines[:start] + [word + line for line in lines[start:end]] + lines[end:]


def _digit(rng: random.Random, lines: list[str], fault: re.Pattern[str]) -> list[str]:
    at = rng.randrange(len(lines))
    places = [found.start() for found in re.finditer("[0-9]", lines[at])]
    if not places or fault.search(lines[at]):
        return lines
    place = rng.choice(places)
    return [
        *lines[:at],
        lines[at][:place] + rng.choice("0123456789") + lines[at][place + 1 :],
        *lines[at + 1 :],
    ]


def _join(rng: random.Random, lines: list[str], _: re.Pattern[str]) -> list[str]:
    start, end = _span(rng, lines, 3)
    return [*lines[:start], "".join(lines[start:end]), *lines[end:]]


CHANGES: tuple[Change, ...] = (_drop, _double, _move, _cut, _behead, _prefix, _digit, _join)


def damaged(name: str, seed: int) -> tuple[Texts, list[str]]:
    """Return the files of a case with one to three changes, and what these were."""
    rng = random.Random(f"{name} {seed}")
    case = cases()[name]
    files, said = dict(case.files), []
    fault = re.compile(case.fault)
    for _ in range(rng.randint(1, 3)):
        file = rng.choice(sorted(files))
        change = rng.choice(CHANGES)
        lines = files[file].split("\n")
        files[file] = "\n".join(change(rng, lines, fault))
        said.append(f"{change.__name__.strip('_')} in {file}")
        if rng.random() < 0.05 and len(files) > 1:
            said.append(f"without {file}")
            del files[file]
    return files, said


def attempt(name: str, seed: int) -> list[str]:
    """Return what is wrong with the verdict on one damage; empty when it stays no pass."""
    files, said = damaged(name, seed)
    found = verdict(cases()[name], files)
    if found["state"] != "satisfied":
        return []
    return [f"{name}, seed {seed}: satisfied after {', '.join(said)}"]


def main() -> int:
    """Look for as long as asked."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--case", choices=sorted(cases()))
    parser.add_argument("--once", action="store_true", help="only the damage of --case and --seed")
    asked = parser.parse_args()
    names = [asked.case] if asked.case else sorted(cases())
    until, seed, bad, tried = time.monotonic() + asked.seconds, asked.seed, 0, 0
    while time.monotonic() < until:
        for name in names:
            tried += 1
            for text in attempt(name, seed):
                bad += 1
                print(text)
        seed += 1
        if asked.once:
            break
    print(f"{tried} damages, {bad} taken for a proof")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.path[:0] = [str(ROOT / "tests")]
    sys.exit(main())
