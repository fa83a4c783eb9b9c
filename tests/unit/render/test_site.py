"""A whole site: its objects against goldens, their names against changes, and what must never differ."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from muster.render import RenderedSite, render_site, script_text
from render_helpers.plans import DCGM_IMAGE, FILE, IMAGE, SITE, desired, locate, plan, spec

GOLDEN = Path(__file__).resolve().parents[2] / "golden/render"
PAIR = ["node-a", "node-b"]
Change = Callable[[dict[str, Any], dict[str, Any]], None]


def objects(site: RenderedSite, kind: str) -> list[dict[str, Any]]:
    return [item for _, item, _ in site.objects if item["kind"] == kind]


def only(site: RenderedSite, kind: str, part: str) -> dict[str, Any]:
    [found] = [item for item in objects(site, kind) if part in item["metadata"]["name"]]
    return found


def codes(site: RenderedSite) -> list[str]:
    return [item.code for item in site.diagnostics]


def pod_of(job: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = job["spec"]["template"]["spec"]
    return found


def env_of(pod: dict[str, Any]) -> dict[str, str]:
    return {entry["name"]: entry["value"] for entry in pod["containers"][0]["env"] if "value" in entry}


@pytest.mark.parametrize("runner", ["job", "mpijob"])
def test_golden(runner: str, refresh: bool) -> None:
    site = render_site(spec(), plan(runner=runner), locate=locate)
    assert not any(item.is_error for item in site.diagnostics)
    found = {path: item for path, item, _ in site.objects}
    for item in found.values():
        if item["kind"] == "ConfigMap" and "muster-run.sh" in item["data"]:
            assert item["data"]["muster-run.sh"] == script_text()
            item["data"]["muster-run.sh"] = "the pod script"
    text = json.dumps(found, indent=1, sort_keys=True) + "\n"
    path = GOLDEN / f"{runner}.json"
    if refresh:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    assert path.read_text("utf-8") == text


def test_same_bytes_on_any_machine(tmp_path: Path) -> None:
    """Hash seed, locale, time zone and working directory change nothing."""
    code = (
        "import hashlib, json, sys; sys.path.insert(0, sys.argv[1])\n"
        "from render_helpers.plans import plan, spec, locate\n"
        "from muster.render import render_site\n"
        "for runner in ('job', 'mpijob'):\n"
        "    site = render_site(spec(), plan(runner=runner), locate=locate)\n"
        "    text = json.dumps([[list(entry) for entry in site.objects], list(map(str, site.diagnostics))])\n"
        "    print(len(site.objects), hashlib.sha256(text.encode()).hexdigest())\n"
    )
    tests = str(Path(__file__).resolve().parents[2])
    outputs = set()
    for seed, locale, zone in (
        ("0", "C", "UTC"),
        ("1", "C.UTF-8", "Asia/Shanghai"),
        ("77", "POSIX", "US/Hawaii"),
    ):
        env = {"PATH": os.environ["PATH"], "PYTHONHASHSEED": seed, "LC_ALL": locale, "TZ": zone}
        done = subprocess.run(
            [sys.executable, "-c", code, tests],
            env=env,
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=True,
        )
        outputs.add(done.stdout)
    assert len(outputs) == 1
    assert int(outputs.pop().split()[0]) > 15


def test_order_of_the_plan_does_not_matter() -> None:
    one, other = plan(), plan()
    other["desired"].reverse()
    assert render_site(spec(), one).objects == render_site(spec(), other).objects


def _measurement(field: str, value: Any) -> Change:
    def change(_spec: dict[str, Any], item: dict[str, Any]) -> None:
        fresh = desired(item["test"], item["tool"], item["unit"], **{field: value})
        item.update(fresh)

    return change


def _site(*path: str, value: Any) -> Change:
    def change(site: dict[str, Any], _item: dict[str, Any]) -> None:
        for key in path[:-1]:
            site = site.setdefault(key, {})
        site[path[-1]] = value

    return change


def _desired(field: str, value: Any) -> Change:
    def change(_spec: dict[str, Any], item: dict[str, Any]) -> None:
        item[field] = value

    return change


RERUNS = {
    "parameter": _measurement("params", {"rounds": 3, "roundTimeout": 700}),
    "command": _measurement("command", ["all_reduce_perf", "-b", "8"]),
    "image": _measurement("image", DCGM_IMAGE),
    "environment": _measurement("env", {"NCCL_NET": "Socket"}),
    "resources": _measurement("resources", {"nvidia.com/gpu": "4"}),
    "driver": _measurement("software", {"driver": "590.1", "cuda": "12.9"}),
    "campaign": _measurement("campaign", "2026-11"),
    "rounds": _measurement("rounds", 5),
}
KEEPS = {
    "acceptance": _desired("acceptance", {"thresholds": [{"lower": 1.0}]}),
    "cost": _desired("cost", {"gpus": 1, "seconds": 1, "gpuHours": 1.0}),
    "wave": _desired("wave", 7),
    "position": _desired("position", f"{FILE}:99:5"),
    "deadline": _site("budget", "deadline", value="1h"),
    "labels of Prometheus": _site("cluster", "prometheus", "ruleLabels", value={"team": "gpu"}),
    "minor version": _site("cluster", "kubernetes", value="1.34.1"),
    "maintenance": _site("maintenance", value={"allow": ["dcgm-level-3"]}),
    "waivers": _site("waivers", value={"x": {}}),
}


@pytest.mark.parametrize("name", [*RERUNS, *KEEPS])
def test_name_changes_exactly_when_the_measurement_does(name: str) -> None:
    site, item = spec(), desired("pair-all-reduce", "nccl-tests", PAIR)
    before = only(render_site(site, plan([item])), "Job", "pair")["metadata"]["name"]
    (RERUNS | KEEPS)[name](site, item)
    after = only(render_site(site, plan([item])), "Job", "pair")["metadata"]["name"]
    assert (before != after) == (name in RERUNS)


@pytest.mark.parametrize("name", KEEPS)
def test_what_keeps_the_name_keeps_the_pod_template(name: str) -> None:
    """A Job's template cannot be changed: a change of acceptance must not touch it."""
    site, item = spec(), desired("pair-all-reduce", "nccl-tests", PAIR)
    before = only(render_site(site, plan([item])), "Job", "pair")["spec"]["template"]
    KEEPS[name](site, item)
    assert only(render_site(site, plan([item])), "Job", "pair")["spec"]["template"] == before


