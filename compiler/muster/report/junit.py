"""A report as JUnit XML: one case per desired test, one for every other finding."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from muster.diagnostics.escape import visible
from muster.report import facts

if TYPE_CHECKING:
    from collections.abc import Mapping


def render_junit(report: Mapping[str, Any]) -> str:
    """Return a suite per site and one for what is not about a single test.

    Satisfied tests pass, waived ones are skipped with the waiver as message, everything else fails: JUnit has
    no word for stale or missing that would not let a gate pass.
    """
    root = Element("testsuites", {"name": "muster reconcile"})
    for site in report["sites"]:
        verdicts = [verdict for verdict in report["verdicts"] if verdict["site"] == site["site"]]
        suite = SubElement(root, "testsuite", {"name": visible(site["site"]), "timestamp": report["asOf"]})
        for verdict in verdicts:
            _verdict(suite, verdict)
        _count(suite)
    rest = SubElement(root, "testsuite", {"name": "findings", "timestamp": report["asOf"]})
    for name, entry in facts.others(report):
        _finding(rest, name, entry)
    _count(rest)
    for key in ("tests", "failures", "skipped"):
        root.set(key, str(sum(int(suite.get(key, "0")) for suite in root)))
    indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + tostring(root, encoding="unicode") + "\n"


def _count(suite: Element) -> None:
    suite.set("tests", str(len(suite)))
    suite.set("failures", str(len(suite.findall("testcase/failure"))))
    suite.set("errors", "0")
    suite.set("skipped", str(len(suite.findall("testcase/skipped"))))


def _verdict(suite: Element, verdict: Mapping[str, Any]) -> None:
    name = "+".join(verdict["unit"])
    group = f"{verdict['site']}.{verdict['pool']}.{verdict['test']}"
    case = SubElement(suite, "testcase", {"classname": visible(group), "name": visible(name)})
    message = visible(f"{verdict['reason']['code']} {verdict['reason']['message']}")
    if verdict["state"] == "waived":
        waiver = verdict["waiver"]
        text = f"{verdict['underlying']}, waived by {waiver['name']} until {waiver['expires']}: {waiver['reason']}"
        SubElement(case, "skipped", {"message": visible(text)})
    elif verdict["state"] != "satisfied":
        detail = SubElement(case, "failure", {"type": verdict["state"], "message": message})
        lines = [f"{reason['code']} {reason['message']}" for reason in verdict["reasons"]]
        lines += [f"next: {verdict['next']}", f"evidence: {facts.evidence_of(verdict)}"]
        detail.text = "\n".join(visible(line) for line in lines)
    out = SubElement(case, "system-out")
    out.text = "\n".join(visible(" | ".join(row)) for row in facts.rows_of(verdict))


def _finding(suite: Element, name: str, entry: Mapping[str, Any]) -> None:
    subject = visible(str(entry["subject"] or entry["site"] or "all"))
    case = SubElement(suite, "testcase", {"classname": f"drift.{name}", "name": f"{entry['code']} {subject}"})
    text = visible(entry["message"])
    if entry["severity"] == "error":
        SubElement(case, "failure", {"type": entry["code"], "message": text}).text = visible(entry["next"])
    else:
        SubElement(case, "system-out").text = f"{entry['severity']}: {text}"
