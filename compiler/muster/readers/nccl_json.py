"""Read the JSON report of nccl-tests (``-J``, since 2.17.3), versions 1 to 3.

The report holds the whole environment of rank 0; nothing of it is taken over.
"""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from muster.readers.model import empty, problem, quoted, unreadable
from muster.readers.nccl_command import of_argv
from muster.readers.nccl_header import Config, Device, Layout
from muster.readers.nccl_number import Figure
from muster.readers.nccl_result import conclude
from muster.readers.nccl_rows import Cell, Row
from muster.readers.nccl_run import Footer, Run, Said
from muster.readers.registry import Reader

if TYPE_CHECKING:
    from muster.readers.model import Reading
    from muster.readers.source import Source

_START = re.compile(r'\s*\{\s*"version"\s*:\s*\d+\s*,\s*"start_time"\s*:\s*"[^"]*"\s*,\s*"args"\s*:\s*\[')
_RESULTS = re.compile(r',\s*"results"\s*:\s*\[')
_VERSIONS = (1, 2, 3)
_HALF = 0.5e-6
_REST = re.compile(r"[\s,]*[\w.+-]{0,40}\s*")
_LAYOUT = Layout(
    redop=True, root=True, cpu_time=False, deviation=False, extras=(), placements=(True, False),
    iterations=False, stamped=False,
)  # fmt: skip


class _FormError(Exception):
    """The document is not what the tool writes."""


def _sniff(head: str, _name: str) -> int:
    return 95 if _START.match(head) else 0


def read(source: Source) -> Reading:
    """Read one report: exactly one run."""
    text = source.document().decode("utf-8", "replace")
    try:
        document, cut = _load(text)
        run = _run(document)
    except _FormError as error:
        found = problem("MU736", f"the report cannot be read: {error}", 1)
        return unreadable(source.name, "nccl-tests", found)
    except (ValueError, RecursionError) as error:
        found = problem("MU735", f"the report is not JSON: {quoted(str(error), 160)}", 1)
        return unreadable(source.name, "nccl-tests", found)
    if cut:
        run.note("MU735", "the report breaks off: the test died before it could end it", 1)
        run.average = None
    reading = empty(source.name, "nccl-tests", "incomplete")
    result = conclude(run)
    reading["runs"] = [result]
    reading["environment"] = result["environment"]
    reading["state"] = result["state"]
    return reading


def _load(text: str) -> tuple[dict[str, Any], bool]:
    """Parse a report; of one that breaks off, what was whole, and True."""
    decoder = json.JSONDecoder(object_pairs_hook=_no_twins, parse_constant=_no_constant)
    try:
        document = decoder.decode(text)
    except json.JSONDecodeError as error:
        if not (_REST.fullmatch(text[error.pos :]) or error.msg.startswith("Unterminated string")):
            raise
        return _salvage(decoder, text), True
    if not isinstance(document, dict):
        raise _FormError("it is not an object")
    return document, False


def _salvage(decoder: json.JSONDecoder, text: str) -> dict[str, Any]:
    """Take the head and the whole rows of a report that breaks off."""
    start = _RESULTS.search(text)
    try:
        document = decoder.decode(text[: start.start()] + "}") if start else {}
    except json.JSONDecodeError as error:
        raise _FormError("its head is damaged") from error
    if start is None or not isinstance(document, dict):
        raise _FormError("it breaks off before its results")
    rows, place = [], start.end()
    while text[place : place + 1] == "{":
        try:
            row, place = decoder.raw_decode(text, place)
        except json.JSONDecodeError:
            break
        rows.append(row)
        place += text[place : place + 1] == ","
    document["results"] = rows
    return document


def _no_twins(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) != len(pairs):
        raise _FormError("a key is there twice")
    return made


def _no_constant(name: str) -> Any:
    raise _FormError(f"it holds {name}")


def _run(document: dict[str, Any]) -> Run:
    version = document.get("version")
    if isinstance(version, bool) or version not in _VERSIONS:
        raise _FormError(f"version {quoted(str(version))} is not known")
    config = _need(document, "config", dict)
    run = Run(1)
    run.extra = {"jsonVersion": version}
    run.config, run.config_line = _config(config), 1
    library = _need(document, "nccl_version", int)
    run.library_code = library
    args = _need(document, "args", list)
    command = of_argv(args, 1) if all(isinstance(item, str) for item in args) else None
    run.commands = [command] if command else []
    devices = _need(config, "devices", list)
    run.devices = [_device(item) for item in devices]
    run.ranks_said = len(devices) * run.config.threads * run.config.gpus or None
    run.layout = _LAYOUT
    for item in document.get("results") or []:
        _row(run, item)
    _footers(run, document)
    for text in document.get("errors") or []:
        if text:
            run.warnings.append(Said(str(text), 1))
    return run