def test_two_tests_that_measure_the_same_have_two_names() -> None:
    items = [desired("one", "nccl-tests", PAIR), desired("two", "nccl-tests", PAIR)]
    assert items[0]["digest"] == items[1]["digest"]
    assert len(objects(render_site(spec(), plan(items)), "Job")) == 2


def test_one_name_for_two_runs_is_refused() -> None:
    items = [desired("one", "nccl-tests", PAIR, line=3), desired("one", "nccl-tests", PAIR, line=4)]
    site = render_site(spec(), plan(items))
    [found] = [item for item in site.diagnostics if item.is_error]
    assert (found.code, str(found.position)) == ("MU500", f"{FILE}:4:5")
    assert site.objects == ()


def test_both_runners_measure_the_same() -> None:
    """The operator changes how pods meet, never what is measured."""
    item = desired("pair-all-reduce", "nccl-tests", PAIR)
    job = only(render_site(spec(), plan([item])), "Job", "pair")
    mpi = only(render_site(spec(), plan([item], "mpijob")), "MPIJob", "pair")
    assert job["metadata"] == mpi["metadata"]
    worker = mpi["spec"]["mpiReplicaSpecs"]["Worker"]["template"]["spec"]
    launcher = mpi["spec"]["mpiReplicaSpecs"]["Launcher"]["template"]["spec"]
    plain = pod_of(job)
    for pod in (worker, launcher):
        assert pod["containers"][0]["args"][1:] == plain["containers"][0]["args"][1:]
        assert pod["containers"][0]["image"] == plain["containers"][0]["image"]
        assert pod["affinity"]["nodeAffinity"] == plain["affinity"]["nodeAffinity"]
        meeting = {
            "MUSTER_HEAD",
            "MUSTER_HOSTS",
            "MUSTER_SSH_KEY",
            "MUSTER_RUN_AS",
            "NVIDIA_DRIVER_CAPABILITIES",
        }
        one, other = env_of(pod), env_of(plain)
        assert {key: value for key, value in one.items() if key not in meeting} == {
            key: value for key, value in other.items() if key not in meeting
        }
    assert worker["containers"][0]["resources"] == plain["containers"][0]["resources"]
    assert "nvidia.com/gpu" not in launcher["containers"][0]["resources"]["limits"]
    assert mpi["spec"]["slotsPerWorker"] == 8
    assert mpi["spec"]["mpiReplicaSpecs"]["Worker"]["replicas"] == job["spec"]["completions"] == 2


