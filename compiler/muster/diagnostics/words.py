"""Numbers with their words."""

from __future__ import annotations


def counted(count: int, word: str, plural: str = "") -> str:
    """Return a number with its word: ``1 error``, ``2 errors``; ``plural`` where it is not the word and an s."""
    return f"{count} {word if count == 1 else plural or word + 's'}"
