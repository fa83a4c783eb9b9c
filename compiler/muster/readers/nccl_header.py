"""The lines of nccl-tests around its table: version, program, options, devices, column names, footer.

Every pattern takes the line without prefixes; the leading ``#`` may be missing, as Markdown and some
terminals swallow it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import NamedTuple

from muster.readers.nccl_number import Figure, figure

_HASH = r"[#\s]*"

VERSION = re.compile(
    _HASH
    + r"nccl-tests version (\d+(?:\.\d+){1,3}\S*)(?: nccl-headers=(\d{3,6}) nccl-library=(\d{3,6}))?\s*",
    re.ASCII,
)
RCCL = re.compile(_HASH + r"rccl-tests: Version ?(\S*)\s*", re.ASCII)
STARTING = re.compile(_HASH + r"Collective test starting: (\S+)\s*")
CONCLUDED = re.compile(_HASH + r"Collective test concluded: (\S+)\s*")
CONFIG = re.compile(
    _HASH + r"nThread (\d{1,6}) nGpus (\d{1,6}) minBytes (\d{1,19}) maxBytes (\d{1,19}) "
    r"step: (\d{1,19})\((factor|bytes)\) warmup iters: (\d{1,9}) iters: (\d{1,9})"
    r"(?: agg iters: (\d{1,9}))? validation: (\d{1,9})(?: graph: (\d{1,9}))?(?: unalign: (\d{1,9}))?\s*",
    re.ASCII,
)
DEVICES = re.compile(_HASH + r"Using devices\s*")
DEVICE = re.compile(
    _HASH + r"Rank\s+(\d{1,7})(?:\s+Group\s+(\d{1,7}))?\s+Pid\s+(\d{1,10})\s+on\s+(\S+)\s+device\s+(\d{1,4})"
    r"\s+\[([^\]]*)\](.*)",
    re.ASCII,
)
DEVICE_START = re.compile(_HASH + r"Rank\s+\d+\s")
REDUCING = re.compile(_HASH + r"Reducing maxBytes to (\d{1,19}) due to memory limitation\s*", re.ASCII)
BLOCKING = re.compile(_HASH + r"Blocking Enabled: (.*)")
PLACEMENTS = re.compile(_HASH + r"(?:(?:out-of-place|in-place)(?:\s*\(\+ per-iteration\))?\s*){1,2}")
COLUMNS = re.compile(_HASH + r"(size\s+count\s+type\s.*\S)\s*")
UNITS = re.compile(_HASH + r"\(B\)\s+\(elements\).*")
OUT_OF_BOUNDS = re.compile(_HASH + r"Out of bounds values\s*: (\d{1,12}) (OK|FAILED)\s*", re.ASCII)
AVERAGE = re.compile(_HASH + r"Avg bus bandwidth\s*: (\S+)(?: (OK|FAILED))?\s*", re.ASCII)
LAST_ERROR = re.compile(r"\s*# error: (.*\S.*)")
NCCL_VERSION = re.compile(r"(?:^|\s)NCCL version (\d+\.\d+(?:\.\d+)?)\S*?(?:\+cuda(\d+\.\d+))?\s*$", re.ASCII)
RCCL_LIBRARY = re.compile(r"(?:^|\s)RCCL version ?:? ?(\d+\.\d+(?:\.\d+)?)", re.ASCII)
_STARTS = (
    "nccl-tests version", "Collective test (?:starting|concluded)", r"nThread \d", "Using devices",
    r"Rank\s+\d+\s+(?:Group|Pid)\b", "Reducing maxBytes", r"size\s+count\s", "Out of bounds values",
    "Avg bus bandwidth",
)  # fmt: skip
LOOKS = re.compile(f"{_HASH}(?:{'|'.join(_STARTS)})")
"""A line that should match one of the patterns above; when it does not, it was cut or changed."""

MARKS = ("nccl-tests version", "Collective test", "nThread ", "Using devices", "Rank ", "Reducing maxBytes",
         "out-of-place", "in-place", "algbw", "(elements)", "Out of bounds", "Avg bus", "# error:",
         "CCL version", "rccl-tests", "Blocking Enabled")  # fmt: skip
"""One of these is in every line that a pattern here matches; cheaper to look for than to match them all."""


class Config(NamedTuple):
    """The options that the nThread line repeats; sizes in bytes, None for what the version does not print."""

    threads: int
    gpus: int
    min_bytes: int
    max_bytes: int
    step: int
    by_factor: bool
    warmup: int
    iters: int
    agg_iters: int | None
    validation: int
    graph: int | None


class Device(NamedTuple):
    """One rank line."""

    rank: int
    group: int
    pid: int
    host: str
    device: int
    bus: str
    name: str


@dataclass(frozen=True, slots=True)
class Layout:
    """What the line of column names announces.

    Attributes:
        redop: there is a redop column (its cell may be blank).
        root: there is a root column.
        cpu_time: times are launch times of the CPU; algbw does not follow from them.
        deviation: the last column of a placement is ``error``, a deviation, not ``#wrong``, a count.
        extras: columns after each placement's wrong column.
        placements: which placements the header has columns for, in order: True for out-of-place. Empty when
            it has one set of columns and does not say for which; rows with two sets are still understood.
        iterations: a last column with the iterations done.
        stamped: each row ends with a date and a time.
    """

    redop: bool
    root: bool
    cpu_time: bool
    deviation: bool
    extras: tuple[str, ...]
    placements: tuple[bool, ...]
    iterations: bool
    stamped: bool


def config_of(found: re.Match[str]) -> Config:
    """Make the options of a match of `CONFIG`."""
    optional = [None if found[group] is None else int(found[group]) for group in (9, 11)]
    threads, gpus, low, high, step = (int(found[group]) for group in range(1, 6))
    warmup, iters, validation = int(found[7]), int(found[8]), int(found[10])
    by_factor = found[6] == "factor"
    return Config(
        threads, gpus, low, high, step, by_factor, warmup, iters, optional[0], validation, optional[1]
    )


def device_of(found: re.Match[str]) -> Device:
    """Make the device of a match of `DEVICE`; a version that prints no group has group 0."""
    rank, group, pid, device = int(found[1]), int(found[2] or 0), int(found[3]), int(found[5])
    return Device(rank, group, pid, found[4], device, found[6], found[7].strip())


def average_of(token: str) -> Figure | None:
    """Read the average; it has six digits that count, also where trailing zeros were dropped."""
    number = figure(token)
    if number is None or number.value == 0:
        return number
    exponent = int(f"{number.value:e}".partition("e")[2])
    return Figure(number.value, 0.5 * 10.0 ** (exponent - 5))


def layout_of(names: str, words: str) -> Layout | str:
    """Make the layout of a line of column names.

    Args:
        names: the names, as matched by `COLUMNS`.
        words: the line above it with the placements; empty when there was none.

    Returns:
        The layout, or why the names cannot be understood.
    """
    tokens = names.split()
    stamped = tokens[-1:] == ["timestamp"]
    tokens = tokens[: len(tokens) - stamped]
    iterations = tokens[-1] in ("#iters", "iters")
    tokens = tokens[: len(tokens) - iterations]
    starts = [index for index, token in enumerate(tokens) if token in ("time", "cputime")]
    if not starts:
        return "it has no time column"
    front = tokens[3 : starts[0]]
    if front not in ([], ["redop"], ["root"], ["redop", "root"]):
        return f"it has unknown columns before time: {' '.join(front)[:60]}"
    groups = [tokens[start:end] for start, end in zip(starts, [*starts[1:], len(tokens)], strict=True)]
    if len(groups) > 2 or any(group != groups[0] for group in groups):
        return "its placements do not have the same columns"
    group = groups[0]
    if group[1:3] != ["algbw", "busbw"] or group[3:4] not in (["#wrong"], ["wrong"], ["error"]):
        return "its columns are not time, algbw, busbw and #wrong or error"
    extras = tuple(group[4:])
    if extras not in ((), ("i_min", "i_max", "i_p99", "i_cv%")):
        return f"it has unknown columns: {' '.join(extras)[:60]}"
    placements = _placements(len(groups), words)
    deviation, cpu_time = group[3] == "error", group[0] == "cputime"
    return Layout(
        "redop" in front, "root" in front, cpu_time, deviation, extras, placements, iterations, stamped
    )


def _placements(groups: int, words: str) -> tuple[bool, ...]:
    """Tell the placements of a header; one set of columns is only understood with exactly one word above."""
    if groups == 2:
        return (True, False)
    named = ("out-of-place" in words, "in-place" in words)
    return () if named[0] == named[1] else (named[0],)


def version_text(code: int) -> str:
    """Return an NCCL version code as text: 22703 is 2.27.3, 2804 (before 2.9) is 2.8.4."""
    if code >= 10000:
        return f"{code // 10000}.{code // 100 % 100}.{code % 100}"
    return f"{code // 1000}.{code // 100 % 10}.{code % 100}"
