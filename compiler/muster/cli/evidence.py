"""What commands over evidence share: plans, records and the comparison of committed output."""

from __future__ import annotations

import gc
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from muster.cli.plans import read_plans
from muster.cli.world import World, label
from muster.diagnostics import InputFault, diagnostic
from muster.site.names import nearest

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

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
    synthetic: bool = False,
) -> tuple[Report, tuple[Diagnostic, ...]]:
    """Reconcile the compiled sites with the archive; also return what is wrong with the archive itself."""
    from muster.archive.open import open_archive
    from muster.archive.query import load_records
    from muster.reconcile import reconcile

    target = output or repository / "generated"
    plans = read_plans(target, sites, label(target, world.folder))
    known = sorted({name for plan in plans for name in plan["tests"]})
    for name in tests:
        if name not in known:
            near = nearest(name, known)
            hint = f'did you mean "{near}"?' if near else "known: " + ", ".join(known)
            raise InputFault(diagnostic("MU002", f"no compiled site has the test {name}", hint=hint))
    generated = generated_state(world, repository, target, sites) if compare else None
    generated = generated or edited_plans(target, [plan["site"] for plan in plans])
    store = open_archive(archive, world.environment).store
    records = load_records(store, [plan["site"] for plan in plans], cache=cache_folder(world))
    moment = world.as_of(as_of)
    with _many_objects():
        report = reconcile(
            plans,
            records.shards(),
            as_of=moment,
            generated=generated,
            replay=as_of is not None,
            tests=tests or None,
            synthetic=synthetic,
        )
    return report, tuple(records.diagnostics)


@contextmanager
def _many_objects() -> Iterator[None]:
    """Spare the search for cycles: records are millions of small objects without one, and stay to the end."""
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.freeze()
            gc.enable()


def cache_folder(world: World) -> Path | None:
    """Return where indexes of archives are kept, None where the environment names no place."""
    base = world.environment.get("XDG_CACHE_HOME")
    home = world.environment.get("HOME")
    if base:
        return Path(base) / "muster"
    return Path(home) / ".cache" / "muster" if home else None


def edited_plans(target: Path, sites: Sequence[str]) -> GeneratedState:
    """Tell which plans are not what muster wrote, as their locks say; all else is not compared."""
    from muster.emit.lock import parse_lock, path_of, sha256
    from muster.reconcile import Difference, GeneratedState

    odd = []
    for site in sites:
        lock, name = target / path_of(site), f"{site}/plan.json"
        try:
            owned = parse_lock(site, lock.read_bytes()).owned
        except FileNotFoundError:
            continue
        except ValueError:
            odd.append(Difference(site, path_of(site), "modified"))
            continue
        if owned.get(name) != sha256((target / name).read_bytes()):
            odd.append(Difference(site, name, "modified"))
    return GeneratedState(tuple(odd), compared=False)


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
