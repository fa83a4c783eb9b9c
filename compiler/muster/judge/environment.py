"""Compare what the site declares with what the evidence found: software, hardware, image, parameters."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

from muster.judge.fields import items, listed, mapping, maps, shown, text, whole
from muster.judge.model import Reason

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from muster.judge.fields import JsonMap

# Path of a field, what is declared of it, what was found.
Difference = tuple[str, Any, Any]

_LETTER: Final = frozenset({"driver", "cuda", "nccl"})
_PARAMETERS: Final = ("minBytes", "maxBytes", "factor", "iters", "warmup")
# What nccl-tests does unless it is told otherwise, one GPU in each process; a measurement means this as well.
USUAL: Final = {"aggIters": 1, "graph": 0, "threads": 1, "gpusPerThread": 1}


@lru_cache(maxsize=4096)
def same_version(declared: str, found: str) -> bool:
    """Tell whether a found version is the declared one, to the precision that was declared.

    ``12.9`` is met by ``12.9.1``; ``2.27.3`` is not met by ``2.27``. A leading ``v`` and a build after ``+``
    do not count.
    """
    want, have = (re.split(r"[.-]", item.removeprefix("v").split("+")[0]) for item in (declared, found))
    plain = [part.lstrip("0") or "0" for part in have[: len(want)]]
    return plain == [part.lstrip("0") or "0" for part in want]


@lru_cache(maxsize=4096)
def at_least(declared: str, found: str) -> bool:
    """Tell whether a found version is the declared one or newer, to the precision that was declared."""
    want, have = (re.findall(r"[0-9]+", item.split("+")[0]) for item in (declared, found))
    return bool(have) and [int(part) for part in have[: len(want)]] >= [int(part) for part in want]


@lru_cache(maxsize=4096)
def same_product(declared: str, found: str) -> bool:
    """Tell whether two GPU product names are one; blanks and dashes are the same, all else counts."""
    return re.split(r"[ -]+", declared.strip()) == re.split(r"[ -]+", found.strip())


def nccl_version(value: object) -> str | None:
    """Return NCCL's version as text; its number is major*10000 + minor*100 + patch since 2.9."""
    code = whole(value)
    if code is not None and code >= 20000:
        return f"{code // 10000}.{code % 10000 // 100}.{code % 100}"
    return text(value)


def _per_node(environment: JsonMap, key: str, unit: tuple[str, ...]) -> tuple[dict[str, str], list[str]]:
    """Return what is known by node, and the nodes of the unit of which nothing is known.

    A value of the whole record speaks for every node only where no node speaks for itself.
    """
    nodes = mapping(environment.get("nodes"))
    known = {name: found for name in nodes if (found := text(mapping(nodes[name]).get(key))) is not None}
    common = text(environment.get(key))
    if not known and common is not None:
        return dict.fromkeys(unit, common), []
    if common is not None:
        known.setdefault("the record", common)
    return known, [node for node in unit if node not in known and not (len(unit) == 1 and common)]


def _anywhere(values: Iterable[object]) -> tuple[dict[str, str], list[str]]:
    known = {found: found for value in values if (found := nccl_version(value)) is not None}
    return known, [] if known else ["the record"]


def _found(key: str, record: JsonMap, unit: tuple[str, ...]) -> tuple[dict[str, str], list[str]]:
    """Return the values found for one piece of software by where they were found, and where none was."""
    environment = mapping(record.get("environment"))
    nodes = [mapping(node) for node in mapping(environment.get("nodes")).values()]
    if key == "driver":
        return _per_node(environment, key, unit)
    if key == "nccl":
        runs = [mapping(run.get("environment")).get("ncclLibrary") for run in maps(record.get("runs"))]
        own = [node.get("nccl") for node in nodes]
        return _anywhere([environment.get("ncclLibrary"), environment.get("nccl"), *runs, *own])
    if key == "dcgm":
        tools = [
            source.get("toolVersion")
            for source in maps(record.get("sources"))
            if (text(source.get("tool")) or "").startswith("dcgm")
        ]
        return _anywhere([environment.get("dcgm"), *(node.get("dcgm") for node in nodes), *tools])
    return _anywhere([environment.get(key), *(node.get(key) for node in nodes)])


def _compare(
    path: str,
    declared: str,
    known: dict[str, str],
    same: Callable[[str, str], bool],
) -> tuple[list[Reason], list[Difference]]:
    odd = {where: value for where, value in known.items() if not same(declared, value)}
    if not odd:
        return [], []
    places = listed(
        [value if where == value else f"{value} ({where})" for where, value in sorted(odd.items())]
    )
    found = sorted(set(odd.values()))
    return (
        [Reason("MU913", f"{path}: {shown(declared)} is declared, {places} was found")],
        [(path, declared, found[0] if len(found) == 1 else found)],
    )


