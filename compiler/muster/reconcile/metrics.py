"""Write a report as OpenMetrics text, the format Prometheus scrapes (OpenMetrics 1.0).

Gauges only: what is written is the state of one moment. Names follow Prometheus: ``muster_`` first, base
units (seconds, bytes, ratios) last.
"""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any, Final

from muster.judge.fields import mapping, number
from muster.judge.units import convert

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from muster.reconcile.model import Report

CONTENT_TYPE: Final = "application/openmetrics-text; version=1.0.0; charset=utf-8"

Sample = tuple["Mapping[str, object]", float]

# name -> (unit, help)
_FAMILIES: Final[dict[str, tuple[str, str]]] = {
    "muster_desired_tests": ("", "Desired tests by state."),
    "muster_test_state": ("", "1 for the state that a desired test is in."),
    "muster_evidence_age_seconds": ("seconds", "Age of the newest attempt of a desired test."),
    "muster_evidence_valid_seconds": (
        "seconds",
        "How long the newest attempt stays valid; negative when expired.",
    ),
    "muster_measured_busbw_bytes_per_second": (
        "bytes_per_second",
        "Bus bandwidth: the declared statistic over all rounds of the newest attempt.",
    ),
    "muster_measured_algbw_bytes_per_second": (
        "bytes_per_second",
        "Algorithm bandwidth: the declared statistic over all rounds of the newest attempt.",
    ),
    "muster_measured_bandwidth_bytes_per_second": (
        "bytes_per_second",
        "Copy bandwidth: the declared statistic over all rounds of the newest attempt, worst cell.",
    ),
    "muster_measured_time_seconds": (
        "seconds",
        "Time or latency: the declared statistic over all rounds of the newest attempt.",
    ),
    "muster_measured_goodput_ratio": ("ratio", "Goodput of the newest attempt."),
    "muster_measure_margin_ratio": (
        "ratio",
        "Room to the nearer bound as a fraction of it; negative when missed.",
    ),
    "muster_measure_spread_ratio": ("ratio", "(max - min) / median over the rounds."),
    "muster_coverage_nodes": ("", "Nodes of a pool, excluded ones too."),
    "muster_coverage_proven_nodes": ("", "Nodes of a pool that a test has proven."),
    "muster_coverage_ratio": ("ratio", "Proven nodes over all nodes of a pool."),
    "muster_drift_findings": ("", "Findings by drift class and severity."),
    "muster_waivers": ("", "Waivers by status."),
    "muster_waiver_expiry_timestamp_seconds": ("seconds", "When a waiver ends."),
    "muster_suspect_runs": ("", "Failed runs over several nodes that a node took part in."),
    "muster_reconcile_timestamp_seconds": ("seconds", "The moment that was judged at."),
    "muster_reconcile_ok": ("", "1 when every desired test is accepted and nothing drifted."),
}

_MEASURED: Final = {
    "busbw": "muster_measured_busbw_bytes_per_second",
    "algbw": "muster_measured_algbw_bytes_per_second",
    "bandwidth": "muster_measured_bandwidth_bytes_per_second",
    "time": "muster_measured_time_seconds",
    "timeUs": "muster_measured_time_seconds",
    "latency": "muster_measured_time_seconds",
    "goodput": "muster_measured_goodput_ratio",
}
_BASE_UNITS: Final = {"bytes_per_second": ("GB/s", 1_000_000_000), "seconds": ("s", 1), "ratio": ("ratio", 1)}


def escape(value: object) -> str:
    """Return a label value: backslash, quote and newline escaped, as the format asks.

    Lone surrogates, which UTF-8 cannot carry, are spelled out; None is the empty value, which is the same as
    no label.
    """
    text = "" if value is None else str(value)
    text = text.encode("utf-8", "backslashreplace").decode("utf-8")
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


def _line(name: str, labels: Mapping[str, object], value: float | str) -> str:
    inner = ",".join(f'{key}="{escape(label)}"' for key, label in labels.items() if label not in {None, ""})
    return f"{name}{{{inner}}} {value}" if inner else f"{name} {value}"


def openmetrics(report: Report, *, valid_for: Mapping[str, int | float] | None = None) -> str:
    """Return a report as OpenMetrics text, ``# EOF`` last.

    Args:
        report: a reconciliation.
        valid_for: validity in seconds by id of the desired test; without it nothing is said of what is left.
    """
    samples: dict[str, list[Sample]] = {name: [] for name in _FAMILIES}
    _totals(report, samples)
    for verdict in report.verdicts:
        _verdict(verdict, samples, (valid_for or {}).get(verdict["id"]))
    lines: list[str] = []
    for name, (unit, text) in _FAMILIES.items():
        if not samples[name]:
            continue
        lines.append(f"# TYPE {name} gauge")
        if unit:
            lines.append(f"# UNIT {name} {unit}")
        lines.append(f"# HELP {name} {text}")
        lines.extend(_distinct(name, samples[name]))
    return "\n".join([*lines, "# EOF"]) + "\n"


