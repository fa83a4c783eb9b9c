"""Monitors, rules and dashboard carry the site's labels, and what is left out is said."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from muster.reconcile import metrics
from muster.render import RenderedSite, render_site
from render_helpers.plans import SITE, locate, plan, spec


def render(site_spec: dict[str, Any]) -> RenderedSite:
    return render_site(site_spec, plan(), locate=locate)


def found(site: RenderedSite) -> dict[str, dict[str, Any]]:
    return {item["kind"]: item for path, item, _ in site.objects if "/90-monitoring/" in path}


def said(site: RenderedSite) -> list[str]:
    return [item.code for item in site.diagnostics if item.code.startswith("MU53") and item.code != "MU533"]


def test_labels_are_those_prometheus_selects_by() -> None:
    items = found(render(spec()))
    assert items["ServiceMonitor"]["metadata"]["labels"]["release"] == "prometheus"
    assert items["PrometheusRule"]["metadata"]["labels"]["release"] == "prometheus"
    assert items["ConfigMap"]["metadata"]["labels"]["grafana_dashboard"] == "1"
    assert items["ServiceMonitor"]["spec"]["namespaceSelector"] == {"matchNames": ["gpu-operator"]}
    [endpoint] = items["ServiceMonitor"]["spec"]["endpoints"]
    assert (endpoint["interval"], endpoint["port"]) == ("30s", "gpu-metrics")


@pytest.mark.parametrize(
    ("drop", "kinds", "code"),
    [
        (("prometheus",), set(), "MU530"),
        (("components", "prometheus-operator"), {"ConfigMap", "Kustomization"}, "MU530"),
        (("prometheus", "dcgmExporter"), {"ConfigMap", "PrometheusRule", "Kustomization"}, "MU531"),
        (("prometheus", "dashboards"), {"ServiceMonitor", "PrometheusRule", "Kustomization"}, "MU532"),
    ],
)
def test_what_the_site_does_not_describe_is_left_out_and_said(
    drop: tuple[str, ...], kinds: set[str], code: str
) -> None:
    site_spec = spec()
    at = site_spec["cluster"]
    for key in drop[:-1]:
        at = at[key]
    del at[drop[-1]]
    site = render(site_spec)
    assert set(found(site)) == kinds
    assert said(site) == [code]


def test_everything_described_is_rendered_without_a_word() -> None:
    site = render(spec())
    assert set(found(site)) == {"ConfigMap", "Kustomization", "PrometheusRule", "ServiceMonitor"}
    assert said(site) == []


def test_dashboard_is_one_that_grafana_reads() -> None:
    [text] = found(render(spec()))["ConfigMap"]["data"].values()
    board = json.loads(text)
    assert "${" not in text
    assert len(board["uid"]) <= 40
    assert SITE in board["title"]
    ids = [panel["id"] for panel in board["panels"]]
    assert len(set(ids)) == len(ids) > 4
    for panel in board["panels"]:
        assert panel["title"]
        assert panel["targets"]
        assert [target["refId"] for target in panel["targets"]] == ["A", "B", "C"][: len(panel["targets"])]
        assert panel["gridPos"]["x"] + panel["gridPos"]["w"] <= 24
        assert all(SITE in target["expr"] for target in panel["targets"])
    assert not _overlap([panel["gridPos"] for panel in board["panels"]])


def test_every_metric_is_one_that_muster_or_the_exporter_writes() -> None:
    items = found(render(spec()))
    text = json.dumps(items["PrometheusRule"]) + items["ConfigMap"]["data"][f"muster-{SITE}.json"]
    used = set(re.findall(r"\b(?:muster_[a-z_]+|DCGM_FI_[A-Z_]+)\b", text)) - {"muster_site"}
    assert {name for name in used if name.startswith("muster_")} <= set(metrics._FAMILIES)
    assert len(used) > 6


def _overlap(places: list[dict[str, int]]) -> bool:
    cells = [
        (x, y)
        for place in places
        for x in range(place["x"], place["x"] + place["w"])
        for y in range(place["y"], place["y"] + place["h"])
    ]
    return len(set(cells)) != len(cells)


def test_every_alert_names_its_site_and_says_what_it_means() -> None:
    [group] = found(render(spec()))["PrometheusRule"]["spec"]["groups"]
    names = [rule["alert"] for rule in group["rules"]]
    assert {"MusterTestsViolated", "MusterEvidenceStale", "MusterMetricsAbsent"} <= set(names)
    for rule in group["rules"]:
        assert re.search(rf'\{{site="{SITE}"[,}}]', rule["expr"])
        assert rule["labels"]["site"] == SITE
        assert rule["annotations"]["summary"]
        assert rule["annotations"]["description"]
