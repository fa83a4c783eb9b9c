"""What was found where the attempt ran: software, devices, transport, and which nodes took part."""

from __future__ import annotations

from collections import Counter
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from muster.archive.exits import has_data
from muster.archive.inventory import facts_of, is_inventory, plain_facts
from muster.archive.note import Note, note
from muster.archive.story import whole
from muster.diagnostics.escape import visible
from muster.diagnostics.words import counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from muster.archive.story import Story

# GPUs that a diagnosis detected are a count, as an inventory's are.
_OF_TOOLS = ("driver", "cuda", "dcgm", "gpus")
_COMMON = ("driver", "cuda", "kernel", "image", "dcgm")


def node_of_file(
    reading: Mapping[str, Any], unit: Sequence[str], declared: Mapping[str, str] = MappingProxyType({})
) -> str | None:
    """Return the node that a file is of: as its record lines say, as declared, else the only node of the unit."""
    told = {record["node"] for record in reading["records"] if isinstance(record.get("node"), str)}
    if len(told) == 1:
        return str(told.pop())
    if not told and reading["file"] in declared:
        return declared[reading["file"]]
    return unit[0] if not told and len(unit) == 1 else None


def environment(
    readings: Sequence[Mapping[str, Any]], story: Story, unit: Sequence[str], declared: Mapping[str, str]
) -> dict[str, Any]:
    """Return the environment of an attempt.

    ``nodes`` holds what each node's record lines, inventories and tools found; a file that is of no one node
    tells only of software that all nodes share. A value at the top is the one that all nodes share; several
    are joined by a comma, so that they equal no declared one.

    Args:
        readings: what each file says.
        story: what the record lines say.
        unit: the nodes that the attempt is of.
        declared: nodes by the names of their files.
    """
    nodes: dict[str, dict[str, Any]] = {}
    for begin in (*story.begins, *story.excluded):
        found = begin.get("found")
        if isinstance(begin.get("node"), str) and isinstance(found, dict):
            nodes.setdefault(begin["node"], {}).update(plain_facts(found))
    common: dict[str, list[Any]] = {key: [] for key in _COMMON}
    for reading in readings:
        node = node_of_file(reading, unit, declared)
        own = {key: value for key, value in reading["environment"].items() if key in _OF_TOOLS}
        if whole(own.get("gpus")) is None:
            own.pop("gpus", None)
        if is_inventory(reading):
            own = facts_of(reading)
        if node is not None:
            _add(nodes.setdefault(node, {}), own)
        elif not is_inventory(reading) and own.get("cuda") is not None:
            common["cuda"].append(own["cuda"])
    runs = [run for reading in readings for run in reading.get("runs") or ()]
    tools = [run.get("environment") or {} for run in runs]
    common["cuda"] += [tool["cuda"] for tool in tools if tool.get("cuda") is not None]
    for key in _COMMON:
        common[key] += [found[key] for found in nodes.values() if found.get(key) is not None]
    products = {item for tool in tools for item in tool.get("devices") or ()}
    products |= {str(found["product"]) for found in nodes.values() if found.get("product")}
    return {
        **{key: _one(values) for key, values in common.items()},
        "ncclHeader": _one(tool.get("ncclHeader") for tool in tools),
        "ncclLibrary": _one(tool.get("ncclLibrary") for tool in tools),
        "gpus": _gpus(nodes, runs, unit),
        "products": sorted(products),
        "nics": {
            name: found["nics"] for name, found in sorted(nodes.items()) if found.get("nics") is not None
        },
        "nodes": {name: found for name, found in sorted(nodes.items()) if found},
    }


def _add(known: dict[str, Any], found: Mapping[str, Any]) -> None:
    """Add facts about a node; two sources that differ both stand."""
    for key, value in found.items():
        if value is None:
            continue
        old = known.get(key)
        if old is None or key == "nics":
            known[key] = value
        elif str(old).replace(" ", "-") != str(value).replace(" ", "-"):
            known[key] = min(old, value) if key == "gpus" else f"{old}, {value}"


def _one(values: Iterable[Any]) -> Any:
    """Return the value that all share, None without any, several as one text."""
    known = sorted({str(value) for value in values if value is not None})
    return ", ".join(known) if known else None


