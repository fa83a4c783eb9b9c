"""Every format of findings: valid, complete, bounded, and untouched by hostile text."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from muster.diagnostics import Diagnostic, Position, Related
from muster.diagnostics.order import summary
from muster.diagnostics.render import FORMATS, render
from muster.diagnostics.render_json import SCHEMA
from muster.diagnostics.render_junit import render_junit
from muster.diagnostics.render_markdown import BUDGET, render_markdown
from muster.diagnostics.render_sarif import render_sarif
from muster.diagnostics.render_text import render_text

GOLDENS = Path(__file__).resolve().parent.parent.parent / "cases" / "site_loader" / "rendered"
ENDINGS = {"text": "txt", "json": "json", "jsonl": "jsonl", "markdown": "md", "github": "github.txt"} | {
    "sarif": "sarif",
    "junit": "junit.xml",
}
SAMPLE = (
    Diagnostic(
        "MU114",
        "error",
        'the key "a" is there twice',
        Position("sites/a b.yaml", 6, 1),
        "delete one of the two",
        "spec.a",
        "a",
        (Related(Position("sites/a b.yaml", 4, 1), "the first one is here"),),
    ),
    Diagnostic(
        "ORG001",
        "warning",
        "no owner | <b>",
        Position("policies/x.cue", 2, 3),
        source="https://example.com/1",
    ),
    Diagnostic("MU116", "error", "evil\n::error::\x1b[31m`|<script>", Position("sites/a b.yaml", 2, 7)),
    Diagnostic("MU100", "info", "no place"),
)

_CHARS = st.characters(exclude_categories=[])
_WORDS = st.one_of(
    st.text(_CHARS, max_size=15), st.sampled_from(["a\nb", "|", "]](", "::error::", "<b>", "\x1b[0m"])
)
_PLACES = st.builds(Position, _WORDS, st.integers(1, 99), st.integers(1, 99))
FINDINGS = st.lists(
    st.builds(
        Diagnostic,
        st.one_of(st.sampled_from(["MU100", "MU114", "ORG001"]), _WORDS),
        st.sampled_from(["error", "warning", "info"]),
        _WORDS,
        st.one_of(st.none(), _PLACES),
        _WORDS,
        _WORDS,
        _WORDS,
        st.lists(st.builds(Related, _PLACES, _WORDS), max_size=5).map(tuple),
        _WORDS,
    ),
    max_size=5,
)


@pytest.mark.parametrize("name", FORMATS)
def test_formats_look_as_agreed(name: str, refresh: bool) -> None:
    golden = GOLDENS / f"findings.{ENDINGS[name]}"
    text = render(SAMPLE, name)
    if refresh:
        golden.parent.mkdir(exist_ok=True)
        golden.write_text(text, encoding="utf-8")
    assert text == golden.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", FORMATS)
def test_order_and_repetition_of_the_input_do_not_matter(name: str) -> None:
    assert render(SAMPLE[::-1] + SAMPLE, name) == render(SAMPLE, name)


def test_an_unknown_format_is_refused() -> None:
    with pytest.raises(ValueError, match="unknown format 'yaml'; one of text"):
        render(SAMPLE, "yaml")


def test_the_summary_counts() -> None:
    assert summary(SAMPLE) == "2 errors, 1 warning, 1 note"
    assert summary(()) == "no findings"


@given(FINDINGS)
def test_text_has_one_line_per_finding_and_no_control_character(findings: list[Diagnostic]) -> None:
    text = render_text(findings)
    lines = text.split("\n")[:-1]
    heads = [
        line for line in lines if not line.startswith("  ") or re.match(r" .*: (error|warning|info) ", line)
    ]
    assert len(heads) >= len(set(findings))
    assert len(lines) == sum(
        1 + len(item.related) + bool(item.source) + bool(item.hint) for item in dict.fromkeys(findings)
    )
    assert not any(char < " " for line in lines for char in line)
    assert not any(line.lstrip().startswith(("::", "##[")) for line in lines)


def test_colour_only_when_asked_for() -> None:
    assert "\x1b" not in render_text(SAMPLE)
    coloured = render_text(SAMPLE, color=True)
    assert re.sub(r"\x1b\[[0-9;]*m", "", coloured) == render_text(SAMPLE)
    assert coloured != render_text(SAMPLE)


@given(FINDINGS)
def test_json_carries_everything(findings: list[Diagnostic]) -> None:
    document = json.loads(render(findings, "json"))
    assert document["schema"] == SCHEMA
    assert sum(document["counts"].values()) == len(document["diagnostics"]) == len(set(findings))
    lines = [json.loads(line) for line in render(findings, "jsonl").splitlines()]
    assert lines == document["diagnostics"]
    for data in lines:
        place = data["position"] and Position(**data["position"])
        related = tuple(Related(Position(**other["position"]), other["note"]) for other in data["related"])
        texts = (data[key] or "" for key in ("hint", "path", "site"))
        assert Diagnostic(
            data["code"], data["severity"], data["message"], place, *texts, related, data["source"] or ""
        ) in set(findings)


@given(FINDINGS)
def test_github_has_one_command_per_finding(findings: list[Diagnostic]) -> None:
    lines = render(findings, "github").splitlines()
    assert len(lines) == len(set(findings))
    for line in lines:
        assert re.fullmatch(
            r"::(error|warning|notice) (file=[^:,]*,line=\d+,col=\d+,)?title=[^:,]*::.*", line
        )


def check_sarif(text: str) -> list[dict[str, Any]]:
    """Check the structure that SARIF 2.1.0 and code scanning want; return the results."""
    log = json.loads(text)
    assert set(log) == {"$schema", "version", "runs"}
    assert log["version"] == "2.1.0"
    (run,) = log["runs"]
    rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    fingerprints = []
    for result in run["results"]:
        assert rules[result["ruleIndex"]] == result["ruleId"]
        assert result["level"] in ("error", "warning", "note")
        assert result["message"]["text"] is not None
        fingerprints.append(result["partialFingerprints"]["musterFinding/v1"])
        places = [*result["locations"], *result.get("relatedLocations", ())]
        assert len(result["locations"]) == 1
        for place in places:
            physical = place["physicalLocation"]
            uri = physical["artifactLocation"]["uri"]
            assert re.fullmatch(r"[A-Za-z0-9._~%/-]+", uri)
            assert not uri.startswith("/")
            assert all(number >= 1 for number in physical["region"].values())
    assert len(set(fingerprints)) == len(fingerprints)
    return run["results"]


@given(FINDINGS)
def test_sarif_is_well_formed(findings: list[Diagnostic]) -> None:
    results = check_sarif(render_sarif(findings, version="0.1.0"))
    assert len(results) == len(set(findings))
    assert all("](" not in result["message"]["text"] for result in results)


def test_sarif_fingerprints_survive_lines_added_above() -> None:
    moved = [
        Diagnostic(
            item.code, item.severity, item.message, item.position and Position(item.position.file, 99, 9)
        )
        for item in SAMPLE
    ]
    here = [Diagnostic(item.code, item.severity, item.message, item.position) for item in SAMPLE]

    def prints(findings: list[Diagnostic]) -> set[str]:
        return {
            item["partialFingerprints"]["musterFinding/v1"] for item in check_sarif(render_sarif(findings))
        }

    assert prints(moved) == prints(here)
    assert len(prints(here)) == len(SAMPLE)


def test_sarif_is_bounded_and_says_what_is_missing() -> None:
    many = [
        Diagnostic("MU117", "error", "no value is given", Position("f", line, 1)) for line in range(1, 25_003)
    ]
    results = check_sarif(render_sarif([*many, Diagnostic("ORG001", "warning", "last")]))
    assert len(results) == 25_000
    assert results[-1]["ruleId"] == "MU100"
    assert results[-1]["level"] == "error"
    assert results[-1]["message"]["text"].startswith(
        "4 more findings are not listed; 25000 results are the most"
    )
    exact = check_sarif(render_sarif(many[:25_000]))
    assert {result["ruleId"] for result in exact} == {"MU117"}
    with pytest.raises(ValueError, match="leaves no room"):
        render_sarif(many, limit=1)


@given(FINDINGS, st.lists(_WORDS, max_size=3))
def test_junit_is_xml_whose_counts_are_true(findings: list[Diagnostic], checked: list[str]) -> None:
    root = ET.fromstring(render_junit(findings, checked=checked).encode())
    (suite,) = root
    cases = suite.findall("testcase")
    failed = [case for case in cases if case.find("failure") is not None]
    assert root.tag == "testsuites"
    assert int(suite.get("tests")) == len(cases) >= len(set(findings))
    assert int(suite.get("failures")) == len(failed) == sum(item.is_error for item in set(findings))
    assert all(case.get("name") is not None and case.get("classname") is not None for case in cases)


def test_junit_lists_what_was_checked_and_is_good() -> None:
    root = ET.fromstring(
        render_junit(SAMPLE, checked=["sites/a b.yaml", "sites/good.yaml", "policies/x.cue"])
    )
    passed = [case.get("classname") for case in root.iter("testcase") if case.get("name") == "no error"]
    assert passed == ["policies/x.cue", "sites/good.yaml"]


@given(FINDINGS)
def test_markdown_has_one_whole_row_per_finding(findings: list[Diagnostic]) -> None:
    text = render_markdown(findings)
    rows = [line for line in text.splitlines() if line.startswith("| ")][1:]
    assert len(rows) == len(set(findings))
    assert all(len(re.findall(r"(?<!\\)\|", row.replace("\\\\", ""))) == 6 for row in rows)


@given(st.integers(0, 400), _WORDS, st.integers(400, 4000))
@settings(max_examples=50)
def test_markdown_stays_within_any_budget(number: int, word: str, budget: int) -> None:
    many = [Diagnostic("MU117", "error", word * 9, Position("f", line, 1)) for line in range(1, number + 1)]
    text = render_markdown(many, budget=budget)
    assert len(text.encode()) <= budget
    rows = text.count("\n| error |")
    assert rows == number or f"{number - rows} more findings do not fit here ({number - rows} error)" in text


def test_the_worst_row_fits_into_a_comment() -> None:
    worst = "$" * 5000
    place = Position(worst, 1, 1)
    item = Diagnostic("MU100", "error", worst, place, worst, worst, "", (Related(place, worst),) * 9, worst)
    text = render_markdown([item])
    assert len(text) <= BUDGET
    assert text.count("\n| error |") == 1
    assert "and 6 more places" in text


def test_a_budget_without_room_is_a_mistake() -> None:
    with pytest.raises(ValueError, match="does not hold a table"):
        render_markdown(SAMPLE, budget=100)
