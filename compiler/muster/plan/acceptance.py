"""How a measurement is judged: the thresholds of a run, resolved to figures. Never part of the digest."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Any

from muster.diagnostics import Diagnostic, Related
from muster.plan.applying import Applying, rank_of
from muster.policy.structure import point_at
from muster.site.positions import format_path
from muster.site.units import parse_bytes, parse_rate

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from muster.plan.context import SiteContext

_SHOWN = 6
"""Most thresholds that one message names."""

_NETS = {"NET/IB", "NET/Socket"}
"""The transports that `params.net` decides between."""

_UNITS = {
    "busbw": "GB/s",
    "algbw": "GB/s",
    "bandwidth": "GB/s",
    "time": "us",
    "latency": "ns",
}
"""Metric to the unit that plan and verdicts carry."""

_SCALE = {
    ("GB/s", "GB/s"): Decimal(1),
    ("Gb/s", "GB/s"): Decimal("0.125"),
    ("us", "us"): Decimal(1),
    ("ns", "us"): Decimal("0.001"),
    ("ms", "us"): Decimal(1000),
    ("s", "us"): Decimal(1000000),
    ("ns", "ns"): Decimal(1),
    ("us", "ns"): Decimal(1000),
    ("ms", "ns"): Decimal(1000000),
    ("s", "ns"): Decimal(1000000000),
}


def resolve_thresholds(context: SiteContext) -> tuple[dict[str, dict[str, Any]], list[Diagnostic]]:
    """Turn every threshold of a site into figures in the metric's unit: bytes, GB/s, us, fractions."""
    found: dict[str, dict[str, Any]] = {}
    faults: list[Diagnostic] = []
    for name, threshold in context.spec["thresholds"].items():
        try:
            found[name] = _resolve(context, name, threshold)
        except ValueError as error:
            faults.append(context.fault("MU411", f"threshold {name}: {error}", ("spec", "thresholds", name)))
    return found, faults


def _resolve(context: SiteContext, name: str, threshold: Mapping[str, Any]) -> dict[str, Any]:
    unit = _UNITS[threshold["metric"]]
    reference = _figure(threshold["reference"], unit) if "reference" in threshold else None
    lower = _bound(threshold.get("lower"), reference, unit)
    upper = _bound(threshold.get("upper"), reference, unit)
    _check_bounds(lower, upper, unit)
    at = dict(threshold["at"])
    if "bytes" in at:
        at["bytes"] = parse_bytes(at["bytes"])
    return {
        "name": name,
        "metric": {"time": "timeUs"}.get(threshold["metric"], threshold["metric"]),
        "at": dict(sorted(at.items())),
        "statistic": threshold["statistic"],
        "reference": _number(reference),
        "unit": unit,
        "lower": _number(lower),
        "upper": _number(upper),
        "lowerText": threshold.get("lower"),
        "upperText": threshold.get("upper"),
        "spread": float(Decimal(threshold["spread"].rstrip("%")) / 100) if "spread" in threshold else None,
        "source": threshold["source"],
        "provisional": threshold["provisional"],
        "position": context.where(("spec", "thresholds", name)),
    }


def _figure(text: str, unit: str) -> Decimal:
    value, own = parse_rate(text)
    if (own, unit) not in _SCALE:
        raise ValueError(f"{text} is not in a unit of this metric ({unit})")
    return Decimal(str(value)) * _SCALE[own, unit]


def _bound(text: str | None, reference: Decimal | None, unit: str) -> Decimal | None:
    if text is None:
        return None
    if not text.endswith("%"):
        return _figure(text, unit)
    if reference is None:
        raise ValueError(f"{text} is relative, but there is no reference")
    return reference * (1 + Decimal(text[:-1]) / 100)


