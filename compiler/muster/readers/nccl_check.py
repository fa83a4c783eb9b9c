"""Compare what one run of nccl-tests says twice. Every contradiction becomes a problem at its line.

Tolerances come from the printed digits alone (`muster.readers.nccl_number`).
"""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING

from muster.diagnostics.words import counted
from muster.readers.model import quoted
from muster.readers.nccl_command import differences
from muster.readers.nccl_header import version_text
from muster.readers.nccl_identity import algbw_span, cells
from muster.readers.nccl_number import TYPE_BYTES, Span, rate, span

if TYPE_CHECKING:
    from muster.readers.nccl_identity import Identity
    from muster.readers.nccl_rows import Row
    from muster.readers.nccl_run import Run

_OLD_TOLERANCE = {
    "half": (1e-2, 5e-2),
    "bfloat16": (1e-2, 5e-2),
    "float": (1e-5, 1e-5),
    "double": (1e-12, 1e-12),
}
"""Deviation above which versions before 2.13 count a result as wrong, lowest and highest of all versions; for
whole numbers any deviation (DeltaMaxValue in their common.cu)."""


def check_run(run: Run, who: Identity) -> bool | None:
    """Check everything but the sizes.

    Returns:
        Whether the results were compared with the expected ones; None when nothing says.
    """
    _devices(run)
    _versions(run)
    _communicators(run)
    if run.command is not None and run.config is not None:
        for text in differences(run.command, run.config, run.rank_count):
            run.note("MU729", f"{text} (line {run.config_line})", run.command.line)
    for row in run.rows:
        _row(run, who, row)
    _factors(run, who)
    validation = _validation(run)
    _bounds(run)
    _average(run)
    return validation


def _devices(run: Run) -> None:
    ranks = sorted(device.rank for device in run.devices)
    if not ranks or run.ranks_said is not None:
        return
    if len(set(ranks)) != len(ranks):
        twice = next(rank for rank, following in pairwise(ranks) if rank == following)
        run.note("MU721", f"rank {twice} is named twice", run.devices_line)
    elif run.devices_cut:
        run.note("MU721", "the list of devices is cut", run.devices_line, "info")
    elif ranks != list(range(len(ranks))):
        missing = next(number for number, rank in enumerate(ranks) if number != rank)
        run.note("MU721", f"rank {missing} is missing among {len(ranks)} device lines", run.devices_line)
    groups = Counter(device.group for device in run.devices)
    if len(set(groups.values())) > 1 and not run.devices_cut:
        run.note("MU721", "the groups of ranks differ in size", run.devices_line, "warning")
    if run.config is None or run.devices_cut:
        return
    each = max(1, run.config.threads * run.config.gpus)
    if run.config.threads * run.config.gpus == 0:
        run.note("MU731", "the header says that no GPU took part", run.config_line)
    processes: dict[tuple[str, int], int] = {}
    for device in run.devices:
        key = (device.host, device.pid)
        processes[key] = processes.get(key, 0) + 1
    for (host, pid), count in processes.items():
        if count % each or (count != each and len(processes) > 1 and each > 1):
            text = f"process {pid} on {quoted(host)} has {counted(count, 'rank')}, the header says {each} for each"
            run.note("MU721", text, run.devices_line)
            return


def _versions(run: Run) -> None:
    if run.header_code and run.library_code and run.header_code != run.library_code and run.version:
        text = f"built with NCCL {version_text(run.header_code)}, runs with {version_text(run.library_code)}"
        run.note("MU730", text, run.version.line, "warning")
    said = list(run.libraries.items())
    if run.library_code is not None and run.version is not None:
        said.append((version_text(run.library_code), run.version.line))
    for text, line in said[1:]:
        if text != said[0][0]:
            run.note("MU730", f"NCCL is {said[0][0]} (line {said[0][1]}) and {text}", line)
            break
    if run.version is not None and run.layout is not None and run.layout.deviation:
        text = f"version {quoted(run.version.text)} does not print an error column (line {run.layout_line})"
        run.note("MU739", text, run.version.line)


def _communicators(run: Run) -> None:
    group, hosts = run.group_size, len(run.hosts)
    sizes = {ranks for ranks, _ in run.transport.comms}
    if group is not None and sizes and group not in sizes:
        text = f"NCCL says {counted(min(sizes), 'rank')}, the device lines {group}"
        run.note("MU737", text, run.devices_line or run.line)
    nodes = {count for ranks, count in run.transport.comms if ranks == group}
    if hosts and nodes and nodes != {hosts} and run.ranks_said is None:
        text = f"NCCL says {counted(min(nodes), 'node')}, the device lines name {counted(hosts, 'host')}"
        run.note("MU737", text, run.devices_line, "warning")
    for odd in run.transport.odd:
        run.note("MU737", f"channel line cannot be read: {quoted(odd, 160)}", run.line, "warning")


