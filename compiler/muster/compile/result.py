"""What compiling gives back."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from muster.diagnostics import Diagnostic, diagnostic

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from muster.diagnostics.record import Severity

MOST_FINDINGS = 100
"""Most findings of one site that are shown."""


def bounded(found: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
    """Return the findings of one site in their order: errors before others where not all are shown.

    What is left out is counted in one more finding (MU100), an error when it hides one.
    """
    ordered = sorted(found, key=Diagnostic.sort_key)
    if len(ordered) <= MOST_FINDINGS:
        return tuple(ordered)
    first = sorted(ordered, key=lambda item: not item.is_error)
    kept, hidden = sorted(first[:MOST_FINDINGS], key=Diagnostic.sort_key), first[MOST_FINDINGS:]
    last = kept[-1]
    more = diagnostic(
        "MU100", f"{len(hidden)} more findings of this site are not shown", last.position, site=last.site
    )
    severity: Severity = "error" if any(item.is_error for item in hidden) else "warning"
    return (*kept, replace(more, severity=severity))


@dataclass(frozen=True, slots=True)
class CompiledSite:
    """One site compiled.

    Attributes:
        name: the site's name, its file's stem where the file is too broken to say one.
        files: bytes by path relative to the output; None where an error forbids output.
        plan: the plan as ``plan.json`` carries it; None without output.
        diagnostics: every finding, sorted.
        counts: objects checked, by what they were checked against.
    """

    name: str
    files: Mapping[str, bytes] | None
    plan: Mapping[str, Any] | None
    diagnostics: tuple[Diagnostic, ...]
    counts: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Compilation:
    """All sites asked for, in the order of their names, and how many rules looked at each."""

    sites: tuple[CompiledSite, ...]
    rules: int

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """Return the findings of all sites."""
        return tuple(item for site in self.sites for item in site.diagnostics)

    @property
    def complete(self) -> bool:
        """Whether every site asked for has output."""
        return all(site.files is not None for site in self.sites)

    def files(self) -> dict[str, bytes]:
        """Return every file of every site that has output."""
        return {path: data for site in self.sites for path, data in (site.files or {}).items()}
