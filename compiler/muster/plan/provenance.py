"""Where each value of a test comes from: site line, profile line, or catalog default."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from muster.plan.context import SiteContext, Steps


def provenance_of(context: SiteContext, name: str, test: Mapping[str, Any], source: str) -> dict[str, str]:
    """Return the origin of each value: ``site F:L:C``, ``profile NAME F:L:C`` or ``default of X``."""
    found = {}
    for steps in _leaves(test, ()):
        full: Steps = ("spec", "tests", name, *steps)
        profile = context.in_profile(full)
        if full in context.positions:
            text = f"site {context.positions.of(full)}"
        elif profile is not None:
            text = f"profile {profile[0]} {profile[1]}"
        else:
            text = f"default of {source}" if steps[0] == "params" else "default of muster"
        found[".".join(str(step) for step in steps)] = text
    return dict(sorted(found.items()))


def _leaves(value: Any, steps: Steps) -> Iterator[Steps]:
    if isinstance(value, dict):
        for key, item in value.items():
            yield from _leaves(item, (*steps, key))
    else:
        yield steps
