"""Find the events of a training log: steps with their values, and the lines around them."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Any, NamedTuple

from muster.readers.prefixes import strip
from muster.readers.source import LINE_LIMIT, clean
from muster.readers.training_patterns import FAILURES, PROFILES, SECONDS
from muster.readers.training_stamps import NOWHERE, Stamp, label, stamp

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from muster.readers.source import Source
    from muster.readers.training_patterns import Event, Profile

WRAP_LIMIT = 8
_LONE_RETURN = re.compile(rb"\r(?![\r\n])")
_WRAPPED = re.compile(
    r"\s*(?:\|\s*)?[A-Za-z_][A-Za-z0-9_ ()/.-]{0,60}: *[-+0-9.eEnNaAiIfF]{1,24} *(?:\||$)", re.ASCII
)
_COUNTS = ("iteration", "total", "epoch", "step", "skipped", "nan", "globalStep")
_RECORD_LIMIT = 8192
_BLOCK_LINES = 5000


class Found(NamedTuple):
    """One event.

    Attributes:
        kind: ``step``, ``failure``, or the name of an event of the profile.
        profile: whose event it is; empty for a failure.
        line: the line it starts in.
        stamp: the times of that line.
        label: what stands before a step besides times.
        values: what was read: seconds for times, int for counts, float else; None for what is no number.
        text: the line of a failure.
    """

    kind: str
    profile: str
    line: int
    stamp: Stamp
    label: str
    values: dict[str, Any]
    text: str = ""


class Texts(NamedTuple):
    """A block of lines with their numbers."""

    numbers: Sequence[int]
    texts: list[str]


class _Active(NamedTuple):
    needles: list[str]
    profiles: list[Profile]
    events: list[tuple[str, Profile, str, Event]]
    failures: list[str]


class CutLineError(ValueError):
    """A line is longer than `LINE_LIMIT`, so that what stands behind it was not seen."""


def blocks(source: Source, *, returns: bool = False) -> Iterator[Texts]:
    """Yield the lines of a file in blocks; a line with carriage returns comes as several of one number.

    Args:
        source: the file.
        returns: divide at carriage returns although the head of the file has none.

    Raises:
        CutLineError: a line is too long although it was divided at its carriage returns.
        DocumentTooLargeError: a file with carriage returns is above 64 MiB.
    """
    if returns or _LONE_RETURN.search(source.head):
        yield from _divided(source)
        return
    for block in source.blocks():
        if block.cut:
            raise CutLineError(str(block.first + block.cut[0]))
        yield Texts(range(block.first, block.first + len(block.lines)), block.lines)


def _divided(source: Source) -> Iterator[Texts]:
    numbers: list[int] = []
    texts: list[str] = []
    for number, raw in enumerate(source.document().split(b"\n"), 1):
        for part in raw.split(b"\r"):
            text = clean(part, start=number == 1)
            if len(text) > LINE_LIMIT:
                raise CutLineError(str(number))
            if text:
                numbers.append(number)
                texts.append(text)
        if len(texts) > _BLOCK_LINES:
            yield Texts(numbers, texts)
            numbers, texts = [], []
    yield Texts(numbers, texts)


class Finder:
    """Turn lines into events."""

    def __init__(self) -> None:
        self.first = NOWHERE
        self._tail: list[str] = []
        self._open: _Record | None = None
        self._events = [
            (event.needle, profile, kind, event)
            for profile in PROFILES
            for kind, events in profile.events.items()
            for event in events
        ]
        self._needles = {event[0] for event in self._events} | set(FAILURES)
        self._needles |= {profile.anchor.needle for profile in PROFILES}

    @property
    def last(self) -> Stamp:
        """The times of the last line that has any, of the last 200 lines."""
        return next((at for text in reversed(self._tail) if (at := stamp(text)) != NOWHERE), NOWHERE)

    def find(self, found: Iterator[Texts]) -> Iterator[Found]:
        """Yield the events of the lines of all blocks in their order."""
        for block in found:
            self._date(block.texts)
            active = self._active("\n".join(block.texts))
            if self._open is None and not active.needles:
                continue
            for number, text in zip(block.numbers, block.texts, strict=True):
                if self._open is not None:
                    yield from self._wrapped(text)
                for needle in active.needles:
                    if needle in text:
                        yield from self._line(number, text, active)
                        break
        if self._open is not None:
            yield self._open.found()
            self._open = None

    def _date(self, texts: list[str]) -> None:
        self._tail = [*self._tail, *texts[-200:]][-200:]
        if self.first == NOWHERE:
            dated = (stamp(text) for text in texts if "20" in text[:48] or "datetime: 20" in text)
            self.first = next((at for at in dated if at != NOWHERE), NOWHERE)

    def _active(self, joined: str) -> _Active:
        """Return what can occur in a block at all: few patterns do, and looking for a literal is quick."""
        found = {needle for needle in self._needles if needle in joined}
        return _Active(
            sorted(found),
            [profile for profile in PROFILES if profile.anchor.needle in found],
            [event for event in self._events if event[0] in found],
            [needle for needle in FAILURES if needle in found],
        )

    def _wrapped(self, text: str) -> Iterator[Found]:
        """Add a continuation line to the open record, or close it."""
        record = self._open
        assert record is not None
        rest = strip(text)
        if record.added < WRAP_LIMIT and _WRAPPED.match(rest) and record.wants_more():
            record.text += " " + rest[:_RECORD_LIMIT]
            record.added += 1
            if record.wants_more():
                return
        yield record.found()
        self._open = None

    def _line(self, number: int, text: str, active: _Active) -> Iterator[Found]:
        for profile in active.profiles:
            anchor = profile.anchor
            if anchor.needle in text and (matches := list(anchor.regex.finditer(text))):
                yield from self._steps(profile, number, text, matches)
                return
        done: set[tuple[str, str]] = set()
        for needle, profile, kind, event in active.events:
            if needle in text and (profile.name, kind) not in done and (match := _search(event, text)):
                done.add((profile.name, kind))
                values = _values(match.groupdict(), event.unit)
                yield Found(kind, profile.name, number, stamp(text), "", values)
        if not done and any(needle in text for needle in active.failures):
            yield Found("failure", "", number, stamp(text), "", {}, strip(text).strip()[:300])

    def _steps(
        self, profile: Profile, number: int, text: str, matches: list[re.Match[str]]
    ) -> Iterator[Found]:
        bounds = [*(match.start() for match in matches[1:]), len(text)]
        start = 0
        for match, end in zip(matches, bounds, strict=True):
            prefix = text[start : match.start()]
            named = label(prefix) if start == 0 and not profile.refreshes else ""
            record = _Record(profile, number, stamp(text[start:end]), named, match)
            record.text = text[match.end() : end][:_RECORD_LIMIT]
            start = end
            if end == len(text) and record.wants_more():
                self._open = record
            else:
                yield record.found()


class _Record:
    """A step whose text may go on in the next lines."""

    def __init__(
        self,
        profile: Profile,
        line: int,
        at: Stamp,
        named: str,
        match: re.Match[str],
    ) -> None:
        self.profile, self.line, self.at, self.named = profile, line, at, named
        self.counts = match.groupdict()
        self.text = ""
        self.added = 0

    def wants_more(self) -> bool:
        return bool(self.profile.closing) and self.profile.closing not in self.text

    def found(self) -> Found:
        values = _values(self.counts, "s")
        text = "|" + self.text
        for item in self.profile.fields:
            if values.get(item.name) is None and (match := item.regex.search(text)):
                values[item.name] = _number(item.name, match["value"], SECONDS[item.unit])
                values.setdefault("said", []).append(item.name)
        return Found("step", self.profile.name, self.line, self.at, self.named, values)


def _search(event: Event, text: str) -> re.Match[str] | None:
    found = event.regex.search(text)
    return found if found or not event.regex.pattern.startswith("^") else event.regex.search(strip(text))


def _values(groups: dict[str, str | None], unit: str) -> dict[str, Any]:
    return {
        name: _number(name, text, SECONDS[unit] if name in ("elapsedTime", "saveDuration") else 1.0)
        for name, text in groups.items()
        if text is not None
    }


def _number(name: str, text: str, factor: float) -> int | float | None:
    """Return a count as int, anything else as finite float; None for what is no number."""
    try:
        number = int(text) if name in _COUNTS else round(float(text) * factor, 9)
    except ValueError:
        return None
    return number if math.isfinite(number) else None
