"""Damage the inputs of all reader cases at random and look for a reading that must not be.

Run ``python tests/fuzz/fuzz_readers.py --seconds 60 --seed 1``. It prints each finding with the command that
shows it again and ends with 1 if there was one. ``--case`` and ``--seed`` repeat a single damage.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
CASES = ROOT / "tests" / "cases" / "readers"
EXAMPLES = ROOT / "examples"
LIMIT = 400_000
UNCLEAN = re.compile("[\x00-\x08\x0a-\x1f\x7f-\x9f\ud800-\udfff]")

Change = Callable[[random.Random, bytes], bytes]


def corpus() -> dict[str, bytes]:
    """Return every input of every reader case, the files beside them, and the example evidence, by name."""
    from ruamel.yaml import YAML

    from unit.readers.nccl_cases import make

    found: dict[str, bytes] = {}
    for path in sorted(CASES.rglob("*")):
        name = str(path.relative_to(CASES))
        if not path.is_file() or path.stat().st_size > LIMIT:
            continue
        if path.suffix not in (".yaml", ".yml"):
            found[name] = path.read_bytes()
            continue
        document = YAML(typ="safe", pure=True).load(path.read_text("utf-8"))
        for case in document if isinstance(document, list) else [document]:
            text = case.get("input") if isinstance(case, dict) else None
            if text is None and isinstance(case, dict) and {"runs", "report", "text"} & set(case):
                text = make(case)
            if isinstance(text, str) and len(text) <= LIMIT:
                found[f"{name}:{case.get('name')}"] = text.encode("utf-8", "replace")
    for path in sorted(EXAMPLES.rglob("*")):
        if path.suffix in (".log", ".txt", ".json") and path.stat().st_size <= LIMIT:
            found[f"examples/{path.relative_to(EXAMPLES)}"] = path.read_bytes()
    return found


def texts(value: Any) -> Iterator[str]:
    """Yield every text in a reading, keys too."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, item in value.items():
            yield str(key)
            yield from texts(item)
    elif isinstance(value, list):
        for item in value:
            yield from texts(item)


