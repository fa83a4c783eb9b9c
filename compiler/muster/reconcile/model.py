"""The report of a reconciliation, and what its caller tells about committed output."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, Literal

SCHEMA: Final = "muster.dev/report/v1"

DriftClass = Literal[
    "generated",
    "definition",
    "environment",
    "result",
    "coverage",
    "age",
    "inventory",
    "orphan",
    "waiver",
    "input",
]
DRIFT_CLASSES: Final[tuple[DriftClass, ...]] = (
    "generated",
    "definition",
    "environment",
    "result",
    "coverage",
    "age",
    "inventory",
    "orphan",
    "waiver",
    "input",
)


@dataclass(frozen=True, slots=True)
class Difference:
    """One file of the committed output that is not what its site compiles to now."""

    site: str
    path: str
    change: Literal["missing", "modified", "unexpected"]


@dataclass(frozen=True, slots=True)
class GeneratedState:
    """How the committed output compares with what compiles now.

    Attributes:
        differences: what differs.
        compared: whether all of it was compared; otherwise only what is told without compiling.
    """

    differences: tuple[Difference, ...] = ()
    compared: bool = True


@dataclass(frozen=True, slots=True)
class Report:
    """Everything a reconciliation found, as JSON values.

    Attributes:
        as_of: the moment judged at, RFC 3339 in UTC.
        sites: name, digest and campaign of each plan.
        summary: counts; ``ok`` is true only when nothing was found.
        verdicts: one per desired test, in the order of the plans.
        drift: findings by drift class, every class present; one with severity ``error`` makes the exit
            status 1.
        waivers: every waiver with its status and what it covers.
        coverage: per pool and test, how many of its nodes are proven.
        suspects: failed runs over several nodes, with who accuses and who acquits whom.
        next_runs: the smallest set of runs that would decide what ``suspects`` leave open.
        disabled: tests that a site switched off, with reason and owner.
    """

    as_of: str
    sites: list[dict[str, Any]]
    summary: dict[str, Any]
    verdicts: list[dict[str, Any]]
    drift: dict[str, list[dict[str, Any]]]
    waivers: list[dict[str, Any]]
    coverage: list[dict[str, Any]]
    suspects: list[dict[str, Any]]
    next_runs: list[dict[str, Any]]
    disabled: list[dict[str, Any]]

    @property
    def exit_status(self) -> int:
        """0 when every desired test is satisfied or waived and nothing drifted, else 1."""
        return 0 if self.summary["ok"] else 1

    def as_dict(self) -> dict[str, Any]:
        """Return the report as ``muster.dev/report/v1``."""
        return {
            "apiVersion": SCHEMA,
            "asOf": self.as_of,
            "exitStatus": self.exit_status,
            "summary": self.summary,
            "sites": self.sites,
            "drift": self.drift,
            "suspects": self.suspects,
            "nextRuns": self.next_runs,
            "coverage": self.coverage,
            "waivers": self.waivers,
            "disabled": self.disabled,
            "verdicts": self.verdicts,
        }


def item(
    code: str,
    message: str,
    site: str,
    *,
    severity: Literal["error", "warning", "info"] = "error",
    subject: str | None = None,
    position: str | None = None,
    next_step: str = "",
) -> dict[str, Any]:
    """Return one finding of a drift class; ``subject`` is the id, node, path or waiver it is about."""
    return {
        "code": code,
        "severity": severity,
        "message": message,
        "site": site,
        "subject": subject,
        "position": position,
        "next": next_step,
    }
