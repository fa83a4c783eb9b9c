"""What every step of planning needs of one site."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from muster.diagnostics import Diagnostic, Position, Related, diagnostic
from muster.policy.structure import point_at
from muster.site.positions import format_path
from muster.site.units import parse_duration

if TYPE_CHECKING:
    from collections.abc import Mapping

    from muster.site.positions import PositionMap

Steps = tuple[str | int, ...]


@dataclass(frozen=True)
class SiteContext:
    """A resolved site with the places its values come from.

    Attributes:
        name: the site's name.
        spec: the resolved spec.
        positions: places in the site file.
        profiles: places of profile values by path from ``spec``, profile by profile.
    """

    name: str
    spec: Mapping[str, Any]
    positions: PositionMap
    profiles: Mapping[str, Mapping[Steps, Position]] = field(default_factory=dict)

    @property
    def valid_for(self) -> int:
        """How long evidence proves what it proved, in seconds."""
        return int(parse_duration(self.spec["validFor"]))

    def fault(
        self, code: str, message: str, steps: Steps, *, hint: str = "", related: tuple[Related, ...] = ()
    ) -> Diagnostic:
        """Make a finding at a field of the site; what a profile gave is named as related."""
        profile = self.in_profile(steps)
        if profile is not None and steps not in self.positions:
            related = (*related, Related(profile[1], f"profile {profile[0]}"))
        place = point_at(self.positions, steps)
        return diagnostic(
            code, message, place, hint=hint, path=format_path(steps), site=self.name, related=related
        )

    def in_profile(self, steps: Steps) -> tuple[str, Position] | None:
        """Return the profile that gives a field, or a field inside it, with the place."""
        inner = steps[1:] if steps[:1] == ("spec",) else steps
        for name, places in self.profiles.items():
            for path, place in places.items():
                if path[: len(inner)] == inner:
                    return name, place
        return None

    def site_place(self, steps: Steps) -> str:
        """Return ``file:line:col`` in the site file: of the field, else of its profile's name there."""
        profile = self.in_profile(steps)
        if steps not in self.positions and profile and profile[0] in self.spec["profiles"]:
            steps = ("spec", "profiles", self.spec["profiles"].index(profile[0]))
        return str(self.positions.key(steps))

    def where(self, steps: Steps) -> str:
        """Return ``file:line:col`` of a field: in the site where it stands there, else in its profile."""
        if steps in self.positions:
            return str(self.positions.key(steps))
        profile = self.in_profile(steps)
        return str(profile[1]) if profile else str(self.positions.of(steps))