def _gpus(
    nodes: Mapping[str, Mapping[str, Any]], runs: Sequence[Mapping[str, Any]], unit: Sequence[str]
) -> dict[str, int]:
    """Return GPUs by node: as record lines found them, else as device lines list them."""
    told = {name: count for name, found in nodes.items() if (count := whole(found.get("gpus"))) is not None}
    if told:
        return dict(sorted(told.items()))
    counts: Counter[str] = Counter()
    for run in runs:
        own = Counter(str(device.get("host")) for device in run.get("devices") or ())
        for host, count in own.items():
            counts[host] = max(counts[host], count)
    return {node: counts[node] for node in sorted(unit) if node in counts}


def transport(runs: Iterable[Mapping[str, Any]]) -> dict[str, Any] | None:
    """Return the transport of all runs: path counts added, a doubt or a no of one run is one of all."""
    known = [run["transport"] for run in runs if run.get("transport")]
    if not known:
        return None
    paths: Counter[str] = Counter()
    for item in known:
        paths.update(item.get("paths") or {})
    return {
        "paths": dict(sorted(paths.items())),
        "gpudirect": _all([item.get("gpudirect") for item in known if item.get("interNode")]),
        "interNode": sorted({path for item in known for path in item.get("interNode") or ()}),
        **{key: _all([item.get(key) for item in known]) for key in ("nvls", "collnet", "mnnvl")},
    }


def _all(values: Sequence[Any]) -> bool | None:
    if not values or any(value is None for value in values):
        return False if any(value is False for value in values) else None
    return all(values)


def parameters(runs: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the parameters that all runs share; one that differs between runs is None."""
    told = [run["parameters"] for run in runs if run.get("parameters")]
    keys = sorted({key for item in told for key in item})
    return {
        key: told[0].get(key) if all(item.get(key) == told[0].get(key) for item in told) else None
        for key in keys
    }


def coverage(
    readings: Sequence[Mapping[str, Any]],
    story: Story,
    unit: Sequence[str],
    hosts: Mapping[str, str],
    strangers: frozenset[str],
) -> tuple[dict[str, Any], list[Note]]:
    """Return which nodes were to take part, did, and were left out, and what is odd about it.

    Nodes come from record lines. Host names of device lines count as nodes where they are some, or where
    ``hosts`` maps them; pods have names of their own, so that other names only have to be as many as the unit
    has nodes.

    Args:
        readings: what each file says.
        story: what the record lines say.
        unit: the nodes that the attempt is of.
        hosts: node names by host names.
        strangers: nodes known from plans; a host of that name that is not in the unit is a contradiction.
    """
    excluded = _distinct(
        {key: None if record.get(key) is None else str(record[key]) for key in ("node", "reason", "message")}
        for record in story.excluded
    )
    if not unit:
        return {"targeted": [], "exercised": [], "excluded": excluded, "foreign": []}, []
    seen = _hosts(readings)
    named = {hosts.get(host, host) for host in seen}
    short = {host.partition(".")[0]: host for host in named}
    here = {node for node in unit if node in named or node.partition(".")[0] in short}
    told = {begin["node"] for begin in story.begins if isinstance(begin.get("node"), str)}
    foreign = sorted((told - set(unit)) | ((named - here) & strangers) | _renamed(seen, hosts, strangers))
    notes = (
        [note("MU854", f"{', '.join(map(visible, foreign))} took part, not of the unit")] if foreign else []
    )
    measured = any(has_data(item) or facts_of(item) for item in readings)
    exercised = (told | here) & set(unit)
    if seen and len(named) != len(unit) and measured:
        notes.append(
            note(
                "MU854",
                f"device lines show {counted(len(named), 'host')}, the unit has {counted(len(unit), 'node')}",
            )
        )
    elif measured and not told and not foreign and (seen or len(unit) == 1) and here != set(unit):
        exercised = set(unit)
        if seen:
            names = ", ".join(visible(host) for host in sorted(named)[:8])
            notes.append(note("MU854", f"hosts {names} are taken for the nodes of the unit", severity="info"))
    left_out = {item["node"] for item in excluded}
    return {
        "targeted": sorted(unit),
        "exercised": sorted(set(exercised) - left_out) if measured or story.told else [],
        "excluded": excluded,
        "foreign": foreign,
    }, notes


def _renamed(seen: Iterable[str], hosts: Mapping[str, str], known: frozenset[str]) -> set[str]:
    """Return the hosts that are nodes of a site by name and are declared to be others: a node is itself."""
    return {host for host in seen if host in known and hosts.get(host, host) != host}


def _hosts(readings: Sequence[Mapping[str, Any]]) -> set[str]:
    return {
        str(host)
        for reading in readings
        for run in reading.get("runs") or ()
        for host in run.get("hosts") or ()
    }


def _distinct(items: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    return list({repr(sorted(item.items(), key=repr)): item for item in items}.values())
