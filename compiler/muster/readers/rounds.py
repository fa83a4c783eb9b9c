"""Split a pod log into rounds by the record lines in it, and take the prefixes off its lines."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from muster.readers.model import problem
from muster.readers.prefixes import strip
from muster.readers.records import KEPT, MARK, parse
from muster.readers.source import clean

if TYPE_CHECKING:
    from collections.abc import Iterator

    from muster.readers.model import Problem
    from muster.readers.source import Source

TEXT_LIMIT = 8192
LINES = 1_000_000


class Numbered(NamedTuple):
    """A line of a file: its number from 1 and its text without prefix and trailing blanks."""

    number: int
    text: str


@dataclass(slots=True)
class Round:
    """The lines from one ``begin`` record to the next, or the lines before the first.

    Attributes:
        number: the round that the ``begin`` record names; None without one.
        begin: the ``begin`` record.
        end: the ``end`` record; None when the log has none.
        first: the number of the first line.
        lines: all lines without prefixes; record lines are empty.
    """

    number: int | None
    begin: dict[str, Any] | None
    first: int
    end: dict[str, Any] | None = None
    lines: list[str] = field(default_factory=list)

    @property
    def line(self) -> int:
        """The line to name when something about the whole round is wrong."""
        return self.begin["line"] if self.begin else self.first

    @property
    def command(self) -> list[str]:
        """The words of the command that the ``begin`` record names."""
        words = self.begin.get("command") if self.begin else None
        return [str(word) for word in words] if isinstance(words, list) else []

    @property
    def exit_code(self) -> int | None:
        """The exit code that the ``end`` record names."""
        code = self.end.get("exit") if self.end else None
        return code if isinstance(code, int) and not isinstance(code, bool) else None

    @property
    def stopped(self) -> bool:
        """Whether the ``end`` record says that a time limit or a signal ended the command."""
        code = self.exit_code
        timed_out = self.end is not None and self.end.get("timedOut") is True
        return timed_out or (code is not None and (code < 0 or code == 124 or 128 < code < 160))

    @property
    def title(self) -> str:
        """How messages call it."""
        return "the output" if self.number is None else f"round {self.number}"

    def texts(self, skip: frozenset[int] = frozenset()) -> Iterator[Numbered]:
        """Yield the lines of text: not those whose numbers are in ``skip``, not those over `TEXT_LIMIT`."""
        for number, text in enumerate(self.lines, self.first):
            if number not in skip and len(text) <= TEXT_LIMIT:
                yield Numbered(number, text.rstrip())


class Split(NamedTuple):
    """A file in rounds, with its record lines and the problems with these."""

    rounds: list[Round]
    records: list[dict[str, Any]]
    problems: list[Problem]


def split(source: Source) -> Split:
    """Read a whole file and split it at its ``begin`` records; there is always at least one round.

    The part before the first ``begin`` is a round of its own only where it holds more than blanks or where
    there is no other.

    Raises:
        DocumentTooLargeError: it has more than 64 MiB.
    """
    rounds = [Round(None, None, 1)]
    found: list[dict[str, Any]] = []
    problems: list[Problem] = []
    lines = clean(source.document()).split("\n", LINES)
    if len(lines) > LINES:
        problems.append(problem("MU704", f"more than {LINES} lines", LINES))
        del lines[-1]
    for number, text in enumerate(lines, 1):
        record, trouble = parse(text, number) if MARK in text else (None, None)
        if trouble is not None and len(problems) < 100:
            problems.append(trouble)
        if record is not None and len(found) < KEPT:
            found.append(record)
        if record is not None and record["event"] == "begin":
            rounds.append(Round(_round_number(record), record, number))
        elif record is not None and record["event"] == "end":
            rounds[-1].end = record
        rounds[-1].lines.append("" if MARK in text else strip(text))
    if len(rounds) > 1 and not any(text.strip() for text in rounds[0].lines):
        del rounds[0]
    return Split(rounds, found, problems)


def programs(head: str) -> set[str]:
    """Return the names of all words of the commands that the ``begin`` records of a head of a file name."""
    found: set[str] = set()
    for text in head.split("\n"):
        record, _ = parse(text, 0) if MARK in text else (None, None)
        command = record.get("command") if record else None
        if isinstance(command, list):
            found |= {str(word).rpartition("/")[2] for word in command}
    return found


def _round_number(record: dict[str, Any]) -> int | None:
    number = record.get("round")
    return number if isinstance(number, int) and not isinstance(number, bool) else None
