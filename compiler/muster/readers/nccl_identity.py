"""Which collective a run measured and on how many ranks: from what says so, never from a guess.

The program's name comes first, then a command line in the log. Without them the table itself may leave only
one collective: its columns, whether the in-place result could be checked, and the factor between busbw and
algbw. all_gather, gather and scatter look alike there, so their name is then left open.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from muster.readers.nccl_number import ANY, Span, rate, ratio, span
from muster.readers.nccl_ops import OPS, Op, op_of_program

if TYPE_CHECKING:
    from muster.readers.nccl_rows import Cell
    from muster.readers.nccl_run import Run

_OLD_COLUMNS = {
    "all_reduce": (True, False), "all_gather": (False, False), "reduce_scatter": (True, False),
    "alltoall": (True, False), "broadcast": (False, True), "reduce": (True, True), "gather": (False, True),
    "scatter": (False, True), "sendrecv": (True, False), "hypercube": (True, False),
}  # fmt: skip
_SHARED_ONCE = ("all_gather", "reduce_scatter")


@dataclass(frozen=True, slots=True)
class Identity:
    """What is known of a run.

    Attributes:
        op: the collective; None when nothing says.
        op_from: ``header``, ``command``, ``device-lines`` (table and device lines leave one) or ``factor``
            (the table alone leaves one).
        candidates: what the table leaves possible when ``op`` is None.
        group: ranks of the communicator that was measured.
        ranks: all ranks.
        ranks_from: ``device-lines`` or ``factor``.
        shares: algbw itself contains (n-1)/n: 2.0's all_gather and reduce_scatter, and hypercube.
        factor: what busbw over algbw can be by all rows together; None when they contradict each other.
        odd_line: the row that contradicts the others.
    """

    op: Op | None
    op_from: str | None
    candidates: tuple[str, ...]
    group: int | None
    ranks: int | None
    ranks_from: str | None
    shares: bool
    factor: Span | None
    odd_line: int | None


def identify(run: Run) -> Identity:
    """Find out what a run measured; contradictions between two that say it become problems of the run."""
    op, source = _said(run)
    factor, odd_line = _factor(run)
    shares = _shares(run, op)
    share = _share_span(run) if shares else None
    group, ranks = run.group_size, run.rank_count
    ranks_from = "device-lines" if ranks is not None else None
    fitting = _fitting(run, group, factor if share is None else share, shares=shares)
    candidates = tuple(sorted(fitting))
    if op is None and run.program is None and len(candidates) == 1 and run.rows:
        op, source = OPS[candidates[0]], "device-lines" if group is not None else "factor"
    if group is None:
        possible = [fitting[op.name]] if op and op.name in fitting else [] if op else list(fitting.values())
        group = _only(possible)
        if group is not None and run.rows:
            ranks, ranks_from = group, "factor"
    return Identity(op, source, candidates, group, ranks, ranks_from, shares, factor, odd_line)


def _said(run: Run) -> tuple[Op | None, str | None]:
    """Return the collective that the header or a command names."""
    named = op_of_program(run.program.text) if run.program else None
    commands = {command.op: command for command in run.commands if command.op}
    if run.program is not None and named is None:
        run.note(
            "MU727", "the program that was started is not a known collective", run.program.line, "warning"
        )
    if named is not None and run.program is not None:
        for other, command in commands.items():
            last = run.command
            if other != named and last is not None and last.op == other:
                text = f"the command runs {other}, the tool says it is {named} (line {run.program.line})"
                run.note("MU728", text, command.line)
        return OPS[named], "header"
    if len(commands) == 1:
        return OPS[next(iter(commands))], "command"
    if commands:
        text = f"several commands stand before the run: {', '.join(sorted(commands))}"
        run.note("MU727", text, run.line, "info")
    return None, None


def cells(run: Run) -> list[tuple[int, int, Cell]]:
    """Return line, size and figures of every placement that has a size."""
    return [(row.line, row.bytes, cell) for row in run.rows if row.bytes for cell in row.cells]


def algbw_span(run: Run, size: int, cell: Cell) -> Span:
    """Return what algbw can be by its own digits and, where it follows from them, by size and time."""
    printed = span(cell.algbw)
    if run.layout is not None and run.layout.cpu_time:
        return printed
    return printed & rate(size, cell.time)


def _factor(run: Run) -> tuple[Span | None, int | None]:
    """Intersect busbw over algbw of all rows; return None and the line where nothing is left."""
    found = ANY
    for line, size, cell in cells(run):
        algbw = algbw_span(run, size, cell)
        if algbw.empty:
            algbw = span(cell.algbw)
        found &= ratio(span(cell.busbw), algbw)
        if found.empty:
            return None, line
    return found, None


def _share_span(run: Run) -> Span:
    """Intersect algbw over size / time of all rows."""
    found = ANY
    for _, size, cell in cells(run):
        found &= ratio(span(cell.algbw), rate(size, cell.time))
    return found


def _shares(run: Run, op: Op | None) -> bool:
    """Whether algbw itself contains (n-1)/n: then it cannot be size over time, but busbw can be algbw."""
    if op is not None and op.name == "hypercube":
        return True
    if run.layout is None or run.layout.cpu_time or not (op is None or op.name in _SHARED_ONCE):
        return False
    if op is not None and not run.layout.deviation:
        return False
    share = _share_span(run)
    same = all(not (span(cell.busbw) & span(cell.algbw)).empty for _, _, cell in cells(run))
    return same and not share.empty and share.high < 1.0


def _fitting(run: Run, group: int | None, factor: Span | None, *, shares: bool) -> dict[str, range | None]:
    """Return the collectives that the table can be of, each with the rank counts that fit its factor."""
    found: dict[str, range | None] = {}
    if factor is None or run.layout is None:
        return found
    once = run.layout.deviation
    for op in OPS.values():
        if shares != (op.name == "hypercube") and not (shares and once and op.name in _SHARED_ONCE):
            continue
        law = OPS["all_gather"] if shares else op
        if not _columns_fit(run, op):
            continue
        if group is not None:
            if factor.holds(law.factor(group)):
                found[op.name] = range(group, group + 1)
            continue
        possible = law.ranks_of(factor)
        if possible is None or len(possible):
            found[op.name] = possible
    return found


def _columns_fit(run: Run, op: Op) -> bool:
    layout = run.layout
    redops = {row.redop for row in run.rows}
    named = bool(redops - {None, "none"})
    if layout is None or named != op.reduces:
        return False
    if layout.deviation:
        if _OLD_COLUMNS.get(op.name) != (layout.redop, layout.root):
            return False
    elif op.name not in ("gather", "scatter") and not _roots_fit(run, op):
        return False
    if layout.deviation or not any(row.out_of_place and row.out_of_place.checked for row in run.rows):
        return True
    in_place = {row.in_place.checked for row in run.rows if row.in_place}
    return in_place == {op.in_place_checked} or not in_place


def _roots_fit(run: Run, op: Op) -> bool:
    return all(row.root is None or (row.root >= 0) == op.rooted for row in run.rows)


def _only(possible: list[range | None]) -> int | None:
    """Return the one rank count that all possibilities allow; None when there is more than one or none."""
    counts = {item[0] for item in possible if item is not None and len(item) == 1}
    narrow = all(item is not None and len(item) == 1 for item in possible)
    return counts.pop() if narrow and len(counts) == 1 else None