def _row(run: Run, who: Identity, row: Row) -> None:
    """Check one row: count against size, time against algbw, root and redop against the collective."""
    width, op = TYPE_BYTES.get(row.type), who.op
    if width is None:
        run.note("MU731", f"type {quoted(row.type)} is not known", row.line)
    elif not _size_fits(who, row, row.count * width):
        run.note("MU731", f"size {row.bytes} is not count {row.count} of {row.type}", row.line)
    if op is not None and run.layout is not None:
        named = row.redop not in (None, "none")
        if named != op.reduces and (run.layout.redop or named):
            run.note("MU728", f"redop {row.redop} does not belong to {op.name}", row.line)
        if row.root is not None and (row.root >= 0) != op.rooted:
            run.note("MU728", f"root {row.root} does not belong to {op.name}", row.line)
    if row.root is not None and who.group is not None and row.root >= who.group:
        run.note("MU731", f"root {row.root} is no rank of {who.group}", row.line)
    free = row.bytes and (run.layout is None or run.layout.cpu_time or who.shares)
    for cell in row.cells:
        if cell.time.value == 0 and row.bytes:
            run.note("MU731", f"size {row.bytes} took no time", row.line)
        elif not free and (span(cell.algbw) & rate(row.bytes, cell.time)).empty:
            text = f"algbw {cell.algbw.value:g} is not {row.bytes} bytes in {cell.time.value:g} us"
            run.note("MU718", text, row.line)
        elif not row.bytes and cell.busbw.value:
            run.note("MU719", f"busbw of nothing is {cell.busbw.value:g}", row.line)


def _size_fits(who: Identity, row: Row, own: int) -> bool:
    if who.op is not None and who.op.name == "alltoallv":
        return True
    if who.op is not None and not who.op.shared:
        return row.bytes == own
    if who.group is not None:
        allowed = {own * who.group} if who.op is not None else {own, own * who.group}
        return row.bytes in allowed
    return row.bytes % own == 0 if own else row.bytes == 0


def _factors(run: Run, who: Identity) -> None:
    """Check busbw against algbw: by collective and ranks where both are known, else among the rows."""
    if who.op is None or who.group is None:
        if who.factor is None:
            text = "busbw over algbw is not the same as in the rows above"
            run.note("MU719", text, who.odd_line)
        elif run.rows and not who.candidates:
            ranks = f" with {who.group} ranks" if who.group else ""
            name = who.op.name if who.op else "collective"
            run.note("MU719", f"no {name}{ranks} has the table's columns and factor", run.rows[-1].line)
        return
    factor = 1.0 if who.shares else who.op.factor(who.group)
    share = (who.group - 1) / who.group if who.shares else 1.0
    for line, size, cell in cells(run):
        algbw = algbw_span(run, size, cell)
        if who.shares:
            algbw = span(cell.algbw) & rate(size, cell.time).times(share)
        if algbw.empty:
            if who.shares:
                text = (
                    f"algbw {cell.algbw.value:g} is not {share:g} of {size} bytes in {cell.time.value:g} us"
                )
                run.note("MU718", text, line)
            algbw = span(cell.algbw)
        if (algbw.times(factor) & span(cell.busbw)).empty:
            text = f"busbw {cell.busbw.value:g} is not algbw {cell.algbw.value:g} times {factor:g}"
            run.note("MU719", f"{text} ({who.op.name}, {who.group} ranks by {who.ranks_from})", line)


def _validation(run: Run) -> bool | None:
    checked = {cell.checked for row in run.rows if (cell := row.out_of_place or row.in_place)}
    seen = checked.pop() if len(checked) == 1 else None
    if checked:
        run.note("MU722", "some rows were checked and some were not", run.rows[-1].line)
    said = run.config.validation > 0 if run.config is not None else None
    if said is not None and seen is not None and said != seen:
        text = "checked" if seen else "not checked (N/A)"
        run.note("MU722", f"the header says validation {said:d}, the rows are {text}", run.config_line)
    if (said is False or seen is False) and not (said or seen):
        run.note("MU732", "no result was checked for wrong data", run.config_line or run.line, "info")
    return seen if said is None else said


def _bounds(run: Run) -> None:
    """Check the count of wrong results against the error columns and against its own word."""
    footer = run.out_of_bounds
    if footer is None:
        return
    count = footer.value.value
    if footer.ok is not None and footer.ok != (count == 0):
        run.note(
            "MU723",
            f"{count:g} out of bounds values are called {'OK' if footer.ok else 'FAILED'}",
            footer.line,
        )
    found = [(row.line, row.type, cell) for row in run.rows for cell in row.cells if cell.checked]
    least = most = 0
    first = None
    for line, kind, cell in found:
        low, high = _OLD_TOLERANCE.get(kind, (0.0, 0.0))
        bad = cell.wrong or 0.0
        surely = cell.deviation > high if cell.deviation is not None else bad > 0
        maybe = cell.deviation > low * 0.5 if cell.deviation is not None else bad > 0
        least, most = least + surely, most + maybe
        first = first or (line if surely else None)
    if run.gaps or any(item["code"] == "MU714" for item in run.problems):
        most = most or 1
    if count == 0 and least:
        run.note("MU723", f"a wrong result stands here, line {footer.line} counts none", first)
    elif count > 0 and not most:
        run.note("MU723", f"{count:g} out of bounds values, but no row shows a wrong one", footer.line)
    elif 0 < count < least:
        run.note("MU723", f"{count:g} out of bounds values, but {least} placements are wrong", footer.line)


def _average(run: Run) -> None:
    """Check the printed average against the mean of all printed busbw."""
    footer = run.average
    figures = [span(cell.busbw) for row in run.rows for cell in row.cells]
    if footer is None or not figures:
        return
    if run.gaps or any(item["code"] in ("MU714", "MU704") for item in run.problems):
        return
    low, high = (sum(item[end] for item in figures) / len(figures) for end in (0, 1))
    if (Span(low, high) & span(footer.value)).empty:
        text = f"the average {footer.value.value:g} is not the mean of the rows ({low:.6g} to {high:.6g})"
        run.note("MU720", text, footer.line)
