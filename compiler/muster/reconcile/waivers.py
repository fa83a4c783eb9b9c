"""Apply dated exceptions. One evaluator for every command; the moment is always given, never read."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, Final

from muster.diagnostics.words import counted
from muster.reconcile.model import item

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

WARN_DAYS: Final = 14
_DATE: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_FIELDS: Final = ("test", "catalog", "scope", "pool", "product", "domain", "unit", "node")


def expiry(value: object) -> datetime | None:
    """Return when a waiver ends: RFC 3339 with an offset, or a date meaning 00:00 UTC of that day.

    None for all else, which makes a waiver count as expired.
    """
    if not isinstance(value, str):
        return None
    try:
        if _DATE.fullmatch(value):
            return datetime.fromisoformat(value).replace(tzinfo=UTC)
        found = datetime.fromisoformat(value)
        return found.astimezone(UTC) if found.tzinfo is not None else None
    except (ValueError, OverflowError):
        return None


def matches(match: object, verdict: Mapping[str, Any], product: str | None) -> bool:
    """Tell whether a waiver is about a verdict: every field it names must fit.

    A match that names nothing, or something unknown, fits nothing: a waiver never covers by accident.
    """
    if not _is_match(match) or not isinstance(match, dict):
        return False
    facts = {**verdict, "product": product}
    for name, wanted in match.items():
        if name == "unit":
            fits = isinstance(wanted, list) and sorted(map(str, wanted)) == verdict["unit"]
        elif name == "node":
            fits = wanted in verdict["unit"]
        else:
            fits = wanted is not None and facts.get(name) == wanted
        if not fits:
            return False
    return True


def _is_match(match: object) -> bool:
    """Tell whether a match names anything, and nothing unknown."""
    return isinstance(match, dict) and bool(match) and not set(match) - set(_FIELDS)


def _collect(plans: Sequence[Mapping[str, Any]], as_of: datetime) -> list[dict[str, Any]]:
    found = []
    for plan in plans:
        waivers = plan.get("waivers")
        for name, said in sorted((waivers if isinstance(waivers, dict) else {}).items()):
            waiver = said if isinstance(said, dict) else {}
            ends = expiry(waiver.get("expires"))
            found.append(
                {
                    "site": plan["site"],
                    "name": name,
                    "status": "expired" if ends is None or as_of >= ends else "unused",
                    "match": waiver.get("match"),
                    "state": waiver.get("state"),
                    "reason": waiver.get("reason"),
                    "owner": waiver.get("owner"),
                    "expires": None if ends is None else ends.isoformat().replace("+00:00", "Z"),
                    "daysLeft": None if ends is None else (ends - as_of).days,
                    "covers": [],
                    "others": [],
                    "position": waiver.get("position"),
                }
            )
    return found


def apply(
    plans: Sequence[Mapping[str, Any]], verdicts: Sequence[dict[str, Any]], as_of: datetime
) -> list[dict[str, Any]]:
    """Waive verdicts that a live waiver covers, in place, and return all waivers with what they did.

    A waived verdict keeps its state as ``underlying``. A waiver covers only the state it names. Where several
    fit, the first by name is shown, and all count as used.
    """
    waivers = _collect(plans, as_of)
    products = {
        (plan["site"], pool): entry.get("product")
        for plan in plans
        for pool, entry in plan["pools"].items()
        if isinstance(entry, dict)
    }
    by_site: dict[str, list[dict[str, Any]]] = {}
    for waiver in waivers:
        by_site.setdefault(waiver["site"], []).append(waiver)
    for verdict in verdicts:
        state = verdict["state"]
        for waiver in by_site.get(verdict["site"], ()):
            product = products.get((verdict["site"], verdict["pool"]))
            if state == "satisfied" or not matches(waiver["match"], verdict, product):
                continue
            if waiver["state"] != state:
                waiver["others"].append({"id": verdict["id"], "state": state})
                continue
            waiver["covers"].append(verdict["id"])
            if waiver["status"] != "expired":
                waiver["status"] = "live"
                _waive(verdict, waiver)
    return waivers


def _waive(verdict: dict[str, Any], waiver: Mapping[str, Any]) -> None:
    if verdict["waiver"] is not None:
        return
    verdict["underlying"], verdict["state"] = verdict["state"], "waived"
    verdict["waiver"] = {key: waiver[key] for key in ("name", "reason", "owner", "expires", "position")}
    verdict["next"] = f"Nothing until the waiver ends at {waiver['expires']}; its owner is {waiver['owner']}."


def _ends_soon(waiver: Mapping[str, Any], as_of: datetime) -> bool:
    ends = expiry(waiver["expires"])
    return ends is not None and ends - as_of <= timedelta(days=WARN_DAYS)


def findings(waivers: Sequence[Mapping[str, Any]], as_of: datetime) -> list[dict[str, Any]]:
    """Return what is wrong with waivers: expired, unused, ending within `WARN_DAYS`."""
    found = []
    for waiver in waivers:
        name, site, where = waiver["name"], waiver["site"], waiver["position"]
        if waiver["status"] == "expired":
            when = f"ended at {waiver['expires']}" if waiver["expires"] else "has no end that can be read"
            hits = f"; still needed by {', '.join(waiver['covers'][:3])}" if waiver["covers"] else ""
            text = f"waiver {name} {when}{hits}"
            step = "Repair what it covers, or renew it by review; then remove it."
            found.append(item("MU940", text, site, subject=name, position=where, next_step=step))
        elif waiver["status"] == "unused":
            others = waiver["others"]
            text = f"waiver {name} for {waiver['state']} covers nothing"
            if not _is_match(waiver["match"]):
                text += "; its match names nothing that a verdict has, so it is not applied at all"
            elif others:
                text += f"; what it matches is {others[0]['state']} ({others[0]['id']})"
            step = "Remove it, or correct its match or state."
            found.append(item("MU941", text, site, subject=name, position=where, next_step=step))
        elif _ends_soon(waiver, as_of):
            text = f"waiver {name} ends at {waiver['expires']}, in {counted(waiver['daysLeft'], 'day')}"
            step = "Repair what it covers before it ends."
            found.append(
                item("MU942", text, site, severity="warning", subject=name, position=where, next_step=step)
            )
    return found
