"""Whether AICR's evidence is about the recipe as it is now."""

from __future__ import annotations

from typing import Any

import pytest

from muster.readers import read_bytes
from muster.readers.aicr_evidence import pointer_state

ONE, TWO, THREE = (f"sha256:{digit * 64}" for digit in "123")


def attested(time: str, recipe: str | None) -> dict[str, Any]:
    return {"attestedAt": time, "digest": THREE, "recipeDigest": recipe}


@pytest.mark.parametrize(
    ("pointer", "digest", "state"),
    [
        ({"recipeDigest": ONE, "attestations": []}, ONE, "current"),
        ({"recipeDigest": ONE, "attestations": []}, TWO, "stale"),
        ({"recipeDigest": None, "attestations": [attested("2026-06-01", None)]}, ONE, "unknown"),
        ({"recipeDigest": None, "attestations": [attested("2026-06-01", None)]}, THREE, "unknown"),
        ({"attestations": [attested("2026-06-01", ONE), attested("2026-06-02", TWO)]}, TWO, "current"),
        ({"attestations": [attested("2026-06-02", TWO), attested("2026-06-01", ONE)]}, ONE, "stale"),
        ({"recipeDigest": ONE, "attestations": []}, None, "unknown"),
        ({"recipeDigest": ONE, "attestations": []}, "latest", "unknown"),
        ({"recipeDigest": ONE, "attestations": []}, ONE.upper(), "unknown"),
        ({}, ONE, "unknown"),
    ],
)
def test_pointer_state(pointer: dict[str, Any], digest: str | None, state: str) -> None:
    assert pointer_state(pointer, digest) == state


def test_pointer_state_takes_what_a_reading_holds() -> None:
    text = (
        '{"predicateType": "https://aicr.run/recipe-evidence/v1", "predicate": {"attestedAt":'
        f' "2026-06-01T00:00:00Z", "recipe": {{"digest": "{ONE}"}},'
        ' "phases": {"deployment": {"passed": 1, "failed": 0, "skipped": 0}}}}'
    )
    reading: Any = read_bytes("statement.json", text.encode())
    assert reading["state"] == "complete"
    assert (pointer_state(reading["aicr"], ONE), pointer_state(reading["aicr"], TWO)) == ("current", "stale")
