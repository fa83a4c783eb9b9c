"""What commands over sites share: read them, evaluate them, plan them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from muster.cli.world import World, label
from muster.compile.evaluate import Resolved, evaluate_sites
from muster.compile.inputs import read_sites
from muster.compile.plans import plan_site

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from muster.diagnostics import Diagnostic
    from muster.plan import SitePlan


def resolve(repository: Path, wanted: Sequence[str], world: World) -> tuple[list[Resolved], int]:
    """Read and evaluate the sites asked for; return them with the number of rules that looked at each."""
    inputs = read_sites(repository, wanted, lambda path: label(path, world.folder))
    return evaluate_sites(inputs, repository, world.cue())


def plans(
    repository: Path, wanted: Sequence[str], world: World
) -> tuple[list[tuple[str, SitePlan | None]], tuple[Diagnostic, ...]]:
    """Return the plan of every site asked for, None where it cannot be made, and all findings."""
    resolved, _ = resolve(repository, wanted, world)
    made = [(item.source.path.stem, plan_site(item)) for item in resolved]
    return [(name, plan) for name, (plan, _) in made], tuple(d for _, (_, found) in made for d in found)
