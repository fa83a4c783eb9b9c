"""Read the table that nvidia-smi prints without options.

Its banner says ``Driver Version: ... CUDA Version: ...``, from driver series 610 on also
``KMD Version: ... CUDA UMD Version: ...``. A GPU has two rows, since MIG (driver 450) three.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from muster.readers.figures import whole
from muster.readers.model import quoted
from muster.readers.nvidia_smi_values import Inventory

if TYPE_CHECKING:
    from collections.abc import Iterable

    from muster.readers.rounds import Numbered

BANNER = re.compile(r"\| NVIDIA-SMI (\S{1,40})\s")
_DRIVER = re.compile(r"\b(?:Driver|KMD) Version ?: ?(\S{1,40})")
_CUDA = re.compile(r"\bCUDA (?:UMD )?Version ?: ?(\S{1,40})")
_START = re.compile(r"\|=+\+=+\+=+\|")
_BORDER = re.compile(r"\+-+\+-+\+-+\+")
_FIRST = re.compile(r"\s*(\d{1,4})\s+(\S.*?)\s{1,40}(On|Off|N/A|ERR!|Enabled|Disabled)\s*")
_SECOND = re.compile(r"\s*(\S+)\s+(\S+)\s+(\S+)\s+(\S+)\s*/\s*(\S+)\s*")
_PROCESS = re.compile(
    r"\|\s+(\d{1,4})\s+(?:(\S+)\s+(\S+)\s+)?(\d{1,10})\s+([CGM+]{1,5})\s+(\S.*?)\s{1,80}(\d{1,9}MiB|N/A)\s+\|"
)


def read_table(lines: Iterable[Numbered]) -> Inventory:
    """Return what the table among some lines says."""
    made = Inventory()
    rows: list[tuple[int, list[str]]] = []
    part = ""
    last = 1
    for number, text in lines:
        row = text.strip()
        last = number
        if banner := BANNER.match(row):
            part = "banner"
            made.version = made.version or banner[1]
            _banner(row, number, made)
        elif part == "banner" and _START.fullmatch(row):
            part = "gpus"
        elif part == "gpus" and _BORDER.fullmatch(row):
            _gpu(rows, made)
            rows = []
        elif part == "gpus" and row.startswith("|"):
            rows.append((number, row.strip("|").split("|")))
        elif part == "gpus" and (not row or row.startswith("+")):
            part = "gpus ended"
        elif part == "gpus":
            made.report("MU763", f"not a row of the table: {quoted(row)}", number)
        elif row.startswith("| Processes:"):
            part = "processes"
            made.more["processes"] = []
        elif part == "processes" and (process := _PROCESS.fullmatch(row)):
            _process(process, made)
    if rows or part == "banner":
        made.report("MU760", "the table stops inside a GPU" if rows else "the table has no rows", last)
    for gpu in made.gpus:
        gpu["driver"] = made.environment.get("driver")
    made.finish()
    return made


def _banner(row: str, number: int, made: Inventory) -> None:
    driver, cuda = _DRIVER.search(row), _CUDA.search(row)
    if driver is None:
        made.report("MU763", f"the banner names no driver: {quoted(row, 120)}", number)
        return
    made.settle("driver", made.text(driver[1], "driver version", number), number)
    if cuda is not None:
        made.settle("cuda", made.text(cuda[1], "CUDA version", number), number)


def _gpu(rows: list[tuple[int, list[str]]], made: Inventory) -> None:
    line = rows[0][0] if rows else None
    first = _FIRST.fullmatch(rows[0][1][0]) if len(rows) in (2, 3) else None
    second = _SECOND.fullmatch(rows[1][1][0]) if first is not None else None
    if first is None or second is None or line is None or any(len(cells) != 3 for _, cells in rows):
        made.report("MU763", "the rows of a GPU are not understood", line)
        return
    what = f"GPU {int(first[1])}"
    bus = rows[0][1][1].split()
    memory = rows[1][1][1].split("/")
    load = rows[1][1][2].split()
    mig = rows[2][1] if len(rows) == 3 else ["", "", ""]
    if not bus or len(memory) != 2 or not load or mig[0].strip() or mig[1].strip():
        made.report("MU763", f"the rows of {what} are not understood", line)
        return
    made.text(second[1], f"fan of {what}", rows[1][0])
    ecc = rows[0][1][2].strip()
    made.add(
        line,
        index=whole(first[1]),
        name=made.text(first[2], f"name of {what}", line),
        persistence=made.text(first[3], f"persistence mode of {what}", line),
        busId=made.bus(bus[0], f"bus id of {what}", line),
        ecc=None if ecc == "Off" else made.integer(ecc, "", f"ECC errors of {what}", line),
        temperatureC=made.number(second[2], "C", f"temperature of {what}", rows[1][0]),
        powerW=made.number(second[4], "W", f"power of {what}", rows[1][0]),
        powerLimitW=made.number(second[5], "W", f"power limit of {what}", rows[1][0]),
        memoryUsedMiB=made.integer(memory[0], "MiB", f"memory in use of {what}", rows[1][0]),
        memoryMiB=made.integer(memory[1], "MiB", f"memory of {what}", rows[1][0]),
        utilizationPercent=made.number(load[0], "%", f"utilisation of {what}", rows[1][0]),
        mig=made.text(mig[2], f"MIG mode of {what}", line),
    )


def _process(found: re.Match[str], made: Inventory) -> None:
    if len(made.more["processes"]) >= 1000:
        return
    memory = None if found[7] == "N/A" else int(found[7].removesuffix("MiB"))
    made.more["processes"].append(
        {"gpu": int(found[1]), "pid": int(found[4]), "type": found[5], "name": found[6], "memoryMiB": memory}
    )
