"""Findings as JUnit XML, the form that every CI server shows."""

from __future__ import annotations

from typing import TYPE_CHECKING
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from muster.diagnostics.escape import clip, visible
from muster.diagnostics.order import ordered
from muster.diagnostics.render_text import render_text

if TYPE_CHECKING:
    from collections.abc import Iterable

    from muster.diagnostics.record import Diagnostic

_LIMIT = 200


def render_junit(diagnostics: Iterable[Diagnostic], *, checked: Iterable[str] = ()) -> str:
    """Return one test suite: a failing case for each error, a passing case for each file without one.

    Warnings and notes pass, with their text as output.

    Args:
        diagnostics: findings in any order.
        checked: labels of all files that were looked at; those without an error are cases that pass.
    """
    found = ordered(diagnostics)
    failures = sum(item.is_error for item in found)
    faulty = {item.position.file for item in found if item.is_error and item.position}
    passed = sorted(set(checked) - faulty)
    totals = {"name": "muster", "tests": str(len(found) + len(passed)), "failures": str(failures)}
    root = Element("testsuites", totals)
    suite = SubElement(root, "testsuite", totals | {"errors": "0", "skipped": "0"})
    for file in passed:
        SubElement(suite, "testcase", {"classname": visible(file), "name": "no error"})
    for item in found:
        _case(suite, item)
    indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + tostring(root, encoding="unicode") + "\n"


def _case(suite: Element, item: Diagnostic) -> None:
    file = visible(item.position.file) if item.position else "muster"
    line = f":{item.position.line}:{item.position.column}" if item.position else ""
    name = visible(clip(f"{item.code} {item.path or item.message}", _LIMIT)) + line
    case = SubElement(suite, "testcase", {"classname": file, "name": name})
    if item.position:
        case.set("file", file)
        case.set("line", str(item.position.line))
    if item.is_error:
        message = visible(clip(item.message, _LIMIT))
        detail = SubElement(case, "failure", {"message": message, "type": visible(item.code)})
    else:
        detail = SubElement(case, "system-out")
    detail.text = render_text([item])
