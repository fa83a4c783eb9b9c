"""Read nvidia-smi: its table, ``-q``, ``--query-gpu`` as CSV, ``topo -m``, ``nvlink --status`` and ``-L``."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, cast

from muster.readers import nvidia_smi_csv, nvidia_smi_links, nvidia_smi_query, nvidia_smi_table
from muster.readers.model import empty, quoted
from muster.readers.nvidia_smi_values import Inventory
from muster.readers.outcome import state_of
from muster.readers.records import MARK
from muster.readers.registry import Reader
from muster.readers.rounds import split

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from muster.readers.model import Reading, State
    from muster.readers.rounds import Numbered
    from muster.readers.source import Source

STATES: dict[str, State] = {"MU760": "incomplete", "MU764": "errored", "MU704": "incomplete"}
_FAULT = re.compile(
    r"NVIDIA-SMI has failed because|No devices were found|Failed to initialize NVML|Unable to determine the device"
    r"|NVIDIA-SMI couldn't find|.{0,80}\bnvidia-smi: .{0,40}(?:not found|No such file|Permission denied)"
)
_HEAD_LINES = 400


def forms(lines: Iterable[str]) -> list[str]:
    """Return the forms of output that some lines hold, in the order in which they begin."""
    found: list[str] = []
    for text in lines:
        form = _form(text.strip(), text)
        if form == "nvlink" and "list" in found:
            found[found.index("list")] = "nvlink"
        if form is not None and form not in found and not (form == "list" and "nvlink" in found):
            found.append(form)
    return found


def _form(row: str, text: str) -> str | None:
    if nvidia_smi_table.BANNER.match(row):
        return "table"
    if nvidia_smi_query.TITLE.search(row[:200]):
        return "query"
    if nvidia_smi_links.LISTED.fullmatch(row):
        return "list"
    if row.startswith("Link 0: "):
        return "nvlink"
    if (
        nvidia_smi_links.TOPOLOGY.fullmatch(text[:4000])
        and ("GPU1" in row or "Affinity" in row)
        and " X" not in row
    ):
        return "topology"
    return "csv" if nvidia_smi_csv.columns_of(row) is not None else None


_SCORES = {"table": 70, "query": 75, "csv": 75, "nvlink": 70, "list": 50, "topology": 60}
_READERS: dict[str, Callable[[Sequence[Numbered]], Inventory]] = {
    "table": nvidia_smi_table.read_table,
    "query": nvidia_smi_query.read_query,
    "csv": nvidia_smi_csv.read_csv,
    "nvlink": nvidia_smi_links.read_nvlink,
    "list": nvidia_smi_links.read_list,
    "topology": nvidia_smi_links.read_topology,
}


def sniff(head: str, _name: str) -> int:
    """Return how sure it is that a file is the output of nvidia-smi; little in a pod log of another tool."""
    lines = head.split("\n")[:_HEAD_LINES]
    found = forms(lines)
    score = max((_SCORES[form] for form in found), default=0)
    if not found and any(_FAULT.match(text.strip()) for text in lines):
        score = 65
    return min(score, 15) if MARK in head else score


def read(source: Source) -> Reading:
    """Read the first form of output that a file holds; others are reported and not read."""
    log = split(source)
    lines = [line for part in log.rounds for line in part.texts()]
    found = forms(line.text for line in lines)
    made = _READERS[found[0]](lines) if found else Inventory()
    for form in found[1:]:
        made.report("MU763", f"the file also holds the output of another call ({form})")
    for number, text in lines:
        if _FAULT.match(text.strip()):
            made.report("MU764", f"the tool reports: {quoted(text.strip(), 200)}", number)
    if not found and not made.problems:
        made.report("MU760", "there is no output of nvidia-smi")
    reading = cast("dict[str, Any]", empty(source.name, "nvidia-smi", "unreadable"))
    reading |= {"records": log.records, "problems": [*log.problems, *made.problems], "gpus": made.gpus}
    reading |= {"form": found[0] if found else None, "environment": made.environment, **made.more}
    reading["toolVersion"] = made.version
    reading["state"] = state_of(reading["problems"], STATES)
    return cast("Reading", reading)


READER = Reader("nvidia-smi", sniff, read, "nvidia-smi/1")
