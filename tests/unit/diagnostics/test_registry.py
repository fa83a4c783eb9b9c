"""Codes are an interface: each registered once, explained, in its range."""

from __future__ import annotations

import re
import types

import pytest

from muster.diagnostics import Code, EnvironmentFault, InputFault, MusterError, all_codes, code_of, diagnostic
from muster.diagnostics import registry as module


def test_every_code_is_complete() -> None:
    codes = all_codes()
    assert codes
    for name, entry in codes.items():
        assert re.fullmatch(r"MU\d{3}", name)
        assert entry.title.strip()
        assert entry.explanation.strip()
        assert entry.severity in ("error", "warning", "info")


def test_a_code_cannot_be_registered_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    twin = types.SimpleNamespace(CODES=(Code("MU114", "a", "b"), Code("MU114", "c", "d")))
    monkeypatch.setattr(module, "import_module", lambda _: twin)
    with pytest.raises(ValueError, match="MU114 is registered twice"):
        all_codes.__wrapped__()


def test_an_unknown_code_cannot_be_used() -> None:
    with pytest.raises(KeyError):
        diagnostic("MU000", "x")
    with pytest.raises(KeyError):
        code_of("ORG001")


def test_severity_and_hint_are_those_of_the_code_unless_given() -> None:
    entry = code_of("MU114")
    plain = diagnostic("MU114", "x")
    assert (plain.severity, plain.hint) == (entry.severity, entry.hint)
    own = diagnostic("MU114", "x", hint="y", severity="info")
    assert (own.severity, own.hint, own.is_error) == ("info", "y", False)


@pytest.mark.parametrize(("fault", "code"), [(MusterError, 70), (InputFault, 2), (EnvironmentFault, 3)])
def test_faults_carry_their_findings_and_exit_code(fault: type[MusterError], code: int) -> None:
    one = diagnostic("MU114", "twice")
    assert fault.exit_code == code
    assert fault(one).diagnostics == (one,)
    assert str(fault([one, one])) == "MU114: twice; MU114: twice"
