"""Plans of many sites, without rendering anything."""

from __future__ import annotations

from typing import TYPE_CHECKING

from muster.diagnostics import Diagnostic
from muster.plan import SitePlan, build_plan
from muster.plan.context import SiteContext
from muster.render.script import script_digest

if TYPE_CHECKING:
    from muster.compile.evaluate import Resolved


def plan_site(resolved: Resolved) -> tuple[SitePlan | None, tuple[Diagnostic, ...]]:
    """Return the plan of a site, None where the policies refuse it, and every finding up to here."""
    result = resolved.result
    found = (*resolved.source.loaded.diagnostics, *result.diagnostics)
    if result.resolved is None or any(item.is_error for item in found):
        return None, tuple(sorted(found, key=Diagnostic.sort_key))
    context = SiteContext(
        result.resolved["metadata"]["name"], result.resolved["spec"], result.site.positions, resolved.places
    )
    plan = build_plan(context, resolved.catalog, result.site.digest, script_digest())
    return plan, tuple(sorted((*found, *plan.diagnostics), key=Diagnostic.sort_key))
