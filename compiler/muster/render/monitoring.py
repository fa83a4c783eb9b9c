"""What watches a site: a monitor for the DCGM exporter, alert rules over muster's own metrics, a dashboard."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any

from muster.diagnostics import diagnostic
from muster.render.jsonnet import evaluate
from muster.render.model import DOMAIN, MANAGED, MONITORING, common_annotations
from muster.render.naming import label_value

if TYPE_CHECKING:
    from muster.diagnostics import Diagnostic, Position
    from muster.render.workload import Setting

OPERATOR = "prometheus-operator"


def monitoring_objects(
    setting: Setting, position: Position | None
) -> tuple[list[dict[str, Any]], list[Diagnostic]]:
    """Return the objects of stage ``90-monitoring``, and what is left out and why.

    Args:
        setting: what the site's runs share.
        position: where the site file describes its cluster.
    """
    cluster = setting.spec["cluster"]
    prometheus = cluster.get("prometheus")
    found: list[Diagnostic] = []

    def left_out(code: str, message: str) -> None:
        found.append(diagnostic(code, message, position, site=setting.site))

    if prometheus is None:
        left_out("MU530", "no monitor, rule or dashboard: the site names no Prometheus")
        return [], found
    made = _evaluate(setting, prometheus, position)
    objects = []
    if OPERATOR not in cluster.get("components", {}):
        left_out("MU530", f"no monitor and no rule: {OPERATOR} is not among the site's components")
    else:
        objects.append(made["rules"])
        if made["monitor"] is None:
            left_out("MU531", "no monitor: the site does not say where its DCGM exporter runs")
        else:
            objects.append(made["monitor"])
    if "dashboards" in prometheus:
        objects.append(_dashboard_map(setting, prometheus["dashboards"], made["dashboard"]))
    else:
        left_out("MU532", "no dashboard: the site does not say how Grafana selects them")
    return objects, found


def _evaluate(setting: Setting, prometheus: Any, position: Position | None) -> Any:
    value = {
        "dashboardUid": "muster-" + hashlib.sha256(setting.site.encode()).hexdigest()[:10],
        "exporter": prometheus.get("dcgmExporter"),
        "meta": _meta(setting, prometheus.get("namespace", setting.namespace)),
        "monitorLabels": prometheus["monitorLabels"],
        "ruleLabels": prometheus["ruleLabels"],
        "site": setting.site,
    }
    return evaluate("monitoring.jsonnet", value, position=position, site=setting.site)


def _meta(setting: Setting, namespace: str) -> dict[str, Any]:
    return {
        "namespace": namespace,
        "annotations": common_annotations(MONITORING),
        "labels": {**MANAGED, f"{DOMAIN}/site": label_value(setting.site)},
    }


def _dashboard_map(setting: Setting, where: Any, dashboard: Any) -> dict[str, Any]:
    meta = _meta(setting, where["namespace"])
    meta["labels"] = {**meta["labels"], **where["labels"]}
    text = json.dumps(dashboard, indent=1, sort_keys=True, ensure_ascii=False)
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": f"muster-dashboard-{setting.site}", **meta},
        "data": {f"muster-{setting.site}.json": text + "\n"},
    }
