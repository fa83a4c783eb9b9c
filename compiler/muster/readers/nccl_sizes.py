"""Sizes that were asked for against sizes that are in the table, and tables that repeat."""

from __future__ import annotations

from itertools import groupby, pairwise
from typing import TYPE_CHECKING

from muster.readers.nccl_number import TYPE_BYTES

if TYPE_CHECKING:
    from muster.readers.nccl_identity import Identity
    from muster.readers.nccl_rows import Row
    from muster.readers.nccl_run import Run

_MOST_SIZES = 100_000


def check_sizes(run: Run, who: Identity) -> int:
    """Compare the sizes of a finished run with what was asked, and give each row the number of its cycle.

    Returns:
        How often the table was gone through; 0 when that could not be told.
    """
    cycles: set[int] = set()
    for _, group in groupby(run.rows, key=lambda row: row.combination):
        rows = list(group)
        asked = _asked(run)
        if asked is not None and not asked:
            run.note("MU724", "the header asks for no size at all", run.config_line)
            return 0
        parts = _parts(rows, asked)
        if asked is None:
            for part in parts:
                _regular(run, who, part)
        elif not all(_as_asked(run, who, part, asked) for part in parts):
            return 0
        for number, part in enumerate(parts):
            for row in part:
                row.cycle = number
        cycles.add(len(parts))
    if len(cycles) > 1:
        run.note(
            "MU725", "the combinations of type, operation and root were not all repeated alike", run.line
        )
        return 0
    count = cycles.pop() if cycles else 0
    if count > 1:
        _repeated(run, count)
    return count


def _asked(run: Run) -> list[int] | None:
    """Return the sizes in bytes that the header asks for; None when it is missing or asks for too many."""
    config = run.config
    if config is None:
        return None
    last = config.max_bytes if run.reduced is None else min(config.max_bytes, run.reduced)
    size = min(config.min_bytes, last) if run.reduced is not None else config.min_bytes
    sizes: list[int] = []
    while size <= last and len(sizes) <= _MOST_SIZES:
        sizes.append(size)
        following = size * config.step if config.by_factor else size + config.step
        if following <= size:
            break
        size = following
    return sizes if len(sizes) <= _MOST_SIZES else None


def _parts(rows: list[Row], asked: list[int] | None) -> list[list[Row]]:
    """Split the rows of one combination into cycles over the sizes."""
    if asked:
        return [rows[start : start + len(asked)] for start in range(0, len(rows), len(asked))]
    parts: list[list[Row]] = []
    for row in rows:
        if not parts or row.bytes < parts[-1][-1].bytes or (row.bytes and row.bytes == parts[-1][-1].bytes):
            parts.append([])
        parts[-1].append(row)
    return parts


def _slack(row: Row, who: Identity) -> int:
    """Return how many bytes a size may be below the asked one: it is cut to whole elements of every rank."""
    width = TYPE_BYTES.get(row.type, 1)
    if who.op is not None and not who.op.shared:
        return width
    if who.group is not None:
        return who.group * max(16, width)
    return max(row.bytes // (row.count * width), 1) * 16 if row.count else 1 << 20


def _as_asked(run: Run, who: Identity, part: list[Row], asked: list[int]) -> bool:
    for row, nominal in zip(part, asked, strict=False):
        if not 0 <= nominal - row.bytes < _slack(row, who):
            text = f"size {row.bytes} stands where the header asks for {nominal} (line {run.config_line})"
            run.note("MU724", text, row.line)
            return False
    if len(part) < len(asked):
        missing = f"the table ends at size {part[-1].bytes}, the header asks for {asked[-1]}"
        run.note("MU724", f"{missing} (line {run.config_line})", part[-1].line)
        return False
    return True


def _regular(run: Run, who: Identity, part: list[Row]) -> None:
    """Without the header the sizes must still grow by one factor or by one step."""
    rows = [row for row in part if row.bytes]
    if len(rows) < 3:
        return
    before, last = rows[-2], rows[-1]
    factor, step = round(last.bytes / before.bytes), last.bytes - before.bytes
    slack = max(_slack(row, who) for row in rows)
    for smaller, larger in pairwise(rows):
        by_factor = factor > 1 and abs(smaller.bytes * factor - larger.bytes) < slack * factor
        if not by_factor and abs(smaller.bytes + step - larger.bytes) >= 2 * slack:
            text = f"size {larger.bytes} does not follow size {smaller.bytes}: a row is missing between them"
            run.note("MU724", text, larger.line)
            return


def _repeated(run: Run, count: int) -> None:
    command = run.command
    asked = command.asked.get("cycles") if command is not None else None
    if asked is None and command is not None and command.argv and command.whole:
        asked = 1
    if asked not in (None, count):
        text = f"the table is there {count} times, the command asks for {asked}"
        run.note("MU725", text, run.rows[0].line)
        return
    if asked is not None:
        return
    seen: dict[tuple[object, ...], int] = {}
    for row in run.rows:
        key = row_key(row)
        if row.bytes and key in seen:
            text = f"this row is the same as the one of line {seen[key]}, to the last digit"
            run.note("MU725", text, row.line)
            return
        seen[key] = row.line
    text = f"the table is there {count} times and no command in the log says so (-N)"
    run.note("MU725", text, run.rows[0].line, "warning")


def row_key(row: Row) -> tuple[object, ...]:
    """Return everything that a row says except where it stands."""
    figures = tuple((cell.time.value, cell.algbw.value, cell.busbw.value, cell.wrong) for cell in row.cells)
    return (*row.combination, row.bytes, row.count, figures)
