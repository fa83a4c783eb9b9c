"""A GitOps repository adds its own constraints, rules and profiles in its own policies folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from muster.diagnostics import InputFault
from muster.policy import Cue, Policies, SiteResult, assemble
from muster.site.load import load_site

BASE = Path(__file__).parents[2] / "cases" / "policy" / "base.yaml"

CONSTRAINT = """package schema
#Site: spec: budget: gpuHours: <=20
"""
RULE = """// Sites of ours say where they are.
package guardrails

#Check: {
	site: _
	rules: ORG001: {
		severity: "error"
		hint:     "add metadata.labels.region"
		violations: [
			if site.metadata.labels.region == _|_ {path: ["metadata", "labels"], message: "no region label"},
		]
	}
}
"""
PROFILE = """package profiles
profiles: ours: {summary: "ours", spec: tests: extra: {test: "nccl-reduce", scope: "node"}}
"""


def evaluate(root: Path, repository: Path, text: str) -> SiteResult:
    with assemble(repository) as module:
        policies = Policies(Cue(root / ".tools" / "bin" / "cue"), module)
        return policies.evaluate([load_site("sites/base.yaml", text.encode())]).results[0]


def write(repository: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        path = repository / "policies" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def test_plain_constraint_comes_out_at_the_site_line(root: Path, tmp_path: Path) -> None:
    write(tmp_path, {"schema/ours.cue": CONSTRAINT})
    result = evaluate(root, tmp_path, BASE.read_text())
    (found,) = result.diagnostics
    assert found.code == "MU220"
    assert BASE.read_text().splitlines()[found.position.line - 1].strip() == "gpuHours: 40"
    assert any(str(item.position).startswith("policies/schema/ours.cue:2:") for item in found.related)


def test_rule_as_data_comes_out_at_the_site_line(root: Path, tmp_path: Path) -> None:
    write(tmp_path, {"guardrails/ORG001_region.cue": RULE})
    (found,) = evaluate(root, tmp_path, BASE.read_text()).diagnostics
    assert (found.code, found.hint, found.position.line) == ("ORG001", "add metadata.labels.region", 3)


def test_own_profile_is_used_beside_the_built_in_ones(root: Path, tmp_path: Path) -> None:
    write(tmp_path, {"profiles/ours.cue": PROFILE})
    text = BASE.read_text().replace("spec:\n", "spec:\n  profiles: [ours]\n", 1)
    result = evaluate(root, tmp_path, text)
    assert result.resolved is not None
    assert result.resolved["spec"]["tests"]["extra"]["params"]["iters"] == 20


def test_a_rule_that_fails_stops_its_site_and_says_where(root: Path, tmp_path: Path) -> None:
    broken = RULE.replace("site.metadata.labels.region == _|_", "site.spec.budget.gpuHours + 1 == 1/0")
    write(tmp_path, {"guardrails/ORG001_region.cue": broken})
    with pytest.raises(InputFault) as caught:
        evaluate(root, tmp_path, BASE.read_text())
    assert caught.value.diagnostics[0].code == "MU205"
    assert str(caught.value.diagnostics[0].position).startswith("policies/guardrails/ORG001_region.cue:")


@pytest.mark.parametrize("text", ["package schema\n#Site: {", 'package schema\nimport "nowhere.example/x"\n'])
def test_policy_that_does_not_parse_is_named(root: Path, tmp_path: Path, text: str) -> None:
    write(tmp_path, {"schema/ours.cue": text})
    with pytest.raises(InputFault) as caught:
        evaluate(root, tmp_path, BASE.read_text())
    assert caught.value.diagnostics[0].code == "MU205"
    assert "schema/ours.cue" in str(caught.value.diagnostics[0].position)


def test_file_of_muster_is_not_replaced_in_silence(root: Path, tmp_path: Path) -> None:
    write(tmp_path, {"schema/site.cue": "package schema\n"})
    with pytest.raises(InputFault, match="MU201"):
        evaluate(root, tmp_path, BASE.read_text())


def test_link_in_the_policies_is_refused(root: Path, tmp_path: Path) -> None:
    write(tmp_path, {"schema/ours.cue": CONSTRAINT})
    (tmp_path / "policies" / "schema" / "link.cue").symlink_to("/etc/passwd")
    with pytest.raises(InputFault, match="MU202"):
        evaluate(root, tmp_path, BASE.read_text())


@pytest.mark.parametrize(
    ("name", "text", "code"),
    [
        ("schema/ours.cue", CONSTRAINT.replace("package schema", "package schemas"), "MU208"),
        ("rules/ours.cue", RULE, "MU208"),
        ("ours.cue", CONSTRAINT, "MU208"),
        ("schema/ours.cue", CONSTRAINT.replace("#Site:", "#Sites:"), "MU209"),
        ("guardrails/ORG001_region.cue", RULE.replace("violations:", "violation:"), "MU205"),
        ("guardrails/ORG001_region.cue", RULE.replace("message:", "mesage:"), "MU205"),
    ],
)
def test_policy_without_effect_is_refused(
    root: Path, tmp_path: Path, name: str, text: str, code: str
) -> None:
    write(tmp_path, {name: text})
    try:
        found = evaluate(root, tmp_path, BASE.read_text()).diagnostics
    except InputFault as fault:
        found = fault.diagnostics
    assert {item.code for item in found} == {code}
