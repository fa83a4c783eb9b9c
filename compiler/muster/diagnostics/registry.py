"""All codes that muster itself raises, gathered from ``diagnostics/codes``."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from typing import TYPE_CHECKING

from muster.diagnostics.record import Diagnostic, Position, Related

if TYPE_CHECKING:
    from collections.abc import Mapping

    from muster.diagnostics.record import Severity


@dataclass(frozen=True, slots=True)
class Code:
    """A code with its documentation.

    Attributes:
        code: ``MU101``.
        title: one line, no full stop.
        explanation: why it is refused and how to mend it; Markdown, shown by ``muster explain MU101``.
        severity: what it is unless the caller says otherwise.
        hint: the hint unless the caller gives a better one.
    """

    code: str
    title: str
    explanation: str
    severity: Severity = "error"
    hint: str = ""


@cache
def all_codes() -> Mapping[str, Code]:
    """Return every registered code by name.

    Raises:
        ValueError: two entries share a code.
    """
    from muster.diagnostics import codes as package

    found: dict[str, Code] = {}
    for module in sorted(item.name for item in iter_modules(package.__path__)):
        for entry in import_module(f"{package.__name__}.{module}").CODES:
            if entry.code in found:
                raise ValueError(f"code {entry.code} is registered twice")
            found[entry.code] = entry
    return dict(sorted(found.items()))


def code_of(name: str) -> Code:
    """Return a registered code.

    Raises:
        KeyError: it is not registered.
    """
    return all_codes()[name]


def diagnostic(
    code: str,
    message: str,
    position: Position | None = None,
    *,
    hint: str = "",
    path: str = "",
    site: str = "",
    severity: Severity | None = None,
    related: tuple[Related, ...] = (),
    source: str = "",
) -> Diagnostic:
    """Make a finding of a registered code, with the code's own severity and hint where none is given."""
    entry = code_of(code)
    return Diagnostic(
        code, severity or entry.severity, message, position, hint or entry.hint, path, site, related, source
    )
