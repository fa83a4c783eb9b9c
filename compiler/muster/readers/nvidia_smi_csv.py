"""Read ``nvidia-smi --query-gpu=... --format=csv[,nounits]``; the header is needed, for it carries the units."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from muster.diagnostics.words import counted
from muster.readers.model import quoted
from muster.readers.nvidia_smi_values import Inventory

if TYPE_CHECKING:
    from collections.abc import Iterable

    from muster.readers.rounds import Numbered

_COLUMN = re.compile(r"([a-z][a-z0-9_.]{0,80})(?: \[([A-Za-z0-9%/]{1,10})\])?")
_KNOWN = frozenset(
    {"index", "name", "gpu_name", "pci.bus_id", "gpu_bus_id", "uuid", "gpu_uuid", "driver_version"}
)
_INTEGERS = {
    "index": ("index", ""),
    "count": ("count", ""),
    "memory.total": ("memoryMiB", "MiB"),
    "memory.used": ("memoryUsedMiB", "MiB"),
    "ecc.errors.uncorrected.volatile.total": ("ecc", ""),
}
_NUMBERS = {
    "temperature.gpu": ("temperatureC", ""),
    "power.draw": ("powerW", "W"),
    "power.draw.instant": ("powerW", "W"),
    "power.limit": ("powerLimitW", "W"),
    "utilization.gpu": ("utilizationPercent", "%"),
}
_TEXTS = {
    "name": "name",
    "gpu_name": "name",
    "uuid": "uuid",
    "gpu_uuid": "uuid",
    "driver_version": "driver",
    "mig.mode.current": "mig",
    "persistence_mode": "persistence",
}


def columns_of(text: str) -> list[tuple[str, str]] | None:
    """Return names and units of the columns that a line names; None when it is no header."""
    found = [_COLUMN.fullmatch(part.strip()) for part in text[:20_000].split(",")]
    columns = [(item[1], item[2] or "") for item in found if item is not None]
    known = any(name in _KNOWN for name, _ in columns)
    return columns if known and len(columns) == len(found) and "," in text else None


def read_csv(lines: Iterable[Numbered]) -> Inventory:
    """Return what a table with a header among some lines says."""
    made = Inventory()
    columns: list[tuple[str, str]] | None = None
    seen: dict[tuple[Any, Any], int] = {}
    for number, text in lines:
        header = columns_of(text.strip())
        if header is not None and columns not in (None, header):
            made.report("MU763", "a second header with other columns", number)
        columns = header or columns
        if header is not None or columns is None or not text.strip():
            continue
        parts = [part.strip() for part in text.split(",")]
        if len(parts) != len(columns):
            made.report("MU763", f"a row with {len(parts)} of {len(columns)} columns: {quoted(text)}", number)
            continue
        _row(dict(zip(columns, parts, strict=True)), number, made, seen)
    counts = {gpu.pop("count") for gpu in made.gpus} - {None}
    if len(counts) > 1 or (counts and max(counts) != len(made.gpus)):
        made.report("MU760", f"{counted(max(counts), 'GPU')} announced, {len(made.gpus)} there")
    made.finish()
    return made


def _row(
    cells: dict[tuple[str, str], str], line: int, made: Inventory, seen: dict[tuple[Any, Any], int]
) -> None:
    values: dict[str, Any] = {"count": None}
    for (name, unit), text in cells.items():
        if name in _TEXTS:
            values[_TEXTS[name]] = made.text(text, name, line)
        elif name in ("pci.bus_id", "gpu_bus_id"):
            values["busId"] = made.bus(text, name, line)
        elif name in _INTEGERS or name in _NUMBERS:
            key, wanted = (_INTEGERS.get(name) or _NUMBERS.get(name)) or ("", "")
            if unit != wanted:
                made.report("MU763", f"{name} is given in {quoted(unit)}", line)
            elif name in _INTEGERS:
                values[key] = made.integer(text, wanted, name, line)
            else:
                values[key] = made.number(text, wanted, name, line)
    made.settle("driver", values.get("driver"), line)
    place = (values.get("index"), values.get("busId"))
    if None not in place and place in seen:
        made.gpus[seen[place]] |= values
        made.report(
            "MU762", f"GPU {place[0]} is there several times; the last row counts", line, severity="info"
        )
        return
    seen[place] = len(made.gpus)
    made.add(line, **values)["count"] = values["count"]