def _config(config: dict[str, Any]) -> Config:
    by_factor = "step_factor" in config
    return Config(
        threads=_count(config, "nthreads"),
        gpus=_count(config, "ngpus"),
        min_bytes=_count(config, "minimum_bytes"),
        max_bytes=_count(config, "maximum_bytes"),
        step=_count(config, "step_factor" if by_factor else "step_bytes"),
        by_factor=by_factor,
        warmup=_count(config, "warmup_iters"),
        iters=_count(config, "iterations"),
        agg_iters=_count(config, "aggregated_iterations"),
        validation=_count(config, "validation"),
        graph=_count(config, "graph"),
    )


def _device(item: Any) -> Device:
    if not isinstance(item, dict):
        raise _FormError("a device is not an object")
    rank, group, pid, number = (_count(item, name) for name in ("rank", "group", "pid", "device"))
    host, bus, name = (_need(item, name, str) for name in ("hostname", "device_hex", "device_info"))
    return Device(rank, group, pid, host, number, bus, name)


def _row(run: Run, item: Any) -> None:
    if not isinstance(item, dict):
        raise _FormError("a result is not an object")
    root = _need(item, "root", str).strip()
    if re.fullmatch(r"-1|\d{1,7}", root, re.ASCII) is None:
        raise _FormError(f"root is {quoted(root)}")
    redop = _need(item, "redop", str).strip()
    size, count = _count(item, "size"), _count(item, "count")
    row = Row(1, size, count, _need(item, "type", str), redop or None, int(root), None, None)
    row.out_of_place = _cell(run, item, "out_of_place")
    row.in_place = _cell(run, item, "in_place")
    if "actual_iterations" in item:
        row.iterations = _count(item, "actual_iterations")
    if row.out_of_place is None or row.in_place is None:
        run.note("MU714", f"a placement of size {row.bytes} is missing", 1)
    run.rows.append(row)


def _cell(run: Run, item: dict[str, Any], key: str) -> Cell | None:
    if item.get(key) is None:
        return None
    body = _need(item, key, dict)
    if "cpu_time" in body:
        run.layout = replace(_LAYOUT, cpu_time=True)
    time = _figure(body, "cpu_time" if "cpu_time" in body else "time")
    wrong = None if body.get("nwrong", 0) is None else _figure(body, "nwrong").value
    if wrong is not None and wrong != int(wrong):
        raise _FormError("nwrong is not a whole number")
    extras: tuple[float, ...] = ()
    if f"{key}_per_iter" in item:
        per = _need(item, f"{key}_per_iter", dict)
        extras = tuple(_figure(per, name).value for name in ("min_us", "max_us", "p99_us", "cv_pct"))
    return Cell(
        time, _figure(body, "alg_bw"), _figure(body, "bus_bw"), wrong, None, wrong is not None, extras
    )


def _footers(run: Run, document: dict[str, Any]) -> None:
    """Take the two closing objects; a report without ``end_time`` was never ended."""
    bounds = document.get("out_of_bounds")
    if isinstance(bounds, dict) and "end_time" in document:
        word = bounds.get("okay")
        if word not in ("true", "false"):
            raise _FormError(f"out_of_bounds is {quoted(str(word))}")
        run.out_of_bounds = Footer(Figure(float(_count(bounds, "count")), 0.5), word == "true", 1)
    found = [key for key in ("average_bus_bandwidth", "average_bus_bandwidith") if key in document]
    if len(found) > 1:
        raise _FormError("the average is there twice")
    if not found or "end_time" not in document:
        return
    average = _need(document, found[0], dict)
    key = "bandwidith" if "bandwidith" in average else "bandwidth"
    if average.get(key) == "nan":
        run.note("MU731", "the average is 'nan'", 1)
        return
    words = {"true": True, "false": False, "unchecked": None}
    if average.get("okay") not in words:
        raise _FormError(f"the average's word is {quoted(str(average.get('okay')))}")
    run.average = Footer(_figure(average, key), words[average["okay"]], 1)


def _need(item: dict[str, Any], key: str, kind: type) -> Any:
    value = item.get(key)
    if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        raise _FormError(f"{key} is missing or no {kind.__name__}")
    return value


def _count(item: dict[str, Any], key: str) -> int:
    value = _need(item, key, int)
    if not isinstance(value, int) or not 0 <= value < 1 << 63:
        raise _FormError(f"{key} is out of range")
    return value


def _figure(item: dict[str, Any], key: str) -> Figure:
    value = item.get(key)
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < 1e300:
        raise _FormError(f"{key} is {quoted(str(value))}")
    return Figure(float(value), _HALF)


READER = Reader("nccl-tests", _sniff, read, "nccl-tests-json/1")
