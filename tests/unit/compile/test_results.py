"""What is said about many sites: bounded, and only about those that it concerns."""

from __future__ import annotations

import pytest

from muster.compile.result import MOST_FINDINGS, Compilation, CompiledSite, bounded
from muster.compile.shared import refuse_conflicts
from muster.diagnostics import Diagnostic, Position, diagnostic

PLACE = Position("sites/x.yaml", 7, 3)


def finding(number: int, code: str = "MU211") -> Diagnostic:
    return diagnostic(code, f"finding {number}", Position("sites/x.yaml", number, 1), site="x")


def test_few_findings_stay_as_they_are_in_their_order() -> None:
    assert bounded([finding(2), finding(1)]) == (finding(1), finding(2))


@pytest.mark.parametrize("errors", [0, 1, MOST_FINDINGS, MOST_FINDINGS + 1])
def test_of_many_findings_the_errors_come_first(errors: int) -> None:
    found = [finding(number, "MU416") for number in range(1, 301)]
    found += [finding(number) for number in range(301, 301 + errors)]
    kept = bounded(found)
    assert len(kept) == MOST_FINDINGS + 1
    assert sum(item.code == "MU211" for item in kept) == min(errors, MOST_FINDINGS)
    assert kept[-1].code == "MU100"
    assert kept[-1].message.startswith(f"{300 + errors - MOST_FINDINGS} more findings")
    assert any(item.is_error for item in kept) is bool(errors), "warnings alone stop nothing"


def site(name: str, files: dict[str, str] | None) -> CompiledSite:
    data = None if files is None else {path: text.encode() for path, text in files.items()}
    return CompiledSite(name, data, None, (), {})


def project(namespace: str, text: str = "x") -> str:
    head = f"kind: AppProject\nmetadata:\n  name: gpu\n  namespace: {namespace}\n"
    return f"{head}spec:\n  namespace: none\n  a: {text}\n"


def test_two_sites_must_not_write_one_object_differently() -> None:
    sites = [
        site("a", {"delivery/argocd/a/project-gpu.yaml": project("argocd"), "a/plan.json": "1"}),
        site("b", {"delivery/argocd/b/project-gpu.yaml": project("argocd", "other"), "b/plan.json": "2"}),
        site("c", {"delivery/argocd/c/project-gpu.yaml": project("argocd"), "c/plan.json": "3"}),
        site("d", None),
    ]
    done = refuse_conflicts(sites, {"b": PLACE})
    assert [item.files is None for item in done] == [False, True, False, True]
    (fault,) = done[1].diagnostics
    assert (fault.code, fault.position, fault.site) == ("MU537", PLACE, "b")
    assert "site a" in fault.message


def test_objects_of_two_namespaces_are_two_objects() -> None:
    sites = [
        site("a", {"delivery/argocd/a/project-gpu.yaml": project("argocd")}),
        site("b", {"delivery/argocd/b/project-gpu.yaml": project("argo-two", "other")}),
    ]
    assert all(item.files is not None for item in refuse_conflicts(sites, {}))


def test_a_compilation_is_complete_when_every_site_has_output() -> None:
    good, bad = site("a", {"a/plan.json": "1"}), site("b", None)
    assert Compilation((good,), 3).complete
    assert not Compilation((good, bad), 3).complete
    assert Compilation((good, bad), 3).files() == {"a/plan.json": b"1"}
