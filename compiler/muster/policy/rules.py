"""Turn what CUE says about a site, as violations data or as errors, into findings at the site's lines."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from muster.diagnostics import Diagnostic, Position, Related
from muster.policy.structure import at, point_at, show
from muster.site.names import nearest
from muster.site.positions import Path as Steps
from muster.site.positions import format_path

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from muster.policy.errors import CueError, Place
    from muster.policy.module import PolicyModule
    from muster.site.load import LoadedSite


def from_violations(site: LoadedSite, violations: Iterable[Mapping[str, Any]]) -> list[Diagnostic]:
    """Return a finding for each violation that a rule file reports as data."""
    found = []
    for item in violations:
        violation = item["violation"]
        steps: Steps = tuple(violation["path"])
        near = (
            nearest(str(_value_at(site.data, steps)), violation["names"]) if violation.get("names") else None
        )
        found.append(
            Diagnostic(
                item["code"],
                item["severity"],
                violation["message"],
                _asked_at(site, steps),
                f'did you mean "{near}"?' if near else item["hint"],
                format_path(steps),
                site.name or "",
                tuple(
                    Related(point_at(site.positions, tuple(other)), format_path(tuple(other)))
                    for other in violation.get("related", ())
                ),
                item["source"],
            )
        )
    return found


def _asked_at(site: LoadedSite, steps: Steps) -> Position:
    """Return the place of a field; of a test or threshold that a profile gives, the place of the profiles."""
    given = len(steps) > 2 and steps[1] in {"tests", "thresholds"} and steps[:3] not in site.positions
    if given and ("spec", "profiles") in site.positions:
        return site.positions.key(("spec", "profiles"))
    return point_at(site.positions, steps)


def from_error(site: LoadedSite, error: CueError, module: PolicyModule) -> Diagnostic:
    """Return the finding for an error whose path lies in ``out.<site>.merged``."""
    steps = to_steps(site.data, error.path)
    profiles = _in_folder(error.places, "profiles/")
    wanted = _mandate(site, steps, error) if profiles else None
    if wanted is not None:
        item = at(
            site,
            "MU221",
            f"{show(_value_at(site.data, steps))} contradicts {wanted}, which a profile sets",
            steps,
        )
        where = profiles
    elif error.message.startswith("incomplete value") or "required but not present" in error.message:
        item = at(site, "MU212", f"the field {format_path(steps)} is missing", steps)
        where = ()
    elif error.message == "field not allowed":
        item = at(site, "MU211", f"unknown field {show(steps[-1])}", steps, key=True)
        where = ()
    elif _options(site, steps, error):
        own, options = show(_value_at(site.data, steps)), _options(site, steps, error)
        item = at(site, "MU213", f"{own} is not one of {', '.join(options)}", steps)
        where = ()
    else:
        text = "; ".join(error.branches) if error.branches else error.message
        item = at(site, "MU220", text, steps)
        where = error.places
    related = tuple(
        Related(Position(module.label(place.file), place.line, place.column), "this policy")
        for place in where
        if place.file != "-" and place.file != "evaluate.cue"
    )
    return Diagnostic(
        item.code,
        item.severity,
        item.message,
        item.position,
        item.hint,
        item.path,
        item.site,
        related[:4],
        item.source,
    )


def unknown_profiles(site: LoadedSite, known: Iterable[str]) -> list[Diagnostic]:
    """Return what rule MU301 says, for a site that cannot even be merged because of it."""
    data = site.data or site.partial or {}
    spec = data.get("spec")
    named = spec.get("profiles") if isinstance(spec, dict) else None
    found = []
    for index, name in enumerate(named if isinstance(named, list) else ()):
        if isinstance(name, str) and name not in known:
            near = nearest(name, known)
            hint = f'did you mean "{near}"?' if near else "known: " + ", ".join(sorted(known))
            steps: Steps = ("spec", "profiles", index)
            place, path = point_at(site.positions, steps), format_path(steps)
            text = f"no profile is called {show(name)}"
            found.append(Diagnostic("MU301", "error", text, place, hint, path, site.name or ""))
    return found


def _mandate(site: LoadedSite, steps: Steps, error: CueError) -> str | None:
    """Return the value that a profile insists on, where two concrete values contradict."""
    own = show(_value_at(site.data, steps))
    for one, other in error.conflicts():
        rest = {one, other} - {own}
        if len(rest) == 1 and own in {one, other}:
            value = rest.pop()
            if value[:1] in '"-0123456789' or value in {"true", "false"}:
                return value
    return None


def _options(site: LoadedSite, steps: Steps, error: CueError) -> list[str]:
    """Return the values that would do, where every branch of a failed disjunction names one."""
    own = show(_value_at(site.data, steps))
    pairs = error.conflicts()
    if not error.branches or len(pairs) != len(error.branches) or any(own not in pair for pair in pairs):
        return []
    return [one if other == own else other for one, other in pairs]


def _in_folder(places: Iterable[Place], folder: str) -> tuple[Place, ...]:
    inside = [place for place in places if place.file.startswith(folder)]
    return tuple(inside[:1])


def to_steps(data: Any, path: Iterable[str]) -> Steps:
    """Turn cue's path into one of names and list indices, after the value it leads through."""
    steps: list[str | int] = []
    node = data
    for part in path:
        if isinstance(node, list) and part.isdigit():
            index = int(part)
            steps.append(index)
            node = node[index] if index < len(node) else None
        else:
            steps.append(part)
            node = node.get(part) if isinstance(node, dict) else None
    return tuple(steps)


def _value_at(data: Any, steps: Steps) -> Any:
    node = data
    for step in steps:
        if isinstance(node, dict):
            node = node.get(cast("str", step))
        elif isinstance(node, list) and isinstance(step, int) and step < len(node):
            node = node[step]
        else:
            return None
    return node
