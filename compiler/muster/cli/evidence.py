"""What commands over evidence share: plans, records and the comparison of committed output."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from muster.cli.plans import read_plans
from muster.cli.world import World, label

if TYPE_CHECKING:
    from collections.abc import Sequence

    from muster.diagnostics import Diagnostic
    from muster.reconcile import GeneratedState, Report


def judge_sites(
    world: World,
    repository: Path,
    output: Path | None,
    archive: str,
    sites: Sequence[str],
    tests: Sequence[str],
    as_of: str | None,
    *,
    compare: bool,
) -> tuple[Report, tuple[Diagnostic, ...]]:
    """Reconcile the compiled sites with the archive; also return what is wrong with the archive itself."""
    from muster.archive.open import open_archive
    from muster.archive.query import load_records
    from muster.reconcile import reconcile

    target = output or repository / "generated"
    plans = read_plans(target, sites, label(target, world.folder))
    if tests:
        plans = [only(plan, tests) for plan in plans]
    generated = generated_state(world, repository, target, sites) if compare else None
    store = open_archive(archive, world.environment).store
    records = load_records(store, [plan["site"] for plan in plans], cache=cache_folder(world))
    moment = world.as_of(as_of)
    report = reconcile(plans, records, as_of=moment, generated=generated, replay=as_of is not None)
    return report, tuple(records.diagnostics)


def only(plan: dict[str, Any], tests: Sequence[str]) -> dict[str, Any]:
    """Return a plan with some of its tests."""
    desired = [item for item in plan["desired"] if item["test"] in tests]
    kept = {name: plan["tests"][name] for name in tests if name in plan["tests"]}
    return {**plan, "desired": desired, "tests": kept}


def cache_folder(world: World) -> Path | None:
    """Return where indexes of archives are kept, None where the environment names no place."""
    base = world.environment.get("XDG_CACHE_HOME")
    home = world.environment.get("HOME")
    if base:
        return Path(base) / "muster"
    return Path(home) / ".cache" / "muster" if home else None


def generated_state(
    world: World, repository: Path, target: Path, sites: Sequence[str]
) -> GeneratedState | None:
    """Compare committed output with what the sites compile to now; None where the repository has no sites."""
    from muster.compile.inputs import read_sites
    from muster.compile.run import compile_sites
    from muster.emit.tree import check_tree
    from muster.reconcile import Difference, GeneratedState

    if not (repository / "sites").is_dir():
        return None
    inputs = read_sites(repository, sites, lambda path: label(path, world.folder))
    done = compile_sites(inputs, repository, world.cue())
    good = [site.name for site in done.sites if site.files is not None]
    bad = [site.name for site in done.sites if site.files is None]
    found = check_tree(
        target, done.files(), sites=good, keep=bad, full=not sites, shown=label(target, world.folder)
    )
    changes = {"MU630": "missing", "MU632": "unexpected", "MU633": "unexpected"}
    differences = [
        Difference(item.site, item.path or str(item.position), changes.get(item.code, "modified"))  # type: ignore[arg-type]
        for item in found
        if item.is_error
    ]
    differences += [Difference(name, f"sites/{name}.yaml", "modified") for name in bad]
    return GeneratedState(tuple(differences))
