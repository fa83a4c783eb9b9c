"""Where each field of a file stands, and how its path is written."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from muster.diagnostics import Position
from muster.diagnostics.escape import spell

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

Path = tuple[str | int, ...]
Span = tuple[int, int, int, int]  # line and column of the key, line and column of the value
_BARE = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_-]*")
_INDEX = re.compile(r"0|[1-9][0-9]{0,8}")


def format_path(path: Sequence[str | int]) -> str:
    """Write a path: ``spec.pools.h20.numa[0]``, ``labels."nvidia.com/gpu.product"``."""
    parts: list[str] = []
    for part in path:
        if isinstance(part, int):
            parts.append(f"[{part}]")
            continue
        text = part if _BARE.fullmatch(part) else _quoted(part)
        parts.append(f".{text}" if parts else text)
    return "".join(parts)


def _quoted(key: str) -> str:
    inner = "".join(
        f"\\{char}" if char in '"\\' else char if char.isprintable() else spell(char) for char in key
    )
    return f'"{inner}"'


class PositionMap:
    """Positions of the keys and values of one file. Immutable once a file is loaded."""

    __slots__ = ("_spans", "file")

    def __init__(self, file: str, spans: dict[Path, Span] | None = None) -> None:
        self.file = file
        self._spans = spans or {}

    def __len__(self) -> int:
        return len(self._spans)

    def __contains__(self, path: object) -> bool:
        return path in self._spans

    def __iter__(self) -> Iterator[Path]:
        """Iterate over the paths in the order of the file."""
        return iter(self._spans)

    def of(self, path: Sequence[str | int]) -> Position:
        """Return where the value of a field stands.

        A missing field gives the place of the key of its deepest ancestor that exists, the start of the file
        when there is none. A list index may come as a text of digits.
        """
        found, whole = self._deepest(path)
        span = self._spans.get(found, (1, 1, 1, 1))
        return Position(self.file, *(span[2:] if whole else span[:2]))

    def key(self, path: Sequence[str | int]) -> Position:
        """Return where the key of a field stands (for a list item: the item); ancestors as in ``of``."""
        found, _ = self._deepest(path)
        return Position(self.file, *self._spans.get(found, (1, 1, 1, 1))[:2])

    def _deepest(self, path: Sequence[str | int]) -> tuple[Path, bool]:
        found: Path = ()
        for part in path:
            step = (*found, part)
            if step not in self._spans and isinstance(part, str) and _INDEX.fullmatch(part):
                step = (*found, int(part))
            if step not in self._spans:
                return found, False
            found = step
        return found, True