def _check_bounds(lower: Decimal | None, upper: Decimal | None, unit: str) -> None:
    """Refuse bounds that every figure meets, or none."""
    if lower is not None and lower <= 0:
        raise ValueError(f"every figure is above the lower bound of {_number(lower):g} {unit}")
    if upper is not None and upper <= 0:
        raise ValueError(f"no figure is below the upper bound of {_number(upper):g} {unit}")
    if lower is not None and upper is not None and lower > upper:
        raise ValueError(
            f"the lower bound of {_number(lower):g} {unit} is above the upper one of {_number(upper):g} {unit}"
        )


def _number(value: Decimal | None) -> float | None:
    return None if value is None else float(value)


class Acceptances:
    """Makes the acceptance of each run; runs that are judged alike share one."""

    def __init__(self, context: SiteContext, resolved: Mapping[str, Mapping[str, Any]]) -> None:
        self._context = context
        self._resolved = resolved
        self._applying = Applying(context, resolved)
        self._made: dict[tuple[Any, ...], dict[str, Any]] = {}

    def of(
        self, desired: Mapping[str, Any], entry: Mapping[str, Any]
    ) -> tuple[dict[str, Any], list[Diagnostic]]:
        """Return the acceptance of one run, and what contradicts in it where that was not told before.

        Of the thresholds of one metric at one place the most specific match wins; two of equal specificity are
        an error, never a choice.
        """
        hits = self._applying.to(desired, entry)
        key = desired["pool"], desired["test"], desired["measurement"]["params"].get("net"), hits
        faults: list[Diagnostic] = []
        if key not in self._made:
            self._made[key], faults = self._make(desired, entry, hits)
        return self._made[key], faults

    def _make(
        self, desired: Mapping[str, Any], entry: Mapping[str, Any], hits: Sequence[str]
    ) -> tuple[dict[str, Any], list[Diagnostic]]:
        context, resolved = self._context, self._resolved
        groups: dict[tuple[Any, ...], list[str]] = {}
        for name in hits:
            at = resolved[name]["at"]
            groups.setdefault((resolved[name]["metric"], *sorted(at.items())), []).append(name)
        chosen: list[str] = []
        faults: list[Diagnostic] = []
        for names in groups.values():
            top = max(rank_of(context, name) for name in names)
            best = [name for name in names if rank_of(context, name) == top]
            if len(best) > 1:
                faults.append(_tie(context, desired, best))
            chosen.append(best[0])
        faults += [fault for name in chosen for fault in _unmeasured(context, desired, resolved[name], entry)]
        transport, more = _transport(context, hits, desired)
        params = desired["measurement"]["params"]
        acceptance = {
            "validFor": context.valid_for,
            "rounds": params["rounds"],
            "validation": bool(params.get("check", 0)),
            "thresholds": [dict(resolved[name]) for name in sorted(chosen)],
            "transport": transport,
            "checks": _checks(entry, params, desired),
            "preflight": _preflight(context, desired) if entry["tool"] == "preflight" else None,
        }
        return acceptance, [*faults, *more]


def _tie(context: SiteContext, desired: Mapping[str, Any], names: Sequence[str]) -> Diagnostic:
    first, *rest = (("spec", "thresholds", name, "match") for name in names[:_SHOWN])
    related = tuple(Related(point_at(context.positions, steps), format_path(steps)) for steps in rest)
    message = f"thresholds {_few(sorted(names), ' and ')} apply equally to runs of test {desired['test']}"
    return context.fault("MU412", message, first, related=related)


def _few(names: Sequence[str], between: str) -> str:
    more = len(names) - _SHOWN
    return between.join([*names[:_SHOWN], *([f"{more} more"] if more > 0 else [])])


