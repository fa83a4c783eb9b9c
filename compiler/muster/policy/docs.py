"""What the policies say about themselves: comments of rule files, statements of the version matrix."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from muster.policy.module import PolicyModule


def rule_documentation(module: PolicyModule, code: str) -> tuple[str, str] | None:
    """Return the comment of a rule's file and the file's label; None when no rule has the code."""
    for relative in module.labels:
        if relative.startswith("guardrails/") and relative.removeprefix("guardrails/").startswith(code + "_"):
            lines = (module.root / relative).read_text("utf-8").splitlines()
            comment = []
            for line in lines:
                if not line.startswith("//"):
                    break
                comment.append(line.removeprefix("//").removeprefix(" "))
            return "\n".join(comment), module.label(relative)
    return None


def compat_documentation(facts: Mapping[str, Any], code: str) -> str | None:
    """Return a statement of the version matrix as text."""
    statement = facts["compat"].get(code)
    if statement is None:
        return None
    parts = []
    for name, wanted in statement["when"].items():
        bounds = [
            f"{word} {wanted[key]}"
            for key, word in (("atLeast", "from"), ("below", "below"))
            if key in wanted
        ]
        parts.append(f"{name} {' and '.join(bounds) or 'in any version'}")
    lines = [statement["message"], "", f"When: {'; '.join(parts)}", f"What to do: {statement['hint']}"]
    return "\n".join([*lines, f"Source: {statement['source']}"])


def entry_documentation(name: str, entry: Mapping[str, Any]) -> str:
    """Return a catalog entry as text: what it runs, its parameters with defaults, what it measures."""
    lines = [
        f"{name}: {entry['summary']}",
        "",
        f"tool       {entry['tool']}" + (f" ({entry['binary']})" if "binary" in entry else ""),
        f"image      spec.images.{entry['image']}",
        f"scopes     {', '.join(entry['scopes'])}",
        f"runners    {', '.join(entry['runners'])}",
        f"metrics    {', '.join(entry['metrics']) or 'none: it diagnoses'}",
        f"depends on {', '.join(entry['software'])}",
        f"source     {entry['source']}",
        "",
        "Parameters (name, default, meaning):",
    ]
    width = max(len(item) for item in entry["doc"])
    lines += [
        f"  {key:{width}}  {entry['defaults'].get(key, '-')!s:>8}  {text}"
        for key, text in entry["doc"].items()
    ]
    return "\n".join(lines)
