"""Every outcome has its exit code and its message; a bug is one line, and a trace where it is asked for."""

from __future__ import annotations

import errno
import io
import sys
from typing import TYPE_CHECKING

import click
import pytest

from muster.cli.exits import prepare_streams, run_guarded
from muster.cli.main import main
from muster.diagnostics import EnvironmentFault, InputFault, diagnostic

if TYPE_CHECKING:
    from collections.abc import Callable

HOSTILE = "a\nb\x1b[31m\u202e" + "x" * 1000


def group(action: Callable[[], object]) -> click.Group:
    """Return a command line with one command, ``go``."""
    found = click.Group()
    found.params = [click.Option(["--debug"], is_flag=True)]
    found.callback = lambda **_: None
    found.add_command(click.Command("go", callback=action))
    return found


def raising(error: BaseException) -> click.Group:
    def action() -> None:
        raise error

    return group(action)


def ended(code: int) -> Callable[[], object]:
    return lambda: code


OUTCOMES: dict[str, tuple[BaseException, int, str]] = {
    "bad input": (InputFault(diagnostic("MU001", "none")), 2, "error MU001: none"),
    "environment": (EnvironmentFault(diagnostic("MU203", "no cue")), 3, "error MU203: no cue"),
    "usage": (click.UsageError("give files"), 2, "Error: give files"),
    "interrupt": (KeyboardInterrupt(), 130, "muster: interrupted"),
    "no such file": (FileNotFoundError(errno.ENOENT, "No such file", "x\n"), 2, "muster: No such file: x\\n"),
    "bytes as a name": (OSError(errno.ENOENT, "No such file", b"\xff"), 2, "muster: No such file: \\udcff"),
    "full disk": (OSError(errno.ENOSPC, "No space"), 3, "muster: No space"),
    "refused": (ConnectionRefusedError(errno.ECONNREFUSED, "refused"), 3, "muster: refused"),
    "time-out": (TimeoutError("too late"), 3, "muster: too late"),
    "bug": (
        KeyError("spec"),
        70,
        "muster: a bug in muster: KeyError: \"'spec'\"; run `muster --debug ...` again",
    ),
    "deep bug": (RecursionError("deep"), 70, "muster: a bug in muster: RecursionError: 'deep'"),
    "no memory": (MemoryError(), 70, "muster: a bug in muster: MemoryError: ''"),
    "hostile bug": (ValueError(HOSTILE), 70, r"muster: a bug in muster: ValueError: 'a\nb\x1b[31m\u202exxx"),
}


@pytest.mark.parametrize("outcome", OUTCOMES)
def test_outcomes(outcome: str, capsys: pytest.CaptureFixture[str]) -> None:
    error, code, message = OUTCOMES[outcome]
    assert run_guarded(raising(error), ["go"]) == code
    said = capsys.readouterr()
    assert said.out == ""
    assert message in said.err
    assert "Traceback" not in said.err
    if code == 70:
        assert said.err.count("\n") == 1
        assert len(said.err) < 700


@pytest.mark.parametrize("outcome", ["bug", "full disk", "bad input"])
def test_debug_shows_the_trace_and_keeps_the_exit_code(
    outcome: str, capsys: pytest.CaptureFixture[str]
) -> None:
    error, code, message = OUTCOMES[outcome]
    assert run_guarded(raising(error), ["--debug", "go"]) == code
    said = capsys.readouterr().err
    assert said.startswith("Traceback (most recent call last):")
    assert message in said


@pytest.mark.parametrize("code", [0, 1, 2, 3])
def test_what_a_command_returns_is_the_exit_code(code: int) -> None:
    assert run_guarded(group(ended(code)), ["go"]) == code


def test_a_bug_anywhere_in_a_real_command_is_told(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from muster.compile import inputs

    def broken(*_: object) -> None:
        raise AssertionError("impossible")

    monkeypatch.setattr(inputs, "_find", broken)
    assert run_guarded(main, ["check", "x"]) == 70
    said = capsys.readouterr()
    assert (said.out, said.err.count("\n")) == ("", 1)


class Closed(io.TextIOWrapper):
    """A stream whose reader has gone."""

    def __init__(self) -> None:
        super().__init__(io.BytesIO(), "utf-8")

    def write(self, _text: str) -> int:
        raise BrokenPipeError(errno.EPIPE, "Broken pipe")

    def flush(self) -> None:
        """Nothing is left to flush."""


def test_nobody_reads_the_output(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys, "stdout", Closed())
    assert run_guarded(group(lambda: click.echo("data")), ["go"]) == 3
    assert capsys.readouterr().err == "muster: standard output was closed before everything was printed\n"


def test_nobody_reads_anything(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdout", Closed())
    monkeypatch.setattr(sys, "stderr", Closed())
    assert run_guarded(group(lambda: click.echo("data")), ["go"]) == 3
    assert run_guarded(raising(KeyError("x")), ["go"]) == 70


def test_there_is_no_output_at_all(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "stdout", None)
    assert run_guarded(group(lambda: click.echo("data")), ["go"]) == 3
    assert capsys.readouterr().err == "muster: standard output is closed\n"


def test_output_is_utf8_whatever_the_locale(monkeypatch: pytest.MonkeyPatch) -> None:
    raw = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(raw, "ascii"))
    prepare_streams()
    assert run_guarded(group(lambda: click.echo("é\udcff")), ["go"]) == 0
    assert raw.getvalue() == b"\xc3\xa9\\udcff\n"
