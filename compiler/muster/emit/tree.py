"""The one function that writes the output of a compile, and the one that compares it without writing."""

from __future__ import annotations

import errno
from dataclasses import dataclass
from typing import TYPE_CHECKING

from muster.diagnostics import EnvironmentFault, InputFault, Position, diagnostic
from muster.emit import immutable, limits, paths, stage
from muster.emit.exclusive import exclusive
from muster.emit.lock import read_locks
from muster.emit.ownership import REMOVED, WRITTEN, Comparison, Scope, State, compare, read
from muster.emit.scan import Tree, scan

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping
    from pathlib import Path

    from muster.diagnostics import Diagnostic
    from muster.diagnostics.record import Severity
    from muster.emit.lock import Lock


@dataclass(frozen=True, slots=True)
class PublishOptions:
    """What a caller may ask for.

    Attributes:
        full: ``sites`` and ``keep`` are all sites there are: others in the output are retired.
        force: overwrite and prune files that were edited by hand.
        allow_empty: accept a site, or a whole compile, without files.
        allow_prune: accept a large prune and retired sites.
        allow_immutable: accept changes that Kubernetes refuses on an existing object.
        wait: seconds to wait for another compile.
        shown: how findings call the output folder; its path unless given.
    """

    full: bool = False
    force: bool = False
    allow_empty: bool = False
    allow_prune: bool = False
    allow_immutable: bool = False
    wait: float = 30.0
    shown: str = ""


@dataclass(frozen=True, slots=True)
class PublishResult:
    """What a publish did; paths are below the output folder, sorted.

    Attributes:
        written: files that are new or changed.
        removed: files that nothing desires any more.
        unchanged: how many files already were as they should be.
        restored: those of ``written`` that had been deleted.
        discarded: those of ``written`` and ``removed`` that had been edited by hand (``force``).
        retired: sites whose files were all removed.
        leftover: a staging folder that could not be removed, else empty.
    """

    written: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    unchanged: int = 0
    restored: tuple[str, ...] = ()
    discarded: tuple[str, ...] = ()
    retired: tuple[str, ...] = ()
    leftover: str = ""

    @property
    def changed(self) -> bool:
        """Whether anything was written or removed."""
        return bool(self.written or self.removed)


def publish(
    output: Path,
    files: Mapping[str, bytes],
    *,
    sites: Collection[str],
    keep: Collection[str] = (),
    options: PublishOptions | None = None,
) -> PublishResult:
    """Make the output folder hold what a compile gives: all of it or, on any error, nothing of it.

    Args:
        output: the output folder; its parent must exist.
        files: every file of every site in ``sites`` by path below the output folder, with each site's
            ``<site>/lock.json`` as ``lock.build_lock`` makes it.
        sites: the sites compiled in this run.
        keep: sites known to be unchanged; they are left alone.
        options: see ``PublishOptions``.

    Returns:
        What was done. When nothing changed, nothing was written.

    Raises:
        InputFault: the output must not be changed like this; all reasons are told (MU601-MU613).
        EnvironmentFault: another compile holds the output (MU620), or the system refused a step: disk full,
            read-only, no permission (MU621).
        ValueError: locks and files do not fit together, a mistake of the caller.
    """
    options = options or PublishOptions()
    shown = options.shown or str(output)
    _check_place(output, shown)
    try:
        with exclusive(output, shown, options.wait):
            stage.recover(output)
            return _publish(output, files, Scope(sites, keep, options.full), options, shown)
    except OSError as error:
        raise _fault(error, shown) from error


def _publish(
    output: Path, files: Mapping[str, bytes], scope: Scope, options: PublishOptions, shown: str
) -> PublishResult:
    tree = scan(output, shown)
    locks, problems = read_locks(output, shown)
    if problems:
        raise InputFault(problems)
    immutables: list[Diagnostic] = []

    def changed(path: str, old: bytes) -> None:
        immutables.extend(immutable.check(path, old, files[path], shown=shown))

    comparison = compare(output, tree, locks, files, scope, None if options.allow_immutable else changed)
    if not options.allow_immutable:
        immutables += _moved(output, comparison, files, shown)
    problems += _problems(comparison, tree, locks, scope, options, shown)
    problems += immutables
    if problems:
        raise InputFault(sorted(problems, key=lambda item: item.sort_key()))
    write = {path: files[path] for path in comparison.paths(WRITTEN)}
    remove = comparison.paths(REMOVED)
    leftover = ""
    if write or remove:
        _check_device(output, tree, shown)
        leftover = stage.apply(output, tree, write, remove)
    return PublishResult(
        written=tuple(write),
        removed=tuple(remove),
        unchanged=len(comparison.paths({State.SAME})),
        restored=tuple(comparison.paths({State.MISSING})),
        discarded=tuple(comparison.paths({State.EDITED, State.ORPHAN_EDITED})),
        retired=tuple(comparison.retired),
        leftover=leftover,
    )


def _problems(
    comparison: Comparison,
    tree: Tree,
    locks: Mapping[str, Lock],
    scope: Scope,
    options: PublishOptions,
    shown: str,
) -> list[Diagnostic]:
    found = list(comparison.problems)
    if not options.force:
        found += _edited(comparison, shown)
    for path in comparison.paths({State.FOREIGN}):
        message = f"{path} is in the way: other content, and no lock.json lists it"
        found.append(diagnostic("MU606", message, Position(f"{shown}/{path}", 1, 1), path=path))
    fresh = comparison.paths({State.NEW, State.MISSING})
    if fresh:
        found += paths.conflicts(fresh, tree.files.difference(comparison.paths(REMOVED)), tree.folders)
    return found + limits.check(
        comparison, locks, scope, allow_empty=options.allow_empty, allow_prune=options.allow_prune
    )


