"""Find and read the site files that a command is asked for."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from muster.diagnostics import InputFault, Position, diagnostic
from muster.site.load import LoadedSite, read_site_file
from muster.site.names import nearest
from muster.site.positions import PositionMap

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


@dataclass(frozen=True, slots=True)
class SiteInput:
    """A site file as read.

    Attributes:
        path: where it lies.
        loaded: what reading gave; positions name the file by its place in the repository, whatever the working
            directory, since they become part of the output.
        shown: how messages name the file.
        own: whether it lies in the repository's ``sites`` folder; others get the built-in policies.
    """

    path: Path
    loaded: LoadedSite
    shown: str
    own: bool


def read_sites(repository: Path, wanted: Sequence[str], label: Callable[[Path], str]) -> list[SiteInput]:
    """Read the sites named, or every file of ``sites/``.

    Args:
        repository: the GitOps repository.
        wanted: names of sites, or paths of site files anywhere; empty for all.
        label: how messages name a file.

    Returns:
        The sites by name. Files that cannot be read, and files of one name (MU003), are sites with findings.

    Raises:
        InputFault: MU001 there is no site, or none of that name.
    """
    folder = repository / "sites"
    known = (
        sorted(path for path in folder.iterdir() if path.suffix.lower() in {".yaml", ".yml"})
        if folder.is_dir()
        else []
    )
    paths = [_find(item, known) for item in wanted] if wanted else known
    if not paths:
        raise InputFault(diagnostic("MU001", f"there is no site file in {label(folder)}"))
    unique = {path.parent.resolve() / path.name: path for path in reversed(paths)}
    inside = folder.resolve()
    by_name: dict[str, list[SiteInput]] = {}
    for place, path in sorted(unique.items(), key=lambda item: (item[1].stem, label(item[1]))):
        by_name.setdefault(path.stem, []).append(_read(path, label(path), place.parent == inside))
    return [group[0] if len(group) == 1 else _same_name(name, group) for name, group in by_name.items()]


def _read(path: Path, shown: str, own: bool) -> SiteInput:
    name = f"sites/{path.name}" if own else path.name
    return SiteInput(path, read_site_file(path, name), shown, own)


def _same_name(name: str, group: Sequence[SiteInput]) -> SiteInput:
    """Return one site that cannot be compiled for several files that would be it."""
    first = group[0]
    files = " and ".join(item.shown for item in group)
    message = f"{files} would both be site {name}"
    fault = diagnostic("MU003", message, Position(first.loaded.file, 1, 1), site=name)
    loaded = LoadedSite(first.loaded.file, None, None, PositionMap(first.loaded.file), (fault,), "")
    return replace(first, loaded=loaded)


def _find(item: str, known: Sequence[Path]) -> Path:
    if "/" in item or item.endswith((".yaml", ".yml")) or Path(item).is_file():
        return Path(item)
    for path in known:
        if path.stem == item:
            return path
    near = nearest(item, [path.stem for path in known])
    hint = (
        f'did you mean "{near}"?' if near else "known: " + (", ".join(path.stem for path in known) or "none")
    )
    raise InputFault(diagnostic("MU001", f"no site is called {item}", hint=hint))