def _unmeasured(
    context: SiteContext, desired: Mapping[str, Any], threshold: Mapping[str, Any], entry: Mapping[str, Any]
) -> list[Diagnostic]:
    at = threshold["at"]
    steps = ("spec", "thresholds", threshold["name"], "at")
    params = desired["measurement"]["params"]
    if context.spec["thresholds"][threshold["name"]]["metric"] not in entry["metrics"]:
        text = f"{desired['catalog']} does not measure {threshold['metric']}"
        return [context.fault("MU413", text, ("spec", "thresholds", threshold["name"], "metric"))]
    if entry["tool"] == "nccl-tests":
        if "bytes" not in at or "placement" not in at:
            return [
                context.fault("MU414", f"threshold {threshold['name']} names no size or no placement", steps)
            ]
        if at["bytes"] not in sizes(params):
            text = f"{at['bytes']} bytes is not measured by test {desired['test']}"
            hint = "measured: " + ", ".join(str(size) for size in sizes(params))
            return [context.fault("MU414", text, (*steps, "bytes"), hint=hint)]
    if entry["tool"] == "nvbandwidth" and at.get("case") not in params["cases"]:
        return [
            context.fault("MU414", f"case {at.get('case')} is not measured by test {desired['test']}", steps)
        ]
    return []


def sizes(params: Mapping[str, Any]) -> list[int]:
    """Return the message sizes of an nccl-tests run in bytes: ``minBytes`` times powers of ``factor``."""
    found = []
    size = params["minBytes"]
    while size <= params["maxBytes"]:
        found.append(size)
        if size == 0:
            break
        size *= params["factor"]
    return found


def _transport(
    context: SiteContext, hits: Sequence[str], desired: Mapping[str, Any]
) -> tuple[dict[str, Any] | None, list[Diagnostic]]:
    """Gather what all thresholds that apply say of the transport: a more specific figure drops no guard."""
    thresholds = context.spec["thresholds"]
    rules = {name: thresholds[name]["transport"] for name in sorted(hits) if "transport" in thresholds[name]}
    if not rules:
        return None, []
    require = sorted({item for rule in rules.values() for item in rule.get("require", ())})
    forbid = sorted({item for rule in rules.values() for item in rule.get("forbid", ())})
    gpudirect = sorted({rule["gpudirect"] for rule in rules.values() if "gpudirect" in rule})
    steps = ("spec", "thresholds", next(iter(rules)), "transport")
    faults = []
    if set(require) & set(forbid) or len(gpudirect) > 1:
        both = ", ".join([*sorted(set(require) & set(forbid)), *(gpudirect if len(gpudirect) > 1 else ())])
        faults.append(
            context.fault(
                "MU415", f"thresholds {_few(list(rules), ', ')} contradict each other: {both}", steps
            )
        )
    net = desired["measurement"]["params"].get("net")
    asked = f"NET/{net}"
    foreign = [item for item in require if item in _NETS and net and item != asked]
    if not faults and (foreign or asked in forbid):
        text = f"test {desired['test']} runs over {asked}, but {', '.join(foreign) or asked} is "
        text += "required" if foreign else "forbidden"
        faults.append(context.fault("MU417", text, steps))
    found = {"require": require, "forbid": forbid, "gpudirect": gpudirect[0] if gpudirect else None}
    return {**found, "from": list(rules)}, faults


def _checks(
    entry: Mapping[str, Any], params: Mapping[str, Any], desired: Mapping[str, Any]
) -> dict[str, Any] | None:
    if entry["tool"] != "dcgm":
        return None
    level = entry["levels"][str(params["level"])]
    return {"require": level["checks"], "entities": desired["measurement"]["ranksPerNode"]}


def _preflight(context: SiteContext, desired: Mapping[str, Any]) -> dict[str, Any]:
    pool = context.spec["pools"][desired["pool"]]
    found: dict[str, Any] = {"gpus": pool["gpu"]["perNode"], "product": pool["gpu"]["product"]}
    found |= desired["measurement"]["software"]
    if "fabric" in pool:
        fabric = pool["fabric"]
        found["fabric"] = {
            "type": fabric["type"],
            "perNode": fabric["perNode"],
            "rate": fabric["rate"],
            "hcas": fabric["hcas"],
        }
    return found
