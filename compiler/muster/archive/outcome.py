"""The state of an attempt: what its files say, held against how it ended. Every doubt makes it worse."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from muster.archive.exits import Ending, has_data, is_bad, is_quiet, meaning
from muster.archive.inventory import is_inventory

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from muster.archive.exits import Meaning
    from muster.archive.story import Story

State = Literal["complete", "incomplete", "errored", "unreadable", "excluded"]
WORST_LAST: tuple[State, ...] = ("complete", "incomplete", "errored", "excluded", "unreadable")
NO_TOOL = (None, "muster-pod")


class Said(NamedTuple):
    """A part of the verdict on an attempt: a state and why."""

    state: State
    code: str = ""
    message: str = ""
    severity: Literal["error", "warning", "info"] = "warning"
    file: int | None = None


def outcome(
    readings: Sequence[Mapping[str, Any]], story: Story, ending: Ending, tool: str | None = None
) -> list[Said]:
    """Return everything that bears on the state of an attempt; the worst state is the attempt's.

    Args:
        readings: what each file says.
        story: what the record lines say.
        ending: how the attempt as a whole ended.
        tool: the tool that should have run, for files that show no output of any.
    """
    found = list(_story(readings, story))
    data = [
        (index, item)
        for index, item in enumerate(readings)
        if item["tool"] not in NO_TOOL and not is_inventory(item) and not is_quiet(item, readings)
    ]
    found += (
        Said(
            "complete",
            "MU845",
            f"the inventory is {item['state']}, so it counts for nothing",
            "warning",
            index,
        )
        for index, item in enumerate(readings)
        if is_inventory(item) and item["state"] != "complete"
    )
    if data:
        found += _files(data, story, ending)
        found += (
            Said("complete", "MU845", "no reader knows this file", "warning", index)
            for index, item in enumerate(readings)
            if item["tool"] is None
        )
    elif not story.excluded:
        found.append(_nothing(readings, story, ending, tool))
    return found


def worst(said: Sequence[Said]) -> State:
    """Return the worst state."""
    return max((item.state for item in said), key=WORST_LAST.index, default="unreadable")


def _story(readings: Sequence[Mapping[str, Any]], story: Story) -> Iterator[Said]:
    for text in story.contradictions:
        yield Said("unreadable", "MU844", text, "error")
    if story.excluded:
        measured = any(has_data(item) for item in readings)
        nodes = ", ".join(sorted({str(item.get("node")) for item in story.excluded}))
        yield Said("incomplete" if measured else "excluded", "MU849", f"excluded before the run: {nodes}")
    elif story.told and not story.finished:
        ended = sum(item.ended for item in story.rounds.values())
        end = "" if story.finish else "; the finish record is missing"
        yield Said("incomplete", "MU843", f"{ended} of {story.expected} rounds ended{end}")


def _endings(reading: Mapping[str, Any], story: Story, ending: Ending) -> list[tuple[int | None, Ending]]:
    """Return what ended the runs of a file: each of its rounds, else the attempt."""
    own = {record.get("round") for record in reading["records"] if record.get("event") == "end"}
    rounds = [(number, item.ending) for number, item in sorted(story.rounds.items()) if item.ended]
    mine = [item for item in rounds if item[0] in own] or (rounds if not reading["records"] else [])
    return list(mine) or [(None, ending)]


def _files(data: list[tuple[int, Mapping[str, Any]]], story: Story, ending: Ending) -> Iterator[Said]:
    explained = False
    for index, reading in data:
        for number, item in _endings(reading, story, ending):
            explained |= item == ending or meaning(reading["tool"], item) not in ("ok", "unknown")
            yield _judged(index, reading["tool"], _part(reading, number), item, number)
    if not explained:
        whole = {
            "runs": [run for _, item in data for run in item.get("runs") or ()],
            "checks": [check for _, item in data for check in item.get("checks") or ()],
            "rows": [row for _, item in data for row in item.get("rows") or ()],
            "state": max((item["state"] for _, item in data), key=WORST_LAST.index),
        }
        yield _judged(data[0][0], data[0][1]["tool"], whole, ending, None)


def _part(reading: Mapping[str, Any], number: int | None) -> Mapping[str, Any]:
    """Return the part of a reading that is of one round, all of it where its runs have no numbers."""
    runs = reading.get("runs")
    if number is None or not runs or not any(run.get("round") == number for run in runs):
        return reading
    mine = [run for run in runs if run.get("round") == number]
    states: list[State] = [run.get("state", reading["state"]) for run in mine]
    return {**reading, "runs": mine, "state": max(states, key=WORST_LAST.index)}


def _judged(index: int, tool: str, part: Mapping[str, Any], ending: Ending, number: int | None) -> Said:
    """Hold the output of one tool against how it ended."""
    where = f"round {number}: " if number is not None else ""
    state: State = part["state"]
    found = meaning(tool, ending)
    if found == "unknown" or (found == "ok" and state != "complete"):
        return Said(state, file=index)
    if found == "ok":
        if is_bad(part):
            return Said(
                state, "MU848", f"{where}exit code 0, yet the output holds failures", "warning", index
            )
        return Said(state, file=index)
    if found == "cut":
        doubt = state == "unreadable" and has_data(part)
        return Said(
            "unreadable" if doubt else "incomplete",
            "MU840",
            f"{where}cut short: {ending.text}",
            "warning",
            index,
        )
    if state == "complete":
        return _complete(index, part, ending, found, where)
    return _failed(index, part, ending, found, where)


def _complete(index: int, part: Mapping[str, Any], ending: Ending, found: Meaning, where: str) -> Said:
    if found in ("results", "device", "findings") and is_bad(part):
        return Said("complete", file=index)
    text = f"{where}{ending.text}, yet the output is complete and holds no failure"
    return Said("unreadable", "MU842", text, "error", index)


def _failed(index: int, part: Mapping[str, Any], ending: Ending, found: Meaning, where: str) -> Said:
    state: State = part["state"]
    if found == "device":
        text = f"{where}{ending.text}: a device error whose document is not complete"
        return Said("incomplete" if state != "unreadable" else state, "MU846", text, "warning", index)
    if has_data(part):
        return Said(state, file=index)
    return Said("errored", "MU841", f"{where}the tool did not run: {ending.text}", "warning", index)


_WITHOUT_OUTPUT: dict[Meaning, tuple[State, str]] = {
    "cut": ("incomplete", "MU840"),
    "device": ("incomplete", "MU846"),
    "not-run": ("errored", "MU841"),
    "findings": ("errored", "MU841"),
    "failed": ("errored", "MU841"),
    "results": ("errored", "MU841"),
}


def _nothing(readings: Sequence[Mapping[str, Any]], story: Story, ending: Ending, tool: str | None) -> Said:
    """Judge an attempt without any output of a tool; a preflight is all in its record lines."""
    endings = [item.ending for _, item in sorted(story.rounds.items()) if item.ended] + [ending]
    meanings = {meaning(tool, item): item for item in reversed(endings)}
    for found, (state, code) in _WITHOUT_OUTPUT.items():
        if found in meanings:
            return Said(state, code, f"no output of a tool, {meanings[found].text}")
    pod = any(item["tool"] == "muster-pod" for item in readings)
    listed = any(is_inventory(item) and item["state"] == "complete" for item in readings)
    if tool == "preflight" and ((pod and story.finished) or listed):
        return Said("complete")
    if pod and "ok" not in meanings:
        return Said("incomplete", "MU847", "no output of a tool was found", "warning")
    return Said("unreadable", "MU847", "no output of a known tool was found", "error")