def test_pods_of_a_unit_are_on_its_nodes_one_on_each() -> None:
    job = only(render_site(spec(), plan()), "Job", "pair")
    affinity = pod_of(job)["affinity"]
    terms = affinity["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]["nodeSelectorTerms"]
    assert [term["matchFields"][0]["values"] for term in terms] == [["node-a"], ["node-b"]]
    [apart] = affinity["podAntiAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]
    labels = job["spec"]["template"]["metadata"]["labels"]
    assert apart["labelSelector"]["matchLabels"].items() <= labels.items()
    assert job["spec"]["completionMode"] == "Indexed"


def test_network_is_closed_but_among_the_pods_of_one_run() -> None:
    site = render_site(spec(), plan())
    deny = only(site, "NetworkPolicy", "deny-all")["spec"]
    assert deny == {
        "podSelector": {"matchLabels": {"app.kubernetes.io/managed-by": "muster"}},
        "policyTypes": ["Egress", "Ingress"],
    }
    job, open_ = only(site, "Job", "pair"), only(site, "NetworkPolicy", "pair")["spec"]
    selector = {"muster.dev/object": job["metadata"]["name"]}
    assert open_["ingress"] == [{"from": [{"podSelector": {"matchLabels": selector}}]}]
    assert open_["podSelector"] == {"matchLabels": selector}
    assert open_["egress"][0] == {"to": [{"podSelector": {"matchLabels": selector}}]}
    assert selector.items() <= job["spec"]["template"]["metadata"]["labels"].items()
    single = only(site, "Job", "node-all-reduce-node-a")["metadata"]["name"]
    assert not [item for item in objects(site, "NetworkPolicy") if item["metadata"]["name"] == single]


@pytest.mark.parametrize(
    ("items", "lock", "level"),
    [
        ([desired("n", "nccl-tests", ["node-a"])], True, "restricted"),
        ([desired("d", "dcgm", ["node-a"])], True, "baseline"),
        ([desired("d", "dcgm", ["node-a"]), desired("p", "nccl-tests", PAIR)], True, "privileged"),
        ([desired("p", "nccl-tests", PAIR)], False, "restricted"),
        ([desired("t", "nccl-tests", PAIR, resources={"nvidia.com/gpu": "8"})], True, "restricted"),
    ],
)
def test_namespace_admits_what_the_tests_need_and_no_more(
    items: list[dict[str, Any]], lock: bool, level: str
) -> None:
    site_spec = spec()
    site_spec["pools"]["h20"]["fabric"]["ipcLock"] = lock
    site = render_site(site_spec, plan(items), locate=locate)
    [space] = objects(site, "Namespace")
    labels = space["metadata"]["labels"]
    for mode in ("enforce", "audit", "warn"):
        assert labels[f"pod-security.kubernetes.io/{mode}"] == level
        assert labels[f"pod-security.kubernetes.io/{mode}-version"] == "v1.30"
    assert ("MU533" in codes(site)) == (level != "restricted")
    assert ("muster.dev/pod-security" in space["metadata"]["annotations"]) == (level != "restricted")


def test_capability_is_handed_down_by_root_only_where_it_is_needed() -> None:
    site = render_site(spec(), plan())
    pair, node, dcgm = (
        pod_of(only(site, "Job", name)) for name in ("pair", "node-all-reduce-node-a", "dcgm-level-1-node-a")
    )
    assert pair["containers"][0]["securityContext"]["capabilities"]["add"] == ["IPC_LOCK", "SETGID", "SETUID"]
    assert (pair["securityContext"]["runAsUser"], env_of(pair)["MUSTER_RUN_AS"]) == (0, "1000")
    assert "add" not in node["containers"][0]["securityContext"]["capabilities"]
    assert node["securityContext"]["runAsNonRoot"] is True
    assert "MUSTER_RUN_AS" not in env_of(node) | env_of(dcgm)
    assert dcgm["securityContext"]["runAsUser"] == 0


def test_deadline_includes_waiting() -> None:
    site_spec = spec(budget={"gpuHours": 1, "maxConcurrentNodes": 2, "deadline": "10m"})
    job = only(render_site(site_spec, plan()), "Job", "pair")
    assert job["spec"]["activeDeadlineSeconds"] == 600
    assert job["spec"]["backoffLimit"] == 0
    assert env_of(pod_of(job))["MUSTER_WAIT_SECONDS"] == "600"


@pytest.mark.parametrize(("version", "there"), [("1.28.15", False), ("v1.29.0+rke2r1", True), ("1.34", True)])
def test_fields_of_newer_versions_stay_out_of_older_ones(version: str, there: bool) -> None:
    site_spec = spec()
    site_spec["cluster"]["kubernetes"] = version
    job = only(render_site(site_spec, plan()), "Job", "pair")
    assert ("podReplacementPolicy" in job["spec"]) == there


def test_waves_follow_the_stages_and_monitoring_comes_first() -> None:
    site = render_site(spec(), plan())
    waves = {
        path.split("/")[2]: int(item["metadata"]["annotations"]["argocd.argoproj.io/sync-wave"])
        for path, item, _ in site.objects
        if "/manifests/" in path and item["kind"] != "Kustomization"
    }
    order = sorted(waves, key=lambda stage: waves[stage])
    assert order == ["00-base", "90-monitoring", "10-preflight", "20-node", "30-pair"]


def test_every_stage_lists_its_files() -> None:
    site = render_site(spec(), plan())
    paths = {path for path, _, _ in site.objects}
    listed = set()
    for path, item, _ in site.objects:
        if path.endswith("kustomization.yaml"):
            assert item["resources"] == sorted(item["resources"])
            listed |= {f"{path.rpartition('/')[0]}/{name}" for name in item["resources"]}
            listed.add(path)
    assert listed == {path for path in paths if path.startswith(f"{SITE}/manifests/")}
    assert len(paths) == len(site.objects)


def test_plan_gets_its_objects() -> None:
    given_plan = plan()
    site = render_site(spec(), given_plan)
    found = site.by_desired()
    assert set(found) == {item["id"] for item in given_plan["desired"]}
    pair = found[f"{SITE}/h20/pair-all-reduce/node-a+node-b"]
    assert [entry["kind"] for entry in pair] == ["Job", "NetworkPolicy", "Service"]
    assert {entry["namespace"] for entry in pair} == {"gpu-acceptance"}
    assert all(entry["path"] in {path for path, _, _ in site.objects} for entry in pair)


def test_identity_stands_in_full_in_annotations() -> None:
    item = desired("pair-all-reduce", "nccl-tests", PAIR)
    job = only(render_site(spec(), plan([item])), "Job", "pair")
    for meta in (job["metadata"], job["spec"]["template"]["metadata"]):
        assert meta["annotations"]["muster.dev/id"] == item["id"]
        assert meta["annotations"]["muster.dev/digest"] == item["digest"]
        assert meta["annotations"]["muster.dev/unit"] == "node-a,node-b"
        assert meta["labels"]["muster.dev/digest"] == "m" + item["digest"][7:17]


def test_script_map_is_immutable_and_named_by_its_content() -> None:
    site = render_site(spec(), plan())
    config = only(site, "ConfigMap", "muster-script")
    digest = hashlib.sha256(script_text().encode()).hexdigest()
    assert config["metadata"]["name"] == f"muster-script-s{digest[:10]}"
    assert config["immutable"] is True
    for job in objects(site, "Job"):
        assert pod_of(job)["volumes"][0]["configMap"]["name"] == config["metadata"]["name"]


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"script": "sha256:" + "0" * 64}, "MU505"),
        ({"rounds": 2**60}, None),
        ({"ranksPerNode": 2**60}, "MU503"),
        ({"env": {"NCCL_X": "${HOME}"}}, "MU506"),
        ({"env": {"NCCL_X": "$(HOME)"}}, "MU507"),
        ({"command": ["sh", "-c", "curl x"]}, "MU518"),
        ({"image": "repo:latest"}, "MU513"),
    ],
)
def test_what_cannot_be_rendered_is_refused_at_the_test(change: dict[str, Any], code: str | None) -> None:
    item = desired("pair-all-reduce", "nccl-tests", PAIR, line=41, **change)
    site = render_site(spec(), plan([item]), locate=locate)
    errors = [found for found in site.diagnostics if found.is_error]
    assert {found.code for found in errors} == ({code} if code else set())
    assert all(str(found.position) == f"{FILE}:41:5" for found in errors)


