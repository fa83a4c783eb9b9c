"""Render one site: every desired test, what they share, monitoring and delivery."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from muster.diagnostics import MusterError, diagnostic
from muster.diagnostics.escape import visible
from muster.render.base import base_objects
from muster.render.delivery import argocd_objects
from muster.render.jsonnet import evaluate
from muster.render.model import (
    BASE,
    MONITORING,
    Defaults,
    RenderedObject,
    RenderedSite,
    manifest_path,
    parse_position,
)
from muster.render.monitoring import monitoring_objects
from muster.render.naming import check_names
from muster.render.safety import check_safety
from muster.render.script import script_digest
from muster.render.security import rights_of
from muster.render.workload import KINDS, TEMPLATES, Setting, claim_of, workloads
from muster.site.units import parse_duration, parse_version

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from muster.diagnostics import Diagnostic
    from muster.render.model import Locate

# Where a distribution's DNS runs; pods of several nodes need it to find each other.
_DNS = {"openshift": {"namespace": "openshift-dns", "port": 5353}}
_USUAL_DNS = {"namespace": "kube-system", "port": 53}


def render_site(
    spec: Mapping[str, Any],
    plan: Mapping[str, Any],
    *,
    locate: Locate | None = None,
    engine: str | None = None,
    defaults: Defaults | None = None,
) -> RenderedSite:
    """Return all objects of a site and the findings about them.

    Pure: the same arguments give the same objects in the same order.

    Args:
        spec: ``spec`` of the resolved site, profiles merged and defaults filled in.
        plan: the site's plan, shaped as ``plan.json``; ``objects`` of its desired tests are not read.
        locate: where a field of the site file stands, by its path.
        engine: the delivery engine, ``argocd`` or ``none``; the site's own where None.
        defaults: what pods ask of their node where the measurement does not say.
    """
    find: Locate = locate or (lambda _path: None)
    site = plan["site"]
    setting = _setting(site, spec, defaults or Defaults())
    found: list[Diagnostic] = []
    desired = [item for item in plan["desired"] if _renderable(item, plan, spec, found)]
    if not plan["desired"]:
        found.append(
            diagnostic("MU509", f"site {visible(site)} desires no test", find(("spec", "tests")), site=site)
        )
    found += check_names(claim_of(item, _runner(item, plan)) for item in desired)
    if any(item.is_error for item in found):
        return RenderedSite(site, (), tuple(sorted(found, key=lambda item: item.sort_key())))
    objects = _tests(setting, desired, plan, found)
    try:
        objects += _shared(setting, desired, find, found)
        if (engine or spec["delivery"]["engine"]) == "argocd":
            objects += argocd_objects(setting, objects, find(("spec", "delivery")))
    except MusterError as fault:
        found += fault.diagnostics
    objects += _kustomizations(site, objects)
    positions = {item["id"]: parse_position(item.get("position")) for item in desired}
    found += check_safety(objects, spec, positions, find(("spec",)), site)
    objects.sort(key=lambda entry: entry.path)
    return RenderedSite(site, tuple(objects), tuple(sorted(found, key=lambda item: item.sort_key())))


def _setting(site: str, spec: Mapping[str, Any], defaults: Defaults) -> Setting:
    release = (*parse_version(spec["cluster"]["kubernetes"]).release, 0)
    return Setting(
        site=site,
        spec=spec,
        minor=(release[0], release[1]),
        deadline=int(parse_duration(spec["budget"]["deadline"])),
        dns=_DNS.get(spec["cluster"].get("distribution", ""), _USUAL_DNS),
        defaults=defaults,
    )


def _runner(desired: Mapping[str, Any], plan: Mapping[str, Any]) -> str:
    return str(plan["tests"][desired["test"]]["runner"])


def _renderable(
    desired: Mapping[str, Any], plan: Mapping[str, Any], spec: Mapping[str, Any], found: list[Diagnostic]
) -> bool:
    """Tell whether a desired test can be rendered, and say why not."""
    site, position = plan["site"], parse_position(desired.get("position"))
    runner = _runner(desired, plan)
    before = len(found)
    if runner not in KINDS:
        found.append(
            diagnostic("MU508", f"runner {visible(runner)} of {visible(desired['id'])}", position, site=site)
        )
    elif runner == "job" and len(desired["unit"]) > 1 and "launch" not in spec:
        message = f"{visible(desired['id'])} covers {len(desired['unit'])} nodes and spec.launch is missing"
        found.append(diagnostic("MU504", message, position, site=site))
    if desired["measurement"]["script"] != script_digest():
        message = f"{visible(desired['id'])} was planned with another pod script"
        found.append(diagnostic("MU505", message, position, site=site))
    return len(found) == before


def _tests(
    setting: Setting, desired: Sequence[Mapping[str, Any]], plan: Mapping[str, Any], found: list[Diagnostic]
) -> list[RenderedObject]:
    """Render all runs of a runner in one evaluation; if that fails, test by test, so that none hides another."""
    objects = []
    for runner, template in TEMPLATES.items():
        mine = [item for item in desired if _runner(item, plan) == runner]
        try:
            objects += _runs(setting, mine, runner, template)
        except MusterError:
            for name in dict.fromkeys(item["test"] for item in mine):
                try:
                    objects += _runs(
                        setting, [item for item in mine if item["test"] == name], runner, template
                    )
                except MusterError as fault:
                    found += fault.diagnostics
    return objects


def _runs(
    setting: Setting, desired: Sequence[Mapping[str, Any]], runner: str, template: str
) -> list[RenderedObject]:
    if not desired:
        return []
    value = workloads(setting, desired, runner)
    position = parse_position(desired[0].get("position"))
    made = evaluate(template, value, position=position, site=setting.site)
    objects = []
    for item, of_run in zip(desired, made, strict=True):
        objects += _placed(setting.site, item["stage"], of_run, item["id"])
    return objects


def _shared(
    setting: Setting, desired: Sequence[Mapping[str, Any]], find: Locate, found: list[Diagnostic]
) -> list[RenderedObject]:
    pools = setting.spec["pools"]
    needs = {item["test"]: rights_of(item["measurement"], pools[item["pool"]]) for item in desired}
    base, said = base_objects(setting, needs, find(("spec", "delivery", "namespace")))
    found += said
    monitoring, said = monitoring_objects(setting, find(("spec", "cluster", "prometheus")))
    found += said
    return [*_placed(setting.site, BASE, base), *_placed(setting.site, MONITORING, monitoring)]


def _placed(
    site: str, stage: str, items: Iterable[dict[str, Any]], origin: str | None = None
) -> list[RenderedObject]:
    return [RenderedObject(manifest_path(site, stage, item), item, origin) for item in items]


def _kustomizations(site: str, objects: Iterable[RenderedObject]) -> list[RenderedObject]:
    """Return one kustomization for each stage that has objects."""
    stages: dict[str, list[str]] = {}
    for path, _, _ in objects:
        folder, _, name = path.rpartition("/")
        if folder.startswith(f"{site}/manifests/"):
            stages.setdefault(folder, []).append(name)
    return [
        RenderedObject(
            f"{folder}/kustomization.yaml",
            {
                "apiVersion": "kustomize.config.k8s.io/v1beta1",
                "kind": "Kustomization",
                "resources": sorted(names),
            },
            None,
        )
        for folder, names in stages.items()
    ]
