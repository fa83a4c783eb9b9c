"""Propose thresholds from the archive as a patch of the site file that changes nothing else."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from decimal import ROUND_CEILING, Context, Decimal
from typing import TYPE_CHECKING, Any, Final

from muster.diagnostics import Diagnostic, diagnostic
from muster.diagnostics.words import counted
from muster.judge import statistics
from muster.judge.fields import mapping, maps, text, whole
from muster.judge.measures import figure, percent
from muster.reconcile.patch import unified
from muster.reconcile.samples import Samples, collect
from muster.reconcile.spans import Document, Span, apply, flatten, flow

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from yaml import Node

FEWEST: Final = 3
METHOD: Final = (
    "median over all rounds of all sound attempts; spread limit 1.2 x the widest attempt, at least 2 %"
)
_TRANSPORT: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9 ._/-]*")
_MEASURE: Final = re.compile(r"([0-9]{1,12}(?:\.[0-9]{1,12})?)([A-Za-z/]{1,8})")
_UNITS: Final = {
    "busbw": "GB/s",
    "algbw": "GB/s",
    "bandwidth": "GB/s",
    "timeUs": "us",
    "time": "us",
    "latency": "ns",
}


@dataclass(frozen=True, slots=True)
class Proposal:
    """A threshold as it should be written.

    Attributes:
        name: its name under ``spec.thresholds``.
        is_new: whether the site file does not have it yet.
        entry: what to write, in the order of keys; of an existing threshold only what changes.
        samples: the number of figures (rounds) it rests on.
        median: the reference in the metric's unit.
        spread: (max - min) / median within the widest attempt.
        low: the smallest figure.
        high: the largest figure.
        unit: the unit of the figures.
        left_out: attempts that did not count, with why.
    """

    name: str
    is_new: bool
    entry: dict[str, Any]
    samples: int
    median: float
    spread: float
    low: float
    high: float
    unit: str
    left_out: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Baseline:
    """What `propose` found.

    Attributes:
        patch: a unified diff of the site file; empty without a proposal.
        proposals: what the patch writes.
        unchanged: thresholds whose reference is what the evidence gives.
        refused: thresholds and tests that nothing is proposed for, and why.
        method: how references and limits were computed.
    """

    patch: str
    proposals: tuple[Proposal, ...] = ()
    unchanged: tuple[str, ...] = ()
    refused: tuple[Diagnostic, ...] = ()
    method: str = METHOD


@dataclass(slots=True)
class _Wish:
    threshold: Mapping[str, Any]
    is_new: bool
    desired: list[Mapping[str, Any]] = field(default_factory=list)


def propose(
    site_text: str,
    file: str,
    plan: Mapping[str, Any],
    records: Iterable[Mapping[str, Any]],
    *,
    tests: Collection[str] | None = None,
    lower: str = "-15%",
    synthetic: bool = False,
) -> Baseline:
    """Propose references for the thresholds of a site file, and thresholds for tests that have none.

    A threshold that the site file writes gets a new ``reference`` and ``source``; its bounds stay, since
    relative ones follow the reference; one whose reference is what the evidence gives stays as it is. A test
    without any bound gets a threshold at its largest size (or for each case), with ``lower``, a spread limit and,
    over several nodes, the transport that the evidence shows, marked provisional. Fewer than three figures are
    refused.

    Args:
        site_text: the site file.
        file: its path from the root of the repository, for the patch.
        plan: the plan that the site compiles to.
        records: evidence records in any order; those of other measurements are ignored.
        tests: names of tests to look at; None looks at all.
        lower: lower bound of new thresholds, relative to the reference.
        synthetic: whether synthetic evidence counts; what rests on it is called estimated, not measured.

    Raises:
        InputFault: the file cannot be edited safely (MU962).
    """
    document = Document(site_text, file)
    spec = document.get(document.root, "spec")
    if spec is None:
        raise document.refuse("it has no spec")
    written = _written(document, spec[1])
    wishes = _wishes(plan, written, tests)
    pairs = [(wish.threshold, desired) for wish in wishes for desired in wish.desired]
    proposals: list[Proposal] = []
    refused: list[Diagnostic] = []
    unchanged: list[str] = []
    for wish, samples in zip(wishes, collect(pairs, records, synthetic=synthetic), strict=True):
        made = _proposal(wish, samples, lower, plan["site"])
        if isinstance(made, Diagnostic):
            refused.append(made)
        elif not wish.is_new and _is_written(document, spec[1], made):
            unchanged.append(made.name)
        else:
            proposals.append(made)
    refused += _elsewhere(plan, wishes, tests)
    unknown = sorted(set(tests or ()) - {want["test"] for want in plan["desired"]})
    refused += [diagnostic("MU963", f"the plan has no test {name}", site=plan["site"]) for name in unknown]
    after = _edited(document, spec[1], proposals) if proposals else site_text
    patch = unified(site_text, after, file)
    return Baseline(patch, tuple(proposals), tuple(unchanged), tuple(refused))


def _written(document: Document, spec: Node) -> set[str]:
    found = document.get(spec, "thresholds")
    if found is None or document.is_empty(found[1]):
        return set()
    return {str(key.value) for key, _ in document.pairs(found[1])}


def _is_written(document: Document, spec: Node, proposal: Proposal) -> bool:
    """Tell whether the file's threshold has the proposed reference already."""
    thresholds = document.get(spec, "thresholds")
    entry = document.get(thresholds[1], proposal.name) if thresholds else None
    written = document.get(entry[1], "reference") if entry else None
    found = _MEASURE.fullmatch(str(written[1].value)) if written else None
    return (
        found is not None and found[2] == proposal.unit and Decimal(found[1]) == Decimal(str(proposal.median))
    )


