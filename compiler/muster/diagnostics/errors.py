"""Exceptions that end a command, each with its exit code."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from muster.diagnostics.record import Diagnostic


class MusterError(Exception):
    """A command cannot go on; ``diagnostics`` say why. Exit code 70 unless a subclass says otherwise."""

    exit_code = 70

    def __init__(self, diagnostics: Diagnostic | Sequence[Diagnostic]) -> None:
        from muster.diagnostics.record import Diagnostic

        found = (diagnostics,) if isinstance(diagnostics, Diagnostic) else tuple(diagnostics)
        super().__init__("; ".join(f"{item.code}: {item.message}" for item in found))
        self.diagnostics: tuple[Diagnostic, ...] = found


class InputFault(MusterError):
    """Bad input: a site, a policy, an argument."""

    exit_code = 2


class EnvironmentFault(MusterError):
    """A tool, an archive or a cluster that cannot be reached, a disk that is full."""

    exit_code = 3
