"""Cases of nccl-tests as data: runs that the writer makes, edits of their text, and what must be read.

A case is a mapping:

``name``      what is at stake.
``runs``      a list of `Spec` fields; the texts of the runs follow each other. ``repeat`` makes one several times.
``report``    the fields of a `Spec` whose JSON report is the text; ``version`` is the report's.
``text``      the whole text, instead of both.
``edits``     what is done to the text, in order; see `EDITS`. An edit that changes nothing is an error.
``expect``    ``tool``, ``state``, ``toolVersion``, ``problems`` (codes of the file), and ``runs``: for each run the
              keys of `digest` that matter, ``codes`` being all codes of its problems.

Patterns are regular expressions over lines (multi-line mode).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from unit.readers.nccl_writer import Spec, report_text, write

if TYPE_CHECKING:
    from collections.abc import Callable


def make(case: dict[str, Any]) -> str:
    """Return the text of a case."""
    if "text" in case:
        text = case["text"]
    elif "report" in case:
        fields = dict(case["report"])
        version = fields.pop("version", 3)
        text = report_text(Spec(**fields), version)
    else:
        text = ""
        for fields in case["runs"]:
            plain = {key: value for key, value in fields.items() if key != "repeat"}
            text += write(Spec(**plain)) * fields.get("repeat", 1)
    for edit in case.get("edits", []):
        ((name, value),) = edit.items()
        before, text = text, EDITS[name](text, value)
        assert text != before, f"{name} {value!r} changed nothing"
    return text


def _lines(text: str) -> list[str]:
    return text.split("\n")[:-1]


def _join(lines: list[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


def _find(lines: list[str], pattern: str, start: int = 0) -> int:
    return next(index for index, line in enumerate(lines) if index >= start and re.search(pattern, line))


def _drop(text: str, pattern: str) -> str:
    return _join([line for line in _lines(text) if not re.search(pattern, line)])


def _until(text: str, pattern: str) -> str:
    lines = _lines(text)
    return _join(lines[: _find(lines, pattern)])


def _sub(text: str, pair: list[str]) -> str:
    return re.sub(pair[0], pair[1], text, flags=re.MULTILINE)


def _sub_once(text: str, pair: list[str]) -> str:
    return re.sub(pair[0], pair[1], text, count=1, flags=re.MULTILINE)


def _after(text: str, pair: list[str]) -> str:
    lines = _lines(text)
    place = _find(lines, pair[0]) + 1
    return _join([*lines[:place], *pair[1].rstrip("\n").split("\n"), *lines[place:]])


def _before(text: str, pair: list[str]) -> str:
    lines = _lines(text)
    place = _find(lines, pair[0])
    return _join([*lines[:place], *pair[1].rstrip("\n").split("\n"), *lines[place:]])


def _double(text: str, pair: list[str]) -> str:
    lines = _lines(text)
    start = _find(lines, pair[0])
    end = _find(lines, pair[1], start) + 1
    return _join(lines[:end] + lines[start:end] + lines[end:])


def _kubectl(text: str, zone: str) -> str:
    stamp = "2026-10-14T08:00:{:02d}.{:09d}{} "
    lines = [stamp.format(index % 60, index * 7919, zone) + line for index, line in enumerate(_lines(text))]
    return _join([line.rstrip(" ") if index % 7 == 0 else line for index, line in enumerate(lines)])


def _color(text: str, pattern: str) -> str:
    lines = [f"\x1b[1;32m{line}\x1b[0m\x1b[K" if re.search(pattern, line) else line for line in _lines(text)]
    return "\x1b]0;title\x07" + _join(lines)


EDITS: dict[str, Callable[[str, Any], str]] = {
    "drop": _drop,
    "until": _until,
    "sub": _sub,
    "sub_once": _sub_once,
    "after": _after,
    "before": _before,
    "double": _double,
    "prefix": lambda text, prefix: _join([prefix + line for line in _lines(text)]),
    "kubectl": _kubectl,
    "color": _color,
    "no_hash": lambda text, _: _sub(text, [r"^# ?", ""]),
    "crlf": lambda text, _: text.replace("\n", "\r\n"),
    "append": lambda text, more: text + more,
    "prepend": lambda text, more: more + text,
    "again": lambda text, times: text * times,
}


def digest(run: dict[str, Any]) -> dict[str, Any]:
    """Make the short form of a run that cases compare with."""
    rows, summary = run["rows"], run["summary"]
    last = rows[-1] if rows else None
    bounds = summary["outOfBounds"]
    made = {
        key: run[key] for key in ("state", "op", "opFrom", "ranks", "ranksFrom", "nodes", "datatype", "line")
    }
    return made | {
        "round": run["round"],
        "validation": run["validation"],
        "cycles": run["cycles"],
        "version": run["toolVersion"],
        "rows": len(rows),
        "last": [last["bytes"], last["outOfPlace"]["busbw"], last["inPlace"]["busbw"]] if last else None,
        "wrong": [last["outOfPlace"]["wrong"], last["inPlace"]["wrong"]] if last else None,
        "empty": sum(row["bytes"] == 0 for row in rows),
        "bounds": None if bounds is None else f"{bounds} {'OK' if summary['outOfBoundsOk'] else 'FAILED'}",
        "average": summary["avgBusbw"],
        "codes": sorted({item["code"] for item in run["problems"]}),
        "lines": {item["code"]: item["line"] for item in reversed(run["problems"])},
        "transport": run["transport"],
        "library": run["environment"]["ncclLibrary"],
        "cuda": run["environment"]["cuda"],
        "header": run["environment"]["ncclHeader"],
        "parameters": run["parameters"],
        "command": run["command"],
    }


def differences(found: Any, wanted: Any, path: str) -> list[str]:
    """Return where a value is not what was wanted; of mappings only the wanted keys count."""
    if isinstance(wanted, dict) and isinstance(found, dict):
        return [
            text
            for key, value in wanted.items()
            for text in differences(found.get(key, "(missing)"), value, f"{path}.{key}")
        ]
    if isinstance(wanted, list) and isinstance(found, list) and len(wanted) == len(found):
        pairs = enumerate(zip(found, wanted, strict=True))
        return [text for index, pair in pairs for text in differences(*pair, f"{path}[{index}]")]
    return [] if found == wanted and type(found) is type(wanted) else [f"{path}: {found!r}, not {wanted!r}"]
