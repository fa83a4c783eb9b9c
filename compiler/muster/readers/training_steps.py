"""What the steps of a training log say: the iterations each covers, which are steady, how long they took."""

from __future__ import annotations

from collections import Counter
from statistics import median
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from muster.readers.training_sessions import Log, Session, Step

SHOWN = 1000


def cover(log: Log) -> int | None:
    """Set for each step how many iterations it is about and whether it is steady; return the log interval.

    A step is not steady when it holds the first iteration of a start of the program, when iterations were
    skipped or not a number, or when the profile counts skipped iterations and this step does not.
    """
    interval = log.log_interval or _interval(log)
    for index, session in enumerate(log.trained):
        before = None
        for step in session.steps:
            if before is None:
                step.covered = _first(log, session, interval, fresh=index == 0)
            else:
                step.covered = min(step.iteration - before.iteration, interval or 1)
            whole = before is not None or (step.covered is None and not session.restored and index == 0)
            step.steady = whole and not step.nan and (step.skipped == 0 if log.profile.skips else True)
            before = step
    return interval


def _first(log: Log, session: Session, interval: int | None, *, fresh: bool) -> int | None:
    """Return how many iterations the first step of a session is about, None where it cannot be known."""
    step = session.steps[0]
    since_fresh = step.iteration - (log.profile.first - 1)
    if session.loaded is not None:
        covered = step.iteration - session.loaded
    elif fresh or (not session.restored and since_fresh == 1):
        covered = since_fresh
    else:
        return None
    return covered if 0 < covered <= (interval or 1) else None


def _interval(log: Log) -> int | None:
    """Return the usual distance between two steps; None where no session has two.

    Megatron also prints the first iteration of a start, whatever the interval: that distance does not count
    if the second step is at a multiple of the interval. Steps are printed at multiples of the interval; where
    one is not, lines are missing and the interval is taken for 1.
    """
    usual: Counter[int] = Counter()
    firsts: list[tuple[int, Step]] = []
    for session in log.trained:
        distances = [
            b.iteration - a.iteration for a, b in zip(session.steps, session.steps[1:], strict=False)
        ]
        if distances:
            firsts.append((distances[0], session.steps[1]))
            usual.update(distances[1:])
    most = _mode(usual)
    usual.update(
        distance for distance, second in firsts if most is None or distance >= most or second.iteration % most
    )
    found = _mode(usual)
    later = (step for session in log.trained for step in session.steps[1:])
    fits = found is None or not any((step.iteration - log.profile.first + 1) % found for step in later)
    return found if fits else 1


def _mode(counted: Counter[int]) -> int | None:
    if not counted:
        return None
    most = max(counted.values())
    return min(value for value, count in counted.items() if count == most)


def summary(log: Log, interval: int | None) -> dict[str, Any]:
    """Return the ``steps`` of the reading; times in seconds per iteration, TFLOP/s per GPU."""
    steps = log.steps
    shown = steps if len(steps) <= SHOWN else [*steps[: SHOWN // 2], *steps[-SHOWN // 2 :]]
    return {
        "framework": log.profile.name,
        "count": len(steps),
        "first": steps[0].iteration,
        "last": steps[-1].iteration,
        "total": steps[-1].total,
        "logInterval": interval,
        "skipped": _sum(step.skipped for step in steps),
        "nan": _sum(step.nan for step in steps),
        "duplicates": log.duplicates,
        "steady": _steady([step for step in steps if step.steady]),
        "iterations": [_shown(step) for step in shown],
        "note": None if len(shown) == len(steps) else f"{len(shown)} of {len(steps)} steps are listed",
        "checkpoints": _checkpoints(log)[:SHOWN],
        "restarts": _restarts(log)[:SHOWN],
    }


def _sum(values: Any) -> int | None:
    known = [value for value in values if value is not None]
    return sum(known) if known else None


def _steady(steps: list[Step]) -> dict[str, Any]:
    times = [step.seconds for step in steps]
    weights = [step.covered or 1 for step in steps]
    total = sum(time * weight for time, weight in zip(times, weights, strict=True))
    flops = [step.tflops for step in steps if step.tflops is not None]
    return {
        "n": len(times),
        "iterations": sum(weights),
        "meanSeconds": total / sum(weights) if times else None,
        "medianSeconds": median(times) if times else None,
        "minSeconds": min(times, default=None),
        "maxSeconds": max(times, default=None),
        "medianTflopsPerGpu": median(flops) if len(flops) == len(times) and flops else None,
    }


def _shown(step: Step) -> dict[str, Any]:
    return {
        "iteration": step.iteration,
        "seconds": step.seconds,
        "covered": step.covered,
        "skipped": step.skipped,
        "nan": step.nan,
        "tflopsPerGpu": step.tflops,
        "loss": step.loss,
        "line": step.line,
        "steady": step.steady,
    }


def _checkpoints(log: Log) -> list[dict[str, Any]]:
    return [
        {"iteration": save.iteration, "line": save.line, "done": save.done, "printedSeconds": save.printed}
        for session in log.sessions
        for save in session.saves
    ]


def _restarts(log: Log) -> list[dict[str, Any]]:
    found = []
    for before, after in zip(log.sessions, log.sessions[1:], strict=False):
        found.append(
            {
                "line": after.line,
                "from": before.steps[-1].iteration if before.steps else None,
                "loaded": after.loaded,
                "next": after.steps[0].iteration if after.steps else None,
                "reason": before.failure[2] if before.failure else None,
            }
        )
    return found
