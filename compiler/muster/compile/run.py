"""Compile many sites: one evaluation of the policies, then each site on its own, on all cores."""

from __future__ import annotations

import os
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from multiprocessing import get_context
from typing import TYPE_CHECKING, Any

from muster.compile.crds import read_crds
from muster.compile.evaluate import evaluate_sites
from muster.compile.result import Compilation, CompiledSite, bounded
from muster.compile.shared import refuse_conflicts
from muster.compile.site import compile_site
from muster.diagnostics import MusterError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from muster.compile.evaluate import Resolved
    from muster.compile.inputs import SiteInput
    from muster.policy import Cue

ALONE = 8
"""Up to so many sites one process is faster than several."""


def compile_sites(
    inputs: Sequence[SiteInput], repository: Path, cue: Cue, workers: int | None = None
) -> Compilation:
    """Compile sites. A bad site neither hides nor stops another: it has findings instead of files.

    Args:
        inputs: the site files.
        repository: the GitOps repository, for its policies.
        cue: the binary that evaluates policies.
        workers: processes to use; the number of cores where None.

    Raises:
        InputFault: the policies themselves are wrong.
        EnvironmentFault: cue cannot be run.
    """
    resolved, rules = evaluate_sites(inputs, repository, cue)
    done = _all(resolved, workers or os.cpu_count() or 1)
    places = {
        item.source.path.stem: item.result.site.positions.key(("spec", "delivery")) for item in resolved
    }
    return Compilation(refuse_conflicts(done, places), rules)


def _all(resolved: Sequence[Resolved], workers: int) -> list[CompiledSite]:
    if len(resolved) <= ALONE or workers == 1:
        return [_one(item) for item in resolved]
    size = max(1, min(16, len(resolved) // (workers * 2)))
    with ProcessPoolExecutor(workers, mp_context=get_context("fork")) as pool:
        return list(pool.map(_one, resolved, chunksize=size))


def _one(resolved: Resolved) -> CompiledSite:
    """Compile one site; what stops it becomes its findings."""
    try:
        done = compile_site(resolved, _crds(resolved))
        return replace(done, diagnostics=bounded(done.diagnostics))
    except MusterError as fault:
        found = (*resolved.source.loaded.diagnostics, *resolved.result.diagnostics, *fault.diagnostics)
        return CompiledSite(resolved.source.path.stem, None, None, bounded(found), {})


def _crds(resolved: Resolved) -> list[dict[str, Any]]:
    spec = resolved.result.resolved["spec"] if resolved.result.resolved else {}
    folder = spec.get("cluster", {}).get("crds")
    if folder is None:
        return []
    position = resolved.result.site.positions.of(("spec", "cluster", "crds"))
    return read_crds(resolved.source.path.parent, folder, position)
