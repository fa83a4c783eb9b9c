"""Put the events of a training log together: sessions between restarts, their steps and their saves."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from muster.readers.model import problem
from muster.readers.training_stamps import NOWHERE, Stamp

if TYPE_CHECKING:
    from muster.readers.model import Problem
    from muster.readers.training_lines import Found
    from muster.readers.training_patterns import Profile

STEP_LIMIT = 200_000
_BOUNDARIES = {
    "applicationStart",
    "initTime",
    "initialized",
    "trainingStart",
    "checkpointRestore",
    "checkpointLoaded",
}

_METHODS = {
    "applicationStart": "_on_application_start",
    "initTime": "_on_init_time",
    "initialized": "_on_initialized",
    "trainingStart": "_on_training_start",
    "checkpointRestore": "_on_checkpoint_restore",
    "checkpointLoaded": "_on_checkpoint_loaded",
    "saveOff": "_on_save_off",
    "saveInterval": "_on_save_interval",
    "logInterval": "_on_log_interval",
    "checkpointSave": "_on_checkpoint_save",
    "checkpointDone": "_on_checkpoint_done",
    "saveTimer": "_on_save_timer",
    "stepTime": "_on_step_time",
    "trainingStop": "_on_training_stop",
    "failure": "_on_failure",
    "step": "_on_step",
}


@dataclass(slots=True)
class Step:
    """One printed step; ``seconds`` is the mean per iteration since the step printed before it.

    ``covered`` is the number of iterations that mean is about; None where it is not known.
    """

    iteration: int
    total: int
    seconds: float
    skipped: int | None
    nan: int | None
    tflops: float | None
    loss: float | None
    line: int
    at: Stamp
    label: str
    covered: int | None = None
    steady: bool = False


@dataclass(slots=True)
class Save:
    """One checkpoint: when it began and ended, and the pause in seconds that the program itself printed."""

    iteration: int | None
    line: int
    began: Stamp = NOWHERE
    ended: Stamp = NOWHERE
    done: bool = False
    printed: float | None = None


@dataclass(slots=True)
class Session:
    """What one start of the program did."""

    line: int
    started: Stamp = NOWHERE
    loaded: int | None = None
    restored: bool = False
    steps: list[Step] = field(default_factory=list)
    saves: list[Save] = field(default_factory=list)
    stopped: Stamp = NOWHERE
    done: bool = False
    failure: tuple[int, Stamp, str] | None = None


@dataclass(slots=True)
class Log:
    """A whole log, as one profile reads it."""

    profile: Profile
    sessions: list[Session] = field(default_factory=list)
    duplicates: int = 0
    save_off: bool = False
    save_interval: int | None = None
    log_interval: int | None = None
    labels: list[str] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    full: bool = False

    @property
    def steps(self) -> list[Step]:
        """All steps in order."""
        return [step for session in self.sessions for step in session.steps]

    @property
    def trained(self) -> list[Session]:
        """The sessions that printed a step."""
        return [session for session in self.sessions if session.steps]


class Builder:
    """Take events one by one and build the log of one profile."""

    def __init__(self, profile: Profile) -> None:
        self.log = Log(profile)
        self._now = Session(1)
        self._init_seconds: float | None = None
        self._step_time: tuple[float | None, float | None, int] | None = None
        self._count = 0

    def take(self, found: Found) -> None:
        """Take the next event; those of other profiles are passed over."""
        if found.profile not in ("", self.log.profile.name):
            return
        if found.kind in _BOUNDARIES and self._now.steps:
            self._next(found.line)
        getattr(self, _METHODS[found.kind])(found)

    def finish(self) -> Log:
        """Return the log; nothing more may be taken."""
        self.log.sessions.append(self._now)
        seen: set[str] = set()
        for text in self.log.labels:
            if text in seen:
                self._trouble("MU774", "the steps of two processes are mixed", None)
                break
            seen.add(text)
        return self.log

    def _next(self, line: int) -> None:
        self.log.sessions.append(self._now)
        self._now = Session(line)
        self._init_seconds = None

    def _trouble(self, code: str, message: str, line: int | None) -> None:
        if len(self.log.problems) < 50:
            self.log.problems.append(problem(code, message, line))

    def _started(self, at: Stamp, seconds: float | None = None) -> None:
        """Note the start of the program by the clocks that do not have one yet."""
        back = seconds or 0.0
        zoned, local = self._now.started
        if zoned is None and at.zoned is not None and seconds is None:
            zoned = at.zoned
        if local is None and at.local is not None and seconds is not None:
            local = at.local - back
        self._now.started = Stamp(zoned, local)

    def _on_application_start(self, found: Found) -> None:
        self._started(found.stamp)

    def _on_init_time(self, found: Found) -> None:
        self._started(found.stamp)
        self._init_seconds = found.values.get("elapsedTime")

    def _on_initialized(self, found: Found) -> None:
        self._started(found.stamp)
        if self._init_seconds is not None:
            self._started(found.stamp, self._init_seconds)

    def _on_training_start(self, found: Found) -> None:
        self._started(found.stamp)

    def _on_checkpoint_restore(self, found: Found) -> None:
        self._started(found.stamp)
        self._now.restored = True

    def _on_checkpoint_loaded(self, found: Found) -> None:
        self._started(found.stamp)
        self._now.restored = True
        self._now.loaded = found.values.get("step")

    def _on_save_off(self, _found: Found) -> None:
        self.log.save_off = True

    def _on_save_interval(self, found: Found) -> None:
        self.log.save_interval = found.values["step"] or None

    def _on_log_interval(self, found: Found) -> None:
        self.log.log_interval = found.values["step"] or None

    def _on_checkpoint_save(self, found: Found) -> None:
        iteration = found.values["step"]
        if self._save(iteration) is None:
            save = Save(iteration, found.line, began=found.stamp, printed=found.values.get("saveDuration"))
            save.done = save.printed is not None
            self._now.saves.append(save)

    def _on_checkpoint_done(self, found: Found) -> None:
        iteration = found.values["step"]
        save = self._save(iteration)
        if save is None:
            save = Save(iteration, found.line)
            self._now.saves.append(save)
        if not save.done:
            save.done, save.ended = True, found.stamp

    def _on_save_timer(self, found: Found) -> None:
        seconds = found.values.get("saveDuration")
        last = self._now.saves[-1] if self._now.saves else None
        if last is not None and last.printed is None:
            last.printed, last.done = seconds, True
        else:
            self._now.saves.append(Save(None, found.line, done=True, printed=seconds))

    def _save(self, iteration: int) -> Save | None:
        return next((save for save in reversed(self._now.saves[-4:]) if save.iteration == iteration), None)

    def _on_step_time(self, found: Found) -> None:
        self._step_time = (found.values.get("elapsedTime"), found.values.get("tflops"), found.line)

    def _on_training_stop(self, found: Found) -> None:
        self._now.stopped, self._now.done = found.stamp, True

    def _on_failure(self, found: Found) -> None:
        if self._now.failure is None and self._now.steps:
            self._now.failure = (found.line, found.stamp, found.text)

    def _on_step(self, found: Found) -> None:
        step = self._step(found)
        if step is None:
            return
        if self._now.steps and self._repeats(step):
            return
        if self._count >= STEP_LIMIT:
            self.log.full = True
            return
        last = self._now.steps[-1] if self._now.steps else None
        if last is not None and (step.iteration <= last.iteration or step.label != last.label):
            self._next(step.line)
        self._now.failure = None
        self._now.steps.append(step)
        self._count += 1
        if not self.log.labels or self.log.labels[-1] != step.label:
            self.log.labels.append(step.label)

    def _repeats(self, step: Step) -> bool:
        """Whether a step is the one before it again; a progress bar's last print of a step counts."""
        last = self._now.steps[-1]
        if step.iteration != last.iteration:
            return False
        if self.log.profile.refreshes:
            self._now.steps[-1] = step
        elif step.seconds != last.seconds or step.loss != last.loss:
            return False
        self.log.duplicates += 1
        return True

    def _step(self, found: Found) -> Step | None:
        values = found.values
        iteration, epoch = values["iteration"], values.get("epoch")
        if epoch:
            iteration = values.get("globalStep")
        seconds = values.get("elapsedTime")
        if iteration is None or iteration > values["total"]:
            self._trouble("MU771", "the number of the iteration cannot be trusted", found.line)
            return None
        if "elapsedTime" not in values.get("said", ()):
            if self.log.profile.skips:
                self._trouble("MU771", f"iteration {iteration} has no time", found.line)
            return None
        if seconds is None or seconds <= 0:
            self._trouble("MU771", f"the time of iteration {iteration} is no positive number", found.line)
            return None
        tflops = self._bridge(seconds, iteration, found.line, values.get("tflops"))
        return Step(
            iteration,
            values["total"],
            seconds,
            values.get("skipped"),
            values.get("nan"),
            tflops,
            values.get("loss"),
            found.line,
            found.stamp,
            found.label,
        )

    def _bridge(self, seconds: float, iteration: int, line: int, tflops: float | None) -> float | None:
        """Return the TFLOP/s of a step, of a ``Step Time`` line before it if that fits."""
        before, self._step_time = self._step_time, None
        if before is None:
            return tflops
        if before[0] is None or abs(before[0] - seconds) > max(0.011, 0.01 * seconds):
            self._trouble("MU773", f"iteration {iteration}: the step time in line {before[2]} differs", line)
            return None
        return tflops if tflops is not None else before[1]
