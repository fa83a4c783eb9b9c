"""Find and read the site files that a command is asked for."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from muster.diagnostics import InputFault, diagnostic
from muster.site.load import LoadedSite, read_site_file
from muster.site.names import nearest

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

    Raises:
        InputFault: MU001 there is no site, or none of that name; MU003 two files have one name.
    """
    folder = repository / "sites"
    known = (
        sorted(path for path in folder.glob("*") if path.suffix in {".yaml", ".yml"})
        if folder.is_dir()
        else []
    )
    paths = [_find(item, known) for item in wanted] if wanted else known
    if not paths:
        raise InputFault(diagnostic("MU001", f"there is no site file in {label(folder)}"))
    by_name: dict[str, Path] = {}
    for path in dict.fromkeys(path.resolve() for path in paths):
        other = by_name.setdefault(path.stem, path)
        if other != path:
            raise InputFault(
                diagnostic("MU003", f"{label(other)} and {label(path)} would both be site {path.stem}")
            )
    inside = folder.resolve()
    unique = {path.resolve(): path for path in reversed(paths)}
    return [
        _read(path, label(path), resolved.parent == inside)
        for resolved, path in sorted(unique.items(), key=lambda item: item[1].stem)
    ]


def _read(path: Path, shown: str, own: bool) -> SiteInput:
    name = f"sites/{path.name}" if own else path.name
    return SiteInput(path, read_site_file(path, name), shown, own)


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
