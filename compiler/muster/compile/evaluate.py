"""From site files to resolved sites: load findings and policy findings side by side."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from muster.policy import Policies, assemble
from muster.policy.provenance import profile_positions

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from muster.compile.inputs import SiteInput
    from muster.diagnostics import Position
    from muster.policy import Cue, PolicyModule, SiteResult


@dataclass(frozen=True, slots=True)
class Resolved:
    """One site after the policies, with what planning needs of them.

    Attributes:
        source: the site file.
        result: merged and judged by the rules.
        catalog: the catalog's entries by name.
        places: places of profile values by profile and path.
    """

    source: SiteInput
    result: SiteResult
    catalog: Mapping[str, Any]
    places: Mapping[str, Mapping[tuple[str | int, ...], Position]]


def evaluate_sites(inputs: Sequence[SiteInput], repository: Path, cue: Cue) -> tuple[list[Resolved], int]:
    """Evaluate every site: those of the repository with its policies, others with muster's own.

    Returns:
        The sites in the order they came, and the number of rules that looked at each.

    Raises:
        InputFault: the policies themselves are wrong, or have no rule.
        EnvironmentFault: cue cannot be run.
    """
    done: dict[int, Resolved] = {}
    rules = 0
    for own in (True, False):
        group = [item for item in inputs if item.own is own]
        if not group:
            continue
        with assemble(repository if own else None) as module:
            count, resolved = _evaluate(group, module, cue)
        rules = min(rules, count) if rules else count
        done |= {id(item.source): item for item in resolved}
    return [done[id(item)] for item in inputs], rules


def _evaluate(group: Sequence[SiteInput], module: PolicyModule, cue: Cue) -> tuple[int, list[Resolved]]:
    policies = Policies(cue, module)
    evaluation = policies.evaluate([item.loaded for item in group])
    used = {
        name
        for result in evaluation.results
        if result.resolved is not None
        for name in result.resolved["spec"]["profiles"]
    }
    places = profile_positions(policies, sorted(used))
    catalog = policies.facts["catalog"]
    return evaluation.rules, [
        Resolved(item, result, catalog, places)
        for item, result in zip(group, evaluation.results, strict=True)
    ]
