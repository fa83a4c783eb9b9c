"""Findings as frozen records: code, position, message, hint. Every output format renders these."""

from muster.diagnostics.errors import EnvironmentFault, InputFault, MusterError
from muster.diagnostics.record import Diagnostic, Position, Related
from muster.diagnostics.registry import Code, all_codes, code_of, diagnostic

__all__ = [
    "Code",
    "Diagnostic",
    "EnvironmentFault",
    "InputFault",
    "MusterError",
    "Position",
    "Related",
    "all_codes",
    "code_of",
    "diagnostic",
]
