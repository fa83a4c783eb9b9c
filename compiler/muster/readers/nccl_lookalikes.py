"""Tools whose output looks like nccl-tests' and means something else: named, never read."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from muster.readers.model import problem, unreadable
from muster.readers.registry import Reader

if TYPE_CHECKING:
    from collections.abc import Callable

    from muster.readers.model import Reading
    from muster.readers.source import Source

_NCCOM = re.compile(r"size\(B\)\s+count\(elems\)\s+type\s+time")
_MSCCLPP = re.compile(r"^[^\w\n]{0,40}Initializing MSCCL\+\+", re.MULTILINE)
_OLD = re.compile(r"bytes\s+N\s+type\s+(?:op\s+)?(?:root\s+)?time\s+algbw\s+busbw\s+res\b")


def _reader(tool: str, pattern: re.Pattern[str], reason: str) -> Reader:
    def sniff(head: str, _name: str) -> int:
        return 97 if pattern.search(head) else 0

    return Reader(tool, sniff, _refuse(tool, reason), f"{tool}/1")


def _refuse(tool: str, reason: str) -> Callable[[Source], Reading]:
    def read(source: Source) -> Reading:
        return unreadable(source.name, tool, problem("MU706", reason, None))

    return read


READERS = (
    _reader(
        "nccom-test",
        _NCCOM,
        "this is nccom-test of AWS Neuron, not nccl-tests: it measures other collectives",
    ),
    _reader("mscclpp-test", _MSCCLPP, "this is mscclpp-test, not nccl-tests: it does not run NCCL"),
    _reader("nccl-tests", _OLD, "this is nccl-tests 1.x, which prints milliseconds; 2.0 and later are read"),
)
