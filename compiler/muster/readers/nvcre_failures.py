"""Why a node or a group failed in NVCRE: its hardware, a threshold of the run, or the program.

The last two alone do not say that a GPU is bad.
"""

from __future__ import annotations

import re
from typing import Any

KINDS = {
    "HardwareFailureDetected": "hardware",
    "ThresholdViolation": "threshold",
    "ThresholdViolated": "threshold",
    "WorkloadFailed": "workload",
}
NOT_THE_DEVICE = {
    "CategoryNotFound",
    "BuildFailed",
    "WorkflowDeleted",
    "WorkflowNameCollision",
    "WorkflowCreationError",
    "JobCreationError",
    "DependencyCreationError",
    "NodeDiscoveryError",
    "PartitionError",
    "JobNameCollision",
    "DependencyNameCollision",
    "GangSchedulingConflict",
    "WorkloadCreationError",
    "UnknownThresholdKey",
    "InvalidThresholdExpression",
}
NOT_FINISHED = {"JobTimedOut", "WorkloadStalled", "MeasurementTimeout"}
_THRESHOLD = re.compile(
    r'Threshold "(?P<key>\w{1,64})" violated: measured (?P<measured>-?[0-9]{1,15}(?:\.[0-9]{1,9})?),'
    r" expression: (?P<expression>[^\n]{1,500})",
    re.ASCII,
)


def kind_of(reason: str | None, message: str | None = None) -> str:
    """Return ``hardware``, ``threshold``, ``workload`` or ``unknown`` for a reason and its message."""
    if reason in KINDS:
        return KINDS[reason]
    if any(text and _THRESHOLD.search(text) for text in (reason, message)):
        return "threshold"
    return "unknown"


def status_of(kind: str) -> str:
    """Return the status of a check: only what NVCRE itself holds for a fault of the device or a miss fails."""
    return "fail" if kind in ("hardware", "threshold") else "error"


def threshold(text: str | None) -> dict[str, Any] | None:
    """Return key, measured value and expression of a message about a missed threshold of theirs."""
    found = _THRESHOLD.search(text) if text else None
    if found is None:
        return None
    return {
        "key": found["key"],
        "measured": float(found["measured"]),
        "expression": found["expression"].strip(),
    }


def check(name: str, entity: str | None, kind: str, *messages: str | None) -> dict[str, Any]:
    """Return a check of something that failed, with the kind as the category of its error."""
    return {
        "name": name,
        "entity": entity,
        "status": status_of(kind),
        "messages": [text for text in messages if text],
        "errors": [{"id": kind, "category": kind, "severity": "theirs"}],
    }


def plain(name: str, entity: str | None, status: str, *messages: str | None) -> dict[str, Any]:
    """Return a check without errors."""
    kept = [text for text in messages if text]
    return {"name": name, "entity": entity, "status": status, "messages": kept, "errors": []}
