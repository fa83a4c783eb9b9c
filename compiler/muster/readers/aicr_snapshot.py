"""Read a snapshot of AICR: what one node and the API server of a cluster said about themselves.

A snapshot is taken on one node, and of that node's first GPU only: it proves nothing about the others. Values
pass a list of known keys, for unit properties and kernel arguments may hold secrets.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from muster.readers.documents import DocumentError, load, scrub
from muster.readers.model import empty, problem, quoted, unreadable
from muster.readers.outcome import state_of
from muster.readers.registry import Reader
from muster.readers.views import View

if TYPE_CHECKING:
    from muster.readers.model import Reading, State
    from muster.readers.source import Source

TYPES = ("K8s", "GPU", "OS", "SystemD", "NodeTopology", "NetworkTopology")
STATES: dict[str, State] = {}
LABELS = (
    "nvidia.com/",
    "topology.kubernetes.io/",
    "node.kubernetes.io/instance-type",
    "kubernetes.io/arch",
    "kubernetes.io/os",
    "kubernetes.io/hostname",
    "network.topology.nvidia.com/",
)
_KIND = re.compile(r"""(?:^|[{,\s])["']?kind["']?: *["']?Snapshot\b""")
_GROUP = re.compile(r"""["']?apiVersion["']?: *["']?aicr\.(?:nvidia\.com|run)/""")
_BARE = re.compile(r"""(?:^|\n)measurements:|^\s*\{\s*"measurements"\s*:""")


def _sniff(head: str, _name: str) -> int:
    if _KIND.search(head) and _GROUP.search(head) and "measurements" in head:
        return 91
    return 65 if _BARE.search(head) and "subtypes" in head else 0


def _read(source: Source) -> Reading:
    try:
        documents = load(source)
    except DocumentError as error:
        found = problem("MU780", quoted(str(error), 300)[1:-1], error.line)
        return unreadable(source.name, "aicr-snapshot", found)
    reading = empty(source.name, "aicr-snapshot", "complete")
    if len(documents) != 1:
        reading["problems"].append(problem("MU790", f"{len(documents)} documents instead of one"))
    view = View(documents[0] if documents else {}, "snapshot", reading["problems"], "MU790")
    meta, data = view.view("metadata"), measurements(view)
    node = meta.text("source-node")
    merged: Any = {
        **reading,
        "toolVersion": meta.text("version"),
        "environment": environment(data, node),
        "aicr": {
            "kind": "snapshot",
            "apiVersion": view.text("apiVersion"),
            "timestamp": meta.scalar("timestamp"),
            "sourceNode": node,
            "measured": {name: sorted(subtypes) for name, subtypes in sorted(data.items())},
            "components": components(data.get("K8s", {}).get("helm")),
            "topology": topology(data.get("NodeTopology", {})),
        },
    }
    if not any(len(entry) for subtypes in data.values() for entry in subtypes.values()):
        view.doubt("holds no measurement", "measurements", "MU792")
    if merged["environment"]["gpus"] in ({}, {node or "unknown": 0}):
        view.doubt("hold no GPU: nvidia-smi did not run or found none", "measurements", "MU795")
    merged["state"] = state_of(reading["problems"], STATES)
    clean: Reading = scrub(merged)
    return clean


def measurements(view: View) -> dict[str, dict[str, View]]:
    """Return the data of each type and subtype.

    An entry without ``subtype`` is refused: AICR itself passes over it, and every constraint on it with it.
    """
    found: dict[str, dict[str, View]] = {}
    for one in view.views("measurements"):
        name = one.text("type") or ""
        if name not in TYPES:
            one.doubt(f"is {quoted(name, 40)}", "type", "MU794")
        for entry in one.views("subtypes"):
            subtype = entry.text("subtype")
            if subtype is None:
                entry.doubt("is missing", "subtype")
            elif subtype in found.setdefault(name, {}):
                entry.doubt(f"stands twice: {quoted(subtype, 60)}", "subtype")
            else:
                found[name][subtype] = entry.view("data")
    return found


def environment(data: dict[str, dict[str, View]], node: str | None) -> dict[str, Any]:
    """Return versions and devices, with None for what was not measured."""

    def value(name: str, subtype: str, *keys: str) -> str | None:
        view = data.get(name, {}).get(subtype)
        return next((text for key in keys if view is not None and (text := view.scalar(key))), None)

    count = _count(data)
    model = value("GPU", "smi", "gpu.model") or value("GPU", "hardware", "model")
    system = [text for key in ("ID", "VERSION_ID") if (text := value("OS", "release", key))]
    kernel = value("K8s", "node", "kernel-version")
    return {
        "kubernetes": value("K8s", "server", "version"),
        "driver": value("GPU", "smi", "driver"),
        "cuda": value("GPU", "smi", "cuda-version"),
        "kernel": kernel or value("OS", "sysctl", "/proc/sys/kernel/osrelease"),
        "os": " ".join(system) or None,
        "products": [model] if model else [],
        "architecture": value("GPU", "smi", "gpu.product-architecture"),
        "gpus": {} if count is None else {node or "unknown": count},
    }


def _count(data: dict[str, dict[str, View]]) -> int | None:
    for subtype in ("smi", "hardware"):
        view = data.get("GPU", {}).get(subtype)
        text = view.scalar("gpu-count") if view is not None else None
        if text is None:
            continue
        if re.fullmatch("[0-9]{1,6}", text):
            return int(text)
        if view is not None:
            view.doubt("is no count", "gpu-count")
    return None


def components(view: View | None) -> dict[str, dict[str, str | None]]:
    """Return version and namespace of each Helm release."""
    found: dict[str, dict[str, str | None]] = {}
    for key in view or ():
        name, _, what = key.rpartition(".")
        if view is not None and name and what in ("version", "namespace", "chart"):
            release = found.setdefault(name, {"version": None, "namespace": None, "chart": None})
            release[what] = view.scalar(key)
    return dict(sorted(found.items()))


def topology(data: dict[str, View]) -> dict[str, Any]:
    """Return the number of nodes and, for labels about hardware and place, which nodes have which value."""
    summary, labels = data.get("summary"), data.get("label")
    found: dict[str, list[dict[str, Any]]] = {}
    for key in sorted(labels or ()):
        text = labels.scalar(key) if labels is not None and key.startswith(LABELS) else None
        if text is not None:
            value, _, nodes = text.rpartition("|")
            found[key] = [{"value": value, "nodes": [node for node in nodes.split(",") if node]}]
    count = summary.scalar("node-count") if summary is not None else None
    known = count is not None and re.fullmatch("[0-9]{1,6}", count)
    return {"nodes": int(count) if known and count else None, "labels": found}


READER = Reader("aicr-snapshot", _sniff, _read, "aicr-snapshot/1")
