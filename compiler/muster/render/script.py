"""The script that runs in the pods: its text and its digest, which is part of every measurement."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path

NAME = "muster-run.sh"
MOUNT = "/muster"


@cache
def script_text() -> str:
    """Return the pod script."""
    return (Path(__file__).parent / "scripts" / NAME).read_text(encoding="utf-8")


@cache
def script_digest() -> str:
    """Return ``sha256:<64 hex>`` of the pod script's bytes."""
    return "sha256:" + hashlib.sha256(script_text().encode()).hexdigest()
