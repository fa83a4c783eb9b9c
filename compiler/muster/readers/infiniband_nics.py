"""RDMA devices and ports: what both tools say, brought to the words of ``ibstat``."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from muster.readers.documents import tidy
from muster.readers.figures import decimal, whole
from muster.readers.model import quoted
from muster.readers.outcome import Reporting

PORTS = 10_000
STATES = {
    "Active": "Active",
    "Down": "Down",
    "Initializing": "Initializing",
    "Armed": "Armed",
    "PORT_ACTIVE (4)": "Active",
    "PORT_DOWN (1)": "Down",
    "PORT_INIT (2)": "Initializing",
    "PORT_ARMED (3)": "Armed",
    "PORT_ACTIVE_DEFER (5)": "Active",
}
PHYSICAL = {
    "LinkUp": "LinkUp",
    "Disabled": "Disabled",
    "Polling": "Polling",
    "Sleep": "Sleep",
    "LinkErrorRecovery": "LinkErrorRecovery",
    "LINK_UP (5)": "LinkUp",
    "DISABLED (3)": "Disabled",
    "POLLING (2)": "Polling",
    "SLEEP (1)": "Sleep",
    "LINK_ERROR_RECOVERY (6)": "LinkErrorRecovery",
}
LAYERS = ("InfiniBand", "Ethernet")
_RATE = re.compile(r"(\d{1,5}(?:\.\d{1,3})?)(?: \([A-Z0-9]{1,10}\))?")
_SPEED = re.compile(r"(\d{1,4}(?:\.\d{1,4})?) Gbps \(\d{1,4}\)")
_WIDTH = re.compile(r"(\d{1,3})X \(\d{1,4}\)")


@dataclass(slots=True)
class Device:
    """One device and its ports as printed: fields by name, with the line of each port."""

    name: str
    line: int
    fields: dict[str, str] = field(default_factory=dict)
    ports: list[tuple[int, int, dict[str, str]]] = field(default_factory=list)


@dataclass(slots=True)
class Nics(Reporting):
    """The ports of all devices in order, and the problems with them."""

    ports: list[dict[str, Any]] = field(default_factory=list)

    def take(self, device: Device, announced: str | None, names: tuple[str, str, str, str | None]) -> None:
        """Add the ports of a device.

        Args:
            device: the device.
            announced: how many ports it says to have.
            names: the fields with state, physical state, link layer and rate; None where the tool has none.
        """
        if announced is None or whole(announced) != len(device.ports):
            what = f"{quoted(device.name)} announces {quoted(announced or '')} ports and shows {len(device.ports)}"
            self.report("MU766", what, device.line)
        for number, line, fields in device.ports:
            if len(self.ports) >= PORTS:
                self.report("MU704", f"more than {PORTS} ports", line)
                return
            self.ports.append(self._port(device, number, line, fields, names))

    def _port(
        self,
        device: Device,
        number: int,
        line: int,
        fields: dict[str, str],
        names: tuple[str, str, str, str | None],
    ) -> dict[str, Any]:
        what = f"port {number} of {quoted(device.name)}"
        state = self._word(fields.get(names[0]), STATES, f"state of {what}", line, required=True)
        full = names[3] is not None
        physical = self._word(
            fields.get(names[1]), PHYSICAL, f"physical state of {what}", line, required=full
        )
        layer = fields.get(names[2])
        if layer is None:
            self.report("MU766", f"{what} has no link layer", line)
        elif layer not in LAYERS:
            self.report("MU769", f"link layer of {what} is {quoted(layer)}", line)
            layer = None
        if state is not None and (state != "Active" or physical not in ("LinkUp", None)):
            self.report("MU767", f"{what} is {state}" + (f" and {physical}" if physical else ""), line)
        rate = self._rate(fields, names[3], what, line)
        return {
            "name": tidy(device.name)[:80],
            "port": number,
            "state": state,
            "physicalState": physical,
            "rate": rate,
            "linkLayer": layer,
        }

    def _word(
        self, text: str | None, known: dict[str, str], what: str, line: int, *, required: bool
    ) -> str | None:
        if text is None:
            if required:
                self.report("MU766", f"the {what} is missing", line)
            return None
        if text not in known:
            self.report("MU769", f"the {what} is {quoted(text)}", line)
        return known.get(text)

    def _rate(self, fields: dict[str, str], name: str | None, what: str, line: int) -> float | None:
        """Return the rate of a port in Gb/s: as printed, or width times the speed of one lane."""
        if name is not None:
            text = fields.get(name)
            found = _RATE.fullmatch(text or "")
            rate = decimal(found[1]) if found is not None else None
            if rate is None:
                code = "MU766" if text is None else "MU769"
                self.report(code, f"rate of {what} is {quoted(text or '')}", line)
            return rate
        width, speed = fields.get("active_width"), fields.get("active_speed")
        if width is None or speed is None:
            return None
        lanes, lane = _WIDTH.fullmatch(width), _SPEED.fullmatch(speed)
        if lanes is None or lane is None:
            self.report("MU769", f"width and speed of {what} are {quoted(width)} and {quoted(speed)}", line)
            return None
        return int(lanes[1]) * float(lane[1])

    def finish(self) -> None:
        """Report ports that are there twice, and a list without any."""
        for (name, port), times in Counter((item["name"], item["port"]) for item in self.ports).items():
            if times > 1:
                self.report("MU768", f"port {port} of {quoted(name)} is there {times} times")
        if not self.ports and not self.failed:
            self.report("MU766", "there is no port")