def _edited(comparison: Comparison, shown: str) -> list[Diagnostic]:
    return [
        diagnostic(
            "MU605",
            f"{path} was edited by hand since the last compile",
            Position(f"{shown}/{path}", 1, 1),
            path=path,
            site=comparison.owner[path],
        )
        for path in comparison.paths({State.EDITED, State.ORPHAN_EDITED})
    ]


def _moved(output: Path, comparison: Comparison, files: Mapping[str, bytes], shown: str) -> list[Diagnostic]:
    """Check objects whose file moved: a file that goes and one of the same name that comes."""
    going: dict[str, list[str]] = {}
    for path in comparison.paths(REMOVED):
        going.setdefault(path.rpartition("/")[2], []).append(path)
    return [
        found
        for path in comparison.paths({State.NEW})
        for old in going.get(path.rpartition("/")[2], [])
        for found in immutable.check(path, read(output, old), files[path], shown=shown, old_path=old)
    ]


def check_tree(
    output: Path,
    files: Mapping[str, bytes],
    *,
    sites: Collection[str],
    keep: Collection[str] = (),
    full: bool = False,
    shown: str = "",
) -> list[Diagnostic]:
    """Report how the output folder differs from what a compile gives, without writing.

    Args:
        output: the output folder.
        files: as for ``publish``.
        sites: as for ``publish``.
        keep: as for ``publish``.
        full: report the files of sites that have no input any more.
        shown: how findings call the folder; its path unless given.

    Returns:
        Sorted findings: missing (MU630), out of date (MU631), orphans (MU632), edited by hand (MU605), foreign
        files in the way (MU606), files that nobody owns beside generated ones (MU633), locks that cannot be
        trusted (MU604), links (MU610).

    Raises:
        EnvironmentFault: the folder cannot be read (MU621).
        ValueError: see ``publish``.
    """
    shown = shown or str(output)
    try:
        tree = scan(output, shown)
        locks, found = read_locks(output, shown)
        if not found:
            comparison = compare(output, tree, locks, files, Scope(sites, keep, full))
            found = (
                comparison.problems
                + _differences(comparison, shown)
                + _unowned(comparison, tree, locks, shown)
            )
    except InputFault as fault:
        found = list(fault.diagnostics)
    except OSError as error:
        raise _fault(error, shown, "read") from error
    return sorted(found, key=lambda item: item.sort_key())


_FINDINGS = {
    State.NEW: ("MU630", "the compile gives {path}, and the output lacks it"),
    State.MISSING: ("MU630", "{path} was written by an earlier compile, and it is missing"),
    State.STALE: ("MU631", "{path} is out of date"),
    State.FOREIGN: ("MU606", "{path} is in the way: other content, and no lock.json lists it"),
    State.ORPHAN: ("MU632", "{path} was written by an earlier compile, and nothing desires it any more"),
}


def _differences(comparison: Comparison, shown: str) -> list[Diagnostic]:
    found = _edited(comparison, shown)
    for state, (code, text) in _FINDINGS.items():
        for path in comparison.paths({state}):
            place = Position(f"{shown}/{path}", 1, 1)
            found.append(
                diagnostic(code, text.format(path=path), place, path=path, site=comparison.owner[path])
            )
    return found


def _unowned(comparison: Comparison, tree: Tree, locks: Mapping[str, Lock], shown: str) -> list[Diagnostic]:
    """Report files in the folder of a site that no lock and no compile knows."""
    owned = {path for lock in locks.values() for path in lock.owned} | comparison.states.keys()
    found = []
    for path in sorted(tree.files - owned):
        site, _, rest = path.partition("/")
        if rest and rest != "lock.json" and site in locks:
            place = Position(f"{shown}/{path}", 1, 1)
            applied = rest.startswith("manifests/") and path.endswith((".yaml", ".yml", ".json"))
            text = f"{path}: no compile wrote this file"
            severity: Severity = "error" if applied else "warning"
            found.append(diagnostic("MU633", text, place, path=path, site=site, severity=severity))
    return found


def _check_place(output: Path, shown: str) -> None:
    if output.name in {"", ".."}:
        raise InputFault(diagnostic("MU611", f"the output {shown} has no name of its own in a parent folder"))
    if not output.parent.is_dir():
        raise InputFault(diagnostic("MU611", f"the parent folder of the output {shown} does not exist"))


def _check_device(output: Path, tree: Tree, shown: str) -> None:
    if tree.exists and output.stat().st_dev != output.parent.stat().st_dev:
        message = f"the output {shown} is a mount point, which cannot be exchanged as a whole"
        raise EnvironmentFault(diagnostic("MU611", message))


def _fault(error: OSError, shown: str, what: str = "write") -> EnvironmentFault:
    hints = {
        errno.ENOSPC: "free some space; the new tree needs about as much as its changed files",
        errno.EDQUOT: "raise the quota or free some space",
        errno.EROFS: "the file system is read-only; choose another output folder",
        errno.EACCES: "the output and its parent folder must be writable for this user",
        errno.EPERM: "the output and its parent folder must be writable for this user",
        errno.EXDEV: "output and parent folder must lie on one file system (an image layer counts as its own)",
    }
    place = f" at {error.filename}" if error.filename else ""
    message = f"cannot {what} the output {shown}: {error.strerror or error}{place}"
    return EnvironmentFault(diagnostic("MU621", message, hint=hints.get(error.errno or 0, "")))
