"""From resolved sites to desired tests: units, measurements with digests, acceptance, cost. Pure."""

from muster.plan.build import SitePlan, build_plan
from muster.plan.digest import canonical_json, digest_of

__all__ = ["SitePlan", "build_plan", "canonical_json", "digest_of"]
