"""What Argo CD is told: as little as it needs, and how to tell a failed test from a broken sync."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from muster.render import render_site
from muster.render.delivery import HEALTH, health_checks
from render_helpers.plans import SITE, locate, plan, spec

if TYPE_CHECKING:
    from collections.abc import Callable

CASES = yaml.safe_load((Path(__file__).resolve().parents[2] / "cases/render/health.yaml").read_text("utf-8"))


def delivered(kind: str, **changes: Any) -> dict[str, Any]:
    site = render_site(spec(**changes), plan(), locate=locate)
    [found] = [
        item for path, item, _ in site.objects if path.startswith("delivery/") and item["kind"] == kind
    ]
    return found


def test_project_allows_this_site_and_nothing_else() -> None:
    project = delivered("AppProject")["spec"]
    assert project["sourceRepos"] == ["https://git.example.com/gpu/fleet.git"]
    assert project["clusterResourceWhitelist"] == [{"group": "", "kind": "Namespace"}]
    assert project["destinations"] == [
        {"namespace": name, "server": "https://kubernetes.default.svc"}
        for name in ("gpu-acceptance", "monitoring")
    ]
    assert {item["kind"] for item in project["namespaceResourceWhitelist"]} == {
        *(
            "ConfigMap",
            "Job",
            "NetworkPolicy",
            "PrometheusRule",
            "Service",
            "ServiceAccount",
            "ServiceMonitor",
        )
    }


def test_project_covers_every_object_of_the_site() -> None:
    site = render_site(spec(), plan(runner="mpijob"))
    [project] = [item["spec"] for _, item, _ in site.objects if item["kind"] == "AppProject"]
    spaces = {entry["namespace"] for entry in project["destinations"]}
    kinds = {(entry["group"], entry["kind"]) for entry in project["namespaceResourceWhitelist"]}
    seen = 0
    for path, item, _ in site.objects:
        if path.startswith(f"{SITE}/") and item["kind"] not in ("Kustomization", "Namespace"):
            group = item["apiVersion"].rpartition("/")[0]
            assert (group, item["kind"]) in kinds
            assert item["metadata"]["namespace"] in spaces
            seen += 1
    assert seen > 10


def test_application_syncs_its_own_path_without_what_reruns_tests() -> None:
    application = delivered("Application")
    source = application["spec"]["source"]
    assert source["path"] == f"generated/{SITE}/manifests"
    assert source["directory"] == {"exclude": "{kustomization.yaml,*/kustomization.yaml}", "recurse": True}
    options = application["spec"]["syncPolicy"]["syncOptions"]
    assert not [option for option in options if option.startswith(("Force", "Replace"))]
    assert application["metadata"]["annotations"]["argocd.argoproj.io/manifest-generate-paths"] == "."
    assert "finalizers" not in application["metadata"]


def test_argocds_own_configuration_is_never_pruned() -> None:
    config = delivered("ConfigMap")
    assert config["metadata"]["name"] == "argocd-cm"
    assert "Prune=false" in config["metadata"]["annotations"]["argocd.argoproj.io/sync-options"]
    assert set(config["data"]) == {f"resource.customizations.health.{kind}" for kind in HEALTH}


def _lua(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ",".join(f"[{_lua(key)}]={_lua(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        return "{" + ",".join(_lua(item) for item in value) + "}"
    return json.dumps(value)


@pytest.fixture(scope="session")
def run_lua() -> Callable[[str, dict[str, Any]], dict[str, str]]:
    """Run a health check on an object, in an interpreter that has only what Argo CD's has."""
    program = next((found for name in ("lua5.1", "luajit", "lua") if (found := shutil.which(name))), None)
    if program is None:
        pytest.skip("no Lua interpreter on this machine")

    def run(check: str, item: dict[str, Any]) -> dict[str, str]:
        text = (
            f"local write = io.write\nio, os, string, debug = nil, nil, nil, nil\nobj = {_lua(item)}\n"
            f"local hs = (function()\n{check}\nend)()\nwrite(hs.status, '\\n', hs.message or '')\n"
        )
        done = subprocess.run([program, "-"], input=text, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        status, _, message = done.stdout.partition("\n")
        return {"status": status, "message": message}

    return run


@pytest.mark.parametrize("case", CASES.values(), ids=list(CASES))
def test_health(case: dict[str, Any], run_lua: Callable[[str, dict[str, Any]], dict[str, str]]) -> None:
    found = run_lua(health_checks()[case["kind"]], case["object"])
    assert found["status"] == case["status"]
    if "message" in case:
        assert found["message"] == case["message"]


def test_every_health_check_has_cases() -> None:
    assert {case["kind"] for case in CASES.values()} == set(HEALTH)
