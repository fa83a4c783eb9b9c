"""Conditions of Kubernetes objects: which phase they say, and whether they can be believed."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from muster.readers.model import quoted

if TYPE_CHECKING:
    from muster.readers.views import View

PHASES = ("InProgress", "Succeeded", "Failed")


class Condition(NamedTuple):
    """One condition; ``status`` is True, False or Unknown."""

    status: str | None
    reason: str | None
    message: str | None
    since: str | None


def conditions(view: View) -> dict[str, Condition]:
    """Return the conditions of a status by type; a type that stands twice is a contradiction."""
    found: dict[str, Condition] = {}
    for one in view.views("conditions"):
        name, status = one.text("type"), one.text("status")
        if name is None or status not in ("True", "False", "Unknown"):
            one.doubt(f"is {quoted(str(status), 40)}", "status", "MU784")
            continue
        if name in found:
            one.doubt(f"stands twice: {quoted(name, 60)}", "type", "MU782")
            continue
        found[name] = Condition(
            status, one.text("reason"), one.text("message"), one.text("lastTransitionTime")
        )
    return found


def phase(view: View, found: dict[str, Condition]) -> tuple[str, Condition | None]:
    """Return the phase that is true, one of `PHASES`, and its condition; ``Unknown`` where none is.

    Two that are true at once are a contradiction; then the phase is ``Unknown`` too.
    """
    true = [name for name in PHASES if name in found and found[name].status == "True"]
    if len(true) > 1:
        view.doubt(f"are true at once: {' and '.join(true)}", "conditions", "MU782")
        return "Unknown", None
    return (true[0], found[true[0]]) if true else ("Unknown", None)