def _wishes(plan: Mapping[str, Any], written: set[str], tests: Collection[str] | None) -> list[_Wish]:
    """Return thresholds to renew and thresholds to add, each with the desired tests that it is to judge."""
    found: dict[tuple[Any, ...], _Wish] = {}
    taken = written | {
        str(threshold.get("name"))
        for want in plan["desired"]
        for threshold in maps(mapping(want.get("acceptance")).get("thresholds"))
    }
    for want in plan["desired"]:
        if tests is not None and want["test"] not in tests:
            continue
        thresholds = maps(mapping(want.get("acceptance")).get("thresholds"))
        for threshold in thresholds:
            name = text(threshold.get("name"))
            if name in written:
                found.setdefault(("old", name), _Wish(threshold, is_new=False)).desired.append(want)
        if not any(_is_bounded(threshold) for threshold in thresholds):
            for threshold in _fresh(want):
                key = ("new", want["test"], want["pool"], threshold["at"].get("case"))
                if key not in found:
                    threshold["name"] = _name(want, threshold["at"], taken)
                    taken.add(threshold["name"])
                    found[key] = _Wish(threshold, is_new=True)
                found[key].desired.append(want)
    return list(found.values())


def _is_bounded(threshold: Mapping[str, Any]) -> bool:
    return threshold.get("lower") is not None or threshold.get("upper") is not None


def _elsewhere(
    plan: Mapping[str, Any], wishes: list[_Wish], tests: Collection[str] | None
) -> list[Diagnostic]:
    """Return which tests are judged by thresholds that this file does not write: those of a profile."""
    covered = {want["test"] for wish in wishes for want in wish.desired}
    found: dict[str, set[str]] = {}
    for want in plan["desired"]:
        names = {str(one.get("name")) for one in maps(mapping(want.get("acceptance")).get("thresholds"))}
        if want["test"] not in covered and names and (tests is None or want["test"] in tests):
            found.setdefault(want["test"], set()).update(names)
    return [
        diagnostic("MU964", f"test {test} is judged by {', '.join(sorted(names))}", site=plan["site"])
        for test, names in sorted(found.items())
    ]


