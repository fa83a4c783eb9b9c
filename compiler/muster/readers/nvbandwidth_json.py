"""Read the JSON of nvbandwidth (``-j``, since v0.5). Source: ``json_output.cpp`` of NVIDIA/nvbandwidth."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from muster.readers.figures import decimal, finite
from muster.readers.model import quoted
from muster.readers.nvbandwidth_case import RANK, STATUSES, UNNAMED, Case, Slack
from muster.readers.nvbandwidth_text import CASES, cuda_version

if TYPE_CHECKING:
    from muster.readers.nvbandwidth_case import Run

SLACK = Slack(0.0, 6e-6)
ROOT = "nvbandwidth"


def read_document(value: dict[str, Any], run: Run) -> None:
    """Read one document into a run."""
    body = value.get(ROOT)
    if not isinstance(body, dict):
        run.report("MU753", "the root of the document is not an object")
        return
    version = body.get("version")
    run.version = version.removeprefix("v")[:40] if isinstance(version, str) else None
    _environment(body, run)
    if (error := body.get("error")) is not None:
        run.report(
            "MU751", f"the tool reports: {quoted(error if isinstance(error, str) else 'an error', 300)}"
        )
    if isinstance(warning := body.get("warning"), str):
        run.report("MU754", f"the tool warns: {quoted(warning, 300)}")
    listed = body.get("testcases")
    if listed is None:
        return
    if not isinstance(listed, list) or len(listed) > CASES:
        run.report("MU753", "the test cases are not a list, or too long a one")
        return
    for item in listed:
        case = _case(item, run)
        if not run.room(sum(len(line) for line in case.cells or []), case.line):
            return
        _join(run, case)


def _environment(body: dict[str, Any], run: Run) -> None:
    driver = body.get("Driver Version")
    if isinstance(driver, str) and driver:
        run.environment["driver"] = driver[:40]
    for key, name in (("CUDA Runtime Version", "cuda"), ("CUDA Driver Version", "cudaDriver")):
        found = cuda_version(str(body[key])[:40]) if isinstance(body.get(key), (int, str)) else None
        if found:
            run.environment[name] = found
    devices = body.get("GPU Device list")
    if isinstance(devices, list):
        run.environment["devices"] = [item[:200] for item in devices if isinstance(item, str)][:1024]


def _case(item: Any, run: Run) -> Case:
    if not isinstance(item, dict) or not isinstance(item.get("name"), str):
        run.report("MU753", "a test case without a name")
        return Case(UNNAMED, run.line, "error")
    word = item.get("status")
    status = STATUSES.get(word.strip().lower()) if isinstance(word, str) else None
    if status is None:
        run.report("MU753", f"{quoted(item['name'])} has the status {quoted(str(word)[:80])}")
        status = "error"
    case = Case(item["name"], run.line, status)
    if isinstance(item.get("bandwidth_description"), str):
        case.description = item["bandwidth_description"]
    if (error := item.get("error")) is not None:
        case.status = "error"
        case.messages.append(error if isinstance(error, str) else "an error")
    if "bandwidth_matrix" in item:
        case.cells = _matrix(item["bandwidth_matrix"])
        if case.cells is None:
            run.report("MU753", f"the matrix of {quoted(case.name)} is not understood")
    case.total = finite(item.get("sum"))
    return case


def _matrix(value: Any) -> list[list[float | None]] | None:
    if not isinstance(value, list) or not all(isinstance(line, list) for line in value):
        return None
    if len({len(line) for line in value}) > 1:
        return None
    matrix: list[list[float | None]] = []
    for line in value:
        cells = [
            None if cell == "N/A" else decimal(cell) if isinstance(cell, str) else finite(cell)
            for cell in line
        ]
        if any(found is None and cell != "N/A" for found, cell in zip(cells, line, strict=True)):
            return None
        matrix.append(cells)
    return matrix


def _join(run: Run, case: Case) -> None:
    """Add a test case, or join it with the one before it that has its name.

    By an error of the tool (``isArray`` is asked of the root) a test case that is waived or fails after its
    start is there twice: first as Running, then with its outcome. The worse of the two counts.
    """
    before = run.cases[-1] if run.cases else None
    if before is None or before.name != case.name or case.name == UNNAMED:
        run.cases.append(case)
    elif before.status == case.status and before.total == case.total and before.cells == case.cells:
        before.messages += case.messages
    elif "not-run" in (before.status, case.status) and "pass" not in (before.status, case.status):
        before.status = max(before.status, case.status, key=RANK.index)
        before.messages += case.messages
    else:
        run.cases.append(case)
