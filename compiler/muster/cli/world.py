"""What a command takes from outside: clock, environment, working directory; the rest gets it as arguments."""

from __future__ import annotations

import os
import shutil
import sys
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from muster.diagnostics import InputFault, diagnostic

if TYPE_CHECKING:
    from collections.abc import Mapping

    from muster.policy import Cue


@dataclass(frozen=True, slots=True)
class World:
    """The outside at the moment a command starts."""

    folder: Path
    environment: Mapping[str, str]
    now: datetime

    @classmethod
    def current(cls) -> World:
        """Read the clock, the environment and the working directory, once."""
        return cls(Path.cwd(), dict(os.environ), datetime.now(UTC).replace(microsecond=0))

    def cue(self) -> Cue:
        """Return the cue binary to use.

        Raises:
            EnvironmentFault: MU203 none is found, or the first found is another version.
        """
        from muster.policy.cue import find_cue

        return find_cue(self.cue_candidates())

    def cue_candidates(self) -> list[Path]:
        """Return where cue is looked for, in this order; the first that exists is used."""
        named = self.environment.get("MUSTER_CUE")
        if named:
            return [Path(named)]
        checkout = Path(__file__).resolve().parents[3] / ".tools" / "bin" / "cue"
        on_path = shutil.which("cue", path=self.environment.get("PATH", ""))
        return [checkout, Path(sys.prefix) / "bin" / "cue", *([Path(on_path)] if on_path else [])]

    def as_of(self, text: str | None) -> datetime:
        """Return the moment that evidence is judged at: ``--as-of``, else now.

        Raises:
            InputFault: MU103 the text is no date and no RFC 3339 time.
        """
        if text is None:
            return self.now
        from muster.site.units import UnitError, parse_date

        try:
            return parse_date(text)
        except UnitError as error:
            raise InputFault(diagnostic("MU002", f"--as-of {text}: {error}")) from error


def label(path: Path, folder: Path) -> str:
    """Return how messages name a file: relative to the working directory where it lies below it."""
    resolved = Path(os.path.abspath(path))  # noqa: PTH100 (keeps links as they are named)
    if resolved.is_relative_to(folder):
        return resolved.relative_to(folder).as_posix()
    return resolved.as_posix()
