"""Gather what the objects of NVCRE in one file say: how runs ended, which nodes failed and why, what was measured."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from muster.diagnostics.words import counted
from muster.readers.goodput import goodput
from muster.readers.model import problem, quoted
from muster.readers.nvcre_conditions import Condition, conditions, phase
from muster.readers.nvcre_failures import NOT_FINISHED, NOT_THE_DEVICE, check, kind_of, plain, threshold
from muster.readers.nvcre_measure import bandwidth, training
from muster.readers.nvcre_packed import unpack_json
from muster.readers.nvcre_report import report_of
from muster.readers.views import View

if TYPE_CHECKING:
    from muster.readers.model import Problem

GROUPS = ("nvcre.nvidia.com/", "cre.nvidia.com/")
CATEGORIES = {"Succeeded": "pass", "Failed": "fail", "Pending": "not-run", "InProgress": "not-run"}


class Objects:
    """Gather what the objects of one file say."""

    def __init__(self, problems: list[Problem]) -> None:
        self._problems = problems
        self.shown: list[dict[str, Any]] = []
        self._checks: list[dict[str, Any]] = []
        self._rows: list[dict[str, Any]] = []
        self._goodputs: list[dict[str, Any]] = []
        self._failed: list[dict[str, Any]] = []
        self._excluded: list[dict[str, Any]] = []
        self._reports: list[dict[str, Any]] = []

    def result(self) -> dict[str, Any]:
        """Return the keys that the objects add to a reading."""
        made: dict[str, Any] = {
            "checks": self._checks,
            "rows": self._rows,
            "nvcre": {
                "objects": self.shown,
                "nodes": {"failed": self._failed, "excluded": self._excluded},
                "transport": sorted({name for row in self._rows for name in row["transport"]}),
                "reports": self._reports,
            },
        }
        if len(self._goodputs) == 1:
            made["goodput"] = self._goodputs[0]
        elif self._goodputs:
            why = {"ratio": f"{len(self._goodputs)} measurements are in one file"}
            made["goodput"] = goodput({}, unknown=why, measurements=self._goodputs)
        return made

    def take(self, view: View) -> None:
        """Take one object; objects of other groups are passed over."""
        kind, group = view.text("kind") or "", view.text("apiVersion") or ""
        if kind == "ConfigMap" and group == "v1":
            self._config_map(view)
        elif group.startswith(GROUPS):
            known = {
                "Certification": self._certification,
                "WorkloadRun": self._workload_run,
                "Workflow": self._workflow,
                "Job": self._job,
                "BandwidthMeasurement": self._bandwidth,
                "GoodputMeasurement": self._goodput,
            }
            if kind in known:
                known[kind](view)

    def _show(self, view: View, status: View, **more: Any) -> str:
        """List an object and return how it is called."""
        meta = view.view("metadata")
        notes = meta.view("annotations")
        shown = {
            "kind": view.text("kind"),
            "namespace": meta.text("namespace"),
            "name": meta.text("name"),
            "uid": meta.text("uid"),
            "annotations": {key: notes.text(key) for key in sorted(notes) if key.startswith("muster.dev/")},
            **more,
        }
        if not len(status):
            view.doubt("holds nothing", "status", "MU781")
        self.shown.append(shown)
        return f"{shown['namespace'] or ''}/{shown['name'] or ''}"

    def _run(self, view: View) -> tuple[View, str, str]:
        """Take the phase of an object that has one, as a check; return its status, name and phase."""
        kind, status = view.text("kind") or "", view.view("status")
        found = conditions(status)
        now, condition = phase(status, found)
        also = [name for name in ("HardwareFailed", "ValidationFailed") if _true(found, name)]
        name = self._show(
            view,
            status,
            theirs=now,
            also=also,
            reason=condition.reason if condition else None,
            message=condition.message if condition else None,
            since=condition.since if condition else None,
            platform=status.text("detectedPlatform"),
            gpu=status.text("detectedGPUArchitecture"),
            gpusPerNode=status.count("resolvedGpusPerNode"),
        )
        reasons = [found[key].reason for key in also] + ([condition.reason] if condition else [])
        if now in ("InProgress", "Unknown") and len(status):
            status.doubt(f"are {now}", "conditions", "MU781")
        elif now == "Succeeded" and (
            also == ["ValidationFailed"] if kind != "Job" else "HardwareFailed" in also
        ):
            status.doubt(f"say Succeeded and {' and '.join(also)}", "conditions", "MU782")
        for reason in reasons:
            if reason in NOT_THE_DEVICE:
                status.doubt(f"say {reason}", "conditions", "MU789")
            elif reason in NOT_FINISHED:
                status.doubt(f"say {reason}", "conditions", "MU781")
        self._checks.append(_run_check(kind, name, now, condition, [found[key] for key in also]))
        return status, name, now

    def _certification(self, view: View) -> None:
        status, _, now = self._run(view)
        categories = status.views("categoryStatuses")
        for one in categories:
            self._category(one, now)
        if now == "Succeeded" and not categories:
            status.doubt("holds no category", "categoryStatuses", "MU785")

    def _category(self, view: View, now: str) -> None:
        status = view.text("status")
        if status not in CATEGORIES:
            view.doubt(f"is {quoted(str(status), 40)}", "status", "MU784")
        if now == "Succeeded" and status != "Succeeded":
            view.doubt(f"is {quoted(str(status), 40)} in a Certification that succeeded", "status", "MU782")
        domain, variant = view.text("domain"), view.text("variant")
        if not domain or not variant:
            view.doubt("has no domain or no variant")
        name = f"{domain}/{variant}"
        self._checks.append(plain(name, None, CATEGORIES.get(status or "", "error")))

    def _workload_run(self, view: View) -> None:
        self._run(view)

    def _workflow(self, view: View) -> None:
        status, name, now = self._run(view)
        plan = status.view("orchestration")
        reason = plan.text("exclusionReason")
        nodes = plan.texts("excludedNodes")
        self._excluded += [{"node": node, "reason": reason, "object": name} for node in nodes]
        if nodes:
            severity: Any = "error" if now == "Succeeded" else "warning"
            text = f"{counted(len(nodes), 'node')} not tested: {quoted(', '.join(nodes), 200)}"
            self._problems.append(problem("MU788", text, severity=severity))
        self.shown[-1]["groups"] = [
            {key: one.text(key) for key in ("name", "phase", "startTime", "completionTime")}
            | {"nodes": one.texts("nodes")}
            for one in plan.views("groups")
        ]

    def _job(self, view: View) -> None:
        status, name, now = self._run(view)
        log = status.view("failureLog")
        self.shown[-1]["restarts"] = status.count("restartCount")
        self.shown[-1]["failure"] = {
            "pod": log.text("podName"),
            "node": log.text("nodeName"),
            "exitCode": log.count("exitCode"),
            "reason": log.text("reason"),
        }
        failed = status.views("failedNodes")
        if failed and now == "Succeeded" and "ValidationFailed" not in self.shown[-1]["also"]:
            status.doubt("are there although the Job succeeded", "failedNodes", "MU782")
        for one in failed:
            self._failed_node(one, name)

    def _failed_node(self, view: View, name: str) -> None:
        node, reason, message = view.text("name"), view.text("reason"), view.text("message")
        kind = kind_of(reason, message)
        if kind == "unknown":
            view.doubt(f"is {quoted(str(reason), 60)}", "reason", "MU784")
        if kind == "hardware":
            text = f"{quoted(str(node), 100)} failed by a watched condition of the node object"
            self._problems.append(problem("MU787", text))
        self._failed.append(
            {
                "node": node,
                "reason": reason,
                "kind": kind,
                "message": message,
                "threshold": threshold(message),
                "object": name,
            }
        )
        self._checks.append(check("failedNodes", f"node {node}", kind, reason, message))

    def _bandwidth(self, view: View) -> None:
        status = view.view("status")
        name = self._show(view, status)
        if len(status):
            rows, more = bandwidth(status, view.view("spec"), name)
            self._rows += rows
            self.shown[-1] |= more

    def _goodput(self, view: View) -> None:
        status = view.view("status")
        name = self._show(view, status)
        if len(status):
            self._goodputs.append(training(status, name))

    def _config_map(self, view: View) -> None:
        packed, meta = view.view("binaryData"), view.view("metadata")
        name = f"{meta.text('namespace') or ''}/{meta.text('name') or ''}"
        if "failed-nodes.json.gz" in packed:
            nodes = unpack_json(packed, "failed-nodes.json.gz")
            holder = View({"nodes": nodes}, name, self._problems, "MU783")
            self.shown.append({"kind": "ConfigMap", "name": name})
            for one in holder.views("nodes"):
                self._failed_node(one, name)
        if "report.json.gz" in packed:
            report = unpack_json(packed, "report.json.gz")
            if report is not None:
                part = report_of(report, len(self._reports), self._problems)
                self.shown.append({"kind": "ConfigMap", "name": name})
                self._reports.append(part["report"])
                self._checks += part["checks"]
                self._rows += part["rows"]


def _true(found: dict[str, Condition], name: str) -> bool:
    return name in found and found[name].status == "True"


def _run_check(
    kind: str, name: str, now: str, condition: Condition | None, also: list[Condition]
) -> dict[str, Any]:
    """Return the check of a run: what failed besides wins over a phase that says Succeeded."""
    reason, message = (condition.reason, condition.message) if condition else (None, None)
    if also:
        kinds = [kind_of(one.reason, one.message) for one in also]
        worst = next((one for one in ("hardware", "threshold") if one in kinds), "unknown")
        texts = [text for one in also for text in (one.reason, one.message)]
        return check(kind, name, worst, *texts, reason, message)
    if now == "Failed":
        return check(kind, name, kind_of(reason, message), reason, message)
    return plain(kind, name, "pass" if now == "Succeeded" else "not-run", reason, message)
