"""Notes of a record: what was odd, with code, file and line."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypedDict

from muster.diagnostics import code_of
from muster.diagnostics.escape import clip, visible

if TYPE_CHECKING:
    from muster.diagnostics.record import Severity

LONGEST = 400


class Note(TypedDict):
    """One finding about an attempt.

    ``file`` is the index of the source that it is about, None where none is; ``line`` counts from 1. An
    ``error`` means that the attempt is no evidence.
    """

    code: str
    severity: Severity
    file: int | None
    line: int | None
    message: str


def note(
    code: str,
    message: str,
    *,
    severity: Severity | None = None,
    file: int | None = None,
    line: int | None = None,
) -> Note:
    """Make a note of a registered code, with the code's own severity unless another is given.

    Raises:
        KeyError: the code is not registered.
    """
    shown = visible(clip(message, LONGEST))
    return {
        "code": code,
        "severity": severity or code_of(code).severity,
        "file": file,
        "line": line,
        "message": shown,
    }


def printable(value: Any) -> Any:
    """Return JSON-like data in which every text shows what it holds: no escape, no newline, no bidi mark."""
    if isinstance(value, str):
        return visible(value)
    if isinstance(value, dict):
        return {visible(str(key)): printable(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [printable(item) for item in value]
    return value
