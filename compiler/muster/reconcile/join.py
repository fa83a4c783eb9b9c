"""Join plans with evidence."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC
from typing import TYPE_CHECKING, Any

from muster.diagnostics.words import counted
from muster.judge import STATES, decide
from muster.reconcile import contradictions, coverage, drift, suspects, waivers
from muster.reconcile.gather import gather
from muster.reconcile.model import Report, item
from muster.reconcile.plans import check

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence
    from datetime import datetime

    from muster.reconcile.gather import Gathered
    from muster.reconcile.model import GeneratedState
    from muster.reconcile.packed import Packed, Shelf


def reconcile(
    plans: Sequence[Mapping[str, Any]],
    records: Iterable[Mapping[str, Any] | Packed | Shelf],
    *,
    as_of: datetime,
    generated: GeneratedState | None = None,
    replay: bool = False,
    tests: Collection[str] | None = None,
    synthetic: bool = False,
) -> Report:
    """Give every desired test of some plans exactly one state, and say what drifted.

    Records are read once and not kept, so that an archive may be larger than memory.

    Args:
        plans: plans (``muster.dev/plan/v1``), one per site.
        records: evidence records (``muster.dev/evidence/v1``) in any order, whole, as an index packs them, or
            shelves of those.
        as_of: the moment to judge at, with a time zone.
        generated: how committed output compares with what compiles now; None when nobody compared, which the
            report says.
        tests: report on these tests only; everything else is still read, so that evidence of other tests does
            not look like evidence that nobody desires. None reports on all.
        replay: leave out evidence that ended after ``as_of``, to repeat an older reconciliation; otherwise
            such evidence is a doubt.
        synthetic: let verdicts count that rest on synthetic evidence, for a demonstration; otherwise they are a
            finding, since nothing was measured.

    Raises:
        InputFault: a plan cannot be read (MU957).
        ValueError: ``as_of`` has no time zone.
    """
    if as_of.tzinfo is None:
        raise ValueError("as_of needs a time zone")
    as_of = as_of.astimezone(UTC)
    check(plans)
    gathered = gather(plans, records, until=as_of if replay else None)
    desired = [want for plan in plans for want in plan["desired"]]
    verdicts = [
        decide(want, gathered.attempts.pop(want["id"], []), gathered.older.get(want["id"]), as_of=as_of)
        for want in desired
    ]
    live = waivers.apply(plans, verdicts, as_of)
    covered = coverage.coverage(plans, verdicts)
    found = drift.of_verdicts(verdicts)
    found["generated"] = drift.of_generated(generated, [plan["site"] for plan in plans])
    found["age"] += drift.soon_old(desired, verdicts)
    found["result"] += contradictions.contradictions(desired, verdicts)
    found["coverage"] += coverage.findings(covered)
    found["waiver"] = waivers.findings(live, as_of)
    found |= _of_evidence(plans, gathered, as_of)
    found["input"] += _of_synthetic(verdicts, allowed=synthetic)
    accused, next_runs = suspects.suspects(desired, verdicts)
    report = Report(
        as_of=as_of.isoformat().replace("+00:00", "Z"),
        sites=_sites(plans),
        summary=_summary(verdicts, found, gathered),
        verdicts=verdicts,
        drift=found,
        waivers=live,
        coverage=covered,
        suspects=accused,
        next_runs=next_runs,
        disabled=_disabled(plans),
    )
    return report if tests is None else narrowed(report, tests, gathered, synthetic=synthetic)


def _of_evidence(
    plans: Sequence[Mapping[str, Any]], gathered: Gathered, as_of: datetime
) -> dict[str, list[dict[str, Any]]]:
    """Return the drift classes that are about evidence as a whole, not about one desired test."""
    return {
        "inventory": drift.of_inventory(plans, gathered, as_of),
        "orphan": drift.of_orphans(plans, gathered, as_of),
        "input": _input(plans, gathered),
    }


def _sites(plans: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    return [{key: plan.get(key) for key in ("site", "siteDigest", "campaign", "totals")} for plan in plans]


def _of_synthetic(verdicts: Sequence[Mapping[str, Any]], *, allowed: bool) -> list[dict[str, Any]]:
    """Return one finding for all verdicts that rest on evidence that was written, not measured."""
    count = sum(verdict["synthetic"] is True for verdict in verdicts)
    if not count:
        return []
    return [
        item(
            "MU935",
            f"synthetic evidence, written and not measured: {counted(count, 'verdict')}",
            "",
            severity="warning" if allowed else "error",
            next_step="Put evidence of real runs in its place; --synthetic lets it count, for a demonstration.",
        )
    ]


def narrowed(
    report: Report, tests: Collection[str], gathered: Gathered, *, synthetic: bool = False
) -> Report:
    """Return the part of a report that is about some tests: their verdicts and what bears on them.

    A plan that is not what compiles now is about every test. A test that no plan desires is a finding: looking
    at nothing proves nothing.
    """
    verdicts = [verdict for verdict in report.verdicts if verdict["test"] in tests]
    ids = {verdict["id"] for verdict in verdicts}
    waiving = [
        one for one in report.waivers if ids & {*one["covers"], *(found["id"] for found in one["others"])}
    ]
    subjects = ids | {(one["site"], one["name"]) for one in waiving}
    covered = [entry for entry in report.coverage if entry["test"] in tests]
    subjects |= {f"{entry['pool']}/{entry['test']}" for entry in covered}
    found = {
        name: [
            entry
            for entry in entries
            if name == "generated"
            or entry["subject"] in subjects
            or (entry["site"], entry["subject"]) in subjects
        ]
        for name, entries in report.drift.items()
    }
    found["input"] += _of_synthetic(verdicts, allowed=synthetic)
    missing = sorted(set(tests) - {verdict["test"] for verdict in verdicts})
    found["input"] += [
        item("MU945", f"no site desires test {name}: nothing was checked", "") for name in missing
    ]
    return replace(
        report,
        summary=_summary(verdicts, found, gathered),
        verdicts=verdicts,
        drift=found,
        waivers=waiving,
        coverage=covered,
        suspects=[entry for entry in report.suspects if entry["test"] in tests],
        disabled=[entry for entry in report.disabled if entry["test"] in tests],
    )


def _input(plans: Sequence[Mapping[str, Any]], gathered: Gathered) -> list[dict[str, Any]]:
    """Return findings about what was given: nothing desired is a failure, records without a site are doubts."""
    found = [
        item("MU945", f"site {plan['site']} desires no test: nothing was checked", plan["site"])
        for plan in plans
        if not plan["desired"]
    ]
    if not plans:
        found.append(item("MU945", "there is no plan: nothing was checked", ""))
    if gathered.malformed:
        count = gathered.counts["malformed"]
        text = f"{counted(count, 'record')} without a site, the first is {gathered.malformed[0]}"
        found.append(item("MU958", text, "", subject=gathered.malformed[0]))
    return found


def _summary(
    verdicts: Sequence[Mapping[str, Any]], found: Mapping[str, list[dict[str, Any]]], gathered: Gathered
) -> dict[str, Any]:
    states = dict.fromkeys(STATES, 0)
    for verdict in verdicts:
        states[verdict["state"]] += 1
    errors = sum(entry["severity"] == "error" for entries in found.values() for entry in entries)
    accepted = states["satisfied"] + states["waived"]
    return {
        "ok": bool(verdicts) and accepted == len(verdicts) and errors == 0,
        "desired": len(verdicts),
        "accepted": accepted,
        "states": states,
        "drift": {name: len(entries) for name, entries in found.items()},
        "errors": errors,
        "warnings": sum(entry["severity"] == "warning" for entries in found.values() for entry in entries),
        "synthetic": sum(verdict["synthetic"] is True for verdict in verdicts),
        "records": {
            name: gathered.counts[name]
            for name in ("read", "used", "superseded", "orphan", "otherSite", "malformed", "later")
        },
    }


def _disabled(plans: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    found = []
    for plan in plans:
        disabled = plan.get("disabled")
        for name, said in sorted((disabled if isinstance(disabled, dict) else {}).items()):
            told = said if isinstance(said, dict) else {}
            found.append(
                {
                    "site": plan["site"],
                    "test": name,
                    **{key: told.get(key) for key in ("reason", "owner", "position")},
                }
            )
    return found
