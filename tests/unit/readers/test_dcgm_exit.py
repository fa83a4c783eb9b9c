"""Exit codes of dcgmi, and what the damage tests compare."""

from __future__ import annotations

import typing

import pytest

from muster.readers.dcgm_exit import Kind, explain_exit
from reader_mutations import better


@pytest.mark.parametrize(
    ("code", "kind", "part"),
    [
        (0, "ok", "skipped tests"),
        (124, "timeout", "limit"),
        (127, "usage", "not found"),
        (137, "killed", "signal 9"),
        (139, "killed", "SIGSEGV"),
        (143, "killed", "SIGTERM"),
        (145, "killed", "signal 17"),
        (-9, "killed", "signal 9"),
        (190, "killed", "stopped"),
        (198, "usage", "no such test"),
        (205, "isolate", "isolate"),
        (206, "internal", "plugin"),
        (216, "internal", "JSON"),
        (226, "device", "error or warning entry"),
        (254, "internal", "exception"),
        (255, "usage", "wrong usage"),
        (230, "internal", "return -26"),
        (3, "internal", "none of dcgmi's own"),
        (4711, "internal", "none of dcgmi's own"),
    ],
)
def test_each_code_is_explained(code: int, kind: str, part: str) -> None:
    found, text = explain_exit(code)
    assert found == kind
    assert part in text


@pytest.mark.parametrize(
    ("severities", "kind"),
    [({5}, "configuration"), ({5, 2}, "device"), ({None}, "device"), (set(), "device")],
)
def test_226_is_configuration_only_when_every_entry_says_so(severities: set[int], kind: str) -> None:
    assert explain_exit(226, frozenset(severities))[0] == kind


def test_only_zero_is_ok_and_every_code_has_a_known_kind() -> None:
    kinds = {code: explain_exit(code)[0] for code in range(-64, 300)}
    assert [code for code, kind in kinds.items() if kind == "ok"] == [0]
    assert set(kinds.values()) <= set(typing.get_args(Kind))


def _reading(*statuses: str, state: str = "complete") -> dict[str, typing.Any]:
    checks = [
        {"name": "memory", "subtest": None, "entity": f"GPU {index}", "status": status}
        for index, status in enumerate(statuses)
    ]
    return {"tool": "dcgm", "state": state, "checks": checks, "rows": [], "problems": []}


@pytest.mark.parametrize(
    ("before", "after", "seen"),
    [
        (_reading("pass", "fail"), _reading("pass", "pass"), True),
        (_reading("pass"), _reading("pass", "pass"), True),
        (_reading("pass", "fail"), _reading("pass"), True),
        (_reading("pass", "fail"), _reading("pass", "pass", state="incomplete"), False),
        (_reading("pass", "fail"), _reading("fail", "fail"), False),
        (_reading("pass", "pass"), _reading("pass", "skip"), False),
    ],
)
def test_the_damage_tests_see_what_looks_better(
    before: dict[str, typing.Any], after: dict[str, typing.Any], seen: bool
) -> None:
    assert (better(before, after) is not None) is seen
