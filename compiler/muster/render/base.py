"""What all tests of a site share: namespace, account, pod script, closed network."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from muster.diagnostics import diagnostic
from muster.diagnostics.escape import clip, visible
from muster.render.jsonnet import evaluate
from muster.render.model import ACCOUNT, BASE, DOMAIN, MANAGED, common_annotations
from muster.render.naming import label_value
from muster.render.script import NAME, script_text
from muster.render.security import Rights, level_of
from muster.render.workload import script_map

if TYPE_CHECKING:
    from collections.abc import Mapping

    from muster.diagnostics import Diagnostic, Position
    from muster.render.workload import Setting

# A namespace that goes takes finished tests and their logs with it.
_KEPT = {"argocd.argoproj.io/sync-options": "Prune=false,Delete=false"}


def base_objects(
    setting: Setting, needs: Mapping[str, Rights], position: Position | None
) -> tuple[list[dict[str, Any]], list[Diagnostic]]:
    """Return the objects of stage ``00-base`` and what is to be said about them.

    Args:
        setting: what the site's runs share.
        needs: the rights that each test needs, by its name.
        position: where the site file names the namespace.
    """
    level = level_of(needs.values())
    reasons = _reasons(needs)
    said = {f"{DOMAIN}/pod-security": reasons} if reasons else {}
    value = {
        "account": ACCOUNT,
        "annotations": common_annotations(BASE),
        "labels": {**MANAGED, f"{DOMAIN}/site": label_value(setting.site)},
        "level": level,
        "levelVersion": f"v{setting.minor[0]}.{setting.minor[1]}",
        "namespace": setting.namespace,
        "namespaceAnnotations": {**_KEPT, **said},
        "scriptMap": script_map(),
        "scriptName": NAME,
        "scriptText": script_text(),
        "selector": MANAGED,
    }
    found = []
    if reasons:
        message = f"namespace {visible(setting.namespace)} admits {level} pods: {clip(reasons, 400)}"
        found.append(diagnostic("MU533", message, position, site=setting.site))
    return evaluate("base.jsonnet", value, position=position, site=setting.site), found


def _reasons(needs: Mapping[str, Rights]) -> str:
    by_rights: dict[Rights, list[str]] = {}
    for test, rights in sorted(needs.items()):
        if rights is not Rights.USER:
            by_rights.setdefault(rights, []).append(visible(test))
    return "; ".join(f"{', '.join(tests)}: {rights.value}" for rights, tests in by_rights.items())
