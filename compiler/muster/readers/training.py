"""Read the log of a training run of Megatron-LM, Megatron-Bridge or NeMo: step times and goodput."""

from __future__ import annotations

from typing import TYPE_CHECKING

from muster.diagnostics.words import counted
from muster.readers.documents import scrub
from muster.readers.model import empty, problem, quoted, unreadable
from muster.readers.registry import Reader
from muster.readers.source import LINE_LIMIT, DocumentTooLargeError
from muster.readers.training_goodput import Account, Window, gap
from muster.readers.training_lines import CutLineError, Finder, Texts, blocks
from muster.readers.training_patterns import PROFILES, TERMINATIONS
from muster.readers.training_sessions import Builder
from muster.readers.training_steps import cover, summary

if TYPE_CHECKING:
    from collections.abc import Iterator

    from muster.readers.model import Problem, Reading, State
    from muster.readers.source import Source
    from muster.readers.training_sessions import Log

_CERTAIN = ("elapsed time per iteration (", "train_step_timing in s")
_LIKELY = (
    "using world size: ",
    "> initializing torch distributed",
    "------------------------ arguments ------------------------",
    "[after megatron is initialized]",
    "Training epoch ",
    "[NeMo I ",
)


def _sniff(head: str, _name: str) -> int:
    if head.lstrip()[:1] == "{":
        return 0
    if any(text in head for text in _CERTAIN):
        return 85
    return 30 if any(text in head for text in _LIKELY) else 0


def _read(source: Source) -> Reading:
    try:
        logs, finder = _logs(blocks(source))
    except CutLineError:
        try:
            logs, finder = _logs(blocks(source, returns=True))
        except (CutLineError, DocumentTooLargeError) as error:
            found = problem("MU702", f"line {error} is longer than {LINE_LIMIT} characters", severity="error")
            return unreadable(source.name, "training", found)
    log = max(logs, key=lambda one: len(one.steps))
    if not log.steps:
        troubles = [item for one in logs for item in one.problems]
        none = problem("MU770", "no line of this log is a training step that muster knows")
        return unreadable(source.name, "training", none, *troubles)
    reading = _reading(source.name, log, finder)
    if sum(bool(one.steps) for one in logs) > 1:
        reading["problems"].append(problem("MU774", "the steps of two frameworks are mixed"))
        reading["state"] = "unreadable"
    clean: Reading = scrub(reading)
    return clean


def _logs(found: Iterator[Texts]) -> tuple[list[Log], Finder]:
    finder = Finder()
    builders = [Builder(profile) for profile in PROFILES]
    for event in finder.find(found):
        for builder in builders:
            builder.take(event)
    return [builder.finish() for builder in builders], finder


def _reading(name: str, log: Log, finder: Finder) -> Reading:
    interval = cover(log)
    ends = _ends(log) + _holes(log)
    account = Account(log, Window(finder.first, finder.last, whole=not ends))
    reading = empty(name, "training", "complete")
    reading["steps"] = summary(log, interval)
    reading["goodput"] = account.result()
    doubts = list(log.problems)
    if account.contradiction is not None:
        doubts.append(problem("MU773", account.contradiction))
    if log.full:
        doubts.append(problem("MU704", "the log has more steps than muster keeps"))
    broken = _broken(log)
    reading["problems"] = doubts + broken + ends + _own_limit(log)
    reading["state"] = _state(doubts, broken, ends)
    return reading


def _state(doubts: list[Problem], broken: list[Problem], ends: list[Problem]) -> State:
    if doubts:
        return "unreadable"
    if broken:
        return "errored"
    return "incomplete" if ends else "complete"


def _broken(log: Log) -> list[Problem]:
    """Return what says that the training itself went wrong."""
    found = []
    failure = log.sessions[-1].failure
    if failure is not None and not _terminated(failure[2]):
        found.append(problem("MU776", f"the program failed: {quoted(failure[2])}", failure[0]))
    bad = [step for step in log.steps if step.nan]
    if bad:
        count = sum(step.nan or 0 for step in bad)
        found.append(problem("MU775", f"not a number: {counted(count, 'iteration')}", bad[0].line))
    return found


def _ends(log: Log) -> list[Problem]:
    """Return what is missing at the begin and at the end of the log."""
    found = []
    first, last, final = log.steps[0], log.steps[-1], log.sessions[-1]
    if first.covered is None:
        text = f"the log starts with iteration {first.iteration}: what was before is not here"
        found.append(problem("MU772", text, first.line))
    if not final.steps:
        text = f"the program started again after iteration {last.iteration} and printed no step"
        found.append(problem("MU772", text, final.line))
    elif final.failure is not None and _terminated(final.failure[2]):
        found.append(problem("MU772", f"the program was ended: {quoted(final.failure[2])}", final.failure[0]))
    elif last.iteration < last.total and not final.done:
        text = f"the log ends with iteration {last.iteration} of {last.total}"
        found.append(problem("MU772", text, last.line))
    return found


def _holes(log: Log) -> list[Problem]:
    hole = next((step for session in log.trained if (step := gap(session))), None)
    if hole is None:
        return []
    return [problem("MU779", f"steps are missing before iteration {hole.iteration}", hole.line)]


def _own_limit(log: Log) -> list[Problem]:
    last, final = log.steps[-1], log.sessions[-1]
    if not final.done or last.iteration >= last.total or not final.steps:
        return []
    text = f"the program ended by a limit of its own at iteration {last.iteration} of {last.total}"
    return [problem("MU777", text, last.line)]


def _terminated(text: str) -> bool:
    return any(part in text for part in TERMINATIONS)


READER = Reader("training", _sniff, _read, "training/1")
