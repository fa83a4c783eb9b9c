"""Write the reference pages from what muster itself knows: codes, rules, version statements, commands."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import click

from muster.cli.main import COMMANDS, main
from muster.diagnostics import all_codes
from muster.policy import Policies, assemble
from muster.policy.cue import find_cue
from muster.policy.docs import compat_documentation, rule_documentation

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from muster.policy import PolicyModule

_AREAS = (
    ("MU0", "Command line"),
    ("MU1", "Site files"),
    ("MU2", "Policies"),
    ("MU3", "Rules and versions"),
    ("MU4", "Planning"),
    ("MU5", "Rendering and validation"),
    ("MU6", "Output"),
    ("MU7", "Reading tool output"),
    ("MU8", "Archive and ingest"),
    ("MU9", "Verdicts, drift and baselines"),
)
_FIELD = re.compile(r'^\t*(severity|hint|source): +"((?:[^"\\]|\\.)*)"', re.MULTILINE)
_CODES_INTRO = """Every finding of muster has a code. `muster explain MU304` prints what stands here. An `error` makes a
command fail, a `warning` and an `info` do not. The codes of your own rules (see [policies](policies.md)) are yours:
choose another prefix than MU."""
_CLI_INTRO = """`muster COMMAND --help` prints what stands here. Data goes to standard output, messages go to standard
error. `muster --debug COMMAND` shows a trace when muster itself fails."""
_GENERATED = "<!-- Written by `make goldens` from what muster itself knows; do not edit. -->"


def codes_page(root: Path) -> str:
    """Return ``docs/codes.md``: every code that a user can meet."""
    entries = {code: _registered(code) for code in all_codes()}
    entries |= dict(_policy_codes(root))
    lines = [
        "# Codes",
        "",
        _GENERATED,
        "",
        _CODES_INTRO,
        "",
        *(f"- [{title}](#{_anchor(title)}) ({prefix}xx)" for prefix, title in _AREAS),
    ]
    for prefix, title in _AREAS:
        lines += ["", f"## {title}"]
        for code in sorted(code for code in entries if code.startswith(prefix)):
            lines += ["", f"### {code}", "", *entries[code]]
    left = [code for code in entries if not code.startswith(tuple(prefix for prefix, _ in _AREAS))]
    assert not left, f"codes outside every area: {left}"
    return "\n".join(lines) + "\n"


def _anchor(title: str) -> str:
    return re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")


def _registered(name: str) -> list[str]:
    code = all_codes()[name]
    return _entry(code.title, code.severity, code.explanation, code.hint, "")


def _entry(title: str, severity: str, text: str, hint: str, source: str) -> list[str]:
    lines = [f"**{title.rstrip('.')}** ({severity})"]
    if text.strip():
        lines += ["", text.strip()]
    if hint:
        lines += ["", f"What to do: {hint}"]
    if source:
        lines += ["", f"Source: {source}"]
    return lines


def _policy_codes(root: Path) -> Iterator[tuple[str, list[str]]]:
    with assemble(root) as module:
        policies = Policies(find_cue([root / ".tools" / "bin" / "cue"]), module)
        for code in policies.facts["rules"]:
            yield code, _rule(module, code)
        for code, statement in policies.facts["compat"].items():
            told = compat_documentation(policies.facts, code)
            assert told is not None
            when = next(line for line in told.splitlines() if line.startswith("When: "))
            yield (
                code,
                _entry(
                    statement["message"], statement["severity"], when, statement["hint"], statement["source"]
                ),
            )


def _rule(module: PolicyModule, code: str) -> list[str]:
    documented = rule_documentation(module, code)
    assert documented is not None, f"rule {code} has no file of its own"
    title, _, text = documented[0].partition("\n")
    (path,) = (name for name in module.labels if name.startswith(f"guardrails/{code}_"))
    fields = dict(_FIELD.findall((module.root / path).read_text(encoding="utf-8")))
    label = documented[1]
    return [
        *_entry(title, fields["severity"], text, fields["hint"], fields.get("source", "")),
        "",
        f"Rule: [`{label}`](../{label})",
    ]


def cli_page() -> str:
    """Return ``docs/cli.md``: every command with its arguments and options."""
    lines = [
        "# Commands",
        "",
        _GENERATED,
        "",
        _CLI_INTRO,
        "",
        "| exit code | meaning |",
        "|---|---|",
        "| 0 | done; of `check` and `reconcile`: nothing found |",
        "| 1 | findings: output out of date, something is not proven, a file is not read as complete |",
        "| 2 | bad input: a site, a policy, an argument |",
        "| 3 | environment: a tool, an archive or a file system cannot be used |",
        "| 70 | a bug in muster |",
        "| 130 | interrupted |",
        "",
        "| command | what it does |",
        "|---|---|",
        *(f"| [`muster {name}`](#muster-{name}) | {COMMANDS[name]} |" for name in sorted(COMMANDS)),
    ]
    context = click.Context(main, info_name="muster", help_option_names=["-h", "--help"])
    for name in main.list_commands(context):
        command = main.get_command(context, name)
        assert command is not None
        lines += _command(command, f"muster {name}")
        if isinstance(command, click.Group):
            for below in sorted(command.commands):
                lines += _command(command.commands[below], f"muster {name} {below}")
    return "\n".join(lines) + "\n"


def _command(command: click.Command, name: str) -> list[str]:
    context = click.Context(command, info_name=name, help_option_names=["-h", "--help"])
    usage = " ".join([name, *command.collect_usage_pieces(context)])
    lines = ["", f"## {name}", "", f"`{usage}`", "", _plain(command.help or "")]
    options = [item for item in command.get_params(context) if isinstance(item, click.Option)]
    shown = [item for item in options if not item.hidden and "--help" not in item.opts]
    if shown:
        lines += ["", "| option | meaning |", "|---|---|", *(_option(item, context) for item in shown)]
    return lines


def _option(option: click.Option, context: click.Context) -> str:
    names = ", ".join([*option.opts, *option.secondary_opts])
    if not option.is_flag:
        names += f" {option.make_metavar(context)}"
    text = _plain(option.help or "")
    if option.show_default and option.default is not None:
        text += f" Default: `{option.default}`."
    if option.envvar:
        text += f" Environment: `{option.envvar}`."
    return f"| `{_cell(names)}` | {_cell(text)} |"


def _plain(text: str) -> str:
    return " ".join(text.split())


def _cell(text: str) -> str:
    return text.replace("|", "\\|")
