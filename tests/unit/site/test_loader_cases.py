"""Every case of tests/cases/site_loader: what is expected is found, and nothing else."""

from __future__ import annotations

import pytest

from muster.diagnostics import all_codes
from muster.diagnostics.codes.site import CODES
from muster.site.load import load_site
from site_helpers import Case, file_cases, raw_cases

CASES = file_cases() + raw_cases()
# The only code that bytes cannot cause; test_load.py causes it with directories, pipes and sockets.
OF_THE_FILE_SYSTEM = {"MU101"}
ENVELOPE = {"MU124", "MU125", "MU126"}


@pytest.mark.parametrize("case", CASES, ids=str)
def test_findings_are_those_expected(case: Case) -> None:
    site = load_site(case.label, case.raw, case.limits)
    unmatched = list(site.diagnostics)
    missing = []
    for expected in case.expected:
        hit = next((item for item in unmatched if expected.matches(item)), None)
        if hit is None:
            missing.append(expected)
        else:
            unmatched.remove(hit)
    listed = "\n".join(f"{item.position}: {item.code} {item.message}" for item in unmatched)
    assert not missing, f"expected, not found: {missing}\nfound besides:\n{listed}"
    assert not unmatched, f"found, not expected:\n{listed}"
    assert (site.data is None) == bool(case.expected)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_every_finding_says_where_and_what_to_do(case: Case) -> None:
    for item in load_site(case.label, case.raw, case.limits).diagnostics:
        assert item.hint, item
        assert item.position is not None
        assert item.position.file == case.label
        assert "\n" not in item.message


def test_every_code_has_a_case() -> None:
    hit = {item.code for case in CASES for item in load_site(case.label, case.raw, case.limits).diagnostics}
    assert {code.code for code in CODES} - hit == OF_THE_FILE_SYSTEM


@pytest.mark.parametrize("code", CODES, ids=lambda code: code.code)
def test_every_code_is_explained(code: object) -> None:
    entry = all_codes()[code.code]
    assert entry.code.startswith("MU1")
    assert len(entry.explanation) > 80, "says why it is refused and how to mend it"
    assert not entry.title.endswith(".")
    assert entry.severity == "error"
