"""Hold what a log shows against the measurement that it is claimed for. Pure: record in, notes out."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from muster.archive import inventory
from muster.archive.note import Note, note
from muster.archive.story import whole
from muster.diagnostics.escape import clip
from muster.diagnostics.words import counted
from muster.judge.environment import USUAL

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

_COMPARED = (
    ("minBytes", "MU852"),
    ("maxBytes", "MU852"),
    ("factor", "MU852"),
    ("iters", "MU853"),
    ("warmup", "MU853"),
)
_BESIDE = frozenset({None, "muster-pod", "dcgm-health", *inventory.TOOLS})
# Reports of these hold results of other tools.
_WRAPPERS = ("nvcre", "aicr", "ctrf")
# nccl-tests cuts a size down to a multiple of 16 bytes for every rank.
_ALIGNMENT = 256


def compare_claims(measurement: Mapping[str, Any], record: Mapping[str, Any]) -> list[Note]:
    """Return every contradiction between a measurement and the log of a record.

    Compared are tool, operation, ranks, sizes, iterations, warm-up, data type and command. What the log does
    not say is a warning; what it says otherwise is an error, so that it is never taken for evidence. Software,
    hardware and transport are judged with the acceptance, not here.
    """
    notes = [*_tool(measurement, record), *_command(measurement, record)]
    op = measurement.get("op")
    runs = [run for run in record.get("runs") or () if run.get("rows")]
    if op is None or not runs:
        return notes
    mine = [run for run in runs if run.get("op") == op]
    if not mine and any(run.get("op") is not None for run in runs):
        found = ", ".join(sorted({str(run.get("op")) for run in runs}))
        notes.append(note("MU850", f"the log shows {found}, the measurement is {op}"))
    for run in mine or runs:
        notes += _run(measurement, run)
    return list({(item["code"], item["message"]): item for item in notes}.values())


def _tool(measurement: Mapping[str, Any], record: Mapping[str, Any]) -> Iterator[Note]:
    tools = {source.get("tool") for source in record.get("sources") or ()} - _BESIDE
    tools = {tool for tool in tools if not str(tool).startswith(_WRAPPERS)}
    wanted = measurement.get("tool")
    if tools and wanted not in tools:
        yield note(
            "MU850", f"the log is of {', '.join(sorted(map(str, tools)))}, the measurement is of {wanted}"
        )


def _command(measurement: Mapping[str, Any], record: Mapping[str, Any]) -> Iterator[Note]:
    """The record lines repeat the command of the measurement word by word."""
    told, wanted = record.get("command"), measurement.get("command")
    if record.get("binding") == "record" and told and wanted and list(told) != list(wanted):
        yield note("MU853", f"command {_words(told)} ran, the measurement is {_words(wanted)}")


def _words(argv: Sequence[str]) -> str:
    return clip(" ".join(map(str, argv)), 160)


def _run(measurement: Mapping[str, Any], run: Mapping[str, Any]) -> Iterator[Note]:
    params = measurement.get("params") or {}
    where = {"line": run.get("line"), "file": run.get("file")}
    ranks, wanted = run.get("ranks"), measurement.get("ranks")
    if ranks is None:
        yield note("MU856", "the log does not show how many ranks ran", **where)
    elif ranks != wanted:
        yield note("MU851", f"{counted(ranks, 'rank')} ran, the measurement has {wanted}", **where)
    each, hosts = (
        measurement.get("ranksPerNode"),
        Counter(item.get("host") for item in run.get("devices") or ()),
    )
    odd = {host: count for host, count in hosts.items() if count != each}
    if ranks == wanted and each is not None and odd:
        host, count = min(odd.items(), key=str)
        yield note(
            "MU851",
            f"{counted(count, 'rank')} ran on {host}, the measurement has {each} on each node",
            **where,
        )
    found = run.get("parameters") or {}
    for key, code in _COMPARED:
        if key not in params:
            continue
        if found.get(key) is None and not (key == "factor" and found.get("stepBytes")):
            yield note("MU856", f"the log does not show {key}", **where)
        elif found.get(key) != params[key]:
            told = (
                found.get(key) if found.get(key) is not None else f"steps of {found.get('stepBytes')} bytes"
            )
            yield note(code, f"{key} {told} ran, the measurement has {params[key]}", **where)
    for key, usual in USUAL.items():
        if found.get(key) not in (None, params.get(key, usual)):
            told = f"{key} {found.get(key)} ran, the measurement has {params.get(key, usual)}"
            yield note("MU853", told, **where)
    types = {row.get("type") for row in run.get("rows") or ()} - {None}
    if params.get("datatype") is not None and types - {params["datatype"]}:
        others = ", ".join(sorted(map(str, types - {params["datatype"]})))
        yield note("MU853", f"type {others} ran, the measurement has {params['datatype']}", **where)
    if run.get("state") == "complete":
        yield from _sizes(params, run, ranks or 1)


def _sizes(params: Mapping[str, Any], run: Mapping[str, Any], ranks: int) -> Iterator[Note]:
    """Every size that was asked for has a row, cut down to a whole number of elements for each rank."""
    sizes = sorted({row["bytes"] for row in run["rows"] if row.get("bytes") is not None})
    wanted = expected_sizes(params)
    missing = [
        size for size in wanted if not any(size - ranks * _ALIGNMENT < found <= size for found in sizes)
    ]
    if missing:
        text = f"{len(missing)} of {len(wanted)} sizes have no row, the largest is {missing[-1]} bytes"
        yield note("MU852", text, line=run.get("line"), file=run.get("file"))


def expected_sizes(params: Mapping[str, Any]) -> list[int]:
    """Return the sizes in bytes that nccl-tests runs for ``minBytes``, ``maxBytes`` and ``factor``."""
    low, high, factor = (whole(params.get(key)) for key in ("minBytes", "maxBytes", "factor"))
    if low is None or high is None or factor is None or low < 1 or factor < 2:
        return []
    sizes: list[int] = []
    while low <= high and len(sizes) < 128:
        sizes.append(low)
        low *= factor
    return sizes
