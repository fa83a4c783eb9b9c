"""Make the JSON of a run and of a file from the facts that were found."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from muster.readers.model import problem, quoted
from muster.readers.nccl_check import check_run
from muster.readers.nccl_header import version_text
from muster.readers.nccl_identity import identify
from muster.readers.nccl_sizes import check_sizes, row_key

if TYPE_CHECKING:
    from muster.readers.model import Placement, Problem, RunReading, State
    from muster.readers.nccl_identity import Identity
    from muster.readers.nccl_rows import Cell, Row
    from muster.readers.nccl_run import Footer, Run

_ORDER: tuple[State, ...] = ("unreadable", "errored", "incomplete", "complete")


def conclude(run: Run) -> RunReading:
    """Check a run and make its reading."""
    who = identify(run)
    validation = check_run(run, who)
    whole = run.finished and not run.gaps and not any(item["code"] == "MU714" for item in run.problems)
    cycles = check_sizes(run, who) if run.rows and whole else 0
    _remarks(run, who)
    state = _state(run)
    run.close()
    config, command = run.config, run.command
    return {
        "line": run.line,
        "round": run.round,
        "tool": run.tool,
        "toolVersion": run.version.text if run.version else None,
        "state": state,
        "op": who.op.name if who.op else None,
        "opFrom": who.op_from,
        "ranks": who.ranks,
        "ranksFrom": who.ranks_from,
        "nodes": len(run.hosts) or None,
        "hosts": run.hosts,
        "devices": [
            {"rank": item.rank, "host": item.host, "device": item.device, "name": item.name}
            for item in run.devices
        ],
        "datatype": _only({row.type for row in run.rows}),
        "validation": validation,
        "cycles": cycles or None,
        "command": list(command.argv) if command is not None and command.argv else None,
        "parameters": _parameters(run) if config is not None else {},
        "rows": [_row(row) for row in run.rows],
        "summary": _summary(run.out_of_bounds, run.average),
        "transport": run.transport.result(),
        "environment": _environment(run),
        "problems": run.problems,
    }


def worst(states: list[State]) -> State:
    """Return the state of a file from the states of its runs; without runs it is incomplete."""
    return min(states, key=_ORDER.index) if states else "incomplete"


def find_copies(runs: list[Run]) -> list[Problem]:
    """Report runs of one file that are the same to the last digit: a text that was pasted twice."""
    seen: dict[tuple[object, ...], list[Run]] = {}
    found = []
    for run in runs:
        if not any(row.bytes for row in run.rows):
            continue
        alike = seen.setdefault(tuple(map(row_key, run.rows)), [])
        for other in alike:
            if not run.devices or not other.devices or run.devices == other.devices:
                text = f"the run is the same as the one of line {other.line}, to the last digit"
                found.append(problem("MU726", text, run.line))
                break
        alike.append(run)
    return found


def _remarks(run: Run, who: Identity) -> None:
    """Add what does not contradict anything but has to be known."""
    for line in run.gaps[:3]:
        run.note("MU716", "rows were cut out of the text here", line)
    if not run.rows:
        run.note("MU711", "the run has no row of figures", run.line)
    if not run.finished:
        ends = "footer is cut" if run.out_of_bounds or run.average else "footer is missing"
        run.note("MU710", f"the run did not end: its {ends}", run.rows[-1].line if run.rows else run.line)
    if who.op is None and run.rows:
        names = ", ".join(who.candidates)
        text = (
            f"nothing names the collective; its figures fit {names}"
            if names
            else "nothing names the collective"
        )
        run.note("MU727", text, run.line, "info")
    if who.shares and who.op is not None and who.op.name != "hypercube":
        run.note(
            "MU734", "algbw and busbw both contain (n-1)/n, as version 2.0 printed them", run.line, "info"
        )
    if run.reduced is not None:
        run.note("MU724", f"the tool reduced the largest size to {run.reduced} bytes", run.line, "info")
    if run.blocking is not None:
        run.note("MU733", f"times contain more than the collective: {quoted(run.blocking)}", run.line, "info")
    for said in run.warnings[:5]:
        run.note(
            "MU733",
            f"NCCL warned: {quoted(said.text, 160)}",
            said.line,
            "warning" if run.finished else "info",
        )


def _state(run: Run) -> State:
    """Choose the state and note the failure that decides it."""
    bad = any(footer is not None and footer.ok is False for footer in (run.out_of_bounds, run.average))
    bad = bad or (run.out_of_bounds is not None and run.out_of_bounds.value.value > 0)
    excused = ("trace", "exit") if run.finished and bad else ()
    failures = [item for item in run.failures if item.kind not in excused]
    for failure in failures[:5]:
        run.note("MU712", f"the run failed: {quoted(failure.text, 160)}", failure.line)
    if failures and (run.finished or any(item.kind != "stopped" for item in failures)):
        return "incomplete" if all(item.kind == "stopped" for item in failures) else "errored"
    if not run.finished or not run.rows or run.gaps:
        return "incomplete"
    return "unreadable" if any(item["severity"] == "error" for item in run.problems) else "complete"


def _summary(bounds: Footer | None, average: Footer | None) -> dict[str, Any]:
    return {
        "outOfBounds": int(bounds.value.value) if bounds else None,
        "outOfBoundsOk": bounds.ok if bounds else None,
        "avgBusbw": average.value.value if average else None,
        "avgBusbwOk": average.ok if average else None,
    }


def _parameters(run: Run) -> dict[str, Any]:
    config = run.config
    if config is None:
        return {}
    return {
        "minBytes": config.min_bytes,
        "maxBytes": config.max_bytes,
        "reducedMaxBytes": run.reduced,
        "factor": config.step if config.by_factor else None,
        "stepBytes": None if config.by_factor else config.step,
        "iters": config.iters,
        "warmup": config.warmup,
        "aggIters": config.agg_iters,
        "validation": config.validation,
        "graph": config.graph,
        "threads": config.threads,
        "gpusPerThread": config.gpus,
    }


def _environment(run: Run) -> dict[str, Any]:
    library = (
        version_text(run.library_code) if run.library_code is not None else next(iter(run.libraries), None)
    )
    return {
        "ncclHeader": run.header_code,
        "ncclLibrary": library,
        "cuda": next(iter(run.cudas), None),
        "devices": sorted({device.name for device in run.devices}),
        **run.extra,
    }


def _row(row: Row) -> dict[str, Any]:
    return {
        "line": row.line,
        "cycle": row.cycle,
        "bytes": row.bytes,
        "count": row.count,
        "type": row.type,
        "redop": row.redop,
        "root": row.root,
        "outOfPlace": _cell(row.out_of_place),
        "inPlace": _cell(row.in_place),
        **({"iters": row.iterations} if row.iterations is not None else {}),
        **({"time": row.stamp} if row.stamp is not None else {}),
    }


def _cell(cell: Cell | None) -> Placement:
    if cell is None:
        return {"timeUs": None, "algbw": None, "busbw": None, "wrong": None}
    wrong = None if cell.wrong is None else int(cell.wrong)
    made: Placement = {
        "timeUs": cell.time.value,
        "algbw": cell.algbw.value,
        "busbw": cell.busbw.value,
        "wrong": wrong,
    }
    if cell.deviation is not None:
        made["deviation"] = cell.deviation
    if cell.per_iteration:
        names = ("minUs", "maxUs", "p99Us", "cvPercent")
        made["perIteration"] = dict(zip(names, cell.per_iteration, strict=True))
    return made


def _only(values: set[str]) -> str | None:
    return values.pop() if len(values) == 1 else None
