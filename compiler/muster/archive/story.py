"""What the record lines of an attempt tell, over all its files: rounds, ends, exclusions, times."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any

from muster.archive.exits import UNKNOWN, Ending
from muster.diagnostics.escape import clip

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence


@dataclass(slots=True)
class Round:
    """One round: its number, how it ended, and when; ``ended`` is False when no end record was seen."""

    number: int
    ending: Ending = UNKNOWN
    start: str | None = None
    end: str | None = None
    ended: bool = False

    def as_json(self) -> dict[str, Any]:
        """Return it as a record shows it."""
        return {
            "round": self.number,
            "exit": self.ending.exit,
            "signal": self.ending.signal,
            "timedOut": self.ending.timed_out,
            "start": self.start,
            "end": self.end,
        }


@dataclass(slots=True)
class Story:
    """The record lines of all files of an attempt.

    Attributes:
        begins: begin records in order.
        excluded: excluded records in order.
        rounds: rounds by number.
        expected: rounds that the begin records announce; 0 when they announce none.
        finish: how the attempt ended, by its finish record; None without one.
        reason: what the first failed finish record says, one sentence.
        contradictions: what record lines disagree on.
        start: the earliest time of a begin or excluded record.
        end: the latest time of an end or finish record.
    """

    begins: list[dict[str, Any]] = field(default_factory=list)
    excluded: list[dict[str, Any]] = field(default_factory=list)
    rounds: dict[int, Round] = field(default_factory=dict)
    expected: int = 0
    finish: Ending | None = None
    reason: str | None = None
    contradictions: list[str] = field(default_factory=list)
    start: str | None = None
    end: str | None = None

    @property
    def told(self) -> bool:
        """Whether there is any record line that says what was run."""
        return bool(self.begins or self.excluded)

    @property
    def finished(self) -> bool:
        """Whether the finish record and the end of every announced round are there."""
        ended = sum(item.ended for number, item in self.rounds.items() if 1 <= number <= self.expected)
        return self.finish is not None and ended == self.expected


def story_of(files: Sequence[Sequence[Mapping[str, Any]]]) -> Story:
    """Return what the record lines of several files tell.

    Args:
        files: the records of each file in the order of its lines.
    """
    story = Story()
    for records in files:
        _tell(story, records)
    story.start = earliest(item.get("time") for item in (*story.begins, *story.excluded))
    story.end = latest(_times(files))
    return story


def _times(files: Iterable[Iterable[Mapping[str, Any]]]) -> Iterator[object]:
    for records in files:
        for record in records:
            if record.get("event") in ("end", "finish"):
                yield record.get("time")


def _tell(story: Story, records: Sequence[Mapping[str, Any]]) -> None:
    current: Round | None = None
    for record in records:
        event = record.get("event")
        if event == "begin":
            story.begins.append(dict(record))
            story.expected = max(story.expected, whole(record.get("rounds")) or 0)
            number = whole(record.get("round"))
            if number is not None:
                current = story.rounds.setdefault(number, Round(number))
                current.start = earliest([current.start, record.get("time")])
        elif event == "excluded":
            story.excluded.append(dict(record))
        elif event == "end":
            _end(story, record, current)
        elif event == "finish":
            _finish(story, record)


def _end(story: Story, record: Mapping[str, Any], current: Round | None) -> None:
    number = whole(record.get("round"))
    found = story.rounds.setdefault(number, Round(number)) if number is not None else current
    if found is None:
        story.contradictions.append("an end record belongs to no round")
        return
    ending = _ending(record)
    if not found.ended or found.ending == ending or _clean(found.ending):
        found.ending = ending
    elif not _clean(ending):
        text = f"round {found.number} ended with {found.ending.text} and with {ending.text}"
        story.contradictions.append(text)
    found.ended = True
    found.end = latest([found.end, record.get("time")])


def _clean(ending: Ending) -> bool:
    return ending.exit in (0, None) and ending.signal is None and not ending.timed_out


def _finish(story: Story, record: Mapping[str, Any]) -> None:
    ending = Ending(whole(record.get("exit")))
    if isinstance(record.get("message"), str) and not _clean(ending):
        story.reason = story.reason or clip(record["message"], 400)
    if story.finish is None or _clean(story.finish):
        story.finish = ending
    elif not _clean(ending) and ending != story.finish:
        story.contradictions.append(f"it finished with {story.finish.text} and with {ending.text}")


def _ending(record: Mapping[str, Any]) -> Ending:
    return Ending(whole(record.get("exit")), whole(record.get("signal")), record.get("timedOut") is True)


def whole(value: object) -> int | None:
    """Return a whole number, None for all else; true and false are none."""
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def moment(value: object) -> datetime | None:
    """Return a time with its offset from RFC 3339 text, None for all else."""
    if not isinstance(value, str) or len(value) > 64:
        return None
    try:
        found = datetime.fromisoformat(value)
    except ValueError:
        return None
    return found if found.tzinfo is not None else None


def earliest(values: Iterable[object]) -> str | None:
    """Return the earliest of the texts that are times, as it stands; None without one."""
    known = [(found, value) for value in values if (found := moment(value)) is not None]
    return str(min(known, key=lambda item: item[0])[1]) if known else None


def latest(values: Iterable[object]) -> str | None:
    """Return the latest of the texts that are times, as it stands; None without one."""
    known = [(found, value) for value in values if (found := moment(value)) is not None]
    return str(max(known, key=lambda item: item[0])[1]) if known else None
