"""Judge the transport by what NCCL says it used (``via`` lines), never by what was loaded or asked for."""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any, Final

from muster.judge.fields import listed, mapping, maps, names, shown, text, whole
from muster.judge.model import Reason

if TYPE_CHECKING:
    from collections.abc import Iterable

    from muster.judge.fields import JsonMap

# Paths of these kinds cross between nodes; a run on one node has none.
_BETWEEN_NODES: Final = ("NET/", "COLLNET/", "P2P/MNNVL")
# SHARP exists on InfiniBand only and NVLink across nodes is faster than any NIC: neither is a fall-back.
_NO_FALLBACK: Final = ("COLLNET/", "P2P/MNNVL")


def _fits(path: str, wanted: str) -> bool:
    return path == wanted or fnmatchcase(path, wanted)


def _between_nodes(path: str) -> bool:
    return path.startswith(_BETWEEN_NODES)


def _paths(transport: JsonMap) -> list[str]:
    counts = mapping(transport.get("paths"))
    return sorted(
        {path for path, count in counts.items() if count != 0}.union(names(transport.get("interNode")))
    )


def _one(asked: JsonMap, transport: JsonMap, nodes: int) -> list[Reason]:
    """Judge the transport of one run; the worst path between nodes counts."""
    paths = _paths(transport)
    across = sorted({*filter(_between_nodes, paths), *names(transport.get("interNode"))})
    require, forbid = names(asked.get("require")), names(asked.get("forbid"))
    if nodes == 1:
        require = tuple(path for path in require if not _between_nodes(path))
    found: list[Reason] = []
    seen = f"found {listed(paths)}"
    found.extend(
        Reason("MU906", f"wrong transport: {shown(bad)} is forbidden; {seen}")
        for bad in paths
        if any(_fits(bad, wanted) for wanted in forbid)
    )
    for wanted in require:
        known = across if nodes > 1 and _between_nodes(wanted) else paths
        if known and not any(_fits(path, wanted) for path in paths):
            found.append(Reason("MU906", f"wrong transport: {shown(wanted)} is required; {seen}"))
    if nodes > 1 and any(map(_between_nodes, require)):
        worse = [
            path
            for path in across
            if not path.startswith(_NO_FALLBACK)
            and not any(_fits(path, wanted) for wanted in (*require, *forbid))
        ]
        if worse:
            found.append(
                Reason(
                    "MU906", f"wrong transport: {listed(worse)} between nodes beside what is required; {seen}"
                )
            )
    needs_evidence = require or (nodes > 1 and forbid) or any(not _between_nodes(path) for path in forbid)
    if needs_evidence and not (across if nodes > 1 else paths):
        found.append(
            Reason("MU929", "transport unknown: no path between nodes in the evidence, none is assumed")
        )
    if nodes > 1:
        found.extend(_gpudirect(asked.get("gpudirect"), transport.get("gpudirect"), seen))
    return found


def _gpudirect(asked: object, found: object, seen: str) -> list[Reason]:
    if asked is None:
        return []
    if text(asked) not in {"required", "forbidden"}:
        return [Reason("MU929", f"gpudirect {shown(asked)} is not one that can be judged")]
    if not isinstance(found, bool):
        return [Reason("MU929", "transport unknown: the evidence does not say whether GPUDirect was used")]
    if found is (asked == "required"):
        return []
    return [
        Reason(
            "MU906", f"wrong transport: GPUDirect is {asked} and was {'' if found else 'not '}used; {seen}"
        )
    ]


def _declared_net(net: object, transport: JsonMap) -> list[Reason]:
    """Return a reason when the network that the measurement asks NCCL for is not the one it used."""
    wanted = text(net)
    if wanted is None:
        return []
    used = [path for path in _paths(transport) if path.startswith("NET/")]
    odd = [path for path in used if (path == "NET/Socket") is (wanted != "Socket")]
    if not odd:
        return []
    return [Reason("MU906", f"wrong transport: the measurement asks for {wanted}, found {listed(odd)}")]


def judge_transport(
    acceptance: JsonMap, measurement: JsonMap, runs: Iterable[JsonMap], record: JsonMap, nodes: int
) -> list[Reason]:
    """Return why the transport used is not the one accepted.

    Every run must show its own evidence. The record's own summary stands in only where no run has any; beside
    runs that have, it can only accuse: it may hold a wrong path that no counted run shows.

    Args:
        acceptance: its ``transport`` is judged; without one only the declared network is compared.
        measurement: its ``params.net`` is what NCCL was told to use.
        runs: the runs that count.
        record: the whole evidence record.
        nodes: how many nodes the unit has; one node needs no path between nodes.
    """
    asked = acceptance.get("transport")
    net = mapping(measurement.get("params")).get("net")
    per_run = [(whole(run.get("round")), run.get("transport")) for run in runs]
    whole_record = record.get("transport")
    evidence: list[tuple[int | None, JsonMap]] = []
    if any(isinstance(found, dict) for _, found in per_run):
        evidence = [(number, mapping(found)) for number, found in per_run]
    reasons: list[Reason] = []
    if evidence and isinstance(whole_record, dict) and isinstance(asked, dict):
        reasons.extend(item for item in _one(asked, whole_record, nodes) if item.code == "MU906")
    evidence = evidence or [(None, mapping(whole_record))]
    rounds: dict[Reason, list[int | None]] = {}
    clean: JsonMap | None = None
    for number, found in evidence:
        if found == clean:
            continue
        here = [*_declared_net(net, found)]
        if isinstance(asked, dict):
            here.extend(_one(asked, found, nodes))
        if not here:
            clean = found
        for reason in here:
            rounds.setdefault(reason, []).append(number)
    reasons.extend(
        Reason(reason.code, reason.message + _rounds_text(told, len(evidence)))
        for reason, told in rounds.items()
    )
    if asked is not None and not isinstance(asked, dict):
        reasons.append(Reason("MU929", "the acceptance's transport is not one that can be judged"))
    return list(dict.fromkeys(reasons))


def _rounds_text(told: list[int | None], count: int) -> str:
    """Return which rounds a reason is of; nothing where it is of all."""
    known = [str(number) for number in told if number is not None]
    return f" (round {', '.join(known)})" if known and len(told) < count else ""


def summary(runs: Iterable[JsonMap], record: JsonMap) -> dict[str, Any] | None:
    """Return the transport found over all runs, for the report; None when nothing is known.

    ``gpudirect`` is true only when every run says so.
    """
    found = [mapping(run.get("transport")) for run in runs if isinstance(run.get("transport"), dict)]
    found = found or maps([record["transport"]] if isinstance(record.get("transport"), dict) else [])
    if not found:
        return None
    if all(item == found[0] for item in found):
        return _shape(found[0], len(found))
    paths: dict[str, int] = {}
    for item in found:
        for path, count in mapping(item.get("paths")).items():
            paths[path] = paths.get(path, 0) + (whole(count) or 0)
    told = [item.get("gpudirect") for item in found]
    return _shape(
        {
            "paths": paths,
            "interNode": [name for item in found for name in names(item.get("interNode"))],
            "gpudirect": True if all(said is True for said in told) else False if False in told else None,
        },
        1,
    )


def _shape(transport: JsonMap, times: int) -> dict[str, Any]:
    paths, direct = mapping(transport.get("paths")), transport.get("gpudirect")
    return {
        "paths": {path: (whole(paths[path]) or 0) * times for path in sorted(paths)},
        "interNode": list(names(transport.get("interNode"))),
        "gpudirect": direct if isinstance(direct, bool) else None,
    }