def _fresh(desired: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return where a test without thresholds would be judged: its largest size, or each of its cases."""
    measurement = mapping(desired.get("measurement"))
    params = mapping(measurement.get("params"))
    if text(measurement.get("op")):
        size, factor, largest = (whole(params.get(key)) or 0 for key in ("minBytes", "factor", "maxBytes"))
        while factor > 1 and 0 < size * factor <= largest:
            size *= factor
        at = {"bytes": size or largest, "placement": "out-of-place"}
        return [{"metric": "busbw", "at": at, "statistic": "median", "unit": "GB/s"}]
    cases = [case for case in params.get("cases") or () if isinstance(case, str)]
    return [
        {"metric": "bandwidth", "at": {"case": case}, "statistic": "median", "unit": "GB/s"} for case in cases
    ]


def _name(desired: Mapping[str, Any], at: Mapping[str, Any], taken: set[str]) -> str:
    """Return a free name of at most 40 characters that says what the threshold is of."""
    place = size_text(at["bytes"]).lower().rstrip("i") if "bytes" in at else str(at["case"]).replace("_", "-")
    base = f"{desired['test']}-{desired['pool']}-{place}"
    short = base if len(base) <= 40 else f"{desired['test']}-{place}"
    short = short[:40].rstrip("-")
    number_, name = 2, short
    while name in taken:
        name = f"{short[:37]}-{number_}"
        number_ += 1
    return name


def size_text(size: int) -> str:
    """Return bytes as a site file writes them: ``1Gi``, ``4Ki``, else plain digits."""
    for unit in ("Ti", "Gi", "Mi", "Ki"):
        step = 1024 ** (["Ki", "Mi", "Gi", "Ti"].index(unit) + 1)
        if size and size % step == 0:
            return f"{size // step}{unit}"
    return str(size)


def _proposal(wish: _Wish, samples: Samples, lower: str, site: str) -> Proposal | Diagnostic:
    name = str(wish.threshold.get("name"))
    values = samples.values
    aside = f"; left out: {samples.left_out[0]}" if samples.left_out else ""
    if not values:
        return diagnostic("MU961", f"threshold {name}: no sound attempt has its figure{aside}", site=site)
    if len(values) < FEWEST:
        count = f"{counted(len(values), 'figure')}, {FEWEST} are needed"
        return diagnostic("MU960", f"threshold {name}: {count}{aside}", site=site)
    unit = _UNITS.get(str(wish.threshold.get("metric")), text(wish.threshold.get("unit")) or "")
    middle = Context(prec=6).plus(statistics.median(values)).normalize()
    reference = f"{middle:f}{unit}"
    entry: dict[str, Any] = {"reference": reference, "source": _source(samples, unit)}
    if wish.is_new:
        carried = transport(wish.desired[0], samples)
        if isinstance(carried, str):
            return diagnostic("MU961", f"threshold {name}: {carried}{aside}", site=site)
        want, at = wish.desired[0], dict(wish.threshold["at"])
        if "bytes" in at:
            at["bytes"] = size_text(at["bytes"])
        entry = {
            "match": {"test": want["test"], "pool": want["pool"]},
            "metric": wish.threshold["metric"],
            "at": at,
            "statistic": "median",
            "reference": reference,
            "lower": lower,
            "spread": f"{_limit(samples.widest)}%",
            **({"transport": carried} if carried else {}),
            "source": entry["source"],
            "provisional": True,
        }
    return Proposal(
        name,
        wish.is_new,
        entry,
        len(values),
        float(middle),
        float(samples.widest),
        float(min(values)),
        float(max(values)),
        unit,
        tuple(samples.left_out),
    )


def transport(desired: Mapping[str, Any], samples: Samples) -> dict[str, Any] | str | None:
    """Return the transport to require of a test over several nodes, None where none is needed, or why it cannot be.

    A figure over several nodes says something of one transport only.
    """
    asked = mapping(mapping(desired.get("acceptance")).get("transport"))
    if (
        len(desired["unit"]) < 2
        or not text(mapping(desired.get("measurement")).get("op"))
        or asked.get("require")
    ):
        return None
    paths = {path for path, _ in samples.transports}
    if len(paths) > 1:
        told = "; ".join(sorted(", ".join(path) or "none shown" for path in paths))
        return f"attempts used different transports between nodes ({told})"
    (path,) = paths
    if not path:
        return "the evidence does not show which transport was used between nodes"
    if odd := [name for name in path if not _TRANSPORT.fullmatch(name)]:
        return f"the transport {odd[0]!r} has no name that a site file can hold"
    direct = all(used for _, used in samples.transports)
    return {"require": list(path), **({"gpudirect": "required"} if direct else {})}


def _limit(widest: Decimal) -> int:
    wanted = (widest * 120).to_integral_value(rounding=ROUND_CEILING)
    return max(2, int(wanted))


def _source(samples: Samples, unit: str) -> dict[str, Any]:
    values = samples.values
    note = (
        f"median of {counted(len(values), 'round')} in {counted(len(samples.runs), 'attempt')}"
        f" of {counted(len(samples.units), 'unit')}; "
        f"{figure(min(values))}-{figure(max(values))} {unit}, widest attempt {percent(samples.widest)}"
    )
    if samples.synthetic:
        note += "; some of the evidence is synthetic"
    source: dict[str, Any] = {"kind": "estimated" if samples.synthetic else "measured"}
    if samples.newest is not None:
        source["date"] = samples.newest.date().isoformat()
    return {**source, "samples": len(values), "note": note}


def _edited(document: Document, spec: Node, proposals: list[Proposal]) -> str:
    """Return the file with all proposals, after proving that nothing but them changed."""
    thresholds = document.get(spec, "thresholds")
    spans: list[Span] = []
    touched: set[tuple[str, ...]] = set()
    for proposal in (item for item in proposals if not item.is_new):
        found = document.get(thresholds[1], proposal.name) if thresholds else None
        if found is None:
            raise document.refuse(f"threshold {proposal.name} is gone")
        spans += _renew(document, found[1], proposal.entry)
        touched |= {("spec", "thresholds", proposal.name, key) for key in proposal.entry}
    fresh = {item.name: item.entry for item in proposals if item.is_new}
    if fresh:
        spans.append(_add(document, spec, thresholds, fresh))
        touched |= {("spec", "thresholds", name) for name in fresh} | {("spec", "thresholds")}
    after = apply(document.text, spans)
    _prove(document, after, touched)
    return after


def _renew(document: Document, node: Node, entry: Mapping[str, Any]) -> list[Span]:
    """Return the edits that set keys of a mapping: values replaced where they stand, others added."""
    import yaml

    spans: list[Span] = []
    missing: dict[str, Any] = {}
    for key, value in entry.items():
        found = document.get(node, key)
        if found is None:
            missing[key] = value
        elif isinstance(value, dict) and isinstance(found[1], yaml.MappingNode) and found[1].value:
            spans += _renew(document, found[1], value)
        else:
            spans.append(document.replace(found[1], flow(value)))
    return [*spans, document.insert(node, missing)] if missing else spans


def _add(
    document: Document, spec: Node, thresholds: tuple[Node, Node] | None, fresh: Mapping[str, Any]
) -> Span:
    import yaml

    if thresholds is None:
        return document.insert(spec, {"thresholds": fresh})
    key, value = thresholds
    if not document.is_empty(value):
        return document.insert(value, fresh)
    if isinstance(spec, yaml.MappingNode) and spec.flow_style:
        raise document.refuse("thresholds are empty inside a flow mapping", key.start_mark.index)
    colon = document.text.index(":", key.end_mark.index) + 1
    end = document.line_end(value.end_mark.index)
    comment = document.text[value.end_mark.index : end].rstrip()
    return Span(colon, end, comment + document.block(fresh, key.start_mark.column + 2))


def _prove(document: Document, after: str, touched: set[tuple[str, ...]]) -> None:
    """Refuse an edit that does not parse, or that changed any value beside the thresholds proposed."""
    new = Document(after, document.file)
    before, now = flatten(document.root), flatten(new.root)
    odd = [
        path
        for path in sorted(before.keys() | now.keys())
        if before.get(path) != now.get(path) and not any(path[: len(own)] == own for own in touched)
    ]
    if odd:
        raise document.refuse(f"the edit would change {'.'.join(odd[0])} too")
