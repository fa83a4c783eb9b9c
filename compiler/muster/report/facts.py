"""What every format says of a verdict, as plain text that is not yet escaped for any of them."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from muster.diagnostics.words import counted
from muster.judge.fields import number
from muster.judge.freshness import duration
from muster.judge.measures import figure

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

# The gravest first.
ORDER: Final = (
    "violated",
    "contested",
    "unreadable",
    "errored",
    "incomplete",
    "excluded",
    "missing",
    "stale",
    "unjudged",
    "waived",
    "satisfied",
)
ACCEPTED: Final = frozenset({"satisfied", "waived"})


class Row(NamedTuple):
    """One line of the table of verdicts; a verdict with several measures has several lines."""

    state: str
    test: str
    unit: str
    value: str
    bound: str
    margin: str
    rounds: str
    spread: str
    age: str
    evidence: str


def value_of(value: object, unit: object = None) -> str:
    """Return a figure with its unit, ``-`` when there is none."""
    found = number(value)
    return "-" if found is None else f"{figure(found)} {unit}" if unit else figure(found)


def percent_of(value: object, *, signed: bool = False) -> str:
    """Return a fraction as a percentage with two decimals, ``-`` when there is none."""
    found = number(value)
    if found is None:
        return "-"
    shown = f"{found * 100:+.2f}" if signed else f"{found * 100:.2f}"
    return f"{shown} %"


def bound_of(measure: Mapping[str, Any]) -> str:
    """Return what a value was held against, with its unit."""
    parts = [
        f"{sign} {value_of(measure[key])}"
        for key, sign in (("lower", ">="), ("upper", "<="))
        if measure[key] is not None
    ]
    if not parts:
        return "-"
    text = f"{', '.join(parts)} {measure['unit'] or ''}".rstrip()
    return f"{text} (provisional)" if measure["provisional"] else text


def what_of(measure: Mapping[str, Any]) -> str:
    """Return which figure a measure is: metric, size, placement, case."""
    size = size_of(measure["bytes"]) if measure["bytes"] is not None else None
    parts = [measure["statistic"], measure["metric"], size, measure["placement"], measure["case"]]
    cell = f"cell {measure['cell']}" if measure["cell"] is not None else None
    return " ".join(str(part) for part in [*parts, cell] if part)


def size_of(size: object) -> str:
    """Return bytes for people: ``1 GiB`` where that is exact, else plain digits and ``B``."""
    found = number(size)
    if found is None:
        return "-"
    for name, step in (("GiB", 1024**3), ("MiB", 1024**2), ("KiB", 1024)):
        if found and found % step == 0:
            return f"{int(found) // step} {name}"
    return f"{found} B"


def age_of(verdict: Mapping[str, Any]) -> str:
    """Return the age of the newest attempt, ``-`` without one."""
    found = number(verdict["age"])
    return "-" if found is None else ("-" if found < 0 else "") + duration(found)


def state_of(verdict: Mapping[str, Any]) -> str:
    """Return the state, with what lies under a waiver and whether the evidence is synthetic."""
    text = str(verdict["state"])
    if verdict["underlying"]:
        text += f" ({verdict['underlying']})"
    return f"{text} [synthetic]" if verdict["synthetic"] else text


def evidence_of(verdict: Mapping[str, Any]) -> str:
    """Return where the archive keeps the newest attempt, ``-`` without one."""
    return str(verdict["attempts"][0]["evidence"]) if verdict["attempts"] else "-"


def reasons_of(verdict: Mapping[str, Any]) -> list[str]:
    """Return the reasons with their codes; that evidence is synthetic stands beside the state already."""
    reasons = [reason for reason in verdict["reasons"] if reason["code"] != "MU935"]
    return [f"{reason['code']} {reason['message']}" for reason in reasons]


def rows_of(verdict: Mapping[str, Any]) -> list[Row]:
    """Return the lines of the table for one verdict."""
    head = (state_of(verdict), f"{verdict['pool']}/{verdict['test']}", "+".join(verdict["unit"]))
    tail = (age_of(verdict), evidence_of(verdict))
    if not verdict["measures"]:
        return [Row(*head, "-", "-", "-", "-", "-", *tail)]
    found = []
    for measure in verdict["measures"]:
        limit = measure["spreadLimit"]
        spread = percent_of(measure["spread"]) + ("" if limit is None else f" <= {percent_of(limit)}")
        found.append(
            Row(
                *head,
                f"{value_of(measure['value'], measure['unit'])} {what_of(measure)}",
                bound_of(measure),
                percent_of(measure["margin"], signed=True),
                f"{measure['n']}/{measure['expected']}",
                spread,
                *tail,
            )
        )
    return found


def ranked(verdicts: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Return verdicts with the gravest first, else in the order given."""
    return sorted(verdicts, key=lambda verdict: ORDER.index(verdict["state"]))


