"""OpenMetrics text, held against the grammar of the format (OpenMetrics 1.0)."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import judge_helpers as h
import reconcile_helpers as r
from muster.reconcile import GeneratedState, reconcile
from muster.reconcile.metrics import escape, openmetrics, validity

NAME = r"[a-zA-Z_:][a-zA-Z0-9_:]*"
LABEL = r'[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\n]|\\\\|\\"|\\n)*"'
SAMPLE = re.compile(rf"({NAME})(?:\{{({LABEL}(?:,{LABEL})*)\}})? (-?[0-9]+(?:\.[0-9]+)?(?:e[-+]?[0-9]+)?)")
UNESCAPE = {"\\\\": "\\", '\\"': '"', "\\n": "\n"}


def parse(text: str) -> dict[tuple[str, frozenset[tuple[str, str]]], float]:
    """Read OpenMetrics strictly: families whole and once, metadata first, no sample twice, ``# EOF`` last."""
    assert text.endswith("\n# EOF\n")
    samples: dict[tuple[str, frozenset[tuple[str, str]]], float] = {}
    units: dict[str, str] = {}
    order: list[str] = []
    for line in text.split("\n")[:-2]:
        if line.startswith("# "):
            word, name, rest = line[2:].split(" ", 2)
            if word == "TYPE":
                assert name not in order, f"family {name} twice"
                assert rest == "gauge"
                order.append(name)
            elif word == "UNIT":
                assert name == order[-1]
                assert name.endswith("_" + rest)
                units[name] = rest
            else:
                assert word == "HELP"
                assert name == order[-1]
                assert rest
            continue
        found = SAMPLE.fullmatch(line)
        assert found, f"no sample: {line!r}"
        assert found[1] == order[-1], "a sample stands outside its family"
        labels = re.findall(r'([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\]|\\.)*)"', found[2] or "")
        assert len({name for name, _ in labels}) == len(labels)
        plain = {(name, re.sub(r"\\.", lambda part: UNESCAPE[part[0]], value)) for name, value in labels}
        key = (found[1], frozenset(plain))
        assert key not in samples, f"twice: {line}"
        samples[key] = float(found[3])
    assert samples
    return samples


def _report(plan: dict[str, Any], changes: dict[str, Any] | None = None) -> Any:
    return reconcile([plan], r.archive([plan], changes), as_of=h.moment(h.AS_OF), generated=GeneratedState())


def _value(samples: dict[Any, float], metric: str, **labels: str) -> float:
    found = [
        value for (name, own), value in samples.items() if name == metric and set(labels.items()) <= set(own)
    ]
    assert len(found) == 1, f"{metric} {labels}: {len(found)} samples"
    return found[0]


def test_what_is_told() -> None:
    waiver = {
        "match": {"node": "b"},
        "state": "violated",
        "reason": "r",
        "owner": "o",
        "expires": "2026-12-31",
    }
    plan = r.plan(
        ["a", "b", "c"],
        {"node-all-reduce": {"base": "node"}, "pair-all-reduce": {"base": "pair"}},
        waivers={"slow": waiver},
    )
    report = _report(
        plan,
        {"node-all-reduce/b": {"values": [2.1, 2.2, 2.3]}, "a+c": None, "b+c": {"values": [1.0, 1.0, 1.0]}},
    )
    found = parse(openmetrics(report, valid_for=validity([plan])))
    assert _value(found, "muster_desired_tests", site="h20-roce", state="satisfied") == 3
    assert _value(found, "muster_desired_tests", site="h20-roce", state="waived") == 2
    assert _value(found, "muster_desired_tests", state="unreadable") == 0
    assert (
        _value(
            found,
            "muster_test_state",
            test="node-all-reduce",
            unit="b",
            state="waived",
            underlying="violated",
        )
        == 1
    )
    assert _value(found, "muster_evidence_age_seconds", test="node-all-reduce", unit="a") == 57000
    assert _value(found, "muster_evidence_valid_seconds", test="node-all-reduce", unit="a") == 2592000 - 57000
    busbw = _value(
        found,
        "muster_measured_busbw_bytes_per_second",
        unit="a",
        bytes="1073741824",
        placement="out-of-place",
    )
    assert busbw == 465_560_000_000
    assert _value(found, "muster_measure_margin_ratio", unit="b", test="node-all-reduce") < -0.9
    assert _value(found, "muster_coverage_ratio", test="node-all-reduce", pool="h20") == pytest.approx(2 / 3)
    assert _value(found, "muster_waivers", status="live") == 1
    assert _value(found, "muster_waiver_expiry_timestamp_seconds", waiver="slow") == 1798675200
    assert _value(found, "muster_drift_findings", **{"class": "coverage", "severity": "error"}) == 1
    assert _value(found, "muster_suspect_runs", node="b", blamed="true") == 1
    assert _value(found, "muster_reconcile_ok") == 0
    assert _value(found, "muster_reconcile_timestamp_seconds") == 1792022400


def test_times_are_seconds() -> None:
    limit = {
        "name": "t",
        "metric": "timeUs",
        "at": {"bytes": 1073741824, "placement": "out-of-place"},
        "statistic": "median",
        "unit": "us",
        "lower": None,
        "upper": 5000,
    }
    plan = r.plan(
        ["a"], {"node-all-reduce": {"base": "node", "change": {"acceptance": {"thresholds": [limit]}}}}
    )
    found = parse(openmetrics(_report(plan)))
    assert _value(found, "muster_measured_time_seconds", threshold="t") == pytest.approx(0.0047041)


def test_nothing_desired_still_gives_metrics() -> None:
    found = parse(openmetrics(_report(r.plan(["a"], {}))))
    assert _value(found, "muster_reconcile_ok") == 0


HOSTILE = [
    'a"b',
    "a\\",
    "a\nb",
    "a\\n",
    "{",
    "}",
    ",",
    'a="b"',
    "# EOF",
    "\u202e",
    "\ud800",
    "é",
    '\\"',
    "\r",
]


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_names_stay_in_their_label(name: str) -> None:
    plan = r.plan([name, "b"], {"node-all-reduce": {"base": "node"}}, pool="p" + name, site="s" + name)
    text = openmetrics(_report(plan))
    text.encode("utf-8")
    found = parse(text)
    shown = name.encode("utf-8", "backslashreplace").decode()
    assert _value(found, "muster_test_state", unit=shown, pool="p" + shown, site="s" + shown) == 1


@given(st.text(max_size=20))
@settings(max_examples=200, deadline=None)
def test_a_label_reads_back(value: str) -> None:
    text = escape(value)
    assert re.fullmatch(r'(?:[^"\\\n]|\\\\|\\"|\\n)*', text)
    plain = re.sub(r"\\.", lambda part: UNESCAPE[part[0]], text)
    assert plain == value.encode("utf-8", "backslashreplace").decode()
