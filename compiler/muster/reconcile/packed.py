"""A record as an index keeps it: its head can be read without the rest."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping


class Packed(Protocol):
    """What reconcile asks of a packed record."""

    @property
    def path(self) -> str:
        """The path of its ``record.json``."""

    @property
    def digest(self) -> str:
        """``sha256:<hex>`` of its measurement, empty for an orphan."""

    @property
    def test(self) -> str:
        """The id of the desired test it was made for, empty when unknown."""

    @property
    def time(self) -> str:
        """RFC 3339 end, else start of the attempt; empty when neither is known."""

    def record(self) -> Mapping[str, Any]:
        """Return the whole record."""
