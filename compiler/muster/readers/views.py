"""Look into a document that somebody else wrote: each value is of the kind that is asked for, or a problem."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Any

from muster.readers.documents import Figure, tidy
from muster.readers.model import problem, quoted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from muster.readers.model import Problem

MOST_PROBLEMS = 50
MOST_ITEMS = 100_000
_NUMBER = re.compile(r"-?[0-9]{1,15}(?:\.[0-9]{1,15})?(?:[eE][-+]?[0-9]{1,3})?", re.ASCII)


class View:
    """One object of a document.

    A value that is absent or null is None (or empty); one of another kind than asked for is too, and adds a
    problem of the given code with its path.
    """

    def __init__(self, data: Any, path: str, problems: list[Problem], code: str) -> None:
        self.path, self.problems, self._code = path, problems, code
        self._data: dict[str, Any] = data if isinstance(data, dict) else {}
        if not isinstance(data, dict) and data is not None:
            self.doubt("is no object")

    def __contains__(self, key: str) -> bool:
        return self._data.get(key) is not None

    def __len__(self) -> int:
        return len(self._data)

    def __iter__(self) -> Iterator[str]:
        return iter(self._data)

    def doubt(self, text: str, key: str = "", code: str = "") -> None:
        """Add a problem with a value of this object."""
        if len(self.problems) < MOST_PROBLEMS:
            where = f"{self.path}.{key}" if key and self.path else key or self.path
            self.problems.append(problem(code or self._code, f"{where} {text}"))

    def raw(self, key: str) -> Any:
        """Return a value as it is."""
        return self._data.get(key)

    def text(self, key: str) -> str | None:
        """Return a text on one line."""
        value = self._data.get(key)
        if value is None or isinstance(value, str):
            return None if value is None else tidy(value)
        self.doubt("is no text", key)
        return None

    def scalar(self, key: str) -> str | None:
        """Return a text, or a number or a boolean as it was written."""
        value = self._data.get(key)
        if isinstance(value, Figure):
            return value.text
        if isinstance(value, bool):
            return str(value).lower()
        return str(value) if isinstance(value, (int, float)) else self.text(key)

    def count(self, key: str) -> int | None:
        """Return a whole number that is not negative."""
        value = self._data.get(key)
        if value is None:
            return None
        if type(value) is int and 0 <= value < 2**63:
            return value
        self.doubt("is no count", key)
        return None

    def flag(self, key: str) -> bool | None:
        """Return a boolean."""
        value = self._data.get(key)
        if value is None or isinstance(value, bool):
            return value
        self.doubt("is neither true nor false", key)
        return None

    def number(self, key: str, unit: str = "") -> float | None:
        """Return a finite number, of a number or of a text with exactly this unit after a blank."""
        value = self._data.get(key)
        if value is None or value == "":
            return None
        if isinstance(value, (int, float)) and not isinstance(value, bool) and not unit:
            found = float(value) if abs(value) < 1e300 else math.inf
        else:
            text = value.removesuffix(f" {unit}") if unit and isinstance(value, str) else value
            cut = not unit or text != value
            found = float(text) if cut and isinstance(text, str) and _NUMBER.fullmatch(text) else math.inf
        if math.isfinite(found):
            return found
        wanted = f" in {unit}" if unit else ""
        self.doubt(f"is no number{wanted}: {quoted(str(value), 40)}", key)
        return None

    def texts(self, key: str) -> list[str]:
        """Return a list of texts."""
        items = self._items(key)
        if all(isinstance(item, str) for item in items):
            return [tidy(item) for item in items]
        self.doubt("is no list of texts", key)
        return []

    def view(self, key: str) -> View:
        """Return an object; an empty one where there is none."""
        return View(self._data.get(key), f"{self.path}.{key}".lstrip("."), self.problems, self._code)

    def views(self, key: str) -> list[View]:
        """Return a list of objects."""
        start = f"{self.path}.{key}".lstrip(".")
        return [
            View(item if item is not None else 0, f"{start}[{index}]", self.problems, self._code)
            for index, item in enumerate(self._items(key))
        ]

    def _items(self, key: str) -> list[Any]:
        value = self._data.get(key)
        if value is None:
            return []
        if isinstance(value, list) and len(value) <= MOST_ITEMS:
            return value
        self.doubt("is no list, or too long", key)
        return []
