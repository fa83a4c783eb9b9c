"""One canonical form of JSON values and its digest: the identity of measurements."""

from __future__ import annotations

import hashlib
import json
from typing import Any


def canonical_json(value: Any) -> bytes:
    """Return UTF-8 JSON with sorted keys and no blanks; equal values give equal bytes.

    Raises:
        ValueError: NaN or an infinity, which JSON does not have.
    """
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    return text.encode("utf-8")


def digest_of(value: Any) -> str:
    """Return ``sha256:<64 hex digits>`` of the canonical form."""
    return "sha256:" + hashlib.sha256(canonical_json(value)).hexdigest()
