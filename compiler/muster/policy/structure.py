"""Structured errors first: the JSON Schema that CUE makes of ``#Site``, and the names the catalog knows.

CUE stays the authority; this gives exact paths, nearest names and hints before it is asked. Fields that a
profile may give are not missed here: only the merged site tells whether they are there.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from muster.diagnostics import Diagnostic, diagnostic
from muster.policy import limits
from muster.policy.grammar import grammar_faults
from muster.site.names import nearest
from muster.site.positions import Path as Steps
from muster.site.positions import format_path

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from muster.diagnostics import Position
    from muster.site.load import LoadedSite
    from muster.site.positions import PositionMap

_PROFILE_MAY_GIVE = ("tests", "thresholds", "validFor")
_WORDS = {
    "string": "a string",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "object": "a mapping",
    "array": "a list",
    "null": "empty",
}


@dataclass
class Structure:
    """The checker of one schema (a JSON Schema document) and one catalog (entries by name)."""

    schema: Mapping[str, Any]
    catalog: Mapping[str, Any]
    _validator: Any = field(init=False)
    _described: dict[str, str] = field(init=False)

    def __post_init__(self) -> None:
        import jsonschema_rs

        self._validator = jsonschema_rs.validator_for(dict(self.schema))
        self._described = {
            node["pattern"]: node["description"]
            for node in _walk(self.schema)
            if isinstance(node.get("pattern"), str) and isinstance(node.get("description"), str)
        }

    def check(self, site: LoadedSite) -> tuple[Diagnostic, ...]:
        """Return what is wrong with the shape of a site: unknown fields, wrong types, bad grammar."""
        data = site.data or site.partial
        large = tuple(at(site, limits.CODE, text, steps, key=True) for steps, text in limits.excesses(data))
        if large:
            return large
        found: dict[Steps, Diagnostic] = {
            steps: at(site, "MU215", error.message, steps, error.hint)
            for steps, error in grammar_faults(data)
        }
        for error in self._validator.iter_errors(data):
            for steps, item in self._explain(site, error):
                found.setdefault(steps, item)
        return (*found.values(), *self._check_tests(site))

    def _explain(self, site: LoadedSite, error: Any) -> Iterator[tuple[Steps, Diagnostic]]:
        steps: Steps = tuple(error.instance_path)
        kind = error.kind.name
        if kind == "additionalProperties":
            yield from self._unknown_fields(site, steps, error)
        elif kind == "required":
            missing = error.kind.property
            if not {missing, *map(str, steps[1:2])} & set(_PROFILE_MAY_GIVE):
                yield (*steps, missing), at(site, "MU212", f'the field "{missing}" is missing', steps)
        elif kind == "enum":
            options = [str(item) for item in error.kind.options]
            near = nearest(str(error.instance), options)
            hint = f'did you mean "{near}"?' if near else ""
            yield (
                steps,
                at(site, "MU213", f"{show(error.instance)} is not one of {', '.join(options)}", steps, hint),
            )
        elif kind == "type":
            wanted = " or ".join(_WORDS.get(item, item) for item in error.kind.types)
            yield steps, at(site, "MU214", f"{show(error.instance)} is not {wanted}", steps)
        else:
            hint = self._grammar(error) or str(error.message)
            yield steps, at(site, "MU215", f"{show(error.instance)} is not valid here", steps, hint)

    def _unknown_fields(
        self, site: LoadedSite, steps: Steps, error: Any
    ) -> Iterator[tuple[Steps, Diagnostic]]:
        node: Any = self.schema
        for part in list(error.schema_path)[:-1]:
            node = node[part]
        known = list(node.get("properties", {}))
        for name in error.kind.unexpected:
            place = (*steps, name)
            if "patternProperties" in node:
                code, message, hint = "MU216", f"{show(name)} cannot be a name here", ""
            else:
                near = nearest(name, known)
                code, message = "MU211", f"unknown field {show(name)}"
                hint = f'did you mean "{near}"?' if near else "known here: " + ", ".join(sorted(known))
            yield place, at(site, code, message, place, hint, key=True)

    def _grammar(self, error: Any) -> str:
        patterns = [error.kind.pattern] if error.kind.name == "pattern" else []
        if error.kind.name == "anyOf":
            leaves = [item for branch in error.kind.context for item in branch]
            patterns = [item.kind.pattern for item in leaves if item.kind.name == "pattern"]
        return "; ".join(dict.fromkeys(self._described[item] for item in patterns if item in self._described))

    def _check_tests(self, site: LoadedSite) -> Iterator[Diagnostic]:
        data = site.data or site.partial
        spec = data.get("spec") if isinstance(data, dict) else None
        tests = spec.get("tests") if isinstance(spec, dict) else None
        for name, test in tests.items() if isinstance(tests, dict) else ():
            wanted = test.get("test") if isinstance(test, dict) else None
            if not isinstance(wanted, str):
                continue
            steps: Steps = ("spec", "tests", name)
            entry = self.catalog.get(wanted)
            if entry is None:
                near = nearest(wanted, list(self.catalog))
                hint = f'did you mean "{near}"?' if near else "known: " + ", ".join(sorted(self.catalog))
                yield at(site, "MU217", f"the catalog has no test {show(wanted)}", (*steps, "test"), hint)
            elif isinstance(test.get("params"), dict):
                yield from self._check_params(site, steps, wanted, test["params"])

    def _check_params(
        self, site: LoadedSite, steps: Steps, entry: str, params: Mapping[str, Any]
    ) -> Iterator[Diagnostic]:
        known = list(self.catalog[entry]["doc"])
        for name in params:
            if name not in known:
                near = nearest(name, known)
                hint = f'did you mean "{near}"?' if near else f"{entry} knows: " + ", ".join(known)
                place = (*steps, "params", name)
                yield at(site, "MU211", f"{entry} has no parameter {show(name)}", place, hint, key=True)


def at(
    site: LoadedSite, code: str, message: str, steps: Steps, hint: str = "", *, key: bool = False
) -> Diagnostic:
    """Make a finding at a field of a site: at its key where ``key`` says so, else at its value."""
    position = site.positions.key(steps) if key else point_at(site.positions, steps)
    return diagnostic(code, message, position, hint=hint, path=format_path(steps), site=site.name or "")


def point_at(positions: PositionMap, steps: Steps) -> Position:
    """Return the place people look at: the value, or the key where the value starts on a later line."""
    key, value = positions.key(steps), positions.of(steps)
    return value if value.line == key.line else key


def show(value: Any) -> str:
    """Write a value as JSON, cut to 80 characters."""
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 80 else text[:77] + "..."


def _walk(node: Any) -> Iterator[Mapping[str, Any]]:
    if isinstance(node, dict):
        yield node
        for value in node.values():
            yield from _walk(value)
    elif isinstance(node, list):
        for value in node:
            yield from _walk(value)
