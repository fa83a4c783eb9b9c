"""One place that turns outcomes into exit codes; a code other than 0 always comes with a message."""

from __future__ import annotations

import errno
import os
import sys
from typing import TYPE_CHECKING

import click

from muster.diagnostics import MusterError

if TYPE_CHECKING:
    from collections.abc import Sequence

OK, FINDINGS, BAD_INPUT, ENVIRONMENT, BUG = 0, 1, 2, 3, 70
_OUT_OF_REACH = {errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES, errno.EPERM, errno.EIO, errno.EMFILE}


def run_guarded(group: click.Group, arguments: Sequence[str]) -> int:
    """Run a command and return its exit code: 0, 1, 2, 3 or 70; 130 on an interrupt."""
    debug = "--debug" in arguments
    try:
        result = group.main(args=list(arguments), prog_name="muster", standalone_mode=False)
        sys.stdout.flush()
        return result if isinstance(result, int) else OK
    except MusterError as error:
        from muster.diagnostics.render import render

        click.echo(render(error.diagnostics, "text"), nl=False, err=True)
        return error.exit_code
    except click.ClickException as error:
        error.show(sys.stderr)
        return BAD_INPUT
    except (click.Abort, KeyboardInterrupt):
        click.echo("muster: interrupted", err=True)
        return 130
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FINDINGS
    except OSError as error:
        if debug:
            raise
        from muster.diagnostics.escape import for_terminal

        where = f": {for_terminal(str(error.filename))}" if error.filename else ""
        click.echo(f"muster: {error.strerror or error}{where}", err=True)
        return ENVIRONMENT if error.errno in _OUT_OF_REACH else BAD_INPUT
    except Exception as error:
        if debug:
            raise
        click.echo(
            f"muster: a bug in muster: {type(error).__name__}: {str(error)[:300]!r}; run again with --debug"
            " and report the trace",
            err=True,
        )
        return BUG