def failed(report: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the verdicts that are neither satisfied nor waived, the gravest first."""
    return [verdict for verdict in ranked(report["verdicts"]) if verdict["state"] not in ACCEPTED]


def others(report: Mapping[str, Any]) -> list[tuple[str, Mapping[str, Any]]]:
    """Return findings that are not simply a verdict, as (drift class, finding), errors first."""
    verdicts = {verdict["id"]: verdict for verdict in report["verdicts"]}
    found = [
        (name, entry)
        for name, entries in report["drift"].items()
        for entry in entries
        if verdicts.get(entry["subject"], {}).get("reason", {}).get("code") != entry["code"]
    ]
    return sorted(found, key=lambda item: ("error", "warning", "info").index(item[1]["severity"]))


def headline(report: Mapping[str, Any]) -> str:
    """Return in one sentence whether everything is accepted."""
    summary = report["summary"]
    word = "accepted" if summary["ok"] else "NOT accepted"
    states = ", ".join(f"{summary['states'][name]} {name}" for name in ORDER if summary["states"][name])
    counts = f"{summary['accepted']} of {counted(summary['desired'], 'desired test')} accepted"
    return f"{word}: {counts}" + (f" ({states})" if states else "")


def subhead(report: Mapping[str, Any]) -> str:
    """Return how many findings there are and what they were made from."""
    summary, records = report["summary"], report["summary"]["records"]
    parts = [counted(summary["errors"], "error"), counted(summary["warnings"], "warning")]
    parts.append(f"{counted(records['read'], 'record')} read, {records['used']} used")
    return ", ".join(parts)


def sites_of(report: Mapping[str, Any]) -> str:
    """Return the sites with their campaigns."""
    return ", ".join(
        str(site["site"]) + (f" (campaign {site['campaign']})" if site["campaign"] else "")
        for site in report["sites"]
    )


def suspect_text(entry: Mapping[str, Any]) -> str:
    """Return what a failed run says of its nodes."""
    if entry["blamed"]:
        return f"{', '.join(entry['blamed'])}: {entry['conclusion']}"
    names = ", ".join(node["node"] for node in entry["nodes"])
    return f"nobody yet ({names}): {entry['conclusion']}"


def witness_text(node: Mapping[str, Any]) -> str:
    """Return who accuses and who acquits a node."""
    parts = [f"accused by {', '.join(node['accusedBy'][:3])}"] if node["accusedBy"] else []
    parts += [f"acquitted by {', '.join(node['acquittedBy'][:3])}"] if node["acquittedBy"] else []
    parts += [f"sound alone in {', '.join(node['nodeTests'][:3])}"] if node["nodeTests"] else []
    return "; ".join(parts) or "no other run tells of it"


def run_text(run: Mapping[str, Any]) -> str:
    """Return a run to do next, with why."""
    unit = " + ".join(run["unit"])
    if run["kind"] == "none":
        return str(run["why"])
    what = f"run {run['desired']}" if run["desired"] else f"run {run.get('test') or 'a test'} on {unit}"
    return f"{what}: {run['why']} (decides {run['decides']})"


def waiver_text(waiver: Mapping[str, Any]) -> str:
    """Return a waiver with its end in full, owner and reason."""
    covers = f"covers {len(waiver['covers'])}" if waiver["covers"] else "covers nothing"
    return (
        f"{waiver['status']}, {waiver['state']}, {covers}, until {waiver['expires'] or 'an end that cannot be read'}, "
        f"owner {waiver['owner']}: {waiver['reason']}"
    )


def coverage_text(entry: Mapping[str, Any]) -> str:
    """Return what of a pool a test has proven, and what not."""
    parts = [
        f"{entry['proven']} of {counted(entry['nodes'], 'node')} ({percent_of(Decimal(repr(entry['ratio'])))})"
    ]
    groups: dict[str, list[str]] = {}
    for node in entry["open"]:
        groups.setdefault(node["state"], []).append(node["node"])
    parts += [f"{state}: {_some(nodes)}" for state, nodes in groups.items()]
    if entry["waived"]:
        parts.append(f"waived: {_some(entry['waived'])}")
    if entry["excluded"]:
        parts.append("excluded: " + _some([f"{one['node']} ({one['reason']})" for one in entry["excluded"]]))
    return "; ".join(parts)


def _some(names: Sequence[str], limit: int = 8) -> str:
    more = len(names) - limit
    return ", ".join(names[:limit]) + (f" and {more} more" if more > 0 else "")
