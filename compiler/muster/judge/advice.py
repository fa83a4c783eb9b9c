"""What to do about a verdict, in one sentence."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from muster.judge.states import State

_BY_CODE: Final = {
    "MU901": "Find what slows the unit (see the suspects), repair it, then run again by a new campaign.",
    "MU902": "Check that size, ranks and reference fit this hardware; move the bound only by review.",
    "MU903": "Look for interference between the rounds; run again on quiet nodes by a new campaign.",
    "MU904": "Take the nodes out of service: the tool found wrong data.",
    "MU905": "Run with validation on (params.check: 1), or declare that the test needs none.",
    "MU906": "Mend the network or NCCL's settings so that the declared transport is used, then run again.",
    "MU907": "Follow the diagnosis of the tool for the GPUs named, then run again by a new campaign.",
    "MU908": "Repair the node or correct the site file, whichever is wrong.",
    "MU912": "Ask for a fresh run by a new campaign: the evidence is too old.",
    "MU913": "Bring the nodes to the declared software, or declare what they run, then run again.",
    "MU914": "Run the test as it is declared; other parameters are another measurement.",
    "MU915": "Compare the clocks of the nodes with this one's; evidence of the future proves nothing.",
    "MU916": "Ingest a log that carries times: evidence without a date cannot be aged.",
    "MU925": "Give the test a threshold with unit, size and source; `muster baseline` proposes one.",
    "MU926": "Keep the source that can be trusted and run again by a new campaign.",
    "MU936": "Restore the record in the archive from a copy, or run the test again by a new campaign.",
    "MU929": "Ingest what tells it with the log (record lines of the pods, nvidia-smi, via lines), or run again.",
    "MU937": "Bind the log to the test that it is of, alone; run the other test again by a new campaign.",
    "MU938": "Ingest the whole attempt; rounds are never picked. Else run again by a new campaign.",
    "MU932": "Find what changed between the attempts; after a repair ask for a fresh run by a new campaign.",
    "MU933": "Find what changed between the attempts; after a repair ask for a fresh run by a new campaign.",
}

_BY_STATE: Final[dict[State, str]] = {
    "satisfied": "Nothing to do.",
    "violated": "Repair what the reasons name, then ask for a fresh run by a new campaign.",
    "missing": "Let the cluster run the test (sync the manifests), then collect its evidence.",
    "stale": "Let the cluster run the test as it is declared now, then collect its evidence.",
    "incomplete": "Run the test again with enough time and complete logs; the attempt stays in the archive.",
    "errored": "Mend the cause named (image, plug-in, launcher, configuration), then run the test again.",
    "unreadable": "Collect the raw log again or run the test again; nothing in this evidence can be trusted.",
    "unjudged": "Give the test a threshold with unit, size and source.",
    "excluded": "Bring the node back (GPUs, cordon) or exclude it in the site file with a reason.",
    "contested": "Find out what changed between the attempts, then ask for a fresh run by a new campaign.",
    "waived": "Nothing until the waiver ends.",
}


def advise(state: State, code: str) -> str:
    """Return the next step for a state and the code of its first reason."""
    return _BY_CODE.get(code, _BY_STATE[state]) if state not in {"satisfied", "waived"} else _BY_STATE[state]
