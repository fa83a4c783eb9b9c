"""Run tests/cases/policy: edited site files in, findings with code and line out; few runs of cue for all."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import pytest
import yaml

from muster.diagnostics import Diagnostic, all_codes
from muster.plan import build_plan
from muster.plan.context import SiteContext
from muster.policy import Cue, Policies, assemble
from muster.policy.provenance import profile_positions
from muster.site.load import load_site

CASES = Path(__file__).parents[2] / "cases" / "policy"
EXPECTATION = re.compile(r"# ([EW]): (MU\d+) ([^#]*)")
FACTS = yaml.safe_load((CASES / "cases.yaml").read_text())


@dataclass(frozen=True)
class Outcome:
    text: str
    found: tuple[Diagnostic, ...]


def site_text(index: int, edits: list[list[str]]) -> str:
    text = (CASES / "base.yaml").read_text().replace("name: base", f"name: case-{index}")
    for old, new in edits:
        assert text.count(old) == 1, f"{old!r} stands {text.count(old)} times"
        text = text.replace(old, new)
    return text


@pytest.fixture(scope="module")
def outcomes(root: Path) -> dict[str, Outcome]:
    """Every case, checked and planned together: bad sites neither hide nor stop the others."""
    texts = {case["name"]: site_text(i, case.get("edits", [])) for i, case in enumerate(FACTS)}
    sites = [load_site(f"sites/case-{i}.yaml", text.encode()) for i, text in enumerate(texts.values())]
    done = {}
    with assemble(root) as module:
        policies = Policies(Cue(root / ".tools" / "bin" / "cue"), module)
        results = policies.evaluate([site for site in sites if site.data is not None]).results
        by_name = {result.site.name: result for result in results}
        for site, (name, text) in zip(sites, texts.items(), strict=True):
            found = list(site.diagnostics)
            result = by_name.get(site.name)
            if result is not None:
                found += result.diagnostics
                if result.accepted:
                    spec = result.resolved["spec"]
                    places = profile_positions(policies, spec["profiles"])
                    context = SiteContext(site.name, spec, site.positions, places)
                    found += build_plan(
                        context, policies.facts["catalog"], site.digest, "sha256:0"
                    ).diagnostics
            done[name] = Outcome(text, tuple(found))
    return done


@pytest.mark.parametrize("case", FACTS, ids=lambda case: case["name"])
def test_case(case: dict[str, object], outcomes: dict[str, Outcome]) -> None:
    outcome = outcomes[str(case["name"])]
    expected = set()
    for number, line in enumerate(outcome.text.splitlines(), 1):
        for kind, code, words in EXPECTATION.findall(line):
            expected.add((number, "error" if kind == "E" else "warning", code))
            hits = [d for d in outcome.found if d.code == code and d.position and d.position.line == number]
            assert any(words.strip() in d.message for d in hits), [
                (str(d.position), d.code, d.message) for d in outcome.found
            ]
    got = {(d.position.line if d.position else 0, d.severity, d.code) for d in outcome.found}
    assert got == expected, [(str(d.position), d.code, d.message) for d in outcome.found]
    assert bool(expected) != bool(case.get("ok")), "a case expects findings or says ok"


def test_every_rule_and_code_has_a_case(root: Path) -> None:
    text = (CASES / "cases.yaml").read_text()
    rules = {path.name[:5] for path in (root / "policies" / "guardrails").glob("MU3*.cue")}
    compat = set(re.findall(r"\bMU34\d\b", (root / "policies" / "compat" / "matrix.cue").read_text()))
    codes = {code for code in all_codes() if code.startswith(("MU21", "MU22", "MU4"))}
    assert {code for code in rules | compat | codes if f": {code} " not in text} == set()


def test_every_rule_explains_itself(root: Path) -> None:
    for path in (root / "policies" / "guardrails").glob("MU3*.cue"):
        head = path.read_text().split("package guardrails")[0]
        assert len(head) > 120, path.name
