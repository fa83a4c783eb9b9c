"""The one record of a finding."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

Severity = Literal["error", "warning", "info"]
_ORDER = {"error": 0, "warning": 1, "info": 2}


@dataclass(frozen=True, slots=True, order=True)
class Position:
    """A place in a file; line and column count from 1, the column in characters."""

    file: str
    line: int
    column: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"


@dataclass(frozen=True, slots=True)
class Related:
    """Another place that has part in a finding, with what it has to do with it."""

    position: Position
    note: str


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One finding. Text may quote hostile input: renderers escape, producers do not.

    Attributes:
        code: a registered code, ``MU101``, or a code of the user's own rules, ``ORG001``.
        severity: ``error`` makes a command fail, ``warning`` and ``info`` do not.
        message: what is wrong, with the value; one line.
        position: where to mend it; None only where no file is concerned.
        hint: what to do.
        path: the field, ``spec.pools.h20.gpu.perNode``; empty where none is concerned.
        site: the name of the site, empty where none is concerned.
        related: other places that have part in it.
        source: where the rule comes from (a document, an issue), empty for our own.
    """

    code: str
    severity: Severity
    message: str
    position: Position | None = None
    hint: str = ""
    path: str = ""
    site: str = ""
    related: tuple[Related, ...] = ()
    source: str = ""

    @property
    def is_error(self) -> bool:
        """Whether the finding makes a command fail."""
        return self.severity == "error"

    def sort_key(self) -> tuple[Any, ...]:
        """Order by file, place, severity, code: the order every report uses."""
        place = self.position or Position("", 0, 0)
        return (place.file, place.line, place.column, _ORDER[self.severity], self.code, self.message)
