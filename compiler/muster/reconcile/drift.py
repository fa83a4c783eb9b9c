"""Sort what was found into drift classes: what changed between what is declared and what is."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Any, Final

from muster.judge.fields import mapping, number
from muster.reconcile.model import DRIFT_CLASSES, item
from muster.reconcile.plans import excluded_of, nodes_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from muster.reconcile.gather import Gathered, Orphan
    from muster.reconcile.model import DriftClass, GeneratedState

_BY_STATE: Final[dict[str, DriftClass]] = {
    "violated": "result",
    "contested": "result",
    "incomplete": "result",
    "errored": "result",
    "unreadable": "result",
    "unjudged": "result",
    "missing": "coverage",
    "excluded": "coverage",
}
_BY_KIND: Final[dict[str, DriftClass]] = {
    "definition": "definition",
    "environment": "environment",
    "expired": "age",
}
# Evidence is called old in the last tenth of its validity.
_OLD: Final = 10


def of_verdicts(verdicts: Sequence[Mapping[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    """Return a finding for every verdict that is neither satisfied nor waived, by class."""
    found: dict[str, list[dict[str, Any]]] = {name: [] for name in DRIFT_CLASSES}
    for verdict in verdicts:
        state = verdict["state"]
        if state in {"satisfied", "waived"}:
            continue
        stale = verdict["stale"]
        where = _BY_KIND[stale["kind"]] if stale else _BY_STATE[state]
        found[where].append(
            item(
                verdict["reason"]["code"],
                f"{verdict['id']}: {verdict['reason']['message']}",
                verdict["site"],
                subject=verdict["id"],
                position=verdict["position"],
                next_step=verdict["next"],
            )
        )
    return found


def soon_old(
    desired: Sequence[Mapping[str, Any]], verdicts: Sequence[Mapping[str, Any]]
) -> list[dict[str, Any]]:
    """Return a warning for every satisfied verdict whose evidence expires within a tenth of its validity."""
    found = []
    for want, verdict in zip(desired, verdicts, strict=True):
        allowed = number(mapping(want.get("acceptance")).get("validFor"))
        if verdict["state"] != "satisfied" or allowed is None or verdict["age"] is None:
            continue
        left = float(allowed) - verdict["age"]
        if left <= float(allowed) / _OLD:
            text = f"{verdict['id']}: its evidence expires in {timedelta(seconds=int(left))}"
            found.append(
                item(
                    "MU946",
                    text,
                    verdict["site"],
                    severity="warning",
                    subject=verdict["id"],
                    position=verdict["position"],
                    next_step="Ask for a fresh run by a new campaign.",
                )
            )
    return found


def of_generated(generated: GeneratedState | None, sites: Sequence[str]) -> list[dict[str, Any]]:
    """Return a finding for every file of the committed output that is not what compiles now."""
    text = "committed output was not compared with what compiles now"
    unknown = [
        item("MU951", text, site, severity="warning", next_step="Run `muster check`.")
        for site in (sites if generated is None or not generated.compared else ())
    ]
    return [
        *unknown,
        *(
            item(
                "MU950",
                f"{found.path} is {found.change}",
                found.site,
                subject=found.path,
                next_step="Run `muster compile` and commit the result.",
            )
            for found in (generated.differences if generated else ())
        ),
    ]


def _validity(plan: Mapping[str, Any]) -> timedelta:
    """Return the longest validity of a plan; evidence older than that is history, not drift."""
    found = [number(plan.get("validFor"))]
    found += [number(mapping(want.get("acceptance")).get("validFor")) for want in plan["desired"]]
    longest = max((value for value in found if value is not None), default=None)
    return timedelta(seconds=min(float(longest or 0), 10.0 * 365 * 86400))


def _recent(time: datetime | None, as_of: datetime, validity: timedelta) -> bool:
    return time is None or as_of - time <= validity


def of_inventory(
    plans: Sequence[Mapping[str, Any]], gathered: Gathered, as_of: datetime
) -> list[dict[str, Any]]:
    """Return nodes that recent evidence names and the site does not, and the other way round."""
    found = []
    for plan in plans:
        site, validity = plan["site"], _validity(plan)
        pools = {pool: nodes_of(plan, pool) for pool in plan["pools"]}
        here = {node for nodes in pools.values() for node in nodes}
        seen = gathered.nodes[site]
        for node in sorted(set(seen) - here):
            if _recent(seen[node], as_of, validity):
                text = f"node {node} is in the evidence, the site does not have it"
                step = "Add the node to a pool, or find out who runs tests on it."
                found.append(item("MU952", text, site, subject=node, next_step=step))
        left_out = {entry["node"] for entry in excluded_of(plan)}
        for pool, nodes in sorted(pools.items()):
            for node in nodes:
                if node not in seen and node not in left_out:
                    text = f"node {node} of pool {pool} is in no evidence at all"
                    step = "Check that the node exists and that its tests are scheduled."
                    found.append(item("MU953", text, site, subject=node, next_step=step))
    return found


def of_orphans(
    plans: Sequence[Mapping[str, Any]], gathered: Gathered, as_of: datetime
) -> list[dict[str, Any]]:
    """Return recent evidence that no desired test asks for; of no known site it is a warning only.

    Evidence of a test that is switched off, or of a node that is excluded, is history and only told.
    """
    validity = {plan["site"]: _validity(plan) for plan in plans}
    longest = max(validity.values(), default=timedelta())
    found = []
    for orphan in sorted(gathered.orphans, key=lambda orphan: (orphan.site, orphan.evidence)):
        if not _recent(orphan.time, as_of, validity.get(orphan.site, longest)):
            continue
        past = _history(plans, orphan)
        found.append(
            item(
                "MU954",
                f"{orphan.evidence} ({orphan.test}): {past or orphan.why}",
                orphan.site,
                severity="info" if past else "error" if orphan.site else "warning",
                subject=orphan.evidence,
                next_step="" if past else "Declare the test, or ingest the files with what they belong to.",
            )
        )
    return found


def _history(plans: Sequence[Mapping[str, Any]], orphan: Orphan) -> str:
    """Say why nobody asks for evidence any more, where the plan itself tells it; else an empty text."""
    for plan in plans:
        if plan["site"] != orphan.site:
            continue
        if orphan.test in (plan.get("disabled") or {}):
            return "the test is switched off"
        out = {entry["node"] for entry in plan.get("excluded") or ()}
        names = sorted(out.intersection(orphan.nodes))
        if names:
            return f"{', '.join(names)} is excluded"
    return ""
