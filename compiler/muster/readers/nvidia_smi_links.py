"""Read ``nvidia-smi topo -m``, ``nvidia-smi nvlink --status`` and ``nvidia-smi -L``."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from muster.readers.figures import decimal
from muster.readers.model import quoted
from muster.readers.nvidia_smi_values import Inventory

if TYPE_CHECKING:
    from collections.abc import Iterable

    from muster.readers.rounds import Numbered

LISTED = re.compile(r"GPU (\d{1,4}): (\S.{0,100}?) \(UUID: (\S{1,80})\)")
TOPOLOGY = re.compile(r"\s*GPU\d{1,4}\s.*")
_LINK = re.compile(r"Link (\d{1,3}): (?:(\S{1,20}) GB/s|(<inactive>))")
_DEVICE = re.compile(r"(?:GPU|NIC)\d{1,4}|mlx\d_\S{1,20}")
_NIC = re.compile(r"(NIC\d{1,4}): (\S{1,40})")
_KINDS = re.compile(r"X|SYS|NODE|PHB|PXB|PIX|NV\d{1,3}|C2C|SOC|N/A")
_MOST_DEVICES = 512


def read_nvlink(lines: Iterable[Numbered]) -> Inventory:
    """Return the GPUs and their NVLinks; ``links`` of a GPU are ``{"link", "gbs", "active"}``."""
    made = Inventory()
    for number, text in lines:
        row = text.strip()
        if listed := LISTED.fullmatch(row):
            made.add(number, index=int(listed[1]), name=listed[2], uuid=listed[3])["links"] = []
        elif found := _LINK.fullmatch(row):
            _link(found, number, made)
        elif row.startswith("Link ") or (row.startswith("GPU ") and made.gpus):
            made.report("MU763", f"not a link: {quoted(row)}", number)
    links = [link for gpu in made.gpus for link in gpu["links"]]
    made.more["links"] = {"total": len(links), "active": sum(link["active"] for link in links)}
    most = max((len(gpu["links"]) for gpu in made.gpus), default=0)
    for gpu in made.gpus:
        if [link["link"] for link in gpu["links"]] != list(range(most)):
            made.report("MU760", f"GPU {gpu['index']} does not have the links 0 to {most - 1}")
    if not made.gpus:
        made.report("MU760", "there is no GPU")
    elif not links:
        made.report("MU760", "no GPU has a link")
    made.finish()
    return made


def _link(found: re.Match[str], number: int, made: Inventory) -> None:
    if not made.gpus:
        made.report("MU763", "a link that belongs to no GPU", number)
        return
    speed = decimal(found[2]) if found[2] else None
    if found[2] and speed is None:
        made.report("MU763", f"the speed of a link is {quoted(found[2])}", number)
    if found[3]:
        made.report("MU761", f"link {int(found[1])} of GPU {made.gpus[-1]['index']} is inactive", number)
    made.gpus[-1]["links"].append({"link": int(found[1]), "gbs": speed, "active": speed is not None})


def read_list(lines: Iterable[Numbered]) -> Inventory:
    """Return the GPUs of ``nvidia-smi -L``."""
    made = Inventory()
    for number, text in lines:
        if gpu := LISTED.fullmatch(text.strip()):
            made.add(number, index=int(gpu[1]), name=gpu[2], uuid=gpu[3])
        elif text.strip().startswith("GPU "):
            made.report("MU763", f"not a GPU: {quoted(text.strip())}", number)
    made.finish()
    return made


def read_topology(lines: Iterable[Numbered]) -> Inventory:
    """Return the matrix of links as ``topology``: devices, links, NIC names, NUMA nodes, CPU sets."""
    made = Inventory()
    devices: list[str] = []
    links: dict[str, dict[str, str]] = {}
    names: dict[str, str] = {}
    places: dict[str, dict[str, str | None]] = {}
    for number, text in lines:
        words = text.split()
        if not devices and TOPOLOGY.fullmatch(text) and len(words) > 1 and "X" not in words:
            devices = [word for word in words if _DEVICE.fullmatch(word)][:_MOST_DEVICES]
        elif devices and words and words[0] in devices:
            row = words[1 : len(devices) + 1]
            if words[0] in links or len(row) != len(devices) or not all(map(_KINDS.fullmatch, row)):
                made.report("MU763", f"the row of {words[0]} is not understood: {quoted(text)}", number)
                continue
            links[words[0]] = dict(zip(devices, row, strict=True))
            rest = words[len(devices) + 1 :]
            places[words[0]] = {"cpus": rest[0] if rest else None, "numa": rest[1] if len(rest) > 1 else None}
        elif nic := _NIC.fullmatch(text.strip()):
            names[nic[1]] = nic[2]
    _check(devices, links, made)
    if devices:
        made.more["topology"] = {"devices": devices, "links": links, "nics": names, "places": places}
    made.finish()
    return made


def _check(devices: list[str], links: dict[str, dict[str, Any]], made: Inventory) -> None:
    missing = [device for device in devices if device not in links]
    if missing or not devices:
        what = f"the row of {missing[0]} is missing" if missing else "the matrix has no devices"
        made.report("MU760", what)
    for one, row in links.items():
        for other, kind in row.items():
            back = links.get(other, {}).get(one, kind)
            if kind != back or (kind == "X") != (one == other):
                made.report("MU762", f"{one} to {other} is {kind}, back it is {back}")