def _judge_cuda(declared: str, record: JsonMap) -> tuple[list[Reason], list[Difference]]:
    """Compare CUDA: what a tool was built with must be the declared, what a driver supports at least that.

    A node's inventory tells the newest CUDA its driver supports, which says nothing of the toolkit in the
    image unless it is the declared one. What the record as a whole tells beyond nodes and runs is a tool's,
    unless the runs tell theirs.
    """
    environment = mapping(record.get("environment"))
    nodes = mapping(environment.get("nodes"))
    drivers = {str(node): found for node in nodes if (found := text(mapping(nodes[node]).get("cuda")))}
    runs = [text(mapping(run.get("environment")).get("cuda")) for run in maps(record.get("runs"))]
    tools = {found: found for found in runs if found}
    common = [part.strip() for part in (text(environment.get("cuda")) or "").split(",")]
    rest = {part: part for part in common if part and part not in tools and part not in drivers.values()}
    if tools:
        drivers |= rest
    else:
        tools = rest
    reasons, fields = _compare("software.cuda", declared, tools, same_version)
    more, differences = _compare("software.cuda", declared, drivers, at_least)
    reasons, fields = [*reasons, *more], [*fields, *differences]
    if not reasons and not tools and not any(same_version(declared, found) for found in drivers.values()):
        reasons = _unknown("software.cuda", ["the toolkit"])
    return reasons, fields


def _unknown(path: str, missing: list[str]) -> list[Reason]:
    return [Reason("MU929", f"{path} is unknown: nothing in the evidence says it for {listed(missing)}")]


def as_declared(measurement: JsonMap, record: JsonMap, unit: tuple[str, ...]) -> bool:
    """Tell quickly whether software, hardware and image are to the letter what is declared.

    False means only that one has to look closer; the judges below are what decides.
    """
    software, hardware = mapping(measurement.get("software")), mapping(measurement.get("hardware"))
    environment = mapping(record.get("environment"))
    nodes = mapping(environment.get("nodes"))
    if len(nodes) != len(unit) or not set(software) <= _LETTER or environment.get("image") is not None:
        return False
    driver, cuda, nccl = (software.get(key) for key in ("driver", "cuda", "nccl"))
    product, gpus = text(hardware.get("product")), hardware.get("gpusPerNode")
    for key, declared in (("driver", driver), ("cuda", cuda)):
        if declared is not None and environment.get(key) != declared:
            return False
    for node in unit:
        facts = mapping(nodes.get(node))
        if facts.get("driver") != driver or facts.get("cuda") != cuda or facts.get("image") is not None:
            return False
        if facts.get("gpus") != gpus or facts.get("nccl") not in (None, nccl):
            return False
        if product is None or not same_product(product, str(facts.get("product"))):
            return False
    if not all(
        isinstance(item, str) and same_product(product, item) for item in items(environment.get("products"))
    ):
        return False
    if environment.get("gpus") != dict.fromkeys(unit, gpus):
        return False
    told = [mapping(run.get("environment")) for run in maps(record.get("runs"))]
    if nccl is not None and environment.get("ncclLibrary") != nccl:
        return False
    return (
        all(own.get("ncclLibrary") in (None, nccl) and own.get("cuda") in (None, cuda) for own in told)
        and environment.get("nccl") is None
    )


def judge_software(
    measurement: JsonMap, record: JsonMap, unit: tuple[str, ...], skip: frozenset[str]
) -> tuple[list[Reason], list[Difference]]:
    """Compare the declared software that the measurement depends on with what ran.

    Args:
        measurement: its ``software`` is compared, field by field.
        record: an evidence record.
        unit: the nodes that must each be known where a version belongs to a node.
        skip: fields that something else judges.
    """
    reasons: list[Reason] = []
    fields: list[Difference] = []
    for key, declared in sorted(mapping(measurement.get("software")).items()):
        if declared is None or key in skip:
            continue
        if key == "cuda":
            more, differences = _judge_cuda(str(declared), record)
            reasons.extend(more)
            fields.extend(differences)
            continue
        known, missing = _found(key, record, unit)
        more, differences = _compare(f"software.{key}", str(declared), known, same_version)
        reasons.extend(more)
        fields.extend(differences)
        if missing:
            reasons.extend(_unknown(f"software.{key}", missing))
    return reasons, fields


def products(record: JsonMap) -> dict[str, str]:
    """Return the GPU products found, by node where the evidence says so, else by name."""
    environment = mapping(record.get("environment"))
    found = {value: value for item in items(environment.get("products")) if (value := text(item)) is not None}
    for node, facts in mapping(environment.get("nodes")).items():
        if (value := text(mapping(facts).get("product"))) is not None:
            found[str(node)] = value
    return found


