"""``muster explain``."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import click

from muster.cli.options import output_option, repository_option
from muster.cli.plans import read_all_plans
from muster.cli.world import World, label
from muster.diagnostics import InputFault, all_codes, diagnostic

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from muster.policy import Policies


@click.command(
    help="Explain a code (MU304), a catalog test (nccl-all-reduce), a profile, or the name of an object, a digest"
    " or an id of a compiled site. Without a name: list codes, tests and profiles."
)
@click.argument("name", required=False)
@repository_option
@output_option
def command(name: str | None, repository: Path, output: Path | None) -> None:
    """Print the explanation."""
    if name is not None and name in all_codes():
        click.echo(_code(name))
        return
    if name is not None:
        target = output or repository / "generated"
        found = list(_in_plans(read_all_plans(target, label(target, World.current().folder)), name))
        if found:
            from muster.diagnostics.escape import for_terminal

            click.echo("\n".join(map(for_terminal, "\n\n".join(found).split("\n"))))
            return
    from muster.policy import Policies, assemble

    with assemble(repository) as module:
        policies = Policies(World.current().cue(), module)
        click.echo(_overview(policies) if name is None else _policy(policies, name))


def _code(name: str) -> str:
    code = all_codes()[name]
    todo = f"\n\nWhat to do: {code.hint}" if code.hint else ""
    return f"{code.code} ({code.severity}): {code.title}\n\n{code.explanation}{todo}"


def _policy(policies: Policies, name: str) -> str:
    from muster.policy.docs import compat_documentation, entry_documentation, rule_documentation
    from muster.site.names import nearest

    facts = policies.facts
    rule = rule_documentation(policies.module, name)
    if rule is not None:
        return f"{name}: {rule[0]}\n\n({rule[1]})"
    statement = compat_documentation(facts, name)
    if statement is not None:
        return f"{name}: {statement}"
    if name in facts["catalog"]:
        return entry_documentation(name, facts["catalog"][name])
    if name in facts["profiles"]:
        profile = facts["profiles"][name]
        return f"{name}: {profile['summary']}\n\n{json.dumps(profile['spec'], indent=2)}"
    known = [*all_codes(), *facts["rules"], *facts["compat"], *facts["catalog"], *facts["profiles"]]
    near = nearest(name, known)
    hint = (
        f'did you mean "{near}"?'
        if near
        else "`muster explain` alone lists what it knows; compile first for objects"
    )
    raise InputFault(diagnostic("MU004", f"nothing is known by the name {name}", hint=hint))


def _overview(policies: Policies) -> str:
    from muster.policy.docs import rule_documentation

    facts = policies.facts
    lines = ["Catalog tests:"]
    lines += [f"  {name:24} {entry['summary']}" for name, entry in sorted(facts["catalog"].items())]
    lines += ["", "Profiles:"]
    lines += [f"  {name:24} {profile['summary']}" for name, profile in sorted(facts["profiles"].items())]
    lines += ["", "Hardware:"]
    lines += [
        f"  {name:24} {item['architecture']}, {item['link']}"
        for name, item in sorted(facts["hardware"].items())
    ]
    lines += ["", "Rules:"]
    for code in sorted(facts["rules"]):
        documented = rule_documentation(policies.module, code)
        lines.append(f"  {code:24} {documented[0].splitlines()[0] if documented else ''}")
    lines += [f"  {code:24} {item['message']}" for code, item in sorted(facts["compat"].items())]
    lines += ["", "Codes:"]
    lines += [f"  {code.code:24} {code.title}" for code in all_codes().values()]
    return "\n".join(lines)


def _in_plans(plans: Iterable[dict[str, Any]], name: str) -> Iterator[str]:
    for plan in plans:
        for item in plan["desired"]:
            names = {obj["name"] for obj in item.get("objects", ())}
            digest = item["digest"].removeprefix("sha256:")
            by_digest = len(name) >= 10 and digest.startswith(name.removeprefix("sha256:").removeprefix("m"))
            if name == item["id"] or name in names or by_digest:
                yield _desired(plan, item)


def _desired(plan: dict[str, Any], item: dict[str, Any]) -> str:
    measurement, cost = item["measurement"], item["cost"]
    environment = " ".join(f"{key}={value}" for key, value in measurement["env"].items())
    lines = [
        item["id"],
        "",
        f"asked for at {item['position']}",
        f"digest       {item['digest']}",
        f"catalog      {item['catalog']}, scope {item['scope']}, stage {item['stage']}, wave {item['wave']}",
        f"cost         {cost['gpus']} GPUs, about {cost['seconds']} s, {cost['gpuHours']} GPU-hours",
        "objects      " + ", ".join(f"{obj['kind']} {obj['name']}" for obj in item.get("objects", ())),
        f"command      {' '.join(measurement['command']) or '(preflight only)'}",
        f"environment  {environment or '-'}",
        f"image        {measurement['image']}",
        f"rounds       {measurement['rounds']}, at most {measurement['timeoutSeconds']} s each",
        "",
        "Judged by:",
        *(_acceptance(item["acceptance"]) or ["  nothing: its evidence stays unjudged"]),
        "",
        "Where each value comes from:",
    ]
    lines += [f"  {key:22} {text}" for key, text in plan["tests"][item["test"]]["provenance"].items()]
    return "\n".join(lines)


def _acceptance(acceptance: dict[str, Any]) -> list[str]:
    lines = []
    for threshold in acceptance["thresholds"]:
        at = ", ".join(f"{key} {value}" for key, value in threshold["at"].items())
        bounds = [
            f"{sign} {threshold[key]:g} {threshold['unit']}"
            for key, sign in (("lower", ">="), ("upper", "<="))
            if threshold[key] is not None
        ]
        if threshold["spread"] is not None:
            bounds.append(f"spread <= {threshold['spread']:.0%}")
        source = threshold["source"]
        lines.append(
            f"  {threshold['name']}: {threshold['statistic']} {threshold['metric']} at {at}: {', '.join(bounds)}"
            f" ({source['kind']} {source['date']}; {threshold['position']})"
        )
    transport = acceptance["transport"]
    if transport:
        words = [f"{key} {', '.join(transport[key])}" for key in ("require", "forbid") if transport[key]]
        words += [f"GPUDirect {transport['gpudirect']}"] if transport["gpudirect"] else []
        lines.append(f"  transport: {'; '.join(words)}")
    if acceptance["checks"]:
        checks = acceptance["checks"]
        lines.append(
            f"  every one of {', '.join(checks['require'])} passes on {checks['entities']} GPUs of each node"
        )
    if acceptance["preflight"]:
        lines.append("  what is found is what is declared: " + ", ".join(acceptance["preflight"]))
    return lines
