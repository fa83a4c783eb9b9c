"""Evaluate the Jsonnet templates: fast first, and once more with a trace where that fails.

Templates are thin: they give objects their shape, values are computed before. Input travels as JSON text in
a top-level argument, output is read back as JSON, so no engine's way of printing numbers ever matters.
"""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from muster.diagnostics import MusterError, Position, Related, diagnostic

if TYPE_CHECKING:
    from muster.diagnostics import Diagnostic

TEMPLATES = Path(__file__).parent / "templates"
EXACT = 2**53
_NO_GC = 1_000_000
_PLACE = re.compile(r"^\s*\(?([\w./-]+\.(?:jsonnet|libsonnet)):\(?(\d+):(\d+)", re.MULTILINE)
_LONG_NUMBER = re.compile(r"[:,\[]-?\d{16}")


@cache
def _source(name: str) -> str:
    return (TEMPLATES / name).read_text(encoding="utf-8")


def fast(template: str, code: str) -> str:
    """Return the JSON text that rjsonnet makes of a template and an argument given as JSON text.

    Raises:
        RuntimeError: the template fails; the message names no line.
    """
    import rjsonnet

    def opened(_base: str, name: str) -> tuple[str, str]:
        return name, _source(name)

    # Collecting garbage in the middle costs more than the whole evaluation.
    text: str = rjsonnet.evaluate_snippet(
        template, _source(template), tla_vars={"json": code}, import_callback=opened, gc_min_objects=_NO_GC
    )
    return text


def traced(template: str, code: str) -> str:
    """Return what the C++ engine makes of it: the same JSON, much later, and errors with their lines.

    Raises:
        RuntimeError: the template fails.
    """
    import _jsonnet

    def opened(_base: str, name: str) -> tuple[str, bytes]:
        return name, _source(name).encode()

    text: str = _jsonnet.evaluate_snippet(
        template, _source(template), tla_vars={"json": code}, import_callback=opened
    )
    return text


def evaluate(template: str, value: Any, *, position: Position | None = None, site: str = "") -> Any:
    """Return what a template makes of a value.

    Args:
        template: a file under ``templates``; it holds a function of one argument, ``json``, a JSON text.
        value: JSON data; whole numbers up to 2^53 only, larger ones travel as text.
        position: the line of the site file that the rendering is for.
        site: the site's name, for messages.

    Raises:
        MusterError: the template fails (MU502), or a number is too large (MU503).
    """
    code = json.dumps(value, allow_nan=False, separators=(",", ":"))
    if _LONG_NUMBER.search(code):
        _refuse_large(value, position, site)
    try:
        return json.loads(fast(template, code))
    except RuntimeError as fault:
        raise MusterError(explain(template, code, str(fault), position, site)) from fault


def explain(template: str, code: str, said: str, position: Position | None, site: str) -> Diagnostic:
    """Return the finding for a template that failed, with its line from the engine that knows lines.

    Args:
        template: the template's file name.
        code: its argument as JSON text.
        said: what the fast engine said.
        position: the line of the site file that the rendering is for.
        site: the site's name.
    """
    try:
        traced(template, code)
        trace = f"{said}\nonly one of two engines fails"
    except RuntimeError as fault:
        trace = str(fault)
    places = [
        Position(f"templates/{name}", int(line), int(column)) for name, line, column in _PLACE.findall(trace)
    ]
    message = trace.strip().splitlines()[0] if trace.strip() else "no message"
    where = f"{places[0]}: " if places else f"templates/{template}: "
    related = tuple(Related(place, "in the template") for place in dict.fromkeys(places))
    return diagnostic("MU502", where + message, position, site=site, related=related)


def _refuse_large(value: Any, position: Position | None, site: str, path: str = "input") -> None:
    if isinstance(value, dict):
        for key, item in value.items():
            _refuse_large(item, position, site, f"{path}.{key}")
    elif isinstance(value, list):
        for index, item in enumerate(value):
            _refuse_large(item, position, site, f"{path}[{index}]")
    elif isinstance(value, int) and abs(value) > EXACT:
        raise MusterError(diagnostic("MU503", f"{path} is {value}", position, site=site))
