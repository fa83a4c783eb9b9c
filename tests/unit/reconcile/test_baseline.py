"""Thresholds proposed from the archive, as patches that touch no other byte."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING, Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

import reconcile_helpers as r
from muster.diagnostics import InputFault
from muster.reconcile.baseline import propose
from muster.reconcile.patch import unified
from muster.reconcile.spans import Document, Span, apply, flow, scalar

if TYPE_CHECKING:
    from pathlib import Path

FILE = "sites/h20-roce.yaml"
SITE = """\
# A site.
apiVersion: muster.dev/v1alpha1
kind: Site
metadata: {name: h20-roce}   # the name
spec:
  pools: {h20: {nodes: {names: [node-a, node-b]}}}
  thresholds:
    # Set by hand, do not trust.
    pair-all-reduce-1g:
      match: {test: pair-all-reduce, pool: h20}
      metric: busbw
      at: {bytes: 1Gi, placement: out-of-place}   # the largest
      statistic: median
      reference: 400GB/s  # a guess
      lower: -15%
      spread: 25%
      source: {kind: estimated, date: 2026-01-01, note: "guess"}  # old

  # What it may cost.
  budget: {gpuHours: 40}
"""


def _plan(base: str = "pair", **change: Any) -> dict[str, Any]:
    name = {"pair": "pair-all-reduce", "node": "node-all-reduce", "bandwidth": "host-copies"}[base]
    return r.plan(["node-a", "node-b"], {name: {"base": base, "change": change or None}})


def _applied(tmp_path: Path, before: str, patch: str) -> str:
    """Return a file after `git apply`."""
    target = tmp_path / FILE
    target.parent.mkdir(parents=True)
    target.write_bytes(before.encode())
    (tmp_path / "change.patch").write_bytes(patch.encode())
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    subprocess.run(["git", "apply", "--whitespace=nowarn", "change.patch"], cwd=tmp_path, check=True)
    return target.read_bytes().decode()


def _changed(before: str, after: str) -> list[str]:
    return [
        f"{one} -> {two}"
        for one, two in zip(before.split("\n"), after.split("\n"), strict=True)
        if one != two
    ]


def test_a_threshold_of_the_file_gets_a_new_reference_and_source(tmp_path: Path) -> None:
    plan = _plan()
    found = propose(SITE, FILE, plan, r.archive([plan]))
    assert not found.refused
    (proposal,) = found.proposals
    assert (proposal.samples, proposal.median, proposal.low, proposal.high) == (3, 427.58, 363.76, 452.28)
    assert proposal.spread == pytest.approx(0.2070, abs=1e-4)
    after = _applied(tmp_path, SITE, found.patch)
    note = "median of 3 rounds in 1 attempt of 1 unit; 363.76-452.28 GB/s, widest attempt 20.70 %"
    old = '      source: {kind: estimated, date: 2026-01-01, note: "guess"}  # old'
    assert _changed(SITE, after.replace(", samples: 3}", "}")) == [
        "      reference: 400GB/s  # a guess ->       reference: 427.58GB/s  # a guess",
        old + " -> " + f'      source: {{kind: measured, date: 2026-10-14, note: "{note}"}}  # old',
    ]
    assert yaml.safe_load(after)["spec"]["thresholds"]["pair-all-reduce-1g"]["source"]["samples"] == 3


def test_a_test_without_a_threshold_gets_one(tmp_path: Path) -> None:
    plan = _plan("node", acceptance={"thresholds": []})
    found = propose(SITE, FILE, plan, r.archive([plan]))
    after = _applied(tmp_path, SITE, found.patch)
    assert [line for line in SITE.split("\n") if line not in after.split("\n")] == []
    entry = yaml.safe_load(after)["spec"]["thresholds"]["node-all-reduce-h20-1g"]
    assert entry | {"source": None} == {
        "match": {"test": "node-all-reduce", "pool": "h20"},
        "metric": "busbw",
        "at": {"bytes": "1Gi", "placement": "out-of-place"},
        "statistic": "median",
        "reference": "465.56GB/s",
        "lower": "-15%",
        "spread": "2%",
        "source": None,
        "provisional": True,
    }
    assert entry["source"]["samples"] == 6
    lines = after.split("\n")
    assert lines[lines.index("    node-all-reduce-h20-1g:") - 1].endswith("# old"), (
        "it stands after the last one"
    )
    assert "      at: {bytes: 1Gi, placement: out-of-place}" in lines


def test_every_case_of_a_copy_test_gets_one() -> None:
    plan = _plan("bandwidth", acceptance={"thresholds": []})
    slow = {"edit": {"rows.3.value": 12.0, "rows.11.value": 13.0}}
    other = {"edit": {**slow["edit"], "rows.0.value": 55.3}}
    found = propose(SITE, FILE, plan, r.archive([plan], {"node-a": slow, "node-b": other}))
    (proposal,) = found.proposals
    assert proposal.entry["at"] == {"case": "host_to_device_memcpy_ce"}
    assert (proposal.samples, proposal.median, proposal.low, proposal.unit) == (4, 12.5, 12.0, "GB/s")


@pytest.mark.parametrize(
    ("rounds", "codes"), [([427.0], ["MU960"]), ([427.0, 428.0], ["MU960"]), ([1.0, 2.0, 3.0], [])]
)
def test_fewer_than_three_figures_are_refused(rounds: list[float], codes: list[str]) -> None:
    plan = _plan(acceptance={"rounds": len(rounds)}, measurement={"rounds": len(rounds)})
    found = propose(SITE, FILE, plan, r.archive([plan], {"node-a+node-b": {"values": rounds}}))
    assert [item.code for item in found.refused] == codes
    assert bool(found.patch) == (not codes)


@pytest.mark.parametrize(
    "change",
    [
        None,
        {"state": "incomplete"},
        {"edit": {"runs.0.rows.0.outOfPlace.wrong": 1}},
        {"edit": {"runs.*.transport": None}},
        {
            "edit": {
                "runs.*.transport": {
                    "paths": {"NET/Socket": 1},
                    "interNode": ["NET/Socket"],
                    "gpudirect": False,
                }
            }
        },
        {"drop": ["runs.2"]},
        {"edit": {"environment.driver": "570.1"}},
        {"identity": {"digest": "sha256:0"}},
    ],
)
def test_unsound_attempts_give_no_baseline(change: dict[str, Any] | None) -> None:
    plan = _plan()
    found = propose(SITE, FILE, plan, r.archive([plan], {"node-a+node-b": change}))
    assert [item.code for item in found.refused] == ["MU961"]
    assert found.patch == ""


def test_a_copy_of_an_attempt_counts_once() -> None:
    plan = _plan("bandwidth", acceptance={"thresholds": []})
    rows = {"edit": {"rows.3.value": 12.0, "rows.11.value": 13.0}}
    twice = [{**rows, "attempt": {"id": "a1"}}, {**rows, "attempt": {"id": "a2"}}]
    found = propose(SITE, FILE, plan, r.archive([plan], {"node-a": twice, "node-b": None}))
    assert [item.code for item in found.refused] == ["MU960"]
    assert "2 figures, 3 are needed; left out: a2: a copy of an attempt" in found.refused[0].message


def test_an_attempt_without_a_date_gives_no_baseline() -> None:
    plan = _plan()
    undated = {"attempt": {"start": None, "end": None}}
    found = propose(SITE, FILE, plan, r.archive([plan], {"node-a+node-b": undated}))
    assert [item.code for item in found.refused] == ["MU961"]


def test_all_sound_attempts_count_never_the_best() -> None:
    plan = _plan()
    runs = [
        {"values": [300.0, 310.0, 320.0], "attempt": {"id": "a1"}},
        {"values": [430.0, 440.0, 450.0], "attempt": {"id": "a2"}},
    ]
    found = propose(SITE, FILE, plan, r.archive([plan], {"node-a+node-b": runs}))
    (proposal,) = found.proposals
    assert (proposal.samples, proposal.median) == (6, 375.0)


def test_synthetic_evidence_is_no_measurement() -> None:
    plan = _plan()
    records = r.archive([plan], {"node-a+node-b": {"synthetic": True}})
    found = propose(SITE, FILE, plan, records)
    assert [item.code for item in found.refused] == ["MU961"]
    assert "synthetic" in found.refused[0].message
    assert found.patch == ""
    source = propose(SITE, FILE, plan, records, synthetic=True).proposals[0].entry["source"]
    assert source["kind"] == "estimated"
    assert "synthetic" in source["note"]


def test_one_synthetic_attempt_does_not_make_a_baseline_of_two() -> None:
    plan = _plan()
    runs = [
        {"attempt": {"id": "a1"}},
        {"values": [1.0, 2.0, 3.0], "attempt": {"id": "a2"}, "synthetic": True},
    ]
    (proposal,) = propose(SITE, FILE, plan, r.archive([plan], {"node-a+node-b": runs})).proposals
    assert (proposal.samples, proposal.entry["source"]["kind"]) == (3, "measured")
    assert proposal.left_out == ("a2: synthetic, written and not measured",)


@pytest.mark.parametrize("written", ["427.58GB/s", '"427.58GB/s"', "427.580GB/s"])
def test_a_reference_that_the_evidence_confirms_stays_as_it_is(written: str) -> None:
    plan = _plan()
    found = propose(SITE.replace("400GB/s", written), FILE, plan, r.archive([plan]))
    assert (found.patch, found.proposals, found.refused) == ("", (), ())
    assert found.unchanged == ("pair-all-reduce-1g",)


@pytest.mark.parametrize("written", ["427.59GB/s", "427.58Gb/s", "427.58", "x"])
def test_any_other_reference_is_proposed_anew(written: str) -> None:
    plan = _plan()
    found = propose(SITE.replace("400GB/s", written), FILE, plan, r.archive([plan]))
    assert [item.entry["source"]["kind"] for item in found.proposals] == ["measured"]


SOCKET = {"paths": {"NET/Socket": 8}, "interNode": ["NET/Socket"], "gpudirect": False}
ODD = {"paths": {"NET/a`b": 8}, "interNode": ["NET/a`b"], "gpudirect": True}
UNGUARDED: dict[str, Any] = {
    "acceptance": {"thresholds": [], "transport": None},
    "measurement": {"params": {"net": None}},
}


@pytest.mark.parametrize(
    ("seen", "wanted"),
    [
        (None, {"require": ["NET/IB"], "gpudirect": "required"}),
        (SOCKET, {"require": ["NET/Socket"]}),
        ({**SOCKET, "interNode": [], "paths": {"P2P/CUMEM": 8}}, "does not show which transport"),
        (ODD, "has no name that a site file can hold"),
    ],
)
def test_the_transport_that_was_used_is_required_of_pairs(seen: Any, wanted: Any, tmp_path: Path) -> None:
    plan = _plan("pair", **UNGUARDED)
    change = {"node-a+node-b": {"edit": {"runs.*.transport": seen}} if seen else {}}
    found = propose(SITE[: SITE.index("  thresholds:")], FILE, plan, r.archive([plan], change))
    if isinstance(wanted, str):
        assert wanted in found.refused[0].message
        assert found.patch == ""
        return
    after = yaml.safe_load(_applied(tmp_path, SITE[: SITE.index("  thresholds:")], found.patch))
    assert after["spec"]["thresholds"]["pair-all-reduce-h20-1g"]["transport"] == wanted


def test_attempts_over_different_transports_are_no_one_baseline() -> None:
    plan = _plan("pair", **UNGUARDED)
    runs = [{"attempt": {"id": "a1"}}, {"attempt": {"id": "a2"}, "edit": {"runs.*.transport": SOCKET}}]
    found = propose(SITE, FILE, plan, r.archive([plan], {"node-a+node-b": runs}))
    assert "different transports between nodes (NET/IB; NET/Socket)" in found.refused[0].message
    assert found.patch == ""


def test_only_the_tests_asked_for() -> None:
    plan = _plan()
    assert propose(SITE, FILE, plan, r.archive([plan]), tests=["pair-all-reduce"]).proposals
    found = propose(SITE, FILE, plan, r.archive([plan]), tests=["no-such"])
    assert [item.code for item in found.refused] == ["MU963"]
    assert not found.proposals


def test_thresholds_of_a_profile_are_not_touched() -> None:
    plan = _plan("node")
    found = propose(SITE, FILE, plan, r.archive([plan]))
    assert [(item.code, item.severity) for item in found.refused] == [("MU964", "info")]
    assert "node-all-reduce-1g" in found.refused[0].message
    assert found.patch == ""


VARIANTS = {
    "crlf": SITE.replace("\n", "\r\n"),
    "no last line break": SITE.rstrip("\n"),
    "thresholds last, no line break": SITE[: SITE.index("\n  # What it may cost")].rstrip("\n"),
    "flow threshold": SITE[: SITE.index("    pair-all")]
    + "    pair-all-reduce-1g: {metric: busbw, reference: 400GB/s, source: {kind: estimated}}\n",
    "block source": SITE.replace(
        'source: {kind: estimated, date: 2026-01-01, note: "guess"}  # old',
        "source:\n        kind: estimated\n        note: >\n          a long\n          guess\n        # why\n",
    ),
    "quoted keys": SITE.replace("reference:", '"reference":').replace("thresholds:", "'thresholds':"),
    "wide": SITE.replace("# A site.", "# A site: 北京 🚀 é"),
    "no source": SITE.replace(
        '      source: {kind: estimated, date: 2026-01-01, note: "guess"}  # old\n', ""
    ),
    "no reference": SITE.replace("      reference: 400GB/s  # a guess\n", ""),
}
EMPTY = {
    "none": "spec:\n  budget: {gpuHours: 40}  # money\n",
    "null": "spec:\n  thresholds:  # none yet\n  budget: {gpuHours: 40}\n",
    "empty": "spec:\n  thresholds: {} # none yet\n  budget: {gpuHours: 40}\n",
    "empty and last": "spec:\n  budget: {gpuHours: 40}\n  thresholds: {}",
    "flow": "spec:\n  thresholds: {other: {metric: busbw}}\n",
    "flow with comma": "spec:\n  thresholds: {other: {metric: busbw}, }\n",
    "flow spec": "spec: {budget: {gpuHours: 40}}\n",
    "deeper": "spec:\n      thresholds:\n            other:\n                  metric: busbw\n",
}


@pytest.mark.parametrize("before", [pytest.param(text, id=name) for name, text in VARIANTS.items()])
def test_a_renewal_keeps_every_other_value_and_comment(before: str, tmp_path: Path) -> None:
    plan = _plan()
    found = propose(before, FILE, plan, r.archive([plan]))
    after = _applied(tmp_path, before, found.patch)
    old, new = yaml.safe_load(before), yaml.safe_load(after)
    entry = new["spec"]["thresholds"]["pair-all-reduce-1g"]
    assert entry["reference"] == "427.58GB/s"
    assert entry["source"]["samples"] == 3
    for key in ("reference", "source"):
        entry.pop(key)
        old["spec"]["thresholds"]["pair-all-reduce-1g"].pop(key, None)
    assert new == old
    for comment in ("# A site", "# the name", "# the largest", "# a guess", "# What it may cost.", "# why"):
        assert before.count(comment) in {after.count(comment), 0} or comment == "# a guess"
    assert after.endswith("\n") == before.endswith("\n")
    assert after.count("\r\n") == (after.count("\n") if "\r\n" in before else 0)


@pytest.mark.parametrize("before", [pytest.param(text, id=name) for name, text in EMPTY.items()])
def test_an_addition_keeps_every_other_value(before: str, tmp_path: Path) -> None:
    plan = _plan("node", acceptance={"thresholds": []})
    found = propose(before, FILE, plan, r.archive([plan]))
    after = _applied(tmp_path, before, found.patch)
    old, new = yaml.safe_load(before), yaml.safe_load(after)
    entry = new["spec"]["thresholds"].pop("node-all-reduce-h20-1g")
    assert entry["reference"] == "465.56GB/s"
    old["spec"]["thresholds"] = old["spec"].get("thresholds") or {}
    assert new == old
    for comment in ("# money", "# none yet"):
        assert after.count(comment) == before.count(comment)
    assert not any(line != line.rstrip() for line in after.split("\n"))


@pytest.mark.parametrize(
    ("before", "why"),
    [
        ("a: 1\n", "no spec"),
        ("spec: [1, 2]\n", "a mapping was expected"),
        ("spec: 1\n---\nspec: 2\n", "another document"),
        ("spec: {a: [}\n", "expected"),
        ("spec: {thresholds: 3}\n", "a mapping was expected"),
        ("spec:\n  thresholds: {a: {}}\n  thresholds: {b: {}}\n", "there twice"),
        ("x: &t {a: {}}\nspec:\n  thresholds: *t\n", "an alias"),
        ("spec:\n  thresholds: &t {a: {}}\n", "an anchor"),
        ("x: &t {a: 1}\nspec:\n  thresholds:\n    <<: *t\n", "a merge key"),
        (SITE.replace("reference: 400GB/s", "reference: &ref 400GB/s"), "an anchor"),
        (SITE.replace("# A site.", "# A \u2028site."), "line breaks"),
        (SITE.replace("# A site.\n", "# A site.\r"), "line breaks"),
        ("spec: {thresholds: {}}\n", "flow mapping"),
    ],
)
def test_what_cannot_be_edited_safely_is_refused(before: str, why: str) -> None:
    plan = _plan("node", acceptance={"thresholds": []}) if "400GB" not in before else _plan()
    with pytest.raises(InputFault, match=why) as raised:
        propose(before, FILE, plan, r.archive([plan]))
    (found,) = raised.value.diagnostics
    assert found.code == "MU962"
    assert found.position is not None
    assert found.position.file == FILE


@pytest.mark.parametrize("file", ["", "a\nb.yaml", 'a"b.yaml', "a\tb.yaml", " a.yaml", "a\u202eb.yaml"])
def test_a_file_name_that_would_break_the_patch_is_refused(file: str) -> None:
    with pytest.raises(InputFault):
        unified("a\n", "b\n", file)


lines = st.lists(
    st.sampled_from(["a\n", "b\n", "c\r\n", "\n", "\x0bd\n", "\u2028e\n", "f\x0cg\n"]), max_size=8
)


@given(lines, lines, st.sampled_from(["", "end"]), st.sampled_from(["", "end", "other"]))
@settings(max_examples=25, deadline=None)
def test_patches_apply(
    tmp_path_factory: pytest.TempPathFactory, one: list[str], two: list[str], a: str, b: str
) -> None:
    before, after = "".join(one) + a, "".join(two) + b
    patch = unified(before, after, FILE)
    if before and after and patch:
        assert _applied(tmp_path_factory.mktemp("patch"), before, patch) == after


def test_no_difference_is_no_patch() -> None:
    assert unified("a\nb", "a\nb", FILE) == ""


@given(st.text(max_size=30) | st.integers() | st.booleans())
@settings(max_examples=200, deadline=None)
def test_scalars_read_back(value: str | int | bool) -> None:
    found = yaml.safe_load(f"[{scalar(value)}]")[0]
    if isinstance(value, str) and value.isprintable() and value.isascii() and not value.startswith("20"):
        assert str(found) == value or scalar(value) == value
    assert yaml.safe_load(f"{{a: {flow({'b': value})}}}") is not None


def test_overlapping_edits_are_refused() -> None:
    with pytest.raises(ValueError, match="overlap"):
        apply("abcdef", [Span(0, 3, "x"), Span(2, 4, "y")])


def test_places_are_told_by_line_and_column() -> None:
    fault = Document("a: 1\nb: 2\n", "f.yaml").refuse("why", 8)
    assert str(fault.diagnostics[0].position) == "f.yaml:2:4"
