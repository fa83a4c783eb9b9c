"""Reports in every format: the same records, bounded, and nothing hostile breaks out."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

import judge_helpers as h
import reconcile_helpers as r
from muster.reconcile import Difference, GeneratedState, reconcile
from muster.report import (
    FORMS,
    diagnostics_of,
    render_json,
    render_junit,
    render_markdown,
    render_report,
    render_sarif,
    render_text,
    schema,
)
from muster.report.facts import ORDER, size_of
from muster.report.findings import position_of
from muster.report.text import width
from reconcile_helpers.hostile import HOSTILE, check_markdown

if TYPE_CHECKING:
    from pathlib import Path

AS_OF = h.moment(h.AS_OF)
RENDERERS = {
    "txt": render_text,
    "md": render_markdown,
    "json": render_json,
    "junit.xml": render_junit,
    "sarif.json": render_sarif,
}
Json = dict[str, Any]


def _accepted() -> Json:
    plan = r.plan(
        ["node-a", "node-b"], {"node-all-reduce": {"base": "node"}, "pair-all-reduce": {"base": "pair"}}
    )
    return reconcile([plan], r.archive([plan]), as_of=AS_OF, generated=GeneratedState()).as_dict()


def _drifted() -> Json:
    """Return a report with every state but contested, all kinds of waivers, suspects and drift."""
    waiver = {
        "match": {"node": "node-c", "test": "node-all-reduce"},
        "state": "violated",
        "reason": "cable ordered",
        "owner": "ops",
        "expires": "2026-10-20",
        "position": "sites/h20-roce.yaml:90:3",
    }
    socket = {"paths": {"NET/Socket": 8}, "interNode": ["NET/Socket"], "gpudirect": False}
    plan = r.plan(
        ["node-a", "node-b", "node-c", "node-d", "node-e"],
        {
            "node-all-reduce": {"base": "node"},
            "pair-all-reduce": {"base": "pair"},
            "dcgm-level-1": {"base": "dcgm"},
        },
        excluded={"node-e": "being repaired"},
        waivers={
            "slow": waiver,
            "old": {**waiver, "expires": "2026-10-01"},
            "idle": {**waiver, "state": "missing"},
        },
        disabled={
            "dcgm-level-2": {"reason": "no window", "owner": "ops", "position": "sites/h20-roce.yaml:50:5"}
        },
    )
    changes: Json = {
        "node-all-reduce/node-c": {"values": [2.1, 2.2, 2.3]},
        "node-all-reduce/node-d": {"synthetic": True},
        "node-a+node-b": {"values": [2.14, 2.25, 2.29], "edit": {"runs.*.transport": socket}},
        "node-a+node-c": {"state": "incomplete", "attempt": {"timedOut": True, "exitCode": 137, "end": None}},
        "node-a+node-d": {"edit": {"runs.0.rows.1.outOfPlace.busbw": None}},
        "node-b+node-c": None,
        "node-b+node-d": {"identity": {"digest": "sha256:0"}, "edit": {"measurement.params.iters": 20}},
        "node-c+node-d": [
            {
                "values": [300.0, 301.0, 302.0],
                "attempt": {"id": "a1", "start": None, "end": "2026-10-13T00:00:00Z"},
            },
            {"attempt": {"id": "a2"}},
        ],
        "dcgm-level-1/node-a": {"edit": {"environment.nodes.node-a.driver": "570.1"}},
        "dcgm-level-1/node-b": None,
        "dcgm-level-1/node-c": {"state": "errored", "attempt": {"reason": "plugins/cuda13: No such file"}},
        "dcgm-level-1/node-d": {
            "state": "excluded",
            "coverage": {"excluded": [{"node": "node-d", "reason": "gpus"}]},
        },
    }
    records = r.archive([plan], changes)
    generated = GeneratedState((Difference("h20-roce", "manifests/30-pair/job-x.yaml", "modified"),))
    return reconcile([plan], records, as_of=AS_OF, generated=generated).as_dict()


REPORTS = {"accepted": _accepted, "drifted": _drifted}


@pytest.mark.parametrize("name", sorted(REPORTS))
@pytest.mark.parametrize("form", sorted(RENDERERS))
def test_golden(name: str, form: str, root: Path, refresh: bool) -> None:
    found = RENDERERS[form](REPORTS[name]())
    golden = root / "tests" / "golden" / "report" / f"{name}.{form}"
    if refresh:
        golden.parent.mkdir(parents=True, exist_ok=True)
        golden.write_bytes(found.encode())
    assert found == golden.read_bytes().decode()


def test_the_drifted_report_shows_nearly_every_state() -> None:
    states = {name for name, count in _drifted()["summary"]["states"].items() if count}
    assert states == set(ORDER) - {"unjudged"}


def _cases() -> list[Any]:
    return [
        pytest.param(case, id=f"{path.stem}:{case['name']}")
        for path in sorted((h.CASES / "reconcile").glob("*.yaml"))
        for case in yaml.safe_load(path.read_text(encoding="utf-8"))
    ]


@pytest.fixture(scope="module")
def validator() -> Any:
    jsonschema_rs = pytest.importorskip("jsonschema_rs")
    return jsonschema_rs.Draft202012Validator(schema())


@pytest.mark.parametrize("case", _cases())
def test_every_report_fits_the_schema(case: Json, validator: Any) -> None:
    plans = [r.plan(**said) for said in case.get("plans", [case.get("plan")]) if said is not None]
    records = [
        *r.archive(plans, case.get("changes")),
        *(h.merge(h.record("pair"), one) for one in case.get("extra", [])),
    ]
    report = reconcile(plans, records, as_of=h.moment(case.get("as_of", h.AS_OF))).as_dict()
    text = render_json(report)
    found = [
        f"{list(error.instance_path)}: {error.message}" for error in validator.iter_errors(json.loads(text))
    ]
    assert not found
    assert text.isascii()
    for render in RENDERERS.values():
        assert render(report)


def test_the_schema_refuses_what_is_no_report(validator: Any) -> None:
    report = _accepted()
    assert validator.is_valid(report)
    for change in (
        {"apiVersion": "v2"},
        {"exitStatus": 2},
        {"extra": 1},
        {"verdicts": [{}]},
        {"asOf": "yesterday"},
    ):
        assert not validator.is_valid({**report, **change}), change
    report["verdicts"][0]["state"] = "passed"
    assert not validator.is_valid(report)


def test_failures_come_first_with_what_to_do() -> None:
    lines = render_text(_drifted()).split("\n")
    titles = [line for line in lines if line and not line.startswith(" ")]
    assert titles[3].startswith("What failed and what to do (")
    start = lines.index(titles[3])
    assert lines[start + 1].startswith("  violated  h20-roce/h20/pair-all-reduce/node-a+node-b")
    assert any(line.startswith("      do: Mend the network") for line in lines[start:])


def test_numbers_carry_unit_threshold_margin_rounds_spread_and_evidence() -> None:
    table = render_text(_accepted()).partition("Verdicts")[2]
    line = next(line for line in table.split("\n") if "pair-all-reduce" in line)
    for part in (
        "427.58 GB/s",
        ">= 363.443, <= 470.338 GB/s",
        "+9.09 %",
        "3/3",
        "20.70 % <= 25.00 %",
        "15h 50m",
        "v1/h20-roce/",
    ):
        assert part in line


def test_the_table_is_aligned() -> None:
    rows = [
        line for line in render_text(_drifted()).partition("Verdicts")[2].split("\n") if line.startswith("  ")
    ]
    starts = [rows[0].index(name) for name in ("TEST", "UNIT", "VALUE", "BOUND", "SPREAD", "AGE", "EVIDENCE")]
    for row in rows[1:]:
        assert all(row[at - 1] == " " and row[at] != " " for at in starts), row


def test_colour_adds_nothing_but_colour() -> None:
    for report in (_accepted(), _drifted()):
        plain, painted = render_text(report), render_text(report, colour=True)
        assert "\x1b" not in plain
        assert "\x1b[" in painted
        assert re.sub(r"\x1b\[[0-9]+m", "", painted) == plain


def test_what_a_terminal_report_leaves_out_is_counted() -> None:
    plan = r.plan([f"n{n}" for n in range(12)], {"node-all-reduce": {"base": "node"}})
    report = reconcile([plan], [], as_of=AS_OF, generated=GeneratedState()).as_dict()
    text = render_text(report, limit=2)
    assert "What failed and what to do (12)" in text
    assert text.count("and 10 more") == 2
    assert "  and 4 more\n" in text
    assert "\n  and " not in render_text(report, limit=50)


# ---- hostile names ---------------------------------------------------------------------------------------


def _hostile(name: str) -> Json:
    waivers = {
        name: {
            "match": {"node": name},
            "state": "violated",
            "reason": name,
            "owner": name,
            "expires": name,
            "position": name,
        }
    }
    plan = r.plan(
        [name, "b", "c"],
        {"node-all-reduce": {"base": "node"}, "pair-all-reduce": {"base": "pair"}},
        site="s" + name,
        pool="p" + name,
        excluded={"c": name},
        waivers=waivers,
        disabled={name: {"reason": name, "owner": name, "position": name}},
    )
    for want in plan["desired"]:
        want["acceptance"]["thresholds"][0]["name"] = name
        want["position"] = name
    changes: Json = {
        f"node-all-reduce/{name}": {
            "state": "errored",
            "attempt": {"reason": name},
            "notes": [{"severity": "error", "message": name}],
        },
        f"{name}+b": {"values": [1.0, 1.0, 1.0], "edit": {"environment.image": "x@" + name}},
    }
    generated = GeneratedState((Difference("s" + name, name, "modified"),))
    return reconcile([plan], r.archive([plan], changes), as_of=AS_OF, generated=generated).as_dict()


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_names_break_out_of_nothing(name: str) -> None:
    report = _hostile(name)
    text = render_text(report)
    assert all(line.isprintable() for line in text.split("\n"))
    assert not any(re.match(r"\s*(::|##\[)", line) for line in text.split("\n"))
    markdown = render_markdown(report)
    check_markdown(markdown)
    assert len(markdown.encode()) <= 65_536
    root = ET.fromstring(render_junit(report))
    assert len(root.findall("testsuite")) == 2
    assert int(root.get("tests", "0")) == len(root.findall("testsuite/testcase"))
    assert json.loads(render_json(report)) == json.loads(json.dumps(report))
    sarif = json.loads(render_sarif(report))
    assert len(sarif["runs"]) == 1


@given(st.text(max_size=40))
@settings(max_examples=60, deadline=None)
def test_any_name_breaks_out_of_nothing(name: str) -> None:
    report = _hostile(name or "x")
    assert all(line.isprintable() for line in render_text(report).split("\n"))
    check_markdown(render_markdown(report))
    ET.fromstring(render_junit(report))


# ---- budget ----------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def large() -> Json:
    """Return a report far over the limit of a comment."""
    plan = r.plan([f"node-{n:03}-" + "x" * 40 for n in range(60)], {"pair-all-reduce": {"base": "pair"}})
    return reconcile([plan], [], as_of=AS_OF, generated=GeneratedState()).as_dict()


def test_a_large_report_fits_into_a_comment(large: Json) -> None:
    text = render_markdown(large)
    assert len(large["verdicts"]) == 1770
    assert 60_000 < len(text.encode()) <= 65_536
    check_markdown(text)
    assert "## Failures" in text
    assert "more rows." in text
    assert "**Coverage**: 1 row do" not in text or "**Coverage**" in text


@pytest.mark.parametrize("budget", [1500, 2000, 2500, 3000, 4000, 6000, 10_000, 30_000, 65_536, 10_000_000])
def test_every_budget_gives_valid_markdown(budget: int) -> None:
    report = _drifted()
    text = render_markdown(report, budget=budget)
    assert len(text.encode()) <= budget
    check_markdown(text)
    for title in (
        "Failures",
        "Findings",
        "Suspects",
        "Runs that would decide",
        "Waivers",
        "Switched off",
        "Coverage",
        "Verdicts",
    ):
        assert title in text, "a section is shown or its absence is told"


def test_a_budget_too_small_is_refused() -> None:
    with pytest.raises(ValueError, match="does not hold a report"):
        render_markdown(_drifted(), budget=500)


# ---- other formats ---------------------------------------------------------------------------------------


def test_junit_counts() -> None:
    report = _drifted()
    root = ET.fromstring(render_junit(report))
    suite = root.findall("testsuite")[0]
    states = report["summary"]["states"]
    assert suite.get("tests") == str(report["summary"]["desired"])
    assert suite.get("skipped") == str(states["waived"])
    passed = [
        case
        for case in suite.findall("testcase")
        if case.find("failure") is None and case.find("skipped") is None
    ]
    assert len(passed) == states["satisfied"]
    assert int(root.get("failures", "0")) >= report["summary"]["desired"] - report["summary"]["accepted"]


def test_findings_carry_their_line_of_the_site_file() -> None:
    report = _drifted()
    found = diagnostics_of(report)
    assert len(found) == sum(map(len, report["drift"].values()))
    assert any(str(item.position) == "sites/h20-roce.yaml:40:5" and item.code == "MU906" for item in found)
    results = json.loads(render_sarif(report, version="1.2.3"))["runs"][0]["results"]
    assert len(results) == len(found)


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("sites/x.yaml:4:5", ("sites/x.yaml", 4, 5)),
        ("C:\\x.yaml:4:5", ("C:\\x.yaml", 4, 5)),
        ("x.yaml", None),
        ("x.yaml:0:1", None),
        ("x.yaml:-1:1", None),
        ("x:99999999999:1", None),
        (None, None),
        (7, None),
    ],
)
def test_positions(text: object, place: tuple[str, int, int] | None) -> None:
    found = position_of(text)
    assert (None if found is None else (found.file, found.line, found.column)) == place


@pytest.mark.parametrize(
    ("size", "text"),
    [
        (1073741824, "1 GiB"),
        (4096, "4 KiB"),
        (33554400, "33554400 B"),
        (0, "0 B"),
        (3 * 1024**2, "3 MiB"),
        (None, "-"),
    ],
)
def test_sizes(size: object, text: str) -> None:
    assert size_of(size) == text


def test_widths() -> None:
    assert width("abc") == 3
    assert width("北京") == 4
    assert width("e\u0301") == 1


def test_a_large_report_has_a_verdict_in_each_line(large: Json) -> None:
    text = render_json(large)
    assert json.loads(text) == large
    lines = [line.rstrip(",") for line in text.split("\n") if line.startswith('{"id"')]
    assert [json.loads(line) for line in lines] == large["verdicts"]


def test_one_door_to_all_formats() -> None:
    plan = r.plan(["node-a"], {"node-all-reduce": {"base": "node"}})
    report = reconcile([plan], r.archive([plan]), as_of=AS_OF, generated=GeneratedState())
    shown = {form: render_report(report, form) for form in FORMS}
    assert len(set(shown.values())) == len(FORMS)
    assert shown["text"] == render_text(report.as_dict())
    assert "\x1b" in render_report(report, "text", colour=True)
    with pytest.raises(ValueError, match="no format"):
        render_report(report, "pdf")
