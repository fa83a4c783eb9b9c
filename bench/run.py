"""Time whole processes: wall seconds and peak memory of the largest process."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

ROOT = Path(__file__).resolve().parent.parent
MUSTER = [str(Path(sys.executable).parent / "muster")]
KUSTOMIZE = ROOT / ".tools" / "bin" / "kustomize"


@dataclass(frozen=True)
class Timed:
    """Median wall seconds of some runs and the largest peak memory in MiB."""

    seconds: float
    mebibytes: float


def timed(command: Callable[[], Sequence[str]], runs: int, allowed: tuple[int, ...] = (0,)) -> Timed:
    """Run what ``command`` returns some times."""
    seconds, peaks = [], []
    for _ in range(runs):
        argv = command()
        start = time.perf_counter()
        process = subprocess.Popen(argv, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=ROOT)
        _, status, usage = os.wait4(process.pid, 0)
        seconds.append(time.perf_counter() - start)
        process.returncode = os.waitstatus_to_exitcode(status)
        peaks.append(usage.ru_maxrss / 1024)
        if process.returncode not in allowed:
            raise SystemExit(f"{' '.join(argv)} ended with {process.returncode}")
    return Timed(statistics.median(seconds), max(peaks))


def line(name: str, value: str, goal: str) -> None:
    """Print one figure beside what it should be."""
    print(f"{name:62} {value:>22}   goal {goal}")
