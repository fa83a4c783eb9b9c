"""Read what NVCRE reports: a report, a list of them, or the envelope that its exporter delivers.

The result in a report is theirs and is kept as such: it is the maximum over message sizes against their own
thresholds, or merely that programs exited with 0. The printed bandwidth is that of the largest size only, so
rows carry a rounded size as text and no ``bytes``.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from muster.diagnostics.words import counted
from muster.readers.documents import DocumentError, from_json, scrub
from muster.readers.goodput import goodput
from muster.readers.model import empty, problem, quoted, unreadable
from muster.readers.nvcre_failures import check, kind_of, plain, threshold
from muster.readers.outcome import state_of
from muster.readers.registry import Reader
from muster.readers.views import View

if TYPE_CHECKING:
    from collections.abc import Iterable

    from muster.readers.model import Problem, Reading, State
    from muster.readers.source import Source

RESULTS = ("PASSED", "INCOMPLETE", "FAILED", "RUNNING")
STATUSES = {"Succeeded": "pass", "Failed": "fail", "Pending": "not-run", "Running": "not-run"}
STATES: dict[str, State] = {"MU781": "incomplete", "MU788": "incomplete"}
_RUNTIME = re.compile(r"(?:(\d{1,5})h)? ?(?:(\d{1,5})m)? ?(?:(\d{1,7})s)?", re.ASCII)
_REPORT_KEYS = re.compile(r'"(?:categories|totalNodes|failedNodes|excludedNodes)"\s*:')


def _sniff(head: str, _name: str) -> int:
    if head.lstrip()[:1] not in ("{", "["):
        return 0
    if '"reportID"' in head and '"schemaVersion"' in head:
        return 90
    known = '"categories"' in head and ('"result"' in head or '"totalNodes"' in head)
    return 80 if known and _REPORT_KEYS.search(head) and '"reportFormat"' not in head else 0


def _read(source: Source) -> Reading:
    try:
        document = from_json(source.document())
    except DocumentError as error:
        found = problem("MU780", quoted(str(error), 300)[1:-1], error.line)
        return unreadable(source.name, "nvcre-report", found)
    reading = empty(source.name, "nvcre-report", "complete")
    problems = reading["problems"]
    items = document if isinstance(document, list) else [document]
    parts = [report_of(item, index, problems) for index, item in enumerate(items[:1000])]
    if not parts or len(items) > 1000:
        problems.append(problem("MU785", "there is no report, or more than 1000"))
    clean: Reading = scrub(merge(reading, parts))
    return clean


def merge(reading: Reading, parts: list[dict[str, Any]]) -> Reading:
    """Put parsed reports into a reading and conclude its state."""
    more: dict[str, Any] = {
        "checks": [item for part in parts for item in part["checks"]],
        "rows": [item for part in parts for item in part["rows"]],
        "nvcre": {"reports": [part["report"] for part in parts]},
    }
    trained = [item for part in parts for item in part["report"]["training"]]
    if trained:
        why = "a report gives a ratio and none of its parts"
        more["goodput"] = goodput({}, unknown={"ratio": why}, theirs=[item["goodput"] for item in trained])
    merged: Any = {**reading, **more}
    merged["state"] = state_of(reading["problems"], STATES)
    found: Reading = merged
    return found


def report_of(item: Any, index: int, problems: list[Problem]) -> dict[str, Any]:
    """Return checks, rows and the report of one element: a report or an envelope around one."""
    outer = View(item, f"report {index}", problems, "MU783")
    envelope = _envelope(outer) if "reportID" in outer or "report" in outer else None
    view = outer.view("report") if envelope is not None else outer
    result = view.text("result")
    categories = [_category(one) for one in view.views("categories")]
    nodes = _nodes(view, categories)
    report = {
        "name": view.text("name"),
        "platform": view.text("platform"),
        "gpu": view.text("gpu"),
        "totalNodes": view.count("totalNodes"),
        "theirs": result,
        "nodes": nodes,
        "categories": [one["category"] for one in categories],
        "training": [row for one in categories for row in one["training"]],
        "envelope": envelope,
    }
    _judge_shape(view, report, result)
    if envelope is not None and envelope["name"] != report["name"]:
        outer.doubt("names another object than its source", "report", "MU782")
    return {
        "report": report,
        "checks": [row for one in categories for row in one["checks"]] + _node_checks(nodes),
        "rows": [row for one in categories for row in one["rows"]],
    }


def _envelope(view: View) -> dict[str, Any]:
    version = view.text("schemaVersion")
    if version != "v1":
        view.doubt(f"is {quoted(str(version), 40)}, not v1", "schemaVersion", "MU784")
    source = view.view("source")
    keys = ("clusterID", "kind", "namespace", "name", "uid", "reason", "message")
    found: dict[str, Any] = {key: source.text(key) for key in keys}
    return {"reportID": view.text("reportID"), "generatedAt": view.text("generatedAt"), **found}


def _judge_shape(view: View, report: dict[str, Any], result: str | None) -> None:
    """Look for what makes a report unfinished, empty or contradictory."""
    nodes, categories = report["nodes"], report["categories"]
    if result not in RESULTS:
        view.doubt(f"is {quoted(str(result), 40)}", "result", "MU784")
    if result == "RUNNING":
        view.doubt("is RUNNING", "result", "MU781")
    if result == "INCOMPLETE" or nodes["excluded"]:
        names = quoted(", ".join(item["node"] for item in nodes["excluded"]), 200)
        text = f"{counted(len(nodes['excluded']), 'node')} not tested: {names}"
        severity: Any = "error" if result in ("INCOMPLETE", "PASSED") else "warning"
        view.problems.append(problem("MU788", text, severity=severity))
    if not categories or report["totalNodes"] == 0:
        view.doubt("tested nothing", "categories", "MU785")
    broken = nodes["failed"] or any(one["status"] != "Succeeded" or one["failed"] for one in categories)
    if result in ("PASSED", "INCOMPLETE") and broken:
        view.doubt(f"is {result}, but something in the report did not succeed", "result", "MU782")


def _category(view: View) -> dict[str, Any]:
    domain, variant, status = view.text("domain"), view.text("variant"), view.text("status")
    name = f"{domain}/{variant}"
    if not domain or not variant:
        view.doubt("has no domain or no variant")
    if status not in STATUSES:
        view.doubt(f"is {quoted(str(status), 40)}", "status", "MU784")
    if status in ("Pending", "Running"):
        view.doubt(f"is {status}", "status", "MU781")
    groups = [_failed_group(one) for one in view.views("failedGroups")]
    diagnose = view.view("diagnose")
    transport = view.texts("transport")
    shown = {
        "domain": domain,
        "variant": variant,
        "status": status,
        "failed": _failed(view, groups),
        "failureReason": view.text("failureReason"),
        "statusDetail": view.text("statusDetail"),
        "runtimeSeconds": seconds(view.text("runtime")),
        "testScale": view.text("testScale"),
        "nodesPerJob": view.count("nodesPerJob"),
        "jobs": view.count("jobs"),
        "mnnvl": view.text("mnnvl"),
        "transport": transport,
        "failedGroups": groups,
        "cliques": [_clique(one) for one in view.views("cliques")],
        "iterations": [_iteration(one) for one in view.views("iterations")],
        "confirmedFaulty": diagnose.texts("confirmedFaulty"),
        "infrastructureFaults": [_fault(one) for one in diagnose.views("infrastructureFaults")],
    }
    return {
        "category": shown,
        "training": [_training(name, one) for one in view.views("domains")],
        "rows": _rows(name, view, transport, diagnose),
        "checks": [_category_check(name, shown), *_group_checks(name, groups)],
    }


def _failed(view: View, groups: list[dict[str, Any]]) -> bool:
    """Whether any part of a category did not succeed, whatever its own status says."""
    parts = [one.flag("passed") is not False for one in view.views("cliques")]
    parts += [one.flag("failed") is not True for one in view.views("groupBandwidth")]
    parts += [one.text("status") == "Succeeded" for one in view.views("iterations")]
    return bool(groups) or not all(parts)


def _iteration(view: View) -> dict[str, Any]:
    return {"number": view.count("number"), "status": view.text("status")}


def _category_check(name: str, shown: dict[str, Any]) -> dict[str, Any]:
    status = STATUSES.get(shown["status"] or "", "error")
    return plain(name, None, status, shown["failureReason"], shown["statusDetail"])


def _failed_group(view: View) -> dict[str, Any]:
    log, reason = view.view("failureLog"), view.text("reason")
    ran = "exitCode" in log or "podName" in log
    kind = kind_of(reason)
    return {
        "name": view.text("name"),
        "nodes": view.texts("nodes"),
        "reason": reason,
        "kind": "workload" if kind == "unknown" and ran else kind,
        "threshold": threshold(reason),
        "pod": log.text("podName"),
        "node": log.text("nodeName"),
        "exitCode": log.count("exitCode"),
        "logReason": log.text("reason"),
    }


def _group_checks(name: str, groups: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    found = []
    for group in groups:
        exit_text = None if group["exitCode"] is None else f"exit code {group['exitCode']}"
        found += [
            check(name, f"node {node}", group["kind"], group["reason"], exit_text) for node in group["nodes"]
        ]
        if not group["nodes"]:
            found.append(check(name, f"group {group['name']}", group["kind"], group["reason"], exit_text))
    return found


def _clique(view: View) -> dict[str, Any]:
    return {
        "name": view.text("name"),
        "total": view.count("total"),
        "validated": view.count("validated"),
        "passed": view.flag("passed"),
    }


def _fault(view: View) -> dict[str, Any]:
    return {
        "domain": view.text("domain"),
        "groupA": view.texts("groupA"),
        "groupB": view.texts("groupB"),
        "stage": view.text("stage"),
    }


def _training(name: str, view: View) -> dict[str, Any]:
    ratio = view.number("goodput")
    if ratio is not None and not 0 <= ratio <= 1:
        view.doubt("is not between 0 and 1", "goodput")
        ratio = None
    return {
        "category": name,
        "name": view.text("name"),
        "nodes": view.count("nodeCount"),
        "goodput": ratio,
        "tflopsPerGpu": view.number("tflops"),
        "stepSeconds": view.number("stepTime"),
    }


def _rows(name: str, view: View, transport: list[str], diagnose: View) -> list[dict[str, Any]]:
    found = []
    more: dict[str, Any]
    for row in view.views("bandwidth"):
        more = {
            "size": row.text("size"),
            "algbw": row.number("algBW", "GB/s"),
            "samples": row.count("samples"),
        }
        found.append(_row(name, row, transport, more))
    for row in view.views("groupBandwidth"):
        more = {"group": row.text("groupName"), "nodes": row.texts("nodes"), "failed": row.flag("failed")}
        found.append(_row(name, row, row.texts("transport"), more))
    for row in diagnose.views("tests"):
        more = {"group": row.text("name"), "nodes": row.texts("nodes"), "stage": row.text("stage")}
        found.append(_row(name, row, [], {**more, "passed": row.flag("passed")}))
    return [item for item in found if item is not None]


def _row(name: str, row: View, transport: list[str], more: dict[str, Any]) -> dict[str, Any] | None:
    value = row.number("busBW", "GB/s")
    if value is not None and value < 0:
        row.doubt("is negative", "busBW")
        value = None
    return {
        "case": name,
        "metric": "bandwidth",
        "value": value,
        "unit": "GB/s",
        "transport": transport,
        **more,
    }


def _nodes(view: View, categories: list[dict[str, Any]]) -> dict[str, Any]:
    """Return failed nodes, each with every reason that the report gives, excluded and passed ones."""
    why: dict[str, list[dict[str, Any]]] = {node: [] for node in view.texts("failedNodes")}
    for one in categories:
        for group in one["category"]["failedGroups"]:
            for node in group["nodes"]:
                reason = {"kind": group["kind"], "reason": group["reason"], "exitCode": group["exitCode"]}
                why.setdefault(node, []).append(reason)
        for node in one["category"]["confirmedFaulty"]:
            why.setdefault(node, []).append(
                {"kind": "diagnose", "reason": "confirmedFaulty", "exitCode": None}
            )
    passed = []
    for result in view.views("nodeResults"):
        node, status = result.text("name") or "", result.text("status")
        if status == "Passed":
            passed.append(node)
        elif status == "Failed":
            why.setdefault(node, [])
        else:
            result.doubt(f"is {quoted(str(status), 40)}", "status", "MU784")
    left_out = view.text("exclusionReason")
    return {
        "failed": [{"node": node, "reasons": reasons} for node, reasons in sorted(why.items())],
        "excluded": [{"node": node, "reason": left_out} for node in view.texts("excludedNodes")],
        "passed": sorted(set(passed) - set(why)),
    }


def _node_checks(nodes: dict[str, Any]) -> list[dict[str, Any]]:
    """Return a check for each failed node whose reason the report does not give."""
    bare = [item for item in nodes["failed"] if not any(r["kind"] != "diagnose" for r in item["reasons"])]
    return [
        check("failedNodes", f"node {item['node']}", "unknown", *(r["reason"] for r in item["reasons"]))
        for item in bare
    ]


def seconds(text: str | None) -> int | None:
    """Return the seconds of a duration as NVCRE prints it, ``6m 47s``; past an hour it drops the seconds."""
    found = _RUNTIME.fullmatch(text) if text else None
    if found is None or not text or not text.strip():
        return None
    hours, minutes, rest = (int(part or 0) for part in found.groups())
    return hours * 3600 + minutes * 60 + rest


READER = Reader("nvcre-report", _sniff, _read, "nvcre-report/1")
