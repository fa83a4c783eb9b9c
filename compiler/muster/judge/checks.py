"""Judge the results of a diagnosis tool: every required check must have passed on every GPU of every node."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from muster.judge.fields import listed, mapping, maps, names, shown, text, whole
from muster.judge.model import Reason

if TYPE_CHECKING:
    from muster.judge.fields import JsonMap

_BAD: Final = frozenset({"fail", "warn"})
_KNOWN: Final = frozenset({"pass", "skip", "warn", "fail", "not-run", "waived", "error"})


def _node_of(check: JsonMap, unit: tuple[str, ...]) -> str | None:
    """Return the node a check is about; a unit of one node needs no name."""
    node = text(check.get("node"))
    return node if node is not None or len(unit) != 1 else unit[0]


def failures(record: JsonMap, unit: tuple[str, ...]) -> list[Reason]:
    """Return a reason for every check that failed or warned, required or not: the tool accuses the device."""
    found: list[Reason] = []
    for check in maps(record.get("checks")):
        status = check.get("status")
        if isinstance(status, str) and status in _BAD:
            where = f"{shown(check.get('name'))} on {_place(check, unit)}"
            said = next((f": {shown(line, 160)}" for line in check.get("messages") or [] if text(line)), "")
            found.append(Reason("MU907", f"diagnosis {status}: {where}{said}"))
    return found


def _place(check: JsonMap, unit: tuple[str, ...]) -> str:
    entity = text(check.get("entity"))
    return f"{shown(_node_of(check, unit) or 'unknown node')}" + (f" {shown(entity)}" if entity else "")


def _one_node(name: str, node: str, results: list[JsonMap], entities: int | None) -> list[Reason]:
    """Judge one required check on one node; the worst result of an entity counts."""
    if not results:
        return [Reason("MU923", f"check {shown(name)} is missing on {shown(node)}")]
    passed: set[str | None] = set()
    other: dict[str, list[str]] = {}
    for check in results:
        status = check.get("status")
        label = status if isinstance(status, str) and status in _KNOWN else "unknown"
        entity = text(check.get("entity"))
        if label == "pass":
            passed.add(entity)
        else:
            other.setdefault(label, []).append(entity or "the node")
    found = [_not_passed(name, node, label, places) for label, places in other.items() if label not in _BAD]
    count = len(passed - {None}) if entities is not None else len(passed)
    if not other and entities is not None and count != entities:
        code = "MU923" if count < entities else "MU917"
        found.append(
            Reason(code, f"check {shown(name)} passed on {count} of {entities} GPUs of {shown(node)}")
        )
    return found


def _not_passed(name: str, node: str, status: str, places: list[str]) -> Reason:
    code = {"error": "MU924", "unknown": "MU917"}.get(status, "MU923")
    return Reason(code, f"check {shown(name)} is {status} on {shown(node)}: {listed(places)}")


def judge_checks(acceptance: JsonMap, record: JsonMap, unit: tuple[str, ...]) -> list[Reason]:
    """Return why the checks required by the acceptance did not all pass; failures come from `failures`."""
    asked = acceptance.get("checks")
    if asked is None:
        return []
    entities = whole(mapping(asked).get("entities"))
    results = maps(record.get("checks"))
    by_place: dict[tuple[str, str], list[JsonMap]] = {}
    reasons: list[Reason] = []
    for check in results:
        node, name = _node_of(check, unit), text(check.get("name"))
        if node is None or name is None:
            reasons.append(
                Reason("MU917", f"a check does not say its name or node: {shown(check.get('name'))}")
            )
            continue
        by_place.setdefault((name, node), []).append(check)
    for name in names(mapping(asked).get("require")):
        for node in unit:
            reasons.extend(_one_node(name, node, by_place.get((name, node), []), entities))
    return reasons
