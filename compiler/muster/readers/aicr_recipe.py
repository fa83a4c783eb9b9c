"""Read a recipe that AICR resolved: which software and which checks it names. It holds no result of any test."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from muster.readers.documents import DocumentError, load, scrub
from muster.readers.model import empty, problem, quoted, unreadable
from muster.readers.outcome import state_of
from muster.readers.registry import Reader
from muster.readers.views import View

if TYPE_CHECKING:
    from muster.readers.model import Reading
    from muster.readers.source import Source

CRITERIA = ("service", "accelerator", "intent", "os", "platform", "nodes")
PHASES = ("readiness", "deployment", "performance", "conformance")
_KIND = re.compile(r"""(?:^|[{,\s])["']?kind["']?: *["']?RecipeResult\b""")


def _sniff(head: str, _name: str) -> int:
    return 88 if _KIND.search(head) and "criteria" in head else 0


def _read(source: Source) -> Reading:
    try:
        documents = load(source)
    except DocumentError as error:
        found = problem("MU780", quoted(str(error), 300)[1:-1], error.line)
        return unreadable(source.name, "aicr-recipe", found)
    reading = empty(source.name, "aicr-recipe", "complete")
    if len(documents) != 1:
        reading["problems"].append(problem("MU790", f"{len(documents)} documents instead of one"))
    view = View(documents[0] if documents else {}, "recipe", reading["problems"], "MU790")
    merged: Any = {**reading, "toolVersion": view.view("metadata").text("version"), "aicr": recipe(view)}
    merged["state"] = state_of(reading["problems"], {})
    clean: Reading = scrub(merged)
    return clean


def recipe(view: View) -> dict[str, Any]:
    """Return criteria, constraints, components and checks of a recipe."""
    meta, criteria = view.view("metadata"), view.view("criteria")
    phases = view.view("validation")
    parts = [component(one) for one in view.views("componentRefs")]
    if not len(criteria) or not parts:
        view.doubt("has no criteria or no component", code="MU792")
    names = {part["name"] for part in parts}
    for name in view.texts("deploymentOrder"):
        if name not in names:
            view.doubt(f"names {quoted(name, 60)}, which is no component", "deploymentOrder", "MU798")
    return {
        "kind": "recipe",
        "apiVersion": view.text("apiVersion"),
        "overlays": meta.texts("appliedOverlays"),
        "profile": meta.scalar("selectedProfile")
        if not isinstance(meta.raw("selectedProfile"), dict)
        else None,
        "criteria": {key: criteria.scalar(key) for key in CRITERIA},
        "constraints": [constraint(one) for one in view.views("constraints")],
        "components": parts,
        "phases": {
            name: {
                "checks": phases.view(name).texts("checks"),
                "constraints": [constraint(one) for one in phases.view(name).views("constraints")],
            }
            for name in PHASES
            if name in phases
        },
    }


def constraint(view: View) -> dict[str, Any]:
    """Return name and value of a constraint as they are written; the value is an operator and an operand."""
    return {
        "name": view.text("name"),
        "value": view.scalar("value"),
        "severity": view.text("severity"),
        "unit": view.text("unit"),
    }


def component(view: View) -> dict[str, Any]:
    """Return one component; ``version`` is None where the recipe pins none."""
    return {
        "name": view.text("name"),
        "namespace": view.text("namespace"),
        "type": view.text("type"),
        "version": view.scalar("version") or view.scalar("tag") or None,
        "source": view.text("source") or None,
    }


READER = Reader("aicr-recipe", _sniff, _read, "aicr-recipe/1")
