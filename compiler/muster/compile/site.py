"""One resolved site to bytes: plan, objects, validation, YAML, lock. Pure but for the CRDs, which come as data."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

from muster import __version__
from muster.compile.planfile import plan_text
from muster.compile.plans import plan_site
from muster.compile.result import CompiledSite
from muster.compile.versions import templates_digest, tool_versions
from muster.diagnostics import Diagnostic, diagnostic
from muster.emit.lock import build_lock, path_of
from muster.emit.yaml import dump
from muster.plan import digest_of
from muster.render.model import parse_position
from muster.render.script import script_digest
from muster.render.site import render_site
from muster.render.validate import validate_objects

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from muster.compile.evaluate import Resolved
    from muster.render.model import RenderedSite
    from muster.render.validate import ValidationResult
    from muster.site.positions import PositionMap


_HEADER = "# Made by muster {}, content {}. Do not edit: change the site file and run muster compile.\n"


def compile_site(resolved: Resolved, crds: Sequence[Mapping[str, Any]]) -> CompiledSite:
    """Return the files of a site, or what forbids them.

    Args:
        resolved: the site after the policies.
        crds: the cluster's own CRDs where the site names them.
    """
    name = resolved.source.path.stem
    plan, found = plan_site(resolved)
    if plan is None or any(item.is_error for item in found) or resolved.result.resolved is None:
        return CompiledSite(name, None, None, found, {})
    spec = resolved.result.resolved["spec"]
    positions = resolved.result.site.positions
    rendered = render_site(spec, plan.data, locate=positions.of)
    found = (*found, *rendered.diagnostics)
    if any(item.is_error for item in found):
        return CompiledSite(name, None, None, _sorted(found), {})
    items = [entry.object for entry in rendered.objects]
    checked = validate_objects(items, kubernetes=spec["cluster"]["kubernetes"], crds=crds)
    found = _sorted((*found, *_findings(checked, rendered, positions, plan.data)))
    if any(item.is_error for item in found):
        return CompiledSite(name, None, None, found, checked.counts)
    data = _with_objects(plan.data, rendered)
    return CompiledSite(name, _files(rendered, data, resolved), data, found, checked.counts)


def _files(rendered: RenderedSite, plan: Mapping[str, Any], resolved: Resolved) -> dict[str, bytes]:
    """Return bytes by path; every manifest names the tool's version and the digest of what follows."""
    files = {}
    for path, item, _ in rendered.objects:
        body = dump(item)
        files[path] = _HEADER.format(__version__, hashlib.sha256(body).hexdigest()[:16]).encode() + body
    site = rendered.site
    files[f"{site}/plan.json"] = plan_text(plan)
    inputs = {
        "site": resolved.source.loaded.digest,
        "resolved": digest_of(resolved.result.resolved),
        "templates": templates_digest(),
        "script": script_digest(),
    }
    files[path_of(site)] = build_lock(site, files, inputs, tool_versions())
    return files


def _with_objects(plan: dict[str, Any], rendered: RenderedSite) -> dict[str, Any]:
    objects = rendered.by_desired()
    return {**plan, "desired": [{**item, "objects": objects.get(item["id"], [])} for item in plan["desired"]]}


def _findings(
    checked: ValidationResult, rendered: RenderedSite, positions: PositionMap, plan: Mapping[str, Any]
) -> list[Diagnostic]:
    """Put faults of objects at the lines of the site that ask for them."""
    asked = {item["id"]: parse_position(item["position"]) for item in plan["desired"]}
    found = []
    for fault in checked.faults:
        path, origin, name = "", None, "the site"
        if fault.index >= 0:
            path, _, origin = rendered.objects[fault.index]
            name = checked.names[fault.index]
        field = ("spec", "cluster", "kubernetes") if fault.code == "MU551" else ("spec",)
        place = asked.get(origin or "") or positions.key(field)
        text = f"{name}: {fault.path} {fault.message}" if fault.path else f"{name} {fault.message}"
        found.append(diagnostic(fault.code, text, place, hint=fault.hint, path=path, site=rendered.site))
    return found


def _sorted(found: Sequence[Diagnostic]) -> tuple[Diagnostic, ...]:
    return tuple(sorted(found, key=Diagnostic.sort_key))
