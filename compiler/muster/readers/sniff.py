"""Find the reader of a file by the file's text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from muster.readers.registry import readers

if TYPE_CHECKING:
    from muster.readers.registry import Reader
    from muster.readers.source import Source


def choose(source: Source) -> Reader | None:
    """Return the reader with the highest score for the head of a file; None when all give 0.

    Of equal scores the first by module name wins.
    """
    head, best, most = source.head_text, None, 0
    for reader in readers():
        score = reader.sniff(head, source.name)
        if score > most:
            best, most = reader, score
    return best