def all_problems(reading: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the problems of a reading and of its runs."""
    return [
        *reading["problems"],
        *(one for run in reading.get("runs", []) for one in run.get("problems", [])),
    ]


def faults(data: bytes) -> list[str]:
    """Read bytes and return what no reading may be; empty when all is well."""
    from muster.diagnostics import all_codes
    from muster.readers import read_bytes

    reading = read_bytes("fuzz", data)
    found = []
    shown = json.dumps(reading, allow_nan=False, sort_keys=True)
    if shown != json.dumps(read_bytes("fuzz", data), allow_nan=False, sort_keys=True):
        found.append("a second reading of the same bytes is another")
    dirty = next((text for text in texts(reading) if UNCLEAN.search(text)), None)
    if dirty is not None:
        found.append(f"a control character in {dirty[:120]!a}")
    for item in all_problems(reading):
        if item["code"] not in all_codes() or item["severity"] not in ("error", "warning", "info"):
            found.append(f"a problem of an unknown kind: {item}")
        if not item["message"].isprintable():
            found.append(f"a message that is not printable: {item['message'][:120]!a}")
    if reading["state"] not in ("complete", "incomplete", "errored", "unreadable"):
        found.append(f"state {reading['state']}")
    for holder in (reading, *reading.get("runs", [])):
        worst = any(item["severity"] == "error" for item in holder.get("problems", []))
        if worst and holder.get("state") == "complete":
            found.append("complete with a problem that is an error")
    if reading["state"] == "complete" and any(run["state"] != "complete" for run in reading.get("runs", [])):
        found.append("complete with a run that is not")
    return found


def passes(reading: dict[str, Any]) -> set[tuple[Any, ...]]:
    """Return the checks that passed."""
    checks = reading.get("checks") or []
    return {(one["name"], one["entity"]) for one in checks if one["status"] == "pass"}


def wrongs(reading: dict[str, Any]) -> Counter[tuple[Any, ...]]:
    """Return the number of wrong values by operation, size and placement; -1 where it was not looked at."""
    found: Counter[tuple[Any, ...]] = Counter()
    for run in reading.get("runs") or []:
        for row in run.get("rows") or []:
            for place in ("outOfPlace", "inPlace"):
                wrong = (row.get(place) or {}).get("wrong")
                key = (run.get("op"), row.get("bytes"), place)
                found[key] = max(found.get(key, -1), -1 if wrong is None else wrong)
    return found


def better(after: dict[str, Any], before: dict[str, Any]) -> list[str]:
    """Return in what a reading is better than another: state, checks that pass, wrong values, goodput."""
    found = []
    if after["state"] == "complete" and before["state"] != "complete":
        found.append(f"state {before['state']} became complete")
    if more := passes(after) - passes(before):
        found.append(f"more checks pass: {sorted(map(str, more))[:3]!a}")
    wrong = wrongs(before)
    for key, value in wrongs(after).items():
        if key in wrong and ((value < wrong[key] and value >= 0) or wrong[key] < 0 <= value):
            found.append(f"wrong values went from {wrong[key]} to {value} at {key}")
    ratios = [(one.get("goodput") or {}).get("ratio") for one in (after, before)]
    if ratios[0] is not None and (ratios[1] is None or ratios[0] > ratios[1] + 1e-9):
        found.append(f"goodput went from {ratios[1]} to {ratios[0]}")
    return found


def improves(before: bytes, after: bytes) -> list[str]:
    """Return in what a damaged file reads better than the whole one without any new problem."""
    from muster.readers import read_bytes

    old, new = read_bytes("fuzz", before), read_bytes("fuzz", after)
    if {item["code"] for item in all_problems(new)} - {item["code"] for item in all_problems(old)}:
        return []
    return better(new, old)


def _spot(rng: random.Random, data: bytes) -> int:
    return rng.randrange(len(data) + 1)


def truncate(rng: random.Random, data: bytes) -> bytes:
    """Cut the end off."""
    return data[: _spot(rng, data)]


def behead(rng: random.Random, data: bytes) -> bytes:
    """Cut the begin off."""
    return data[_spot(rng, data) :]


def noise(rng: random.Random, data: bytes) -> bytes:
    """Put random bytes somewhere."""
    at = _spot(rng, data)
    return data[:at] + rng.randbytes(rng.randrange(1, 40)) + data[at:]


def noise_line(rng: random.Random, data: bytes) -> bytes:
    """Put a line of random bytes between two."""
    lines = data.splitlines(keepends=True)
    lines.insert(
        rng.randrange(len(lines) + 1), rng.randbytes(rng.randrange(1, 60)).replace(b"\n", b"") + b"\n"
    )
    return b"".join(lines)


def flip(rng: random.Random, data: bytes) -> bytes:
    """Change single bytes."""
    changed = bytearray(data)
    for _ in range(rng.randrange(1, 8)):
        if changed:
            changed[rng.randrange(len(changed))] = rng.randrange(256)
    return bytes(changed)


def digit(rng: random.Random, data: bytes) -> bytes:
    """Change one number to one that is odd."""
    numbers = list(re.finditer(rb"\d+(?:\.\d+)?", data))
    if not numbers:
        return data
    at = rng.choice(numbers)
    odd = [b"0", b"-1", b"nan", b"inf", b"1e999", b"9" * 400, b"1e-400", b"0x10", b"1_0", b"", "١".encode()]
    return data[: at.start()] + rng.choice(odd) + data[at.end() :]


def drop_line(rng: random.Random, data: bytes) -> bytes:
    """Take a line out."""
    lines = data.splitlines(keepends=True)
    if lines:
        del lines[rng.randrange(len(lines))]
    return b"".join(lines)


def double_line(rng: random.Random, data: bytes) -> bytes:
    """Write a line twice."""
    lines = data.splitlines(keepends=True)
    if lines:
        at = rng.randrange(len(lines))
        lines.insert(at, lines[at])
    return b"".join(lines)


def strange_line(rng: random.Random, data: bytes) -> bytes:
    """Put a line of somebody else between two."""
    lines = data.splitlines(keepends=True)
    strange = [
        b"\x1b[31mERROR\x1b[0m | $(reboot) <script> `x`\n",
        b"\xe2\x80\xae reversed\n",
        b"node-a:1:1 [0] NCCL INFO Channel 00/0 : 0[0] -> 1[1] via NET/Socket/0\n",
        b"x" * 70_000 + b"\n",
        b"\x00" * 50 + b"\n",
        b"{\n",
        b"MUSTER-RECORD {\n",
        b'MUSTER-RECORD {"v": 1, "event": "end", "round": NaN, "exit": 0}\n',
        b'MUSTER-RECORD {"v": 1, "event": "end", "event": "finish", "round": 1, "exit": 0}\n',
        b'MUSTER-RECORD {"v": 1, "event": "begin", "a": ' + b"[" * 5000 + b"}\n",
        b'MUSTER-RECORD {"v": 1, "event": "end", "round": 1e999, "exit": 0}\n',
        b'MUSTER-RECORD {"v": 1, "event": "end", "round": ' + b"9" * 5000 + b"}\n",
        b'MUSTER-RECORD {"v": 1, "event": "begin", "node": "\\u001b[2J\\ud800"}\n',
        b"# Out of bounds values : 0 OK\n",
        b"[pod/a/b] 2026-03-02T10:00:00Z \n",
    ]
    lines.insert(rng.randrange(len(lines) + 1), rng.choice(strange))
    return b"".join(lines)


def swap(rng: random.Random, data: bytes) -> bytes:
    """Let two lines change places."""
    lines = data.splitlines(keepends=True)
    if len(lines) > 1:
        a, b = rng.sample(range(len(lines)), 2)
        lines[a], lines[b] = lines[b], lines[a]
    return b"".join(lines)


def splice(rng: random.Random, data: bytes) -> bytes:
    """Repeat or move a part."""
    a, b = sorted((_spot(rng, data), _spot(rng, data)))
    at = _spot(rng, data)
    return data[:at] + data[a : min(b, a + 5000)] + data[at:]


def returns(rng: random.Random, data: bytes) -> bytes:
    """Write other line ends, or take them away."""
    return data.replace(b"\n", rng.choice([b"\r\n", b"\r", b" \r", b"\n\n", b" ", b"\x0b"]))


def nest(rng: random.Random, data: bytes) -> bytes:
    """Put deep brackets somewhere."""
    at = _spot(rng, data)
    return data[:at] + rng.choice([b"[", b'{"a":', b"- ", b"&a [*a,"]) * rng.randrange(1, 3000) + data[at:]


CHANGES: tuple[Change, ...] = (
    truncate,
    behead,
    noise,
    noise_line,
    flip,
    digit,
    drop_line,
    double_line,
    strange_line,
    swap,
    splice,
    returns,
    nest,
)
HARMLESS: tuple[Change, ...] = (truncate, double_line, strange_line, noise_line)


def damaged(rng: random.Random, data: bytes) -> bytes:
    """Return bytes after one to three random changes."""
    for _ in range(rng.choice((1, 1, 2, 3))):
        data = rng.choice(CHANGES)(rng, data)[: 2 * LIMIT]
    return data


def attempt(data: bytes, seed: int) -> list[str]:
    """Damage one input by a seed, in two ways, and return what is wrong with the readings."""
    rng = random.Random(seed)
    found = faults(damaged(rng, data))
    kind = rng.choice(HARMLESS)
    return found + [
        f"{kind.__name__}: {text}" for text in improves(data, kind(rng, data)) if counts(kind, data)
    ]


def counts(kind: Change, data: bytes) -> bool:
    """Whether a better reading after this change is a fault.

    Where a file is not complete, cutting its end off may take the very lines away that say so, and a line in the
    middle of a broken JSON document may make it text of no meaning.
    """
    from muster.readers import read_bytes

    if read_bytes("fuzz", data)["state"] == "complete":
        return True
    return kind is not truncate and not data.lstrip().startswith((b"{", b"["))


def main() -> int:
    """Damage inputs until the time is over."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=30)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--case", help="only inputs whose name holds this text")
    parser.add_argument("--once", action="store_true", help="try exactly this seed on each input")
    parser.add_argument("--keep", type=Path, help="write inputs that fail into this folder")
    given = parser.parse_args()
    inputs = {name: data for name, data in corpus().items() if not given.case or given.case in name}
    shared = Path(os.environ.get("MUSTER_SHARED", ROOT.parent / "shared")) / "samples"
    for path in sorted(shared.rglob("*.*")) if shared.is_dir() else ():
        name = f"samples/{path.relative_to(shared)}"
        if path.is_file() and path.stat().st_size <= LIMIT and (not given.case or given.case in name):
            inputs[name] = path.read_bytes()
    names, seed, tried, seen = sorted(inputs), given.seed, 0, Counter[str]()
    end = time.monotonic() + given.seconds
    while names and ((given.once and tried < len(names)) or (not given.once and time.monotonic() < end)):
        name = names[tried % len(names)] if given.once else names[random.Random(seed).randrange(len(names))]
        tried += 1
        try:
            found = attempt(inputs[name], seed)
        except Exception as error:  # noqa: BLE001 a crash is what this looks for
            found = [f"crash {type(error).__name__}: {str(error)[:200]!a}"]
        for text in found:
            kind = f"{name.split(':')[0]} {text[:60]}"
            seen[kind] += 1
            if seen[kind] == 1:
                print(f"{name}\n  {text}\n  --once --seed {seed} --case {name!a}", flush=True)
        seed += 0 if given.once else 1
    print(f"{tried} damaged inputs of {len(names)}, {sum(seen.values())} findings", file=sys.stderr)
    return 1 if seen else 0


if __name__ == "__main__":
    sys.path[:0] = [str(ROOT / "compiler"), str(ROOT / "tests")]
    raise SystemExit(main())
