"""Gathers what is wrong with one file, bounded, so that a hostile file cannot flood a report."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from muster.diagnostics import Diagnostic, Position, Related, diagnostic
from muster.site.positions import format_path

if TYPE_CHECKING:
    from muster.site.positions import Path

Place = tuple[int, int]


class Findings:
    """The diagnostics of one file, at most ``limit`` of them and a summary of the rest."""

    def __init__(self, file: str, site: str, limit: int) -> None:
        self.file = file
        self._site = site
        self._limit = limit
        self._kept: list[Diagnostic] = []
        self._dropped: Counter[str] = Counter()

    def __len__(self) -> int:
        return len(self._kept) + self._dropped.total()

    def add(
        self,
        code: str,
        message: str,
        place: Place = (1, 1),
        *,
        hint: str = "",
        path: Path = (),
        related: tuple[tuple[Place, str], ...] = (),
    ) -> None:
        """Add a finding at a line and column."""
        if len(self._kept) >= self._limit:
            self._dropped[code] += 1
            return
        others = tuple(Related(Position(self.file, *where), note) for where, note in related)
        self._kept.append(
            diagnostic(
                code,
                message,
                Position(self.file, *place),
                hint=hint,
                path=format_path(path),
                site=self._site,
                related=others,
            )
        )

    def done(self) -> tuple[Diagnostic, ...]:
        """Return what was found in the order of the file, the summary of what is not shown last."""
        ordered = sorted(self._kept, key=Diagnostic.sort_key)
        if self._dropped:
            counts = ", ".join(f"{count} {code}" for code, count in sorted(self._dropped.items()))
            ordered.append(
                diagnostic(
                    "MU100",
                    f"{self._dropped.total()} more findings in this file are not shown ({counts})",
                    ordered[-1].position,
                    site=self._site,
                )
            )
        return tuple(ordered)
