"""Check and merge many sites in few runs of cue; one bad site neither hides nor stops another."""

from __future__ import annotations

import json
import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from muster.diagnostics import Diagnostic, InputFault, Position, diagnostic
from muster.policy import limits
from muster.policy.compat import check_compat
from muster.policy.defaults import fill_defaults
from muster.policy.grammar import grammar_faults
from muster.policy.rules import from_error, from_violations, unknown_profiles
from muster.policy.structure import Structure, at
from muster.site.positions import format_path

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from muster.policy.cue import Cue, Exported
    from muster.policy.errors import CueError
    from muster.policy.module import PolicyModule
    from muster.site.load import LoadedSite


_RULE_FIELDS = {"severity", "hint", "source", "violations"}

SHARE = 20
"""So many sites are worth a process of their own."""

Merged = tuple["LoadedSite", "Mapping[str, Any]"]
Refused = tuple["LoadedSite", "tuple[Diagnostic, ...]"]


@dataclass(frozen=True, slots=True)
class SiteResult:
    """What the policies made of one site.

    Attributes:
        site: as it was loaded.
        resolved: merged with its profiles, defaults filled in; None where the site cannot stand.
        diagnostics: every finding, also of rules that only warn.
    """

    site: LoadedSite
    resolved: Mapping[str, Any] | None
    diagnostics: tuple[Diagnostic, ...]

    @property
    def accepted(self) -> bool:
        """Whether the site may be compiled: it stands, and nothing found is an error."""
        return self.resolved is not None and not any(item.is_error for item in self.diagnostics)


@dataclass(frozen=True, slots=True)
class Evaluation:
    """All sites, in the order they came, and the number of rules that looked at each."""

    results: tuple[SiteResult, ...]
    rules: int


