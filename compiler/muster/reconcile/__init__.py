"""Join what is desired with what the archive proves: verdicts, waivers, coverage, suspects, drift."""

from muster.reconcile.join import reconcile
from muster.reconcile.model import Difference, GeneratedState, Report

__all__ = ["Difference", "GeneratedState", "Report", "reconcile"]
