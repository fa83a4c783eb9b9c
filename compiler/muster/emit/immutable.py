"""Predict which changes the API server would refuse because a field is immutable.

Which fields of which kinds are is data: ``immutable.json``, each entry with its source. The comparison is
between the committed file and the new one: what the cluster really has is not known to a compile.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from muster.diagnostics import Position, diagnostic

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from muster.diagnostics import Diagnostic

_KIND = re.compile(rb"^kind: ([A-Za-z]+)$", re.MULTILINE)
_SHOWN = 3


@dataclass(frozen=True, slots=True)
class Rule:
    """Fields of one kind that cannot change.

    Attributes:
        group: API group, empty for the core group.
        kind: the kind.
        fields: dotted paths; everything below them counts.
        source: where this is known from.
        elastic: ``spec.completions`` of an Indexed Job may change together with ``spec.parallelism``.
        whenImmutable: only if the old object says ``immutable: true``.
    """

    group: str
    kind: str
    fields: tuple[str, ...]
    source: str
    elastic: bool = False
    whenImmutable: bool = False  # noqa: N815 (the name in the data file)


@cache
def rules() -> Mapping[str, tuple[Rule, ...]]:
    """Return the table by kind."""
    entries = json.loads(files("muster.emit").joinpath("immutable.json").read_text("utf-8"))
    table: dict[str, list[Rule]] = {}
    for entry in entries:
        table.setdefault(entry["kind"], []).append(Rule(**{**entry, "fields": tuple(entry["fields"])}))
    return {kind: tuple(found) for kind, found in table.items()}


def check(path: str, old: bytes, new: bytes, *, shown: str, old_path: str = "") -> list[Diagnostic]:
    """Report immutable fields that differ between two versions of one object.

    Args:
        path: the new file, below the output folder.
        old: the committed bytes.
        new: the bytes that would replace them.
        shown: how findings call the output folder.
        old_path: the committed file, if it lies elsewhere.

    Returns:
        At most one finding (MU612, or MU613 when the old file is no readable YAML); none if kind, namespace or
        name differ, because then it is another object.

    Raises:
        ValueError: the new bytes are no YAML, a mistake of the caller.
    """
    kind = _KIND.search(new)
    if kind is None or kind[1].decode() not in rules() or _body(old) == _body(new):
        return []
    import yaml

    position = Position(f"{shown}/{old_path or path}", 1, 1)
    try:
        after = yaml.load(new, Loader=yaml.CSafeLoader)
    except yaml.YAMLError as error:
        raise ValueError(f"{path}: the new bytes are no YAML: {error}") from error
    try:
        before = yaml.load(old, Loader=yaml.CSafeLoader)
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        reason = str(error).partition("\n")[0]
        return [diagnostic("MU613", f"{old_path or path} is no readable YAML: {reason}", position, path=path)]
    if not isinstance(before, dict) or _identity(before) != _identity(after):
        return []
    changed = [field for rule in rules()[after["kind"]] for field in _changed(rule, before, after)]
    if not changed:
        return []
    kind_name, namespace, name = _identity(after)[1:]
    more = f" and {len(changed) - _SHOWN} more" if len(changed) > _SHOWN else ""
    message = (
        f"{kind_name} {namespace + '/' if namespace else ''}{name} keeps its name but changes "
        f"{', '.join(changed[:_SHOWN])}{more}, which Kubernetes does not allow on an existing object"
    )
    return [diagnostic("MU612", message, position, path=changed[0])]


def _body(document: bytes) -> bytes:
    """Return a document without the comment lines at its top."""
    while document.startswith(b"#"):
        document = document.partition(b"\n")[2]
    return document


def _identity(manifest: Mapping[str, Any]) -> tuple[str, str, str, str]:
    metadata = manifest.get("metadata")
    if not isinstance(metadata, dict):
        metadata = {}
    group = str(manifest.get("apiVersion", "")).rpartition("/")[0]
    return group, str(manifest.get("kind")), str(metadata.get("namespace") or ""), str(metadata.get("name"))


def _changed(rule: Rule, old: dict[str, Any], new: dict[str, Any]) -> Iterator[str]:
    if rule.group != _identity(new)[0] or (rule.whenImmutable and old.get("immutable") is not True):
        return
    for field in rule.fields:
        before, after = _at(old, field), _at(new, field)
        if before == after or (rule.elastic and field == "spec.completions" and _is_elastic(old, new)):
            continue
        yield from _differences(before, after, field)


def _is_elastic(old: dict[str, Any], new: dict[str, Any]) -> bool:
    """Tell whether an Indexed Job changes completions and parallelism to one and the same number."""
    completions = _at(new, "spec.completions")
    return (
        _at(old, "spec.completionMode") == _at(new, "spec.completionMode") == "Indexed"
        and isinstance(completions, int)
        and completions == _at(new, "spec.parallelism")
    )


def _at(value: Any, field: str) -> Any:
    for name in field.split("."):
        value = value.get(name) if isinstance(value, dict) else None
    return value


def _differences(old: Any, new: Any, path: str) -> Iterator[str]:
    """Yield the innermost paths where two values differ."""
    if isinstance(old, dict) and isinstance(new, dict):
        for name in sorted({*old, *new}, key=str):
            if old.get(name) != new.get(name) or (name in old) != (name in new):
                yield from _differences(old.get(name), new.get(name), f"{path}.{name}")
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for index, (before, after) in enumerate(zip(old, new, strict=True)):
            if before != after:
                yield from _differences(before, after, f"{path}[{index}]")
    else:
        yield path
