"""Account for the wall time of a training log: what was kept, lost, spent on starting again and on saving."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from muster.readers.goodput import goodput

if TYPE_CHECKING:
    from muster.readers.training_sessions import Log, Save, Session, Step
    from muster.readers.training_stamps import Stamp

SLACK_SECONDS = 2.0
SLACK_SHARE = 0.05


class Window(NamedTuple):
    """The first and the last time in a file, and whether the log is whole: from its start to its end."""

    first: Stamp
    last: Stamp
    whole: bool


class Account:
    """Work out the parts of goodput; ``unknown`` and ``assumed`` say how far they can be trusted."""

    def __init__(self, log: Log, window: Window) -> None:
        self._log, self._window = log, window
        self._sessions = log.trained
        self._clock = self._choose_clock()
        self.unknown: dict[str, str] = {}
        self.assumed: list[str] = []
        self.contradiction: str | None = None

    def _choose_clock(self) -> int | None:
        steps = self._log.steps
        return next((clock for clock in (0, 1) if all(step.at[clock] is not None for step in steps)), None)

    def _at(self, stamp: Stamp) -> float | None:
        return None if self._clock is None else stamp[self._clock]

    def result(self) -> dict[str, Any]:
        """Return the ``goodput`` of the reading."""
        parts: dict[str, float | None] = {
            "wall": self._wall(),
            "lost": self._lost(),
            "recovery": self._recovery(),
            "rescheduling": self._rescheduling(),
            "save": self._save(),
        }
        if not self._window.whole:
            self.unknown["ratio"] = "the log is not whole: what happened before or after it is not known"
        working = sum(_worked(step) for step in self._log.steps)
        self._check_clock()
        return goodput(
            parts,
            unknown=self.unknown,
            assumptions=self.assumed,
            end_to_end=self._end_to_end(),
            clock=None if self._clock is None else ("zoned", "local")[self._clock],
            stepSeconds=working,
            unaccountedSeconds=self._unaccounted(parts, working),
            restarts=len(self._log.sessions) - 1,
        )

    def _start(self, index: int) -> float | None:
        """Return when a session's program started."""
        if index == 0 and self._clock == 0:
            return self._window.first.zoned
        return self._at(self._sessions[index].started)

    def _begin(self, session: Session) -> float | None:
        """Return when the first step of a session began."""
        first = session.steps[0]
        at = self._at(first.at)
        return None if at is None or first.covered is None else at - _worked(first)

    def _end(self) -> float | None:
        last = self._sessions[-1]
        times = [self._at(last.steps[-1].at), self._at(last.stopped)]
        times += [self._at(save.ended) for save in last.saves]
        return max((time for time in times if time is not None), default=None)

    def _wall(self) -> float | None:
        start, end = self._start(0), self._end()
        if self._clock is None:
            self.unknown["wall"] = "not every step line carries a time stamp"
        elif start is None:
            self.unknown["wall"] = "no line with a time stamp tells when the program started"
        elif end is None or end <= start:
            self.unknown["wall"] = "the time stamps do not go forward"
        else:
            return end - start
        return None

    def _recovery(self) -> float | None:
        total = 0.0
        for index, session in enumerate(self._sessions):
            start, begin = self._start(index), self._begin(session)
            if start is None or begin is None:
                self.unknown["recovery"] = f"start {index + 1} of the program has no time stamp"
                return None
            if begin < start - SLACK_SECONDS:
                self.contradiction = f"line {session.steps[0].line}: the step began before its program"
            total += max(0.0, begin - start)
        if len(self._sessions) == 1:
            self.assumed.append("recovery: from the start of the program to the begin of its first step")
        return total

    def _restarts(self) -> list[tuple[Session, Session, float | None]]:
        """Return each restart: the session before, the one after, the time of the failure between."""
        return [
            (before, after, self._at(before.failure[1]) if before.failure else None)
            for before, after in zip(self._sessions, self._sessions[1:], strict=False)
        ]

    def _single(self, part: str) -> float | None:
        """Return 0 for a log of one session without a gap, None with a reason where that is not certain."""
        if len(self._log.sessions) != 1:
            self.unknown[part] = "a start of the program printed no step"
        elif hole := gap(self._sessions[0]):
            self.unknown[part] = f"steps are missing before line {hole.line}"
        elif not self._window.whole:
            self.unknown[part] = "the log is not whole"
        else:
            steps = self._sessions[0].steps
            self.assumed.append(
                f"{part}: 0, for one start of the program printed iterations {steps[0].iteration} to"
                f" {steps[-1].iteration} without a gap"
            )
            return 0.0
        return None

    def _lost(self) -> float | None:
        if len(self._sessions) == 1:
            return self._single("lost")
        total = 0.0
        for before, after, failed in self._restarts():
            kept, end = _resumed(after), self._at(before.steps[-1].at)
            if kept is None or kept > before.steps[-1].iteration or gap(before):
                self.unknown["lost"] = f"it is not known where the restart in line {after.line} went on"
                return None
            if failed is None or end is None or failed < end:
                self.unknown["lost"] = f"no line with a time stamp tells why line {after.line} is a restart"
                return None
            total += sum(_after(step, kept) for step in before.steps) + failed - end
        return total

    def _rescheduling(self) -> float | None:
        if len(self._sessions) == 1:
            return self._single("rescheduling")
        total = 0.0
        for index, (_, after, failed) in enumerate(self._restarts(), 1):
            start = self._start(index)
            if failed is None or start is None or start < failed:
                self.unknown["rescheduling"] = f"the break before line {after.line} has no begin or end"
                return None
            total += start - failed
        return total

    def _save(self) -> float | None:
        if self._log.save_off and not any(session.saves for session in self._sessions):
            self.assumed.append("save: 0, for the program's arguments say that it saves nothing")
            return 0.0
        total, count = 0.0, 0
        for session in self._sessions:
            for save in session.saves:
                seconds = self._pause(save)
                if seconds is None and not save.done and session.failure:
                    continue
                if seconds is None:
                    self.unknown["save"] = f"the save in line {save.line} has no duration"
                    return None
                total, count = total + seconds, count + 1
            if missing := self._unsaved(session):
                self.unknown["save"] = f"no line tells of the save that is due at iteration {missing}"
                return None
        if not count:
            self.unknown["save"] = "no line tells of a save, or that there is none"
            return None
        return total

    def _pause(self, save: Save) -> float | None:
        """Return the longer of the pause that is printed and that between the time stamps."""
        began, ended = self._at(save.began), self._at(save.ended)
        between = ended - began if began is not None and ended is not None and ended >= began else None
        return max((time for time in (save.printed, between) if time is not None), default=None)

    def _unsaved(self, session: Session) -> int | None:
        every = self._log.save_interval
        if every is None:
            return None
        saved = {save.iteration for save in session.saves}
        first, last = session.steps[0], session.steps[-1].iteration
        start = first.iteration - (first.covered or 1)
        due = range(start - start % every + every, last + 1, every)
        if len(due) > 2 * len(saved) + 1:
            return due[-1]
        return next((step for step in due if step not in saved), None)

    def _end_to_end(self) -> float | None:
        start, end = self._start(0), self._at(self._window.last)
        return end - start if start is not None and end is not None and end >= start else None

    def _unaccounted(self, parts: dict[str, float | None], working: float) -> float | None:
        """Return wall time that no step and no other part explains: evaluation, stalls."""
        wall, recovery, break_, save = (parts[name] for name in ("wall", "recovery", "rescheduling", "save"))
        if wall is None or recovery is None or break_ is None or save is None:
            return None
        rest = wall - working - recovery - break_ - save
        if rest < -max(SLACK_SECONDS, SLACK_SHARE * wall):
            self.contradiction = "the steps, starts and saves are longer than the wall time"
        return rest

    def _check_clock(self) -> None:
        """See whether the steps of each session fit between their time stamps."""
        for session in self._sessions:
            start, end = self._at(session.steps[0].at), self._at(session.steps[-1].at)
            if start is None or end is None:
                continue
            span, steps = end - start, sum(_worked(step) for step in session.steps[1:])
            if steps - span > max(SLACK_SECONDS, SLACK_SHARE * steps):
                line = session.steps[-1].line
                self.contradiction = f"line {line}: the steps are longer than the time between their stamps"


def _worked(step: Step) -> float:
    return step.seconds * (step.covered or 1)


def _after(step: Step, kept: int) -> float:
    """Return the seconds of a step's iterations after iteration ``kept``."""
    return step.seconds * max(0, min(step.covered or 1, step.iteration - kept))


def gap(session: Session) -> Step | None:
    """Return the first step of a session that does not go on where the one before it ended."""
    pairs = zip(session.steps, session.steps[1:], strict=False)
    return next((b for a, b in pairs if b.covered is None or b.iteration - a.iteration > b.covered), None)


def _resumed(session: Session) -> int | None:
    """Return the iteration after which a session went on."""
    first = session.steps[0]
    if session.loaded is not None:
        return session.loaded
    return None if first.covered is None else first.iteration - first.covered
