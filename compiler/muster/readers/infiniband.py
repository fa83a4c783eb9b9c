"""Read ``ibstat`` and ``ibv_devinfo`` (with or without ``-v``): one entry for each port."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, cast

from muster.readers.infiniband_nics import Device, Nics
from muster.readers.model import empty, quoted
from muster.readers.outcome import state_of
from muster.readers.records import MARK
from muster.readers.registry import Reader
from muster.readers.rounds import split

if TYPE_CHECKING:
    from collections.abc import Sequence

    from muster.readers.model import Reading, State
    from muster.readers.rounds import Numbered
    from muster.readers.source import Source

STATES: dict[str, State] = {"MU765": "errored", "MU766": "incomplete", "MU704": "incomplete"}
_CA = re.compile(r"CA '([^']{1,80})'")
_HCA = re.compile(r"hca_id:\s{1,40}(\S{1,80})")
_CA_PORT = re.compile(r"Port (\d{1,4}):")
_HCA_PORT = re.compile(r"port:\s{1,40}(\d{1,4})")
_FIELD = re.compile(r"([A-Za-z][A-Za-z0-9_ ]{0,60}):\s{0,40}(\S.{0,200})?")
_FAULT = re.compile(
    r"ibpanic: .*|ibstat: .*|No IB devices found.*|Failed to (?:open|query|get) .*|.{0,80}\bib(?:stat|v_devinfo): .*"
)


def _sniff(head: str, device: str, faults: str) -> int:
    score = 0
    if re.search(rf"^[^\n]{{0,80}}{device}", head, re.MULTILINE):
        score = 80
    elif re.search(faults, head, re.MULTILINE):
        score = 60
    return min(score, 15) if MARK in head else score


def sniff_ibstat(head: str, _name: str) -> int:
    """Return how sure it is that a file is the output of ibstat; little in a pod log of another tool."""
    return _sniff(head, r"CA '[^'\n]{1,80}'$", r"^ibpanic: |\bibstat: ")


def sniff_devinfo(head: str, _name: str) -> int:
    """Return how sure it is that a file is the output of ibv_devinfo; little in a pod log of another tool."""
    return _sniff(head, r"hca_id:\s", r"^No IB devices found|\bibv_devinfo: ")


def read_ibstat(source: Source) -> Reading:
    """Read the output of ibstat."""
    return _read(source, "ibstat")


def read_devinfo(source: Source) -> Reading:
    """Read the output of ibv_devinfo."""
    return _read(source, "ibv_devinfo")


def _read(source: Source, tool: str) -> Reading:
    log = split(source)
    lines = [line for part in log.rounds for line in part.texts()]
    nics = Nics()
    devices = _blocks(lines, _CA, _CA_PORT, nics)
    others = _blocks(lines, _HCA, _HCA_PORT, nics)
    if devices and others:
        nics.report("MU769", "the file holds the output of both ibstat and ibv_devinfo")
    for device in devices:
        names = ("State", "Physical state", "Link layer", "Rate")
        nics.take(device, device.fields.get("Number of ports"), names)
    for device in others:
        nics.take(device, device.fields.get("phys_port_cnt"), ("state", "phys_state", "link_layer", None))
    for number, text in lines:
        if _FAULT.fullmatch(text.strip()[:300]):
            nics.report("MU765", f"the tool reports: {quoted(text.strip(), 200)}", number)
    nics.finish()
    reading = cast("dict[str, Any]", empty(source.name, tool, "unreadable"))
    reading |= {"records": log.records, "problems": [*log.problems, *nics.problems], "nics": nics.ports}
    reading["state"] = state_of(reading["problems"], STATES)
    return cast("Reading", reading)


def _blocks(
    lines: Sequence[Numbered], start: re.Pattern[str], port: re.Pattern[str], nics: Nics
) -> list[Device]:
    """Return the devices that lines of one form start, with the fields of device and ports."""
    devices: list[Device] = []
    ours = False
    for number, text in lines:
        row = text.strip()
        if _CA.fullmatch(row) or _HCA.fullmatch(row):
            found = start.fullmatch(row)
            ours = found is not None
            if found is not None:
                devices.append(Device(found[1], number))
        elif not ours:
            continue
        elif found := port.fullmatch(row):
            devices[-1].ports.append((int(found[1]), number, {}))
        elif pair := _FIELD.fullmatch(row):
            fields = devices[-1].ports[-1][2] if devices[-1].ports else devices[-1].fields
            name, value = pair[1], (pair[2] or "").strip()
            if name in fields and fields[name] != value and name not in ("GID", "GID[  0]"):
                nics.report("MU768", f"{quoted(name)} of {quoted(devices[-1].name)} is there twice", number)
            fields.setdefault(name, value)
    return devices


READERS = (
    Reader("ibstat", sniff_ibstat, read_ibstat, "infiniband/1"),
    Reader("ibv_devinfo", sniff_devinfo, read_devinfo, "infiniband/1"),
)
