"""What the exit code of ``dcgmi diag`` means: the low byte of its return value (DCGM dcgm_structs.h)."""

from __future__ import annotations

from typing import Literal

Kind = Literal["ok", "device", "configuration", "isolate", "usage", "killed", "timeout", "internal"]

_CODES: dict[int, tuple[Kind, str]] = {
    0: ("ok", "no error entry; skipped tests do not change this code"),
    124: ("timeout", "ended by timeout(1) at the limit of the round"),
    126: ("usage", "dcgmi could not be executed"),
    127: ("usage", "dcgmi was not found"),
    190: ("killed", "the diagnosis was stopped (return -66)"),
    198: ("usage", "no such test (return -58, since DCGM 4.2)"),
    205: ("isolate", "at least one error of priority isolate (return -51): take the device out of service"),
    206: ("internal", "a plugin raised an exception (return -50)"),
    216: ("internal", "the result of the diagnosis was not JSON (return -40)"),
    226: ("device", "an error or warning entry (return -30): of a device or only of its configuration"),
    254: ("internal", "an exception in dcgmi (return -2)"),
    255: ("usage", "wrong usage of the command line (return -1)"),
}
_KILL = 137
_SIGNALS = {1: "SIGHUP", 2: "SIGINT", 6: "SIGABRT", 9: "SIGKILL", 11: "SIGSEGV", 15: "SIGTERM"}
CONFIGURATION_SEVERITY = 5


def explain_exit(code: int, severities: frozenset[int] = frozenset()) -> tuple[Kind, str]:
    """Return what an exit code of ``dcgmi diag`` means, as kind and as text.

    226 alone does not tell a broken device from a switched-off persistence mode: it is ``configuration`` only
    when the severities of all error entries are known and say so, else ``device``.

    Args:
        code: the exit code, 0 to 255; a negative one is the number of a signal, as Python reports it.
        severities: the ``error_severity`` of all error entries of the document; empty when not known.
    """
    if code < 0:
        code = 128 - code
    if code == 226 and severities == {CONFIGURATION_SEVERITY}:
        return "configuration", "error entries for configuration only (return -30)"
    if code in _CODES:
        return _CODES[code]
    if code == _KILL:
        return "killed", "killed by signal 9 (SIGKILL): out of memory, or the grace after a time-out"
    if 128 < code < 160:
        number = code - 128
        name = f" ({_SIGNALS[number]})" if number in _SIGNALS else ""
        return "killed", f"killed by signal {number}{name}"
    if 160 <= code < 256:
        return "internal", f"DCGM return {code - 256}"
    return "internal", f"exit code {code} is none of dcgmi's own"
