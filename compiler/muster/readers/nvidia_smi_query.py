"""Read ``nvidia-smi -q``: a tree by indentation, one block for each GPU."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from muster.diagnostics.words import counted
from muster.readers.figures import whole
from muster.readers.model import quoted
from muster.readers.nvidia_smi_values import Inventory

if TYPE_CHECKING:
    from collections.abc import Iterable

    from muster.readers.rounds import Numbered

TITLE = re.compile(r"=+NVSMI LOG=+")
_GPU = re.compile(r"GPU ([0-9A-Fa-f]{4,8}:[0-9A-Fa-f]{2}:[0-9A-Fa-f]{2}\.[0-9A-Fa-f])")
_PAIR = re.compile(r"( {0,60})(\S.{0,120}?)\s{0,80} : ?(.{0,400})")
_VALUES = 5000
_COUNTERS: tuple[set[str], ...] = (
    {"SRAM Uncorrectable", "DRAM Uncorrectable"},
    {"SRAM Uncorrectable Parity", "SRAM Uncorrectable SEC-DED", "DRAM Uncorrectable"},
    {"Double Bit/Total"},
)


@dataclass(slots=True)
class _Block:
    """One GPU: values and their lines by path, ``FB Memory Usage/Total``."""

    line: int
    bus: str
    values: dict[str, tuple[str, int]] = field(default_factory=dict)
    stack: list[tuple[int, str]] = field(default_factory=list)

    @property
    def sections(self) -> set[str]:
        return {path.partition("/")[0] for path in self.values}


def read_query(lines: Iterable[Numbered]) -> Inventory:
    """Return what ``nvidia-smi -q`` says among some lines."""
    made = Inventory()
    blocks: list[_Block] = []
    attached: int | None = None
    started = False
    for number, text in lines:
        started = started or TITLE.search(text) is not None
        if not started:
            continue
        if gpu := _GPU.fullmatch(text.strip()):
            blocks.append(_Block(number, gpu[1]))
        elif blocks:
            _take(blocks[-1], number, text, made)
        elif pair := _PAIR.fullmatch(text):
            key, value = pair[2].strip(), pair[3].strip()
            if key in ("Driver Version", "KMD Version"):
                made.settle("driver", made.text(value, "driver version", number), number)
            elif key in ("CUDA Version", "CUDA UMD Version"):
                made.settle("cuda", made.text(value, "CUDA version", number), number)
            elif key == "Attached GPUs":
                attached = whole(value)
    for index, block in enumerate(blocks):
        _gpu(index, block, made)
    if attached is None:
        made.report("MU760", "the number of attached GPUs is missing")
    elif attached != len(blocks):
        made.report("MU760", f"{counted(attached, 'GPU')} attached, {len(blocks)} there")
    _whole(blocks, made)
    made.finish(numbered=False)
    return made


def _take(block: _Block, number: int, text: str, made: Inventory) -> None:
    if not text.strip():
        return
    indent = len(text) - len(text.lstrip())
    pair = _PAIR.fullmatch(text)
    while block.stack and block.stack[-1][0] >= indent:
        block.stack.pop()
    key = (pair[2] if pair else text).strip()[:120]
    path = "/".join([*(name for _, name in block.stack), key])
    if pair is None:
        block.stack.append((indent, key))
        block.values.setdefault(path, ("", number))
    elif path in block.values and not path.startswith(("Processes", "Clocks")):
        made.report("MU762", f"{quoted(path)} is there twice", number)
    elif len(block.values) < _VALUES:
        block.values[path] = (pair[3].strip(), number)


def _gpu(index: int, block: _Block, made: Inventory) -> None:
    def text(path: str) -> str | None:
        value, line = block.values.get(path, ("", block.line))
        return made.text(value, f"{path} of GPU {block.bus}", line)

    def number(path: str, unit: str) -> float | None:
        value, line = block.values.get(path, ("", block.line))
        return made.number(value, unit, f"{path} of GPU {block.bus}", line)

    memory, used = number("FB Memory Usage/Total", "MiB"), number("FB Memory Usage/Used", "MiB")
    made.add(
        block.line,
        index=index,
        name=text("Product Name"),
        busId=made.bus(block.bus, "bus id", block.line),
        uuid=text("GPU UUID"),
        driver=made.environment.get("driver"),
        memoryMiB=int(memory) if memory is not None else None,
        memoryUsedMiB=int(used) if used is not None else None,
        ecc=_ecc(block, made),
        mig=text("MIG Mode/Current"),
        persistence=text("Persistence Mode"),
        temperatureC=number("Temperature/GPU Current Temp", "C"),
        powerW=_first(number("GPU Power Readings/Power Draw", "W"), number("Power Readings/Power Draw", "W")),
        utilizationPercent=number("Utilization/Gpu", "%"),
    )


def _ecc(block: _Block, made: Inventory) -> int | None:
    """Return the volatile errors that ECC could not correct; None unless all counters of one layout have numbers."""
    prefix = "ECC Errors/Volatile/"
    counters = {
        path.removeprefix(prefix): made.integer(value, "", f"{path} of GPU {block.bus}", line)
        for path, (value, line) in block.values.items()
        if path.startswith(prefix)
        and value
        and ("Uncorrectable" in path or path.endswith("Double Bit/Total"))
    }
    found = [value for value in counters.values() if value is not None]
    if len(found) < len(counters) or not any(layout <= counters.keys() for layout in _COUNTERS):
        return None
    return sum(found)


def _whole(blocks: list[_Block], made: Inventory) -> None:
    """Report a last GPU that lacks sections: the first one's, or the last section of the full output."""
    if not blocks:
        return
    last = blocks[-1]
    missing = sorted(blocks[0].sections - last.sections)
    if not missing and "Product Name" in last.values and "Processes" not in last.sections:
        missing = ["Processes"]
    if missing:
        made.report("MU760", f"GPU {last.bus} stops before {quoted(missing[0])}", last.line)


def _first(*values: float | None) -> float | None:
    return next((value for value in values if value is not None), None)
