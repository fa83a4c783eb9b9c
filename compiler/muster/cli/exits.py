"""One place that turns outcomes into exit codes; a code other than 0 always comes with a message."""

from __future__ import annotations

import contextlib
import errno
import io
import os
import sys
from typing import TYPE_CHECKING

import click

from muster.diagnostics import MusterError

if TYPE_CHECKING:
    from collections.abc import Sequence

OK, FINDINGS, BAD_INPUT, ENVIRONMENT, BUG = 0, 1, 2, 3, 70
_BAD_NAMES = {errno.ENOENT, errno.ENOTDIR, errno.EISDIR, errno.ENAMETOOLONG, errno.ELOOP, errno.EINVAL}
"""What a wrong argument causes; all else that the system refuses is the environment's."""


def prepare_streams() -> None:
    """Let what is printed depend on no locale: UTF-8, and an escape for what even that cannot carry."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")


def run_guarded(group: click.Group, arguments: Sequence[str]) -> int:
    """Run a command and return its exit code: 0, 1, 2, 3 or 70; 130 on an interrupt."""
    code = _run(group, arguments)
    try:
        if sys.__stdout__ is not None:
            sys.__stdout__.flush()
    except OSError:  # told already; the interpreter must not stumble over it once more
        _drop(sys.__stdout__)
    return code


def _run(group: click.Group, arguments: Sequence[str]) -> int:
    debug, output = "--debug" in arguments, sys.stdout
    try:
        if sys.stdout is None:
            _say("muster: standard output is closed")
            return ENVIRONMENT
        result = group.main(args=list(arguments), prog_name="muster", standalone_mode=False)
        sys.stdout.flush()
        return result if isinstance(result, int) else OK
    except MusterError as error:
        from muster.diagnostics.render import render

        _trace(debug)
        _say(render(error.diagnostics, "text").rstrip("\n"))
        return error.exit_code
    except click.ClickException as error:
        error.show(sys.stderr)
        return BAD_INPUT
    except (click.Abort, KeyboardInterrupt):
        _say("muster: interrupted")
        return 130
    except SystemExit as error:
        # Shell completion ends like this, and a broken pipe: click then wraps the streams.
        if sys.stdout is output:
            return error.code if isinstance(error.code, int) else OK
        return _nobody_reads()
    except BrokenPipeError:
        return _nobody_reads()
    except OSError as error:
        from muster.diagnostics.escape import for_terminal

        _trace(debug)
        where = f": {for_terminal(os.fsdecode(error.filename))}" if error.filename else ""
        _say(f"muster: {error.strerror or error}{where}")
        return BAD_INPUT if error.errno in _BAD_NAMES else ENVIRONMENT
    except Exception as error:  # noqa: BLE001 (a bug, whatever it is, ends with a message)
        _trace(debug)
        _say(
            f"muster: a bug in muster: {type(error).__name__}: {str(error)[:300]!r}; run `muster --debug ...`"
            " again and report the trace"
        )
        return BUG


def _nobody_reads() -> int:
    _drop(sys.__stdout__)
    _say("muster: standard output was closed before everything was printed")
    return ENVIRONMENT


def _say(text: str) -> None:
    """Print one message; where nobody listens any more the exit code alone must do."""
    try:
        click.echo(text, err=True)
    except OSError:
        _drop(sys.__stderr__)


def _trace(debug: bool) -> None:
    if debug:
        import traceback

        _say(traceback.format_exc().rstrip("\n"))


def _drop(stream: object) -> None:
    """Let what is left in a stream's buffer go nowhere, so that the interpreter can end in peace."""
    with contextlib.suppress(OSError, ValueError):
        if isinstance(stream, io.TextIOWrapper):
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
