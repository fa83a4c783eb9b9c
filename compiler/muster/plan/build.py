"""The plan of one site: every desired test with its measurement, acceptance, cost and origin."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from muster.plan.acceptance import Acceptances, resolve_thresholds
from muster.plan.budget import check_budget
from muster.plan.cost import cost_of, estimate_seconds, total_hours
from muster.plan.digest import digest_of
from muster.plan.measurement import measure
from muster.plan.provenance import provenance_of
from muster.plan.units import Unit, count_units, units_of, waves_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from muster.diagnostics import Diagnostic
    from muster.plan.context import SiteContext

STAGES = {
    "node": "20-node",
    "pair": "30-pair",
    "domain": "40-domain",
    "cross-domain": "40-domain",
    "pool": "50-pool",
}


MOST_RUNS = 20_000
"""Most runs of one site; each becomes an object or more."""


@dataclass(frozen=True, slots=True)
class SitePlan:
    """A plan as ``plan.json`` carries it (without ``objects``), and what is wrong with it."""

    data: dict[str, Any]
    diagnostics: tuple[Diagnostic, ...]


def build_plan(context: SiteContext, catalog: Mapping[str, Any], site_digest: str, script: str) -> SitePlan:
    """Return the plan of a resolved site.

    Args:
        context: the resolved site.
        catalog: the catalog's entries by name.
        site_digest: ``sha256:<hex>`` of the site file.
        script: ``sha256:<hex>`` of the script that the pods run.
    """
    spec = context.spec
    resolved, faults = resolve_thresholds(context)
    acceptances = Acceptances(context, resolved)
    desired: list[dict[str, Any]] = []
    tests: dict[str, Any] = {}
    waves: dict[str, int] = {}
    large = _too_many(context)
    faults += large
    for name, test in sorted(spec["tests"].items(), key=lambda item: (_stage(item[1], catalog), item[0])):
        entry = catalog[test["test"]]
        stage = _stage(test, catalog)
        tests[name] = _test_record(context, name, test, entry, stage)
        if not test["enabled"] or large:
            continue
        found = list(_desired_of(context, name, test, entry, stage, waves, script))
        if not found:
            faults.append(context.fault("MU401", f"test {name} covers no unit", ("spec", "tests", name)))
        for item in found:
            item["acceptance"], more = acceptances.of(item, entry)
            faults += [fault for fault in more if fault not in faults]
        desired += found
    if not any(fault.code in {"MU402", "MU411", "MU412"} for fault in faults):
        faults += _unused_thresholds(context, desired)
    faults += check_budget(context, desired)
    data = {
        "apiVersion": "muster.dev/plan/v1",
        "site": context.name,
        "siteDigest": site_digest,
        "campaign": spec.get("campaign"),
        "validFor": context.valid_for,
        "software": spec["software"],
        "pools": {name: _pool_record(pool) for name, pool in sorted(spec["pools"].items())},
        "tests": tests,
        "disabled": _disabled(context),
        "desired": desired,
        "waivers": _waivers(context),
        "totals": {
            "gpuHours": total_hours(item["cost"] for item in desired),
            "budget": spec["budget"]["gpuHours"],
        },
        "excluded": _excluded(spec),
    }
    return SitePlan(data, tuple(faults))


def _too_many(context: SiteContext) -> list[Diagnostic]:
    """Refuse more runs than a site may have, before any of them is made."""
    spec = context.spec
    counts = {
        name: sum(
            count_units(spec["pools"][pool], test["scope"], test["pairs"]) for pool in pools_of(spec, test)
        )
        for name, test in spec["tests"].items()
        if test["enabled"]
    }
    total = sum(counts.values())
    if total <= MOST_RUNS:
        return []
    largest = max(counts, key=lambda name: (counts[name], name))
    text = f"the tests would make {total} runs, {MOST_RUNS} are the most; {counts[largest]} are of {largest}"
    return [context.fault("MU402", text, ("spec", "tests", largest))]


def _stage(test: Mapping[str, Any], catalog: Mapping[str, Any]) -> str:
    return "10-preflight" if catalog[test["test"]]["tool"] == "preflight" else STAGES[test["scope"]]


def pools_of(spec: Mapping[str, Any], test: Mapping[str, Any]) -> list[str]:
    """Return the pools a test covers: those it names, else those with one of its products, else all."""
    if "pools" in test:
        return sorted(set(test["pools"]))
    wanted = test.get("products")
    return sorted(
        n for n, pool in spec["pools"].items() if wanted is None or pool["gpu"]["product"] in wanted
    )


def _desired_of(
    context: SiteContext,
    name: str,
    test: Mapping[str, Any],
    entry: Mapping[str, Any],
    stage: str,
    waves: dict[str, int],
    script: str,
) -> Iterator[dict[str, Any]]:
    """Yield the desired tests of one test; its waves follow those of the tests before it in the stage."""
    spec = context.spec
    found: list[tuple[str, Unit]] = [
        (pool, unit)
        for pool in pools_of(spec, test)
        for unit in units_of(spec["pools"][pool], test["scope"], test["pairs"])
    ]
    at_once = max(spec["budget"]["maxConcurrentNodes"], *(len(unit.nodes) for _, unit in found), 1)
    first = waves.get(stage, 0)
    order = waves_of([unit for _, unit in found], at_once)
    for (pool, unit), wave in zip(found, order, strict=True):
        measurement = measure(spec, context.name, pool, test, entry, unit, script)
        yield {
            "id": "/".join([context.name, pool, name, "+".join(unit.nodes)]),
            "site": context.name,
            "pool": pool,
            "test": name,
            "catalog": test["test"],
            "tool": entry["tool"],
            "scope": test["scope"],
            "unit": list(unit.nodes),
            "domain": unit.domain,
            "digest": digest_of(measurement),
            "measurement": measurement,
            "stage": stage,
            "wave": first + wave,
            "cost": cost_of(measurement["ranks"], estimate_seconds(test, entry)),
            "position": context.site_place(("spec", "tests", name)),
        }
    waves[stage] = first + max(order, default=-1) + 1


def _test_record(
    context: SiteContext, name: str, test: Mapping[str, Any], entry: Mapping[str, Any], stage: str
) -> dict[str, Any]:
    return {
        "catalog": test["test"],
        "tool": entry["tool"],
        "scope": test["scope"],
        "pools": pools_of(context.spec, test),
        "runner": test["runner"],
        "enabled": test["enabled"],
        "stage": stage,
        "provenance": provenance_of(context, name, test, test["test"]),
    }


def _pool_record(pool: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "nodes": sorted(pool["nodes"]["names"]),
        "gpusPerNode": pool["gpu"]["perNode"],
        "product": pool["gpu"]["product"],
        "domains": {name: sorted(members) for name, members in sorted(pool["domains"].items())},
    }


def _disabled(context: SiteContext) -> dict[str, Any]:
    return {
        name: {
            "reason": test.get("reason"),
            "owner": test.get("owner"),
            "position": context.where(("spec", "tests", name, "enabled")),
        }
        for name, test in sorted(context.spec["tests"].items())
        if not test["enabled"]
    }


def _waivers(context: SiteContext) -> dict[str, Any]:
    return {
        name: {**waiver, "position": context.where(("spec", "waivers", name))}
        for name, waiver in sorted(context.spec["waivers"].items())
    }


def _excluded(spec: Mapping[str, Any]) -> list[dict[str, str]]:
    return [
        {"pool": name, "node": node, "reason": said["reason"]}
        for name, pool in sorted(spec["pools"].items())
        for node, said in sorted(pool["nodes"]["excluded"].items())
    ]


def _unused_thresholds(context: SiteContext, desired: list[dict[str, Any]]) -> list[Diagnostic]:
    used = {threshold["name"] for item in desired for threshold in item["acceptance"]["thresholds"]}
    unused = [name for name in context.spec["thresholds"] if name not in used]
    return [
        context.fault(
            "MU416", f"threshold {name} applies to no run of this site", ("spec", "thresholds", name)
        )
        for name in unused
    ]
