"""What commands over sites share: read them, evaluate them, plan them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from muster.cli.world import World, label
from muster.compile.evaluate import Resolved, evaluate_sites
from muster.compile.inputs import read_sites
from muster.compile.plans import plan_site
from muster.compile.result import bounded
from muster.compile.run import compile_sites

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from muster.compile.inputs import SiteInput
    from muster.compile.result import Compilation
    from muster.diagnostics import Diagnostic, Position
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
    found = [item for _, (_, items) in made for item in bounded(items)]
    shown = display(found, [item.source for item in resolved], repository, world)
    return [(name, plan) for name, (plan, _) in made], tuple(shown)


def compile_all(
    repository: Path, wanted: Sequence[str], world: World
) -> tuple[Compilation, tuple[Diagnostic, ...]]:
    """Compile the sites asked for; return also all findings, at places as the working directory names them."""
    inputs = read_sites(repository, wanted, lambda path: label(path, world.folder))
    done = compile_sites(inputs, repository, world.cue())
    return done, tuple(display(done.diagnostics, inputs, repository, world))


def display(
    found: Iterable[Diagnostic], inputs: Sequence[SiteInput], repository: Path, world: World
) -> list[Diagnostic]:
    """Name files as seen from the working directory; findings name them by their place in the repository."""
    files = {item.loaded.file: item.shown for item in inputs}

    def place(position: Position) -> Position:
        name = files.get(position.file)
        if name is None and position.file.startswith("policies/"):
            name = label(repository / position.file, world.folder)
        return replace(position, file=name or position.file)

    return [
        replace(
            item,
            position=place(item.position) if item.position else None,
            related=tuple(replace(other, position=place(other.position)) for other in item.related),
        )
        for item in found
    ]