@dataclass(frozen=True)
class Policies:
    """A policy module with the binary that evaluates it."""

    cue: Cue
    module: PolicyModule

    @cached_property
    def facts(self) -> Mapping[str, Any]:
        """Return catalog, hardware, profiles, compat rules and defaults as the policies state them.

        Raises:
            InputFault: MU205 the policy files themselves are wrong.
        """
        done = self.cue.export(self.module.root, "facts", {})
        if done.errors:
            raise InputFault(self._policy_faults(done))
        facts: Mapping[str, Any] = done.value
        strange = {code: sorted(set(names) - _RULE_FIELDS) for code, names in facts["rules"].items()}
        found = [
            diagnostic("MU205", f"rule {code} has the field {names[0]}, which rules do not have")
            for code, names in strange.items()
            if names
        ]
        if found:
            raise InputFault(found)
        return facts

    @cached_property
    def structure(self) -> Structure:
        """Return the structural checker of the module's own schema."""
        schema = json.loads((self.module.root / "schema" / "site.schema.json").read_text("utf-8"))
        return Structure(schema, self.facts["catalog"])

    def evaluate(self, sites: Sequence[LoadedSite]) -> Evaluation:
        """Merge every loaded site with its profiles and run every rule on it.

        Raises:
            InputFault: MU205 the policy files themselves are wrong; MU206 there is no rule at all.
            EnvironmentFault: cue cannot be run, or not in time.
        """
        rules = len(self.facts["rules"])
        if not rules:
            raise InputFault(diagnostic("MU206", "the policies have no rule: nothing would be checked"))
        shape = {id(site): self._shape_of(site) for site in sites}
        clean = [site for site in sites if site.data is not None and not shape[id(site)]]
        bent = [site for site in sites if site.data is None or shape[id(site)]]
        done = {id(site): SiteResult(site, None, found) for site, found in self._refused(bent, shape)}
        for results in self._in_parallel(clean):
            done |= {id(result.site): result for result in results}
        return Evaluation(tuple(done[id(site)] for site in sites), rules)

    def _shape_of(self, site: LoadedSite) -> tuple[Diagnostic, ...]:
        """Check the shape; of a file with errors report only what reading has not reported at the same field."""
        if site.data is None and site.partial is None:
            return ()
        known = {item.path for item in site.diagnostics if item.path}
        return tuple(item for item in self.structure.check(site) if not _covered(item.path, known))

    def _in_parallel(self, sites: list[LoadedSite]) -> list[list[SiteResult]]:
        """Share many sites out over a few processes of cue."""
        count = max(1, min(os.cpu_count() or 1, len(sites) // SHARE))
        parts = [sites[start::count] for start in range(count)]
        if count == 1:
            return [self._merge_and_judge(sites)]
        with ThreadPoolExecutor(count) as pool:
            return list(pool.map(self._merge_and_judge, parts))

    def _merge_and_judge(self, sites: list[LoadedSite]) -> list[SiteResult]:
        merged, refused = self._merge(sites)
        usable = []
        for site, value in merged:
            found = _given_faults(site, value)
            if found:
                refused.append((site, found))
            else:
                usable.append((site, value))
        return [*(SiteResult(site, None, found) for site, found in refused), *self._judge(usable)]

    def _merge(self, sites: list[LoadedSite]) -> tuple[list[Merged], list[Refused]]:
        """Merge with profiles; a site that CUE refuses is set aside and the rest is tried again."""
        refused: list[Refused] = []
        left = sites
        while left:
            exported = self._export("out", "in", {site.name: site.data for site in left})
            if not exported.errors:
                return [
                    (site, fill_defaults(exported.value[site.name], self.facts)) for site in left
                ], refused
            bad = self._by_site(left, exported)
            refused += [(site, self._to_diagnostics(site, bad[id(site)])) for site in left if id(site) in bad]
            left = [site for site in left if id(site) not in bad]
        return [], refused

    def _refused(self, bent: list[LoadedSite], shape: Mapping[int, tuple[Diagnostic, ...]]) -> list[Refused]:
        """Ask CUE also about sites of a wrong shape, so that one run tells everything."""
        if not bent:
            return []
        large = {id(site) for site in bent if any(item.code == limits.CODE for item in shape[id(site)])}
        named = [site for site in bent if isinstance(site.data, dict) and site.name and id(site) not in large]
        exported = self._export("out", "in", {site.name: site.data for site in named})
        more = self._by_site(named, exported) if exported.errors else {}
        found = []
        for site in bent:
            known = {item.path for item in shape[id(site)]}
            extra = self._to_diagnostics(site, more.get(id(site), []))
            kept = tuple(item for item in extra if not _covered(item.path, known))
            found.append((site, (*shape[id(site)], *kept)))
        return found

    def _judge(self, merged: list[Merged]) -> list[SiteResult]:
        """Run the rules and the version matrix on sites that stand; a rule that fails stops its site only."""
        results = []
        left = merged
        while left:
            exported = self._export("violations", "resolved", {site.name: value for site, value in left})
            bad = self._by_site([site for site, _ in left], exported) if exported.errors else {}
            for site, value in left:
                if id(site) in bad:
                    results.append(SiteResult(site, None, tuple(self._faults_of(bad[id(site)]))))
                elif not exported.errors:
                    found = from_violations(site, exported.value[site.name])
                    found += check_compat(site, value, self.facts["compat"])
                    results.append(SiteResult(site, value, tuple(sorted(found, key=Diagnostic.sort_key))))
            left = [item for item in left if id(item[0]) not in bad] if exported.errors else []
        return results

    def _export(self, expression: str, field: str, sites: Mapping[str | None, Any]) -> Exported:
        return self.cue.export(self.module.root, expression, {field: sites})

    def _by_site(self, sites: list[LoadedSite], exported: Exported) -> dict[int, list[CueError]]:
        """Share the errors out; an error that belongs to no site is a fault of the policies."""
        names = {site.name: site for site in sites}
        found: dict[int, list[CueError]] = {}
        for error in exported.errors:
            ours = len(error.path) > 1 and error.path[0] in {"out", "violations"}
            site = names.get(error.path[1]) if ours else None
            if site is not None:
                found.setdefault(id(site), []).append(error)
        if not found:
            raise InputFault(self._policy_faults(exported))
        return found

    def _to_diagnostics(self, site: LoadedSite, errors: list[CueError]) -> tuple[Diagnostic, ...]:
        found = [from_error(site, replace(error, path=error.path[2:]), self.module) for error in errors]
        unknown = unknown_profiles(site, self.facts["profiles"])
        if unknown:  # what its tests lack would have come from there
            found = [*unknown, *(item for item in found if item.code != "MU212")]
        return tuple(dict.fromkeys(found))

    def _policy_faults(self, exported: Exported) -> list[Diagnostic]:
        return self._faults_of(list(exported.errors)) or [
            diagnostic("MU205", exported.stderr.strip() or "cue failed")
        ]

    def _faults_of(self, errors: list[CueError]) -> list[Diagnostic]:
        found = []
        for error in errors:
            position = self._blame(error)
            where = ".".join(error.path)
            found.append(
                diagnostic("MU205", f"{where}: {error.message}" if where else error.message, position)
            )
        return found

    def _blame(self, error: CueError) -> Position | None:
        """Choose, of all places cue names, the last of the repository's own, else of muster's."""
        places = [
            Position(self.module.label(place.file), place.line, place.column)
            for place in error.places
            if place.file != "-"
        ]
        own = [
            place
            for place in places
            if not place.file.startswith("(muster)") and "/evaluate.cue" not in place.file
        ]
        return next(reversed(own or places), None)


def _given_faults(site: LoadedSite, merged: Mapping[str, Any]) -> tuple[Diagnostic, ...]:
    """Report values that a profile gives and no reader can use; the site's own were checked before."""
    return tuple(
        at(site, "MU215", f"a profile gives {format_path(steps)}: {error.message}", steps, error.hint)
        for steps, error in grammar_faults(merged)
        if steps not in site.positions
    )


def _covered(path: str, known: set[str]) -> bool:
    return any(path == item or path.startswith((item + ".", item + "[")) for item in known)
