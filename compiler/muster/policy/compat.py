"""Which versions go together: the statements of ``policies/compat`` held against a site."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from muster.diagnostics import Diagnostic
from muster.policy.structure import point_at
from muster.site.positions import format_path
from muster.site.units import parse_version

if TYPE_CHECKING:
    from collections.abc import Mapping

    from muster.site.load import LoadedSite
    from muster.site.positions import Path as Steps


def check_compat(
    site: LoadedSite, resolved: Mapping[str, Any], matrix: Mapping[str, Any]
) -> list[Diagnostic]:
    """Return a finding for every statement whose conditions all hold; each cites its source."""
    versions = _versions(resolved["spec"])
    found = []
    for code, statement in matrix.items():
        if all(_holds(versions.get(name), wanted) for name, wanted in statement["when"].items()):
            name = next(iter(sorted(statement["when"], key=lambda item: item == "kubernetes")))
            steps = versions[name][1]
            said = ", ".join(f"{key} {versions[key][0]}" for key in statement["when"])
            found.append(
                Diagnostic(
                    code,
                    statement["severity"],
                    f"{statement['message']} ({said})",
                    point_at(site.positions, steps),
                    statement["hint"],
                    format_path(steps),
                    site.name or "",
                    (),
                    statement["source"],
                )
            )
    return found


def _versions(spec: Mapping[str, Any]) -> dict[str, tuple[str, Steps]]:
    cluster = spec["cluster"]
    found: dict[str, tuple[str, Steps]] = {
        "kubernetes": (cluster["kubernetes"], ("spec", "cluster", "kubernetes")),
    }
    for name, version in spec["software"].items():
        found[name] = (version, ("spec", "software", name))
    for name, version in cluster["components"].items():
        found[name] = (version, ("spec", "cluster", "components", name))
    return found


def _holds(entry: tuple[str, Steps] | None, wanted: Mapping[str, str]) -> bool:
    if entry is None:
        return False
    version = parse_version(entry[0])
    if "atLeast" in wanted and version < parse_version(wanted["atLeast"]):
        return False
    return "below" not in wanted or version < parse_version(wanted["below"])