def test_several_nodes_need_the_secret_of_a_key() -> None:
    site_spec = spec()
    del site_spec["launch"]
    items = [desired("n", "nccl-tests", ["node-a"]), desired("p", "nccl-tests", PAIR, line=41)]
    [found] = render_site(site_spec, plan(items)).diagnostics
    assert (found.code, str(found.position)) == ("MU504", f"{FILE}:41:5")
    assert not [item for item in render_site(site_spec, plan(items, "mpijob")).diagnostics if item.is_error]


def test_one_bad_test_does_not_hide_another() -> None:
    items = [
        desired(name, "nccl-tests", PAIR, line, ranksPerNode=2**60) for name, line in (("one", 3), ("two", 4))
    ]
    site = render_site(spec(), plan([*items, desired("good", "nccl-tests", PAIR)]))
    errors = [found for found in site.diagnostics if found.is_error]
    assert [(found.code, str(found.position)) for found in errors] == [
        ("MU503", f"{FILE}:{n}:5") for n in (3, 4)
    ]


def test_unknown_runner_is_refused() -> None:
    given_plan = plan([desired("one", "nccl-tests", PAIR)], "dance")
    assert codes(render_site(spec(), given_plan)) == ["MU508"]


def test_a_site_without_tests_is_said() -> None:
    assert "MU509" in codes(render_site(spec(), plan([])))


def test_without_an_engine_nothing_is_delivered() -> None:
    site = render_site(spec(), plan(), engine="none")
    assert not [path for path, _, _ in site.objects if path.startswith("delivery/")]


@given(st.sampled_from([IMAGE, DCGM_IMAGE]), st.integers(1, 20), st.integers(1, 16))
def test_rendering_leaves_its_input_alone(image: str, rounds: int, gpus: int) -> None:
    item = desired("pair", "nccl-tests", PAIR, image=image, rounds=rounds, ranksPerNode=gpus)
    site_spec, given_plan = spec(), plan([item])
    before = deepcopy((site_spec, given_plan))
    render_site(site_spec, given_plan)
    assert (site_spec, given_plan) == before
