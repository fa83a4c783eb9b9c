"""Which thresholds apply to which run, found once for all runs of a test in a pool that share the answer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from muster.plan.context import SiteContext

_ORDER = ("unit", "node", "domain", "pool", "product", "test", "catalog", "scope")
"""Fields of a match from the most to the least specific; compared in this order."""

_OF_THE_UNIT = frozenset({"unit", "node", "domain"})
"""Fields by which runs of one test in one pool differ."""


def match_of(context: SiteContext, name: str) -> Mapping[str, Any]:
    """Return what a threshold matches."""
    match: Mapping[str, Any] = context.spec["thresholds"][name]["match"]
    return match


def rank_of(context: SiteContext, name: str) -> tuple[bool, ...]:
    """Return how specific a threshold is; a greater one wins."""
    return tuple(field in match_of(context, name) for field in _ORDER)


class Applying:
    """Finds the thresholds of each run."""

    def __init__(self, context: SiteContext, names: Iterable[str]) -> None:
        self._context = context
        self._names = tuple(names)
        self._of_test: dict[tuple[str, str], tuple[tuple[str, bool], ...]] = {}

    def to(self, desired: Mapping[str, Any], entry: Mapping[str, Any]) -> tuple[str, ...]:
        """Return the names of the thresholds that apply to one run, in the order of the site.

        Args:
            desired: the run, as the plan has it.
            entry: the catalog entry that it runs.
        """
        key = desired["pool"], desired["test"]
        if key not in self._of_test:
            self._of_test[key] = tuple(self._candidates(desired, entry))
        return tuple(
            name
            for name, by_unit in self._of_test[key]
            if not by_unit or self._fits(match_of(self._context, name), desired, of_unit=True)
        )

    def _candidates(self, desired: Mapping[str, Any], entry: Mapping[str, Any]) -> Iterable[tuple[str, bool]]:
        """Yield what applies as far as test and pool tell, and whether the unit still decides."""
        product = self._context.spec["pools"][desired["pool"]]["gpu"]["product"]
        facts = {**desired, "product": product}
        for name in self._names:
            match = match_of(self._context, name)
            if self._fits(match, facts, of_unit=False) and self._measures(name, entry):
                yield name, bool(_OF_THE_UNIT & match.keys())

    def _measures(self, name: str, entry: Mapping[str, Any]) -> bool:
        """Tell whether a threshold is meant for a run: one that names no test passes over those of other metrics."""
        metric = self._context.spec["thresholds"][name]["metric"]
        return metric in entry["metrics"] or bool({"test", "catalog"} & set(match_of(self._context, name)))

    def _fits(self, match: Mapping[str, Any], facts: Mapping[str, Any], *, of_unit: bool) -> bool:
        for field, wanted in match.items():
            if (field in _OF_THE_UNIT) is not of_unit:
                continue
            if field == "node":
                if wanted not in facts["unit"]:
                    return False
            elif field == "unit":
                if sorted(wanted) != facts["unit"]:
                    return False
            elif facts.get(field) != wanted:
                return False
        return True
