"""No damage makes a proof of evidence that is none; ``tests/fuzz/fuzz_evidence.py`` looks for longer."""

from __future__ import annotations

import pytest

from fuzz import fuzz_evidence
from fuzz.fuzz_evidence import CHANGES, Case, attempt, cases, damaged, verdict

STATES = {
    "tcp by hand": "violated",
    "tcp of a pod": "violated",
    "slow by hand": "violated",
    "slow of a pod": "violated",
    "wrong data by hand": "violated",
    "wrong data of a pod": "violated",
    "killed by hand": "incomplete",
    "killed of a pod": "incomplete",
    "failed by hand": "unreadable",
    "failed of a pod": "unreadable",
    "two rounds by hand": "incomplete",
    "two rounds of a pod": "incomplete",
    "seven GPUs": "stale",
    "an old driver": "stale",
    "no validation": "unreadable",
}


def test_without_its_fault_the_evidence_is_a_proof() -> None:
    """Each case would pass but for its fault, so that a pass is what damage could make of it."""
    log = (fuzz_evidence.EXAMPLES / "pair-roce-all-reduce.log").read_text("utf-8")
    test = fuzz_evidence._test()
    by_hand, of_pod = Case(test, **fuzz_evidence._by_hand(log)), Case(test, fuzz_evidence._pod(log, test))
    assert verdict(by_hand, by_hand.files)["state"] == "satisfied"
    assert verdict(of_pod, of_pod.files)["state"] == "satisfied"


@pytest.mark.parametrize("name", sorted(cases()))
def test_no_damage_makes_it_one(name: str) -> None:
    case = cases()[name]
    assert verdict(case, case.files)["state"] == STATES[name]
    assert [text for seed in range(15) for text in attempt(name, seed)] == []


def test_damage_is_repeatable_and_does_something() -> None:
    name = "tcp by hand"
    made = [damaged(name, seed) for seed in range(10)]
    assert made == [damaged(name, seed) for seed in range(10)]
    assert all(files != cases()[name].files for files, _ in made[:3])
    assert len(CHANGES) == 8
