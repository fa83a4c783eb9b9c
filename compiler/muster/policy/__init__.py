"""Sites against CUE: structure, profiles, rules. Every finding lands on the site's line."""

from muster.policy.cue import Cue
from muster.policy.evaluate import Evaluation, Policies, SiteResult
from muster.policy.module import PolicyModule, assemble

__all__ = ["Cue", "Evaluation", "Policies", "PolicyModule", "SiteResult", "assemble"]
