"""A report for a terminal: first what failed and what to do, then the numbers."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING, Any, Final

from muster.diagnostics.escape import for_terminal
from muster.diagnostics.words import counted
from muster.report import facts

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

_COLOURS: Final = {"satisfied": "32", "waived": "36", "violated": "31", "contested": "31", "unreadable": "31"}
_OTHER: Final = "33"
_HEAD: Final = ("STATE", "TEST", "UNIT", "VALUE", "BOUND", "MARGIN", "N", "SPREAD", "AGE", "EVIDENCE")
_RIGHT: Final = frozenset({"MARGIN", "N"})


def render_text(report: Mapping[str, Any], *, colour: bool = False, limit: int = 50) -> str:
    """Return a report as lines of text.

    Args:
        report: ``Report.as_dict()``.
        colour: whether to colour states with ANSI sequences.
        limit: most entries of one section; what is left out is counted. The JSON has everything.
    """
    lines = [
        for_terminal(f"{facts.sites_of(report) or 'no site'} at {report['asOf']}"),
        _paint(for_terminal(facts.headline(report)), "32" if report["summary"]["ok"] else "31", on=colour),
        for_terminal(facts.subhead(report)),
    ]
    sections = (
        ("What failed and what to do", _failures(report, colour=colour)),
        ("Other findings", [_finding(name, entry) for name, entry in facts.others(report)]),
        ("Suspects", [_suspect(entry) for entry in report["suspects"]]),
        ("Runs that would decide", [_plain(facts.run_text(run)) for run in report["nextRuns"]]),
        ("Waivers", [_plain(f"{one['name']}: {facts.waiver_text(one)}") for one in report["waivers"]]),
        ("Switched off", [_disabled(one) for one in report["disabled"]]),
        ("Coverage", [_plain(_coverage(one)) for one in report["coverage"]]),
    )
    for title, entries in sections:
        lines += _section(title, entries, limit)
    lines += _table(report, limit, colour=colour)
    return "\n".join(lines) + "\n"


def _paint(text: str, code: str, *, on: bool) -> str:
    return f"\x1b[{code}m{text}\x1b[0m" if on else text


def _state(verdict: Mapping[str, Any], *, colour: bool) -> str:
    return _paint(for_terminal(facts.state_of(verdict)), _COLOURS.get(verdict["state"], _OTHER), on=colour)


def _section(title: str, entries: Sequence[Sequence[str]], limit: int) -> list[str]:
    """Return a section; every line of an entry but the first is indented. Empty sections are left out."""
    if not entries:
        return []
    lines = ["", f"{title} ({len(entries)})"]
    for entry in entries[:limit]:
        first, *rest = entry
        lines += [f"  {first}", *(f"      {line}" for line in rest)]
    if len(entries) > limit:
        lines.append(f"  and {len(entries) - limit} more")
    return lines


def _failures(report: Mapping[str, Any], *, colour: bool) -> list[list[str]]:
    found = []
    for verdict in facts.failed(report):
        first = f"{_state(verdict, colour=colour)}  {for_terminal(verdict['id'])}"
        reasons = facts.reasons_of(verdict)
        lines = [
            *reasons[:4],
            *([f"and {counted(len(reasons) - 4, 'more reason')}"] if len(reasons) > 4 else []),
        ]
        fields = verdict["stale"]["fields"] if verdict["stale"] else []
        lines += [f"{one['path']}: declared {one['declared']}, found {one['found']}" for one in fields[:6]]
        lines.append(f"do: {verdict['next']}")
        if verdict["position"]:
            lines.append(f"at: {verdict['position']}")
        if verdict["attempts"]:
            lines.append(f"evidence: {facts.evidence_of(verdict)}")
        found.append([first, *map(for_terminal, lines)])
    return found


def _finding(name: str, entry: Mapping[str, Any]) -> list[str]:
    lines = [f"{entry['severity']} {entry['code']} {name}: {entry['message']}"]
    lines += [f"do: {entry['next']}"] if entry["next"] else []
    lines += [f"at: {entry['position']}"] if entry["position"] else []
    return list(map(for_terminal, lines))


def _suspect(entry: Mapping[str, Any]) -> list[str]:
    lines = [f"{entry['id']} ({entry['state']}): {facts.suspect_text(entry)}"]
    lines += [f"{node['node']}: {facts.witness_text(node)}" for node in entry["nodes"][:8]]
    return list(map(for_terminal, lines))


def _plain(text: str) -> list[str]:
    return [for_terminal(text)]


def _coverage(entry: Mapping[str, Any]) -> str:
    return f"{entry['pool']}/{entry['test']}: {facts.coverage_text(entry)}"


def _disabled(entry: Mapping[str, Any]) -> list[str]:
    return _plain(f"{entry['site']} {entry['test']}, owner {entry['owner']}: {entry['reason']}")


def width(text: str) -> int:
    """Return how many columns of a terminal a text takes: wide characters two, combining ones none."""
    return sum(
        0 if unicodedata.combining(char) else 2 if unicodedata.east_asian_width(char) in "WF" else 1
        for char in text
    )


def _table(report: Mapping[str, Any], limit: int, *, colour: bool) -> list[str]:
    verdicts = facts.ranked(report["verdicts"])
    if not verdicts:
        return []
    rows: list[tuple[str, ...]] = []
    colours: list[str] = []
    for verdict in verdicts[: 4 * limit]:
        for found in facts.rows_of(verdict):
            rows.append(tuple(map(for_terminal, found)))
            colours.append(_COLOURS.get(verdict["state"], _OTHER))
    widths = [max(width(row[column]) for row in (_HEAD, *rows)) for column in range(len(_HEAD))]
    lines = ["", f"Verdicts ({len(verdicts)})", "  " + _aligned(_HEAD, widths)]
    for row, code in zip(rows, colours, strict=True):
        line = _aligned(row, widths)
        lines.append("  " + _paint(line[: len(row[0])], code, on=colour) + line[len(row[0]) :])
    if len(verdicts) > 4 * limit:
        lines.append(f"  and {len(verdicts) - 4 * limit} more")
    return lines


def _aligned(row: Iterable[str], widths: Sequence[int]) -> str:
    cells = []
    for name, text, most in zip(_HEAD, row, widths, strict=True):
        blanks = " " * (most - width(text))
        cells.append(blanks + text if name in _RIGHT else text + blanks)
    return "  ".join(cells).rstrip()
