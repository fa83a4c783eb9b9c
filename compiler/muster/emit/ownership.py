"""Compare an output folder with what a compile gives, by the ownership maps of the locks.

Only files that a lock lists are ever replaced or removed, and only if they still are what muster wrote.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING

from muster.diagnostics import InputFault, diagnostic
from muster.emit import lock as locking
from muster.emit.paths import is_safe

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping
    from pathlib import Path

    from muster.diagnostics import Diagnostic
    from muster.emit.lock import Lock
    from muster.emit.scan import Tree


class State(Enum):
    """What is to be said about one path."""

    SAME = "the folder holds what the compile gives"
    NEW = "nobody wrote it before"
    MISSING = "an earlier compile wrote it, and it is not there"
    STALE = "an earlier compile wrote it, and the compile gives something else now"
    EDITED = "it is not what the last compile wrote"
    FOREIGN = "it is in the way and nobody owns it"
    ORPHAN = "an earlier compile wrote it, and nothing desires it any more"
    ORPHAN_EDITED = "nothing desires it any more, and it is not what the last compile wrote"


CHANGED = frozenset({State.STALE, State.EDITED})
WRITTEN = frozenset({State.NEW, State.MISSING, *CHANGED})
REMOVED = frozenset({State.ORPHAN, State.ORPHAN_EDITED})


@dataclass(frozen=True, slots=True)
class Scope:
    """Which sites a run speaks for.

    Attributes:
        sites: compiled in this run; ``files`` holds all of their files.
        keep: known to be unchanged and left alone.
        full: ``sites`` and ``keep`` are all there are, so that other sites in the output have no input any more.
    """

    sites: Collection[str]
    keep: Collection[str] = ()
    full: bool = False

    def retired(self, locks: Mapping[str, Lock]) -> list[str]:
        """Return the sites in the output whose input has vanished."""
        return sorted(set(locks) - set(self.sites) - set(self.keep)) if self.full else []


@dataclass(slots=True)
class Comparison:
    """The outcome for every path that the sites in scope own or owned.

    Attributes:
        states: path -> what is to be said about it.
        owner: path -> the site it belongs to, or belonged to.
        retired: sites whose input has vanished.
        problems: paths that are not allowed or made twice.
    """

    states: dict[str, State] = field(default_factory=dict)
    owner: dict[str, str] = field(default_factory=dict)
    retired: list[str] = field(default_factory=list)
    problems: list[Diagnostic] = field(default_factory=list)

    def paths(self, states: Collection[State]) -> list[str]:
        """Return the paths in one of some states, sorted."""
        return sorted(path for path, state in self.states.items() if state in states)


def read(output: Path, path: str) -> bytes:
    """Read a file below the output folder."""
    descriptor = os.open(f"{output}/{path}", os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    with os.fdopen(descriptor, "rb", buffering=0) as file:
        return file.readall()


def new_owners(files: Mapping[str, bytes], scope: Scope) -> dict[str, str]:
    """Return the site that owns each file of a compile, as its lock says.

    Raises:
        InputFault: a path is not allowed (MU601), or two sites make it (MU602).
        ValueError: a file that no lock lists, a listed file that is not there, a lock of a site that was not
            compiled: mistakes of the caller.
    """
    bad = [
        diagnostic("MU601", f"output path {path!r} is not allowed", path=path)
        for path in files
        if not is_safe(path)
    ]
    owner: dict[str, str] = {}
    for site in sorted(scope.sites):
        own = locking.path_of(site)
        if own not in files:
            continue
        for path in sorted([*locking.parse_lock(site, files[own]).owned, own]):
            other = owner.setdefault(path, site)
            if other != site:
                bad.append(
                    diagnostic("MU602", f"{path} is made by site {other} and by site {site}", path=path)
                )
    if bad:
        raise InputFault(bad)
    if owner.keys() != files.keys():
        strays = sorted(owner.keys() ^ files.keys())
        raise ValueError(f"locks and files disagree about {', '.join(strays[:5])}")
    return owner


def compare(
    output: Path,
    tree: Tree,
    locks: Mapping[str, Lock],
    files: Mapping[str, bytes],
    scope: Scope,
    changed: Callable[[str, bytes], None] | None = None,
) -> Comparison:
    """Say for every path of the sites in scope what it is.

    Args:
        output: the output folder.
        tree: what lies in it.
        locks: the checked locks in it.
        files: what the compile gives for the sites in scope.
        scope: the sites.
        changed: called with path and old bytes of every file that would be replaced.

    Raises:
        InputFault, ValueError: see ``new_owners``.
        OSError: a file cannot be read.
    """
    result = Comparison(owner=new_owners(files, scope), retired=scope.retired(locks))
    speaking = {*scope.sites, *result.retired}
    before = {path: (site, digest) for site, lock in locks.items() for path, digest in lock.owned.items()}
    before.update((locking.path_of(site), (site, "")) for site in locks)
    for path, data in files.items():
        known = before.get(path)
        if known and known[0] not in speaking:
            message = f"{path} is made by site {result.owner[path]} and belongs to site {known[0]}"
            result.problems.append(diagnostic("MU602", message, path=path))
        elif path not in tree.files:
            result.states[path] = State.MISSING if known else State.NEW
        else:
            old = read(output, path)
            result.states[path] = State.SAME if old == data else _replaced(path, old, known)
            if changed and result.states[path] in CHANGED:
                changed(path, old)
    for path, (site, digest) in before.items():
        if site in speaking and path not in files and path in tree.files:
            intact = not digest or locking.sha256(read(output, path)) == digest
            result.states[path] = State.ORPHAN if intact else State.ORPHAN_EDITED
            result.owner[path] = site
    return result


def _replaced(path: str, old: bytes, known: tuple[str, str] | None) -> State:
    if known is None:
        return State.FOREIGN
    is_lock = path == locking.path_of(known[0])
    return State.STALE if is_lock or locking.sha256(old) == known[1] else State.EDITED
