"""Refuse what would empty a site, unless it is asked for: whatever leaves Git is deleted from the cluster."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from muster.diagnostics import diagnostic
from muster.emit.ownership import REMOVED, State

if TYPE_CHECKING:
    from collections.abc import Mapping

    from muster.diagnostics import Diagnostic
    from muster.emit.lock import Lock
    from muster.emit.ownership import Comparison, Scope

LARGEST_PRUNE = 0.5
"""Share of the files of a site that may vanish, net of new ones, without a flag."""


def check(
    comparison: Comparison,
    locks: Mapping[str, Lock],
    scope: Scope,
    *,
    allow_empty: bool,
    allow_prune: bool,
) -> list[Diagnostic]:
    """Report empty sites (MU607), large prunes (MU608) and sites without input (MU609).

    A prune is large when the files that vanish, less those that are new, are more than half of what the site had:
    a new campaign gives every object a new name and deletes nothing on balance.
    """
    found: list[Diagnostic] = []
    removed, fresh, desired = Counter[str](), Counter[str](), Counter[str]()
    for path, state in comparison.states.items():
        site = comparison.owner[path]
        removed[site] += state in REMOVED
        fresh[site] += state is State.NEW
        desired[site] += state not in REMOVED
    if not allow_empty:
        if not scope.sites and not scope.keep:
            found.append(diagnostic("MU607", "no site was compiled: the whole output would be empty"))
        found += [
            diagnostic("MU607", f"site {site} compiles to no files", site=site)
            for site in sorted(scope.sites)
            if desired[site] <= 1
        ]
    if allow_prune:
        return found
    for site in sorted(scope.sites):
        before = len(locks[site].owned) if site in locks else 0
        lost = removed[site] - fresh[site]
        if lost > before * LARGEST_PRUNE:
            message = f"site {site} would lose {removed[site]} of its {before} files"
            found.append(diagnostic("MU608", message, site=site))
    for site in comparison.retired:
        message = f"site {site} has no input any more; its {len(locks[site].owned)} files would be removed"
        found.append(diagnostic("MU609", message, site=site))
    return found
