"""One door to all formats of findings."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from muster.diagnostics.record import Diagnostic

# Format: module and function, imported only when asked for.
_RENDERERS = {
    "text": ("render_text", "render_text"),
    "json": ("render_json", "render_json"),
    "jsonl": ("render_json", "render_json_lines"),
    "markdown": ("render_markdown", "render_markdown"),
    "github": ("render_github", "render_github"),
    "sarif": ("render_sarif", "render_sarif"),
    "junit": ("render_junit", "render_junit"),
}
FORMATS = tuple(_RENDERERS)


def render(diagnostics: Iterable[Diagnostic], format: str) -> str:  # noqa: A002 - the word of the option
    """Return findings in a format of ``FORMATS``, ending in a newline; text of no findings is empty.

    Raises:
        ValueError: the format is unknown.
    """
    if format not in _RENDERERS:
        raise ValueError(f"unknown format {format!r}; one of {', '.join(FORMATS)}")
    module, name = _RENDERERS[format]
    function: Callable[[Iterable[Diagnostic]], str] = getattr(
        import_module(f"muster.diagnostics.{module}"), name
    )
    return function(diagnostics)
