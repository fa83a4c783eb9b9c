"""The transport that NCCL really used, from its INFO lines.

Only ``via`` lines count: a plugin that was loaded, a device that was found and a network that was assigned
say nothing about what carried the data.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from muster.readers import model

INFO = re.compile(
    r"(?:\[\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d+)?\] )?[\w.-]+:\d+:\d+ \[-?\d+\] NCCL INFO ", re.ASCII
)
"""The start of an INFO line without prefixes: host, process, thread, device."""

INFO_INSIDE = re.compile(r":\d+:\d+ \[-?\d+\] ", re.ASCII)
"""What follows the host name at the start of an INFO or WARN line."""

_VIA = re.compile(
    r"(?:Channel|CollNet) \d+(?:/\d+)? : \d+\S*(?: -> \d+\S*)?(?: \[(?:send|receive)\])? via (\w[^/]*/\S.*)"
)
_SHARE = re.compile(r"/\d+(?:\(\d+\))?(?=/|$)")
_COMM = re.compile(r"nRanks (\d{1,9}) nNodes (\d{1,9}) localRanks \d+ localRank \d+ MNNVL ([01])\b")
_NVLS_CHANNELS = re.compile(r"(\d+) nvls channels")
_NVLS_USED = re.compile(r"\bNVLS comm 0x|Connected NVLS tree")


_KEPT = 1000
"""Most different paths and communicators that are kept of one run."""


class Transport:
    """Collects what the INFO lines of one run say."""

    def __init__(self) -> None:
        self.paths: Counter[str] = Counter()
        self.gdrdma: Counter[str] = Counter()
        self.odd: list[str] = []
        self.comms: dict[tuple[int, int], None] = {}
        self._mnnvl: set[bool] = set()
        self._nvls: bool | None = None
        self._known: dict[str, tuple[str, bool]] = {}

    def info(self, text: str) -> None:
        """Take the text of one INFO line; the caller leaves out lines without any of the words below."""
        if " via " in text:
            self._via(text)
        elif "nRanks " in text and (found := _COMM.search(text)):
            if len(self.comms) < _KEPT:
                self.comms[int(found[1]), int(found[2])] = None
            self._mnnvl.add(found[3] == "1")
        elif "NVLS" in text:
            if _NVLS_USED.search(text):
                self._nvls = True
        elif (channels := _NVLS_CHANNELS.search(text)) and self._nvls is None and int(channels[1]) == 0:
            self._nvls = False

    def _via(self, text: str) -> None:
        where = text.find(" via ")
        known = self._known.get(text[where + 5 :])
        if known is None or not text.startswith(("Channel ", "CollNet ")):
            known = self._new(text)
            if known is None:
                return
        self.paths[known[0]] += 1
        if known[1]:
            self.gdrdma[known[0]] += 1

    def _new(self, text: str) -> tuple[str, bool] | None:
        """Read a channel line whose path was not seen yet; None for a line that is none."""
        start = max(text.find("Channel "), text.find("CollNet "))
        if start < 0:
            return None
        found = _VIA.fullmatch(text, start)
        if found is None:
            if len(self.odd) < 3:
                self.odd.append(text)
            return None
        known = path_of(found[1].rstrip())
        if len(self.paths) >= _KEPT and known[0] not in self.paths:
            known = ("NET/(more than can be kept)", False)
        if len(self._known) < 4096:
            self._known[text[text.find(" via ") + 5 :]] = known
        return known

    def result(self) -> model.Transport | None:
        """Return the transport of a reading; None when no ``via`` line was seen."""
        if not self.paths:
            return None
        networks = [name for name in self.paths if name.startswith(("NET/", "COLLNET/"))]
        direct = all(self.gdrdma[name] == self.paths[name] for name in networks) if networks else None
        mnnvl = (self._mnnvl == {True}) if self._mnnvl else (True if "P2P/MNNVL" in self.paths else None)
        across = sorted(networks + (["P2P/MNNVL"] if "P2P/MNNVL" in self.paths else []))
        return {
            "paths": dict(sorted(self.paths.items())),
            "gpudirect": direct,
            "interNode": across,
            "gdrdma": {name: self.gdrdma[name] for name in sorted(networks)},
            "nvls": self._nvls,
            "collnet": any(name.startswith("COLLNET/") for name in networks),
            "mnnvl": mnnvl,
        }


def path_of(text: str) -> tuple[str, bool]:
    """Return the path's name and whether it says GPUDirect RDMA.

    ``NET/AWS Libfabric/1/GDRDMA`` gives ``NET/AWS Libfabric``, ``P2P/CUMEM/read`` gives ``P2P/CUMEM``.
    """
    parts = text.split("/")
    direct = any(part == "GDRDMA" or part.startswith("GDRDMA(") for part in parts[2:])
    if parts[0] in ("NET", "COLLNET"):
        device = _SHARE.search(text)
        return (text[: device.start()] if device else "/".join(parts[:2])), direct
    return "/".join(parts[:2]), direct
