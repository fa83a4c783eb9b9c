"""Run the real ``cue`` binary with a fixed environment, JSON on stdin, a limit on time."""

from __future__ import annotations

import json
import re
import subprocess
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from muster.diagnostics import EnvironmentFault, diagnostic
from muster.policy.errors import CueError, parse_errors

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

VERSION = "v0.17.1"
"""The version that the policies are tested with; another one is refused."""

_PANIC = re.compile(r"^(panic:|fatal error:|runtime: )", re.MULTILINE)

TIMEOUT = 120.0
"""Seconds that one run may take."""


@dataclass(frozen=True, slots=True)
class Exported:
    """What one run gave: a value, or errors."""

    value: Any
    errors: tuple[CueError, ...]
    stderr: str = ""


@dataclass(frozen=True)
class Cue:
    """The binary to run."""

    binary: Path

    @cached_property
    def version(self) -> str:
        """Return its version, ``v0.17.1``.

        Raises:
            EnvironmentFault: MU203 it cannot be run, or it is another version.
        """
        text = self._run([str(self.binary), "version"], b"", None).stdout.decode("utf-8", "replace")
        found = text.split("\n", 1)[0].removeprefix("cue version").strip()
        if found != VERSION:
            raise EnvironmentFault(
                diagnostic(
                    "MU203", f"{self.binary} is cue {found or 'of an unknown version'}; {VERSION} is needed"
                )
            )
        return found

    def export(self, module: Path, expression: str, data: Any) -> Exported:
        """Evaluate one expression of a module with ``data`` (JSON-able) unified into its root package.

        Raises:
            EnvironmentFault: MU203 cue cannot be run, MU204 it did not end in time, MU207 it broke off.
        """
        argv = [str(self.binary), "export", "-E", "--out", "json", "-e", expression, ".", "json:", "-"]
        done = self._run(argv, json.dumps(data, ensure_ascii=True).encode(), module)
        stderr = done.stderr.decode("utf-8", "replace")
        if done.returncode == 0:
            try:
                return Exported(json.loads(done.stdout), ())
            except ValueError as error:
                raise _broke("it printed what is no JSON") from error
        if done.returncode < 0:
            raise _broke(f"signal {-done.returncode} ended it")
        errors = () if _PANIC.search(stderr) else parse_errors(stderr)
        if not errors:
            first = stderr.strip().split("\n", 1)[0][:200]
            raise _broke(f"exit code {done.returncode}: {first or 'it said nothing'}")
        return Exported(None, errors, stderr)

    def _run(self, argv: list[str], data: bytes, folder: Path | None) -> subprocess.CompletedProcess[bytes]:
        environment = {"CUE_REGISTRY": "none", "HOME": "/nonexistent", "CUE_CACHE_DIR": "/nonexistent"}
        try:
            return subprocess.run(
                argv,
                input=data,
                cwd=folder,
                env=environment,
                capture_output=True,
                timeout=TIMEOUT,
                check=False,
            )
        except subprocess.TimeoutExpired as error:
            raise EnvironmentFault(diagnostic("MU204", f"cue did not end within {TIMEOUT:.0f} s")) from error
        except OSError as error:
            raise EnvironmentFault(diagnostic("MU203", f"cannot run {argv[0]}: {error.strerror}")) from error


def _broke(why: str) -> EnvironmentFault:
    return EnvironmentFault(diagnostic("MU207", f"cue broke off: {why}"))


def find_cue(candidates: Iterable[Path]) -> Cue:
    """Return the first candidate that exists, in the version that the policies need.

    Raises:
        EnvironmentFault: MU203 none exists, or the first that does is another version.
    """
    tried = list(candidates)
    for path in tried:
        if path.is_file():
            cue = Cue(path.resolve())
            _ = cue.version
            return cue
    raise EnvironmentFault(
        diagnostic(
            "MU203", "no cue binary in " + (", ".join(str(path) for path in tried) or "any known place")
        )
    )
