"""What all renderers share: one order, no repetition, counts in words."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from muster.diagnostics.record import Diagnostic, Severity

if TYPE_CHECKING:
    from collections.abc import Iterable

SEVERITIES: tuple[Severity, ...] = ("error", "warning", "info")
_WORDS = {"error": ("error", "errors"), "warning": ("warning", "warnings"), "info": ("note", "notes")}


def ordered(diagnostics: Iterable[Diagnostic]) -> list[Diagnostic]:
    """Return findings in the order of every report, each once."""
    return sorted(dict.fromkeys(diagnostics), key=Diagnostic.sort_key)


def by_weight(diagnostics: Iterable[Diagnostic]) -> list[Diagnostic]:
    """Return findings with the errors first: what a bounded report must show."""
    return sorted(ordered(diagnostics), key=lambda item: SEVERITIES.index(item.severity))


def counts(diagnostics: Iterable[Diagnostic]) -> dict[str, int]:
    """Return how many findings there are of each severity."""
    found = Counter(item.severity for item in diagnostics)
    return {severity: found[severity] for severity in SEVERITIES}


def summary(diagnostics: Iterable[Diagnostic]) -> str:
    """Say how many findings there are: ``2 errors, 1 warning``, or ``no findings``."""
    parts = [
        f"{count} {_WORDS[severity][count != 1]}" for severity, count in counts(diagnostics).items() if count
    ]
    return ", ".join(parts) or "no findings"
