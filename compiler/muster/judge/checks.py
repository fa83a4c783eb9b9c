"""Judge the results of a diagnosis tool: every required check must have passed on every GPU of every node."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from muster.diagnostics.words import counted
from muster.judge.fields import listed, mapping, maps, names, shown, text, whole
from muster.judge.model import Reason
from muster.judge.summaries import is_theirs

if TYPE_CHECKING:
    from muster.judge.fields import JsonMap

_BAD: Final = frozenset({"fail", "warn"})
_KNOWN: Final = frozenset({"pass", "skip", "warn", "fail", "not-run", "waived", "error"})
# check, node, round
Place = tuple[str, str, int]


def _node_of(check: JsonMap, unit: tuple[str, ...]) -> str | None:
    """Return the node a check is about; a unit of one node needs no name."""
    node = text(check.get("node"))
    return node if node is not None or len(unit) != 1 else unit[0]


def failures(record: JsonMap, unit: tuple[str, ...]) -> list[Reason]:
    """Return a reason for every check that failed or warned, required or not: the tool accuses the device.

    What a summary of other programs calls a failure is none of these unless it names the hardware.
    """
    found: list[Reason] = []
    for check in maps(record.get("checks")):
        status = check.get("status")
        if isinstance(status, str) and status in _BAD and not is_theirs(check, record):
            name = text(check.get("subtest")) or shown(check.get("name"))
            entity = text(check.get("entity"))
            where = f"{name} on {shown(_node_of(check, unit) or 'unknown node')}" + (
                f" {entity}" if entity else ""
            )
            messages = check.get("messages")
            said = (
                next((line for line in messages if text(line)), None) if isinstance(messages, list) else None
            )
            found.append(
                Reason("MU907", f"diagnosis {status}: {where}" + (f": {shown(said, 160)}" if said else ""))
            )
    return found


def judge_checks(acceptance: JsonMap, record: JsonMap, unit: tuple[str, ...], rounds: int) -> list[Reason]:
    """Return why the checks required by the acceptance did not all pass; failures come from `failures`.

    Args:
        acceptance: its ``checks`` name the required ones and the number of GPUs of a node.
        record: an evidence record.
        unit: the nodes that must each have passed.
        rounds: how often each check must have passed; results without a round are of the only one.
    """
    asked = acceptance.get("checks")
    if asked is None:
        return []
    by_place: dict[Place, list[JsonMap]] = {}
    reasons: list[Reason] = []
    for check in maps(record.get("checks")):
        node, name = _node_of(check, unit), text(check.get("name"))
        number = check.get("round")
        number = 1 if number is None and rounds == 1 else whole(number)
        if node is None or name is None or number is None or not 1 <= number <= rounds:
            told = ", ".join(f"{key} {shown(check.get(key))}" for key in ("name", "node", "round"))
            reasons.append(Reason("MU917", f"a check cannot be placed: {told}"))
            continue
        by_place.setdefault((name, node, number), []).append(check)
    entities = whole(mapping(asked).get("entities"))
    for name in names(mapping(asked).get("require")):
        for node in unit:
            for number in range(1, rounds + 1):
                results = by_place.get((name, node, number), [])
                reasons.extend(_one_place((name, node, number), results, entities))
    return list(dict.fromkeys(reasons))


def _one_place(place: Place, results: list[JsonMap], entities: int | None) -> list[Reason]:
    """Judge one required check on one node in one round; the worst result of an entity counts."""
    name, node, number = place
    where = f"on {shown(node)}" + (f" (round {number})" if number > 1 else "")
    if not results:
        return [Reason("MU923", f"check {shown(name)} is missing {where}")]
    parts: dict[str | None, list[JsonMap]] = {}
    for check in results:
        parts.setdefault(text(check.get("subtest")), []).append(check)
    found: list[Reason] = []
    for part, checks in parts.items():
        what = f"check {shown(name if part is None else part)}"
        other = [check for check in checks if _status(check) not in {"pass", *_BAD}]
        for status in sorted({_status(check) for check in other}):
            code = {"error": "MU924", "unknown": "MU917"}.get(status, "MU923")
            places = listed([_entity(check) for check in other if _status(check) == status])
            found.append(Reason(code, f"{what} is {status} {where}: {places}"))
        count = _passed(checks, entities or 0, whole_node=part is not None)
        if not other and entities is not None and count != entities:
            code = "MU923" if count < entities else "MU917"
            found.append(Reason(code, f"{what} passed on {count} of {counted(entities, 'GPU')} {where}"))
    return found


def _status(check: JsonMap) -> str:
    status = text(check.get("status"))
    return status if status in _KNOWN else "unknown"


def _entity(check: JsonMap) -> str:
    return text(check.get("entity")) or "the node"


def counts_gpus(record: JsonMap) -> bool:
    """Tell whether any result of a diagnosis says which or how many GPUs it is about."""
    return any(
        (text(check.get("entity")) or "").startswith("GPU ") or whole(check.get("gpus")) is not None
        for check in maps(record.get("checks"))
    )


def _passed(checks: list[JsonMap], entities: int, *, whole_node: bool) -> int:
    """Return on how many GPUs a check passed.

    A result without an entity stands for the GPUs that the tool says it does. A part of a check that is about
    the node as a whole (level 1 before DCGM 4) has one result for the node, which is all of it: how many GPUs
    the node has it does not tell, that is asked of an inventory. Any other result without an entity is of no GPU.
    """
    passed = [check for check in checks if _status(check) == "pass"]
    single = {entity for check in passed if (entity := text(check.get("entity"))) is not None}
    single = {entity for entity in single if entity.startswith("GPU ")}
    shared = [check for check in passed if text(check.get("entity")) is None]
    if not shared:
        return len(single)
    told = max((whole(check.get("gpus")) or 0 for check in shared), default=0)
    return max(len(single), told or (entities if whole_node and not single else 0))