def gpu_counts(environment: JsonMap) -> dict[str, int]:
    """Return the GPUs found by node; of two counts of one node the lower."""
    found = {
        str(node): count
        for node, n in mapping(environment.get("gpus")).items()
        if (count := whole(n)) is not None
    }
    for node, facts in mapping(environment.get("nodes")).items():
        if (count := whole(mapping(facts).get("gpus"))) is not None:
            found[str(node)] = min(count, found.get(str(node), count))
    return found


def judge_hardware(
    measurement: JsonMap,
    record: JsonMap,
    unit: tuple[str, ...],
    skip: frozenset[str],
    *,
    counted: bool,
    diagnosed: bool,
) -> tuple[list[Reason], list[Difference]]:
    """Compare GPU product and GPUs per node.

    Args:
        measurement: its ``hardware`` is compared.
        record: an evidence record.
        unit: the nodes whose GPUs are counted.
        skip: facts that something else judges.
        counted: whether ranks or checks prove the count, so that no inventory needs to tell it again.
        diagnosed: whether a diagnosis of the devices is judged: a product that nobody tells is no doubt then.
    """
    hardware = mapping(measurement.get("hardware"))
    reasons: list[Reason] = []
    fields: list[Difference] = []
    declared = text(hardware.get("product"))
    if declared is not None and "product" not in skip:
        known = products(record)
        more, differences = _compare("hardware.product", declared, known, same_product)
        reasons.extend(more or ([] if known or diagnosed else _unknown("hardware.product", list(unit))))
        fields.extend(differences)
    wanted = whole(hardware.get("gpusPerNode"))
    if wanted is not None and "gpus" not in skip:
        told = gpu_counts(mapping(record.get("environment")))
        odd = {node: count for node, count in sorted(told.items()) if count != wanted}
        if odd:
            places = listed([f"{count} on {node}" for node, count in odd.items()])
            reasons.append(Reason("MU913", f"hardware.gpusPerNode: {wanted} declared, found {places}"))
            fields.append(("hardware.gpusPerNode", wanted, odd))
        missing = [] if counted else [node for node in unit if node not in told]
        reasons.extend(_unknown("hardware.gpusPerNode", missing) if missing else [])
    return reasons, fields


def judge_image(measurement: JsonMap, record: JsonMap) -> tuple[list[Reason], list[Difference]]:
    """Compare image digests where the evidence knows one; most pods do not know their own image."""
    declared = (text(measurement.get("image")) or "").partition("@")[2]
    environment = mapping(record.get("environment"))
    images = [
        environment.get("image"),
        *(mapping(n).get("image") for n in mapping(environment.get("nodes")).values()),
    ]
    found = {digest for image in images if (digest := (text(image) or "").partition("@")[2])}
    odd = sorted(found - {declared}) if declared else []
    if not odd:
        return [], []
    return (
        [Reason("MU913", f"image: {shown(declared)} is declared, {listed(odd)} ran")],
        [("image", declared, odd[0] if len(odd) == 1 else odd)],
    )


def judge_parameters(
    measurement: JsonMap, record: JsonMap, runs: Iterable[JsonMap]
) -> tuple[list[Reason], list[Difference]]:
    """Compare the parameters that the tool says it ran with; what it does not say is no contradiction."""
    params = mapping(measurement.get("params"))
    fields: list[Difference] = []
    seen: JsonMap = {}
    for told in [mapping(record.get("parameters")), *(mapping(run.get("parameters")) for run in runs)]:
        if told == seen:
            continue
        seen = told
        for key in (*_PARAMETERS, *USUAL):
            declared, found = whole(params.get(key, USUAL.get(key))), whole(told.get(key))
            if declared is not None and found is not None and declared != found:
                fields.append((f"params.{key}", declared, found))
        if (
            whole(params.get("factor")) is not None
            and told.get("factor") is None
            and whole(told.get("stepBytes"))
        ):
            fields.append(("params.factor", params.get("factor"), f"steps of {told.get('stepBytes')} bytes"))
    fields = list(dict.fromkeys(fields))
    # What record lines say was run is the pod's own word; other command lines are of launchers.
    command, ran = items(measurement.get("command")), items(record.get("command"))
    if record.get("binding") == "record" and command and ran and command != ran:
        fields.append(("command", command, ran))
    reasons = [
        Reason("MU914", f"{path}: {shown(declared)} is declared, {shown(found)} ran")
        for path, declared, found in fields
    ]
    return reasons, fields
