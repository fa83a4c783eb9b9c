"""Read the JSON of ``dcgmi diag -j`` (DCGM 2.x to 4.x) and of nvvs.

Source of the shapes: ``dcgmi/Diag.cpp`` of NVIDIA/DCGM, v2.1.4 to v4.6.0.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from muster.readers.dcgm_findings import CHECKS, Findings, Result, Warned, share
from muster.readers.dcgm_names import snake, status_of
from muster.readers.documents import tidy
from muster.readers.figures import count
from muster.readers.model import quoted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from muster.readers.embedded import Document

ROOTS = ("DCGM Diagnostic", "DCGM GPU Diagnostic")
_MOST_GPUS = 1024
_MOST_WARNINGS = 256


def read_document(document: Document, round_number: int | None) -> list[Findings]:
    """Return what a document says: one `Findings` for each run of the diagnosis, none for a foreign one."""
    value = document.value
    if any(root in value for root in ROOTS):
        findings = Findings(round_number, document.line)
        _diagnosis(value, findings)
        findings.finish()
        return [findings]
    if isinstance(value.get("iterations"), list):
        return _iterations(document, round_number)
    return _fragment(document, round_number)


def _iterations(document: Document, round_number: int | None) -> list[Findings]:
    value = document.value
    whole = Findings(round_number, document.line)
    made: list[Findings] = []
    for number, item in enumerate(value["iterations"], 1):
        if not isinstance(item, dict) or not any(root in item for root in ROOTS):
            whole.report("MU744", f"iteration {number} has no document")
            continue
        findings = Findings(round_number, document.line, iteration=number)
        _diagnosis(item, findings)
        findings.finish()
        made.append(findings)
    statuses = {check["status"] for findings in made for check in findings.checks}
    said = status_of(value.get("Overall Result"))
    if said not in ("pass", "fail"):
        whole.report("MU744", "the document of the iterations has no overall result")
    elif said == "pass" and statuses & {"fail", "error"}:
        whole.report("MU742", "the overall result is Pass, but an iteration failed")
    elif said == "fail" and not statuses & {"fail", "warn", "error"}:
        whole.report(
            "MU742", f"the overall result is Fail, no iteration is: {quoted(str(value.get('Warning')))}"
        )
    if not value["iterations"]:
        whole.report("MU743", "there is no iteration")
    return [whole, *made]


def _fragment(document: Document, round_number: int | None) -> list[Findings]:
    """Read a part of a document: a list of categories, one category, one test or one result."""
    value = document.value
    findings = Findings(round_number, document.line)
    if isinstance(value.get("test_categories"), list):
        _categories(value["test_categories"], findings)
    elif isinstance(value.get("category"), str) and isinstance(value.get("tests"), list):
        _categories([value], findings)
    elif isinstance(value.get("name"), str) and isinstance(value.get("results"), list):
        _test(value, None, findings)
    elif "status" in value and any(key in value for key in ("entity_id", "gpu_id", "gpu_ids")):
        findings.add("unnamed", None, _results(value, "unnamed", findings))
    else:
        return []
    findings.report("MU744", "this is only a part of a document of DCGM")
    return [findings]


def _diagnosis(value: dict[str, Any], findings: Findings) -> None:
    roots = [root for root in ROOTS if root in value]
    body = value[roots[0]]
    metadata = value.get("metadata")
    for place in (value, metadata if isinstance(metadata, dict) else {}):
        findings.settle("dcgm", place.get("version"))
        findings.settle("driver", place.get("Driver Version Detected"))
        findings.settle("eud", place.get("EUD Test Version"))
    _devices(value, findings)
    if len(roots) > 1 or not isinstance(body, dict):
        findings.report("MU745", "the root of the document is not one object")
        return
    if "runtime_error" in body:
        findings.settle("dcgm", body.get("version"))
        findings.report("MU741", f"DCGM reports: {quoted(_text(body['runtime_error']), 300)}")
    elif isinstance(body.get("test_categories"), list):
        _categories(body["test_categories"], findings)


def _devices(value: dict[str, Any], findings: Findings) -> None:
    """Note the entities that the document lists: 4.x by group and id, 3.x as a list of device ids."""
    groups = value.get("entity_groups")
    for group in groups if isinstance(groups, list) else []:
        if not isinstance(group, dict) or not isinstance(group.get("entities"), list):
            findings.report("MU745", "an entity group is not understood")
            continue
        ids = [count(item.get("entity_id")) for item in group["entities"] if isinstance(item, dict)]
        if None in ids or len(ids) > _MOST_GPUS:
            findings.report("MU745", f"the entities of group {quoted(_group(group))} are not understood")
        findings.detected[_group(group)] = [number for number in ids if number is not None][:_MOST_GPUS]
    devices = value.get("GPU Device IDs")
    if isinstance(devices, list):
        findings.environment["gpus"] = len(devices)
    elif "GPU" in findings.detected:
        findings.environment["gpus"] = len(findings.detected["GPU"])


def _categories(categories: list[Any], findings: Findings) -> None:
    for category in categories:
        tests = category.get("tests") if isinstance(category, dict) else None
        if tests is None:
            continue
        if not isinstance(tests, list):
            findings.report("MU745", "the tests of a category are not a list")
            continue
        title = category.get("category")
        name = snake(title) if isinstance(title, str) else None
        for test in tests:
            if len(findings.checks) >= CHECKS:
                findings.report("MU704", f"more than {CHECKS} results")
                return
            if test is not None:
                _test(test, name, findings)


def _test(test: Any, category: str | None, findings: Findings) -> None:
    if not isinstance(test, dict) or not isinstance(test.get("name"), str):
        findings.report("MU745", f"a test without a name: {quoted(_text(test))}")
        return
    raw = test["name"]
    listed = test.get("results")
    if listed is not None and not isinstance(listed, list):
        findings.report("MU745", f"the results of {quoted(raw)} are not a list")
        return
    results = [result for item in listed or [] for result in _results(item, raw, findings)]
    summary = test.get("test_summary")
    if isinstance(summary, dict):
        overall = next(_results(summary, raw, findings))._replace(entity=None)
        if not results and overall.status == "pass":
            findings.report("MU744", f"{quoted(raw)} is summarised as passed, but no entity has a result")
            overall = overall._replace(status="not-run")
        results = findings.summarise(raw, results, overall)
    elif summary is not None:
        findings.report("MU745", f"the summary of {quoted(raw)} is not an object")
    if not results:
        results = [Result(None, "not-run", info=["the test has no result"])]
    findings.add(raw, category, results)


def _results(item: Any, raw: str, findings: Findings) -> Iterator[Result]:
    """Yield the results of one entry: one for each GPU it names, one without entity where it names none."""
    if not isinstance(item, dict):
        findings.report("MU745", f"a result of {quoted(raw)} is not an object: {quoted(_text(item))}")
        yield Result(None, "error")
        return
    status = status_of(item.get("status"))
    if status is None:
        findings.report("MU745", f"{quoted(raw)} has the unknown status {quoted(_text(item.get('status')))}")
        status = "error"
    warnings = _warnings(item.get("warnings"), raw, findings)
    info = _infos(item.get("info"))
    entities = _entities(item, raw, findings)
    if len(entities) > 1:
        yield from share(entities, status, warnings, info)
    else:
        yield Result(entities[0] if entities else None, status, warnings, info)


def _entities(item: dict[str, Any], raw: str, findings: Findings) -> list[str]:
    if "entity_id" in item or "entity_group" in item:
        number = count(item.get("entity_id"))
        if number is None:
            findings.report("MU745", f"{quoted(raw)}: the entity is not understood")
            return []
        return [f"{_group(item)} {number}"]
    for key, group in (("gpu_ids", "GPU"), ("gpu_id", "GPU"), ("cpu_id", "CPU")):
        if key not in item:
            continue
        numbers = [count(part) for part in _text(item[key]).split(",")]
        if None in numbers or len(numbers) > _MOST_GPUS:
            findings.report("MU745", f"{quoted(raw)}: {key} is {quoted(_text(item[key]))}")
            return []
        return [f"{group} {number}" for number in numbers]
    return []


def _group(item: dict[str, Any]) -> str:
    name = item.get("entity_group")
    return tidy(name)[:40] if isinstance(name, str) and name else "entity"


def _warnings(value: Any, raw: str, findings: Findings) -> list[Warned]:
    """Read warnings: a text (2.x, 3.0), a list of texts (nvvs), or of objects (3.1 on).

    In level 1 of 3.3 the text of such an object has the key ``warnings``, everywhere else ``warning``.
    """
    found: list[Warned] = []
    listed = value if isinstance(value, list) else [value]
    if len(listed) > _MOST_WARNINGS:
        findings.report("MU704", f"{quoted(raw)} has more than {_MOST_WARNINGS} warnings in one result")
    for item in listed[:_MOST_WARNINGS]:
        if item is None or item == "":
            continue
        if isinstance(item, str):
            found.append(Warned(item))
        elif isinstance(item, dict):
            text = item.get("warning", item.get("warnings"))
            numbers = [count(item.get(f"error_{key}")) for key in ("id", "category", "severity")]
            found.append(Warned(_text(text) if text is not None else "", *numbers))
        else:
            findings.report("MU745", f"a warning of {quoted(raw)} is not understood: {quoted(_text(item))}")
            found.append(Warned(_text(item)))
    return found


def _infos(value: Any) -> list[str]:
    return [
        item for item in (value if isinstance(value, list) else [value]) if isinstance(item, str) and item
    ]


def _text(value: Any) -> str:
    if isinstance(value, str):
        return value
    return type(value).__name__ if isinstance(value, (dict, list)) else repr(value)[:200]
