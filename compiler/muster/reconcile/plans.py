"""Check the plans that reconcile is given: a plan that cannot be read must not look like one without tests."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from muster.diagnostics import InputFault, diagnostic

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from muster.diagnostics import Diagnostic

PLAN_SCHEMA = "muster.dev/plan/v1"


def check(plans: Sequence[Mapping[str, Any]]) -> None:
    """Refuse plans that lack what reconcile builds on.

    Raises:
        InputFault: MU957, a plan of another version, without a site, twice the same site or id, or a desired
            test without digest, unit, measurement or acceptance.
    """
    faults: list[Diagnostic] = []
    seen: set[str] = set()
    ids: set[str] = set()
    for number, plan in enumerate(plans):
        site = plan.get("site")
        where = f"plan {number + 1}" if not isinstance(site, str) else f"plan of site {site}"
        if plan.get("apiVersion") != PLAN_SCHEMA:
            faults.append(_fault(f"{where}: apiVersion is {plan.get('apiVersion')!r}, not {PLAN_SCHEMA}"))
            continue
        if not isinstance(site, str) or not site:
            faults.append(_fault(f"{where} names no site"))
            continue
        if site in seen:
            faults.append(_fault(f"two plans are of site {site}", site))
        seen.add(site)
        if not isinstance(plan.get("desired"), list) or not isinstance(plan.get("pools"), dict):
            faults.append(_fault(f"{where} has no desired tests or no pools", site))
            continue
        faults.extend(_desired(plan["desired"], site, ids))
    if faults:
        raise InputFault(faults)


def _desired(desired: Iterable[Any], site: str, ids: set[str]) -> list[Diagnostic]:
    faults: list[Diagnostic] = []
    for item in desired:
        name = item.get("id") if isinstance(item, dict) else None
        if not isinstance(item, dict) or not isinstance(name, str):
            faults.append(_fault("a desired test has no id", site))
            continue
        lacking = [
            key for key in ("site", "pool", "test", "scope", "digest") if not isinstance(item.get(key), str)
        ]
        lacking += [key for key in ("measurement", "acceptance") if not isinstance(item.get(key), dict)]
        unit = item.get("unit")
        if not isinstance(unit, list) or not unit or not all(isinstance(node, str) for node in unit):
            lacking.append("unit")
        if lacking:
            faults.append(_fault(f"desired test {name} lacks {', '.join(lacking)}", site))
        elif item["site"] != site:
            faults.append(_fault(f"desired test {name} is of site {item['site']}", site))
        if name in ids:
            faults.append(_fault(f"two desired tests have the id {name}", site))
        ids.add(name)
    return faults


def _fault(message: str, site: str = "") -> Diagnostic:
    return diagnostic("MU957", message, site=site)


def nodes_of(plan: Mapping[str, Any], pool: str) -> list[str]:
    """Return all nodes of a pool, those that are excluded too: they stay in the denominator."""
    entry = plan["pools"].get(pool)
    own = entry.get("nodes") if isinstance(entry, dict) else None
    found = {node for node in own or () if isinstance(node, str)}
    return sorted(found | {item["node"] for item in excluded_of(plan, pool)})


def excluded_of(plan: Mapping[str, Any], pool: str | None = None) -> list[dict[str, Any]]:
    """Return the excluded nodes of a plan as {pool, node, reason}."""
    entries = plan.get("excluded")
    return [
        entry
        for entry in (entries if isinstance(entries, list) else [])
        if isinstance(entry, dict)
        and isinstance(entry.get("node"), str)
        and (pool is None or entry.get("pool") == pool)
    ]
