"""A report as Markdown for a comment: failures first, whole rows, never over budget, always valid."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from muster.diagnostics.escape import clip, for_markdown, for_markdown_code, visible
from muster.report import facts

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

BUDGET: Final = 65_536
MARKER: Final = "<!-- muster report -->"
_CELL: Final = 400
_NOTE: Final = 120  # room for the line that says what a section leaves out


class Section(NamedTuple):
    """A heading and a table; cells are Markdown already."""

    title: str
    head: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]


def words(text: object) -> str:
    """Return text for a cell, cut where it is too long."""
    return for_markdown(clip(visible(str(text)), _CELL))


def code(text: object) -> str:
    """Return a name for a cell, cut where it is too long."""
    return for_markdown_code(clip(visible(str(text)), _CELL))


def render_markdown(report: Mapping[str, Any], *, budget: int = BUDGET) -> str:
    """Return a report in at most ``budget`` bytes of UTF-8.

    The limit of GitHub is in characters; bytes are never fewer. Sections come in the order of what to act on;
    a row is there whole or not at all, and what does not fit is counted.

    Args:
        report: ``Report.as_dict()``.
        budget: most bytes.

    Raises:
        ValueError: the budget does not hold the summary.
    """
    head = _head(report)
    sections = [section for section in _sections(report) if section.rows]
    room = budget - len(head.encode()) - _NOTE * len(sections)
    if room < 0:
        raise ValueError(f"a budget of {budget} bytes does not hold a report")
    parts = [head]
    for section in sections:
        text = _section(section, room)
        room -= len(text.encode()) - (_NOTE if _is_note(text, section) else 0)
        parts.append(text)
    return "".join(parts)


def _is_note(text: str, section: Section) -> bool:
    return text == _left_out(section.title, len(section.rows))


def _left_out(title: str, count: int, *, shown: bool = False) -> str:
    rows = "row" if count == 1 else "rows"
    return f"\n{count} more {rows}.\n" if shown else f"\n**{title}**: {count} {rows} do not fit here.\n"


def _section(section: Section, room: int) -> str:
    """Return as much of a section as there is room for, at least a note that it exists."""
    head = f"\n## {section.title}\n\n| {' | '.join(section.head)} |\n|{'---|' * len(section.head)}\n"
    room -= len(head.encode())
    rows: list[str] = []
    for cells in section.rows:
        row = f"| {' | '.join(cells)} |\n"
        room -= len(row.encode())
        if room < 0:
            break
        rows.append(row)
    if not rows:
        return _left_out(section.title, len(section.rows))
    missing = len(section.rows) - len(rows)
    return head + "".join(rows) + (_left_out("", missing, shown=True) if missing else "")


def _head(report: Mapping[str, Any]) -> str:
    sites = words(facts.sites_of(report) or "no site")
    lines = [
        MARKER,
        f"# muster: {sites}",
        "",
        f"**{words(facts.headline(report))}**",
        "",
        words(f"{facts.subhead(report)}, judged at {report['asOf']}."),
    ]
    return "\n".join(lines) + "\n"


def _sections(report: Mapping[str, Any]) -> list[Section]:
    failed, others = facts.failed(report), facts.others(report)
    return [
        Section("Failures", ("state", "test", "why", "what to do", "evidence"), list(map(_failure, failed))),
        Section(
            "Findings",
            ("severity", "class", "what", "what to do", "where"),
            [_finding(*one) for one in others],
        ),
        Section("Suspects", ("run", "who", "witnesses"), [_suspect(one) for one in report["suspects"]]),
        Section(
            "Runs that would decide", ("run",), [(words(facts.run_text(one)),) for one in report["nextRuns"]]
        ),
        Section("Waivers", ("waiver", "what"), [_waiver(one) for one in report["waivers"]]),
        Section("Switched off", ("test", "owner", "reason"), [_disabled(one) for one in report["disabled"]]),
        Section("Coverage", ("pool", "test", "proven"), [_coverage(one) for one in report["coverage"]]),
        Section(
            "Verdicts",
            _VERDICT_HEAD,
            [row for one in facts.ranked(report["verdicts"]) for row in _verdict(one)],
        ),
    ]


_VERDICT_HEAD: Final = ("state", "test", "unit", "value", "bound", "margin", "n", "spread", "age", "evidence")


def _failure(verdict: Mapping[str, Any]) -> tuple[str, ...]:
    why = [words(reason) for reason in facts.reasons_of(verdict)[:4]]
    fields = verdict["stale"]["fields"][:6] if verdict["stale"] else []
    why += [words(f"{one['path']}: declared {one['declared']}, found {one['found']}") for one in fields]
    where = [code(verdict["id"]), *([code(verdict["position"])] if verdict["position"] else [])]
    return (
        words(facts.state_of(verdict)),
        "<br>".join(where),
        "<br>".join(why),
        words(verdict["next"]),
        code(facts.evidence_of(verdict)),
    )


def _finding(name: str, entry: Mapping[str, Any]) -> tuple[str, ...]:
    what = words(f"{entry['code']} {entry['message']}")
    where = code(entry["position"]) if entry["position"] else ""
    return (words(entry["severity"]), words(name), what, words(entry["next"]), where)


def _suspect(entry: Mapping[str, Any]) -> tuple[str, ...]:
    witnesses = [f"{code(node['node'])}: {words(facts.witness_text(node))}" for node in entry["nodes"][:8]]
    return (code(entry["id"]), words(facts.suspect_text(entry)), "<br>".join(witnesses))


def _waiver(waiver: Mapping[str, Any]) -> tuple[str, ...]:
    return (code(waiver["name"]), words(facts.waiver_text(waiver)))


def _disabled(entry: Mapping[str, Any]) -> tuple[str, ...]:
    return (code(f"{entry['site']}/{entry['test']}"), words(entry["owner"]), words(entry["reason"]))


def _coverage(entry: Mapping[str, Any]) -> tuple[str, ...]:
    return (code(entry["pool"]), code(entry["test"]), words(facts.coverage_text(entry)))


def _verdict(verdict: Mapping[str, Any]) -> list[tuple[str, ...]]:
    return [
        (words(row.state), code(row.test), code(row.unit), *map(words, row[3:9]), code(row.evidence))
        for row in facts.rows_of(verdict)
    ]
