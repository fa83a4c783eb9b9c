"""Lines that tell of a failure: the test program's own, the launcher's, the shell's."""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

from muster.readers.prefixes import holds_any

Kind = Literal["died", "trace", "exit", "stopped", "launch"]


class Failure(NamedTuple):
    """One line that tells of a failure.

    ``kind``: ``died`` a call failed; ``trace`` and ``exit`` follow any bad result, also wrong data;
    ``stopped`` somebody or a time limit ended it; ``launch`` the test was never started.
    """

    kind: Kind
    line: int
    text: str


_PATTERNS: tuple[tuple[Kind, re.Pattern[str]], ...] = (
    ("died", re.compile(r"Test (?:CUDA|NCCL|MPI) failure ")),
    ("trace", re.compile(r"^ *\.\. \S+ pid \d+: Test failure ")),
    (
        "stopped",
        re.compile(
            r"\bTest timeout\b|DUE TO TIME LIMIT|CANCELLED AT|\bOOMKilled\b"
            r"|exited on signal (?:9|15)\b|exit code 1(?:24|37|43)\b|: Killed$"
        ),
    ),
    (
        "died",
        re.compile(
            r"exited on signal \d+|Caught signal \d+|Segmentation fault|MPI_ABORT was invoked"
            r"|lost communication with"
        ),
    ),
    (
        "launch",
        re.compile(
            r"There are not enough slots available|Invalid number of GPUs: |error while loading shared libraries"
            r"|unable to find the specified executable|(?:access|find)(?: or execute)? an executable"
            r"|_perf: (?:command not found|not found|No such file)|ssh: connect to host "
            r"|(?:ORTE|PRTE) was unable to reliably start"
        ),
    ),
    ("exit", re.compile(r"exited with non-zero status|returned\s+a\s+non-zero exit code|exit code [1-9]")),
)

HINTS = (
    "Test ", "signal", "Killed", "xit code", "non-zero", "MPI_ABORT", "egmentation", "enough slots", "an executable",
    "specified executable", "number of GPUs", "shared libraries", "_perf: ", "RTE was", "communication with", "ssh:",
    "TIME LIMIT", "CANCELLED AT",
)  # fmt: skip


"""One of these is in every line that a pattern here matches."""


def find_failure(text: str, line: int) -> Failure | None:
    """Return what a line tells of a failure; None when it tells of none."""
    if not holds_any(text, HINTS):
        return None
    for kind, pattern in _PATTERNS:
        if pattern.search(text):
            return Failure(kind, line, text.strip())
    return None
