"""What sites of one output share: two of them must not write one object outside their manifests differently."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING

from muster.diagnostics import Diagnostic, diagnostic

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from muster.compile.result import CompiledSite
    from muster.diagnostics import Position


@lru_cache(maxsize=4096)
def _namespace(data: bytes) -> str:
    """Return the namespace of an object that was just emitted, empty where it has none.

    The lines of its metadata are looked at, not the whole text: fleets have many of them.
    """
    inside = False
    for line in data.decode("utf-8").splitlines():
        inside = line == "metadata:" or (inside and line.startswith(" "))
        if inside and line.startswith("  namespace: "):
            return line.removeprefix("  namespace: ")
    return ""


def refuse_conflicts(
    sites: Sequence[CompiledSite], positions: Mapping[str, Position]
) -> tuple[CompiledSite, ...]:
    """Take the output of a site whose delivery objects contradict those of a site before it.

    Args:
        sites: compiled sites in the order of their names.
        positions: where each site, by its name, describes its delivery.
    """
    first: dict[tuple[str, str], tuple[str, bytes]] = {}
    checked = []
    for site in sites:
        found: list[Diagnostic] = []
        for path, data in (site.files or {}).items():
            if not path.startswith("delivery/"):
                continue
            name = path.removeprefix(f"delivery/{path.split('/')[1]}/{site.name}/")
            other, same = first.setdefault((name, _namespace(data)), (site.name, data))
            if same != data:
                message = f"{name} is not what site {other} writes under that name"
                found.append(diagnostic("MU537", message, positions.get(site.name), site=site.name))
        checked.append(replace(site, files=None, diagnostics=(*site.diagnostics, *found)) if found else site)
    return tuple(checked)