def _distinct(name: str, samples: Iterable[Sample]) -> Iterator[str]:
    """Yield one line per label set; a scrape with the same twice is refused as a whole."""
    seen: set[str] = set()
    for labels, value in samples:
        key = _line(name, labels, "")
        if key not in seen:
            seen.add(key)
            yield _line(name, labels, value)


def _totals(report: Report, samples: Mapping[str, list[Sample]]) -> None:
    moment = datetime.fromisoformat(report.as_of)
    samples["muster_reconcile_timestamp_seconds"].append(({}, moment.timestamp()))
    samples["muster_reconcile_ok"].append(({}, 1 if report.summary["ok"] else 0))
    sites = [entry["site"] for entry in report.sites]
    counts: dict[tuple[str, str], int] = {
        (site, state): 0 for site in sites for state in report.summary["states"]
    }
    for verdict in report.verdicts:
        counts[verdict["site"], verdict["state"]] += 1
    for (site, state), count in counts.items():
        samples["muster_desired_tests"].append(({"site": site, "state": state}, count))
    for entry in report.coverage:
        labels = {key: entry[key] for key in ("site", "pool", "test")}
        samples["muster_coverage_nodes"].append((labels, entry["nodes"]))
        samples["muster_coverage_proven_nodes"].append((labels, entry["proven"]))
        samples["muster_coverage_ratio"].append((labels, entry["ratio"]))
    found: dict[tuple[str, str, str], int] = {
        (site, name, severity): 0
        for site in sites
        for name in report.drift
        for severity in ("error", "warning")
    }
    for name, entries in report.drift.items():
        for entry in entries:
            key = (entry["site"], name, entry["severity"])
            found[key] = found.get(key, 0) + 1
    for (site, name, severity), count in found.items():
        labels = {"site": site, "class": name, "severity": severity}
        samples["muster_drift_findings"].append((labels, count))
    _waivers(report, sites, samples)
    _suspects(report, samples)


def _waivers(report: Report, sites: Iterable[str], samples: Mapping[str, list[Sample]]) -> None:
    counts = {(site, status): 0 for site in sites for status in ("live", "expired", "unused")}
    for waiver in report.waivers:
        counts[waiver["site"], waiver["status"]] += 1
        if waiver["expires"] is not None:
            ends = datetime.fromisoformat(waiver["expires"]).timestamp()
            labels = {"site": waiver["site"], "waiver": waiver["name"]}
            samples["muster_waiver_expiry_timestamp_seconds"].append((labels, ends))
    for (site, status), count in counts.items():
        samples["muster_waivers"].append(({"site": site, "status": status}, count))


def _suspects(report: Report, samples: Mapping[str, list[Sample]]) -> None:
    runs: dict[tuple[str, str, str, str], int] = {}
    for entry in report.suspects:
        for node in entry["nodes"]:
            blamed = "true" if node["node"] in entry["blamed"] else "false"
            key = (entry["site"], entry["pool"], node["node"], blamed)
            runs[key] = runs.get(key, 0) + 1
    for (site, pool, node, blamed), count in sorted(runs.items()):
        labels = {"site": site, "pool": pool, "node": node, "blamed": blamed}
        samples["muster_suspect_runs"].append((labels, count))


def _verdict(
    verdict: Mapping[str, Any], samples: Mapping[str, list[Sample]], valid_for: float | None
) -> None:
    labels: dict[str, object] = {key: verdict[key] for key in ("site", "pool", "test", "scope")}
    labels["unit"] = "+".join(verdict["unit"])
    state = {**labels, "state": verdict["state"], "underlying": verdict["underlying"]}
    if verdict["synthetic"]:
        labels["synthetic"] = state["synthetic"] = "true"
    samples["muster_test_state"].append((state, 1))
    if verdict["age"] is not None:
        samples["muster_evidence_age_seconds"].append((labels, verdict["age"]))
        if valid_for is not None:
            samples["muster_evidence_valid_seconds"].append((labels, valid_for - verdict["age"]))
    for measure in verdict["measures"]:
        _measure(measure, labels, samples)


def _measure(
    measure: Mapping[str, Any], labels: Mapping[str, object], samples: Mapping[str, list[Sample]]
) -> None:
    name = _MEASURED.get(str(measure["metric"]))
    value = number(measure["value"])
    if name is None or value is None:
        return
    unit, scale = _BASE_UNITS[_FAMILIES[name][0]]
    base = convert(value, str(measure["unit"]), unit)
    if base is None:
        return
    own = {
        **labels,
        **{key: measure[key] for key in ("threshold", "statistic", "bytes", "placement", "case")},
    }
    samples[name].append((own, float(base * scale)))
    for key in ("margin", "spread"):
        if measure[key] is not None:
            samples[f"muster_measure_{key}_ratio"].append((own, measure[key]))


def validity(plans: Iterable[Mapping[str, Any]]) -> dict[str, int | float]:
    """Return the validity in seconds of every desired test of some plans, by id."""
    found: dict[str, int | float] = {}
    for plan in plans:
        for want in plan["desired"]:
            allowed = mapping(want.get("acceptance")).get("validFor")
            if isinstance(allowed, (int, float)):
                found[want["id"]] = allowed
    return found
