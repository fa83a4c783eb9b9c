"""Judge the transport by what NCCL says it used (``via`` lines), never by what was loaded or asked for."""

from __future__ import annotations

from fnmatch import fnmatchcase
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from muster.judge.fields import listed, mapping, maps, names, shown, whole
from muster.judge.model import Reason

if TYPE_CHECKING:
    from collections.abc import Iterable

    from muster.judge.fields import JsonMap
    from muster.judge.terms import Asked

# Paths of these kinds cross between nodes; a run on one node has none.
_BETWEEN_NODES: Final = ("NET/", "COLLNET/", "P2P/MNNVL")
# SHARP exists on InfiniBand only and NVLink across nodes is faster than any NIC: neither is a fall-back.
_NO_FALLBACK: Final = ("COLLNET/", "P2P/MNNVL")


def _fits(path: str, wanted: str) -> bool:
    return path == wanted or fnmatchcase(path, wanted)


def _between_nodes(path: str) -> bool:
    return path.startswith(_BETWEEN_NODES)


class _Used(NamedTuple):
    """What one run used: paths, those between nodes, and whether GPUDirect was; None when unknown."""

    paths: tuple[str, ...]
    across: tuple[str, ...]
    gpudirect: bool | None


def _used(transport: JsonMap) -> _Used:
    counts, named = mapping(transport.get("paths")), names(transport.get("interNode"))
    paths = sorted({path for path, count in counts.items() if count != 0}.union(named))
    direct = transport.get("gpudirect")
    return _Used(
        tuple(paths),
        tuple([path for path in paths if path in named or _between_nodes(path)]),
        direct if isinstance(direct, bool) else None,
    )


@lru_cache(maxsize=1024)
def _judge(asked: Asked, used: _Used) -> tuple[Reason, ...]:
    """Judge what one run used; the worst path between nodes counts."""
    seen = f"found {listed(used.paths)}"
    found = _declared_net(asked.net, used)
    if asked.judged:
        found += _paths(asked, used, seen)
        if asked.nodes > 1:
            found += _gpudirect(asked.gpudirect, used.gpudirect, seen)
    return tuple(found)


def _paths(asked: Asked, used: _Used, seen: str) -> list[Reason]:
    several = asked.nodes > 1
    require = asked.require if several else tuple(path for path in asked.require if not _between_nodes(path))
    found = [
        Reason("MU906", f"wrong transport: {shown(bad)} is forbidden; {seen}")
        for bad in used.paths
        if any(_fits(bad, wanted) for wanted in asked.forbid)
    ]
    for wanted in require:
        known = used.across if several and _between_nodes(wanted) else used.paths
        if known and not any(_fits(path, wanted) for path in used.paths):
            found.append(Reason("MU906", f"wrong transport: {shown(wanted)} is required; {seen}"))
    if several and any(map(_between_nodes, require)):
        worse = [
            path
            for path in used.across
            if not path.startswith(_NO_FALLBACK)
            and not any(_fits(path, wanted) for wanted in (*require, *asked.forbid))
        ]
        if worse:
            why = f"wrong transport: {listed(worse)} between nodes beside what is required; {seen}"
            found.append(Reason("MU906", why))
    needed = require or (several and asked.forbid) or any(not _between_nodes(path) for path in asked.forbid)
    if needed and not (used.across if several else used.paths):
        why = "transport unknown: no path between nodes in the evidence, none is assumed"
        found.append(Reason("MU929", why))
    return found


def _gpudirect(asked: str | None, found: bool | None, seen: str) -> list[Reason]:
    if asked is None:
        return []
    if asked not in {"required", "forbidden"}:
        return [Reason("MU929", f"gpudirect {asked} is not one that can be judged")]
    if found is None:
        return [Reason("MU929", "transport unknown: the evidence does not say whether GPUDirect was used")]
    if found is (asked == "required"):
        return []
    was = "" if found else "not "
    return [Reason("MU906", f"wrong transport: GPUDirect is {asked} and was {was}used; {seen}")]


def _declared_net(wanted: str | None, used: _Used) -> list[Reason]:
    """Return a reason when the network that the measurement asks NCCL for is not the one it used."""
    nets = [path for path in used.paths if path.startswith("NET/")]
    odd = [path for path in nets if (path == "NET/Socket") is (wanted != "Socket")]
    if wanted is None or not odd:
        return []
    return [Reason("MU906", f"wrong transport: the measurement asks for {wanted}, found {listed(odd)}")]


def judge_transport(asked: Asked, runs: Iterable[JsonMap], record: JsonMap) -> list[Reason]:
    """Return why the transport used is not the one accepted.

    Every run must show its own evidence. The record's own summary stands in only where no run has any; beside
    runs that have, it can only accuse: it may hold a wrong path that no counted run shows.

    Args:
        asked: what is asked; without a transport only the declared network is compared.
        runs: the runs that count.
        record: the whole evidence record.
    """
    per_run = [(whole(run.get("round")), run.get("transport")) for run in runs]
    common = record.get("transport")
    evidence: list[tuple[int | None, JsonMap]] = []
    if any(isinstance(found, dict) for _, found in per_run):
        evidence = [(number, mapping(found)) for number, found in per_run]
    reasons: list[Reason] = []
    if evidence and isinstance(common, dict) and asked.judged:
        reasons.extend(item for item in _judge(asked, _used(common)) if item.code == "MU906")
    evidence = evidence or [(None, mapping(common))]
    rounds: dict[Reason, list[int | None]] = {}
    for number, found in evidence:
        for reason in _judge(asked, _used(found)):
            rounds.setdefault(reason, []).append(number)
    reasons.extend(
        Reason(reason.code, reason.message + _rounds_text(told, len(evidence)))
        for reason, told in rounds.items()
    )
    if asked.judged is False:
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
