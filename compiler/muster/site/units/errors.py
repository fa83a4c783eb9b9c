"""The one exception of the grammars."""

from __future__ import annotations


class UnitError(ValueError):
    """A text does not follow the grammar of its unit.

    Attributes:
        message: what is wrong, with the text; one line.
        hint: what to write instead, empty when there is no good guess.
    """

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(f"{message}; {hint}" if hint else message)
        self.message = message
        self.hint = hint
