"""A record as an index keeps it: its head can be read without the rest."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


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

    @property
    def state(self) -> str:
        """The state of the record."""

    @property
    def binding(self) -> str:
        """What binds it: ``record``, ``options`` or ``orphan``."""

    @property
    def prints(self) -> str:
        """The finger prints of its runs, joined by commas."""

    def record(self) -> Mapping[str, Any]:
        """Return the whole record."""


class Shelf(Protocol):
    """A part of an archive whose records are packed, and unpacked only when they are asked for."""

    @property
    def site(self) -> str:
        """The site that all of its records lie under."""

    @property
    def listed(self) -> Sequence[tuple[str, str]]:
        """Path of each record, and a tag that changes when the record does."""

    @property
    def entries(self) -> Sequence[Packed]:
        """The records in the order of ``listed``."""

    def forget(self) -> None:
        """Let go of the records; ``entries`` fetches them again."""

    def recall(self) -> bytes | None:
        """Return what was kept for this shelf, None without it."""

    def keep(self, data: bytes) -> None:
        """Keep what was computed from the records, as long as may be."""
