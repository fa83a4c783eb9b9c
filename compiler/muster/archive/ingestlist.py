"""Ingest lists: a YAML file that says of evidence gathered by hand which files are which attempt."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING, Any

from muster.archive.binding import Declared
from muster.archive.ingest import Batch
from muster.archive.inputs import Input
from muster.archive.story import moment
from muster.diagnostics import InputFault, Position, diagnostic
from muster.diagnostics.escape import clip, visible

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from muster.diagnostics import Diagnostic
    from muster.site.positions import PositionMap

API = "muster.dev/v1alpha1"
KIND = "IngestList"
_TOP = {"apiVersion": str, "kind": str, "site": str, "synthetic": bool, "entries": list}
_ENTRY = {
    "files": list,
    "site": str,
    "test": str,
    "pool": str,
    "unit": list,
    "digest": str,
    "attempt": str,
    "exitCode": int,
    "signal": int,
    "timedOut": bool,
    "start": str,
    "end": str,
    "round": int,
    "synthetic": bool,
    "reason": str,
    "note": str,
    "hosts": dict,
    "nodes": dict,
}
_RANGES = {"exitCode": (0, 255), "signal": (1, 64), "round": (1, 1000)}
_KINDS = {str: "a text", bool: "true or false", int: "a whole number", list: "a list", dict: "a map"}


def read_ingest_list(path: Path, label: str) -> list[Batch]:
    """Return the batches of an ingest list; its files are relative to it, each entry is one attempt.

    Args:
        path: the list.
        label: how messages call it.

    Raises:
        InputFault: it cannot be read (MU810), is no valid YAML (the codes of site files, MU1xx) or no valid list
            (MU831 to MU833).
    """
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        why = getattr(error, "strerror", None) or "not UTF-8"
        raise InputFault(diagnostic("MU810", f"{visible(label)}: {why}", Position(label, 1, 1))) from error
    data, positions = _parse(text, label)
    reader = _Reader(positions)
    batches = reader.batches(data, path.parent)
    if reader.found:
        raise InputFault(sorted(reader.found, key=lambda item: item.sort_key()))
    return batches


def _parse(text: str, label: str) -> tuple[Any, PositionMap]:
    from muster.site.compose import Limits, compose
    from muster.site.findings import Findings
    from muster.site.positions import PositionMap

    limits = Limits()
    findings = Findings(label, "", limits.findings)
    tree = compose(text, findings, limits)
    if findings:
        raise InputFault(findings.done())
    return tree.value, PositionMap(label, tree.spans)


class _Reader:
    """Checks a parsed list and makes batches of it; ``found`` is what is wrong."""

    def __init__(self, positions: PositionMap) -> None:
        self._positions = positions
        self.found: list[Diagnostic] = []

    def _add(self, code: str, message: str, path: tuple[str | int, ...], hint: str = "") -> None:
        self.found.append(diagnostic(code, message, self._positions.of(path), hint=hint))

    def _fields(self, value: Any, known: Mapping[str, type], path: tuple[str | int, ...]) -> dict[str, Any]:
        """Return the known fields of a map that have the right type."""
        if not isinstance(value, dict):
            self._add("MU832", "a map is needed here", path)
            return {}
        good = {}
        for key, item in value.items():
            below = (*path, key)
            if key not in known:
                near = difflib.get_close_matches(str(key), list(known), n=1, cutoff=0.5)
                hint = f"did you mean {near[0]}?" if near else f"known are {', '.join(known)}"
                place = self._positions.key(below)
                text = f"unknown field {visible(clip(str(key), 60))}"
                self.found.append(diagnostic("MU831", text, place, hint=hint))
            elif type(item) is not known[key]:
                self._add("MU832", f"{key} must be {_KINDS[known[key]]}", below)
            else:
                good[key] = item
        return good

    def batches(self, data: Any, folder: Path) -> list[Batch]:
        top = self._fields(data, _TOP, ())
        for key, wanted in (("apiVersion", API), ("kind", KIND)):
            if top.get(key) != wanted:
                self._add("MU832", f"{key} must be {wanted}", (key,))
        entries = top.get("entries") or []
        if not entries:
            self._add("MU833", "entries is missing or empty", ("entries",))
        return [self._batch(item, top, folder, ("entries", index)) for index, item in enumerate(entries)]

    def _batch(self, value: Any, top: Mapping[str, Any], folder: Path, path: tuple[str | int, ...]) -> Batch:
        entry = self._fields(value, _ENTRY, path)
        for key in ("files", "test"):
            if not entry.get(key):
                self._add("MU833", f"{key} is missing or empty", (*path, key) if key in entry else path)
        for key, (low, high) in _RANGES.items():
            if key in entry and not low <= entry[key] <= high:
                self._add("MU832", f"{key} must be from {low} to {high}", (*path, key))
        for key in ("start", "end"):
            if key in entry and moment(entry[key]) is None:
                self._add("MU832", f"{key} must be a time with offset, 2026-10-14T08:00:00Z", (*path, key))
        first, last = moment(entry.get("start")), moment(entry.get("end"))
        if first is not None and last is not None and last < first:
            self._add("MU832", "end is before start", (*path, "end"))
        files = self._texts(entry.get("files") or [], (*path, "files"))
        unit = self._texts(entry["unit"], (*path, "unit")) if "unit" in entry else None
        for key in ("hosts", "nodes"):
            if not all(isinstance(item, str) for item in (entry.get(key) or {}).values()):
                self._add("MU832", f"{key} must map names to names", (*path, key))
        for name in sorted(set(entry.get("nodes") or ()) - set(files)):
            self._add("MU832", f"{visible(clip(name, 60))} is none of the files", (*path, "nodes", name))
        declared = Declared(
            site=entry.get("site", top.get("site")),
            test=entry.get("test"),
            pool=entry.get("pool"),
            unit=tuple(unit) if unit else None,
            digest=entry.get("digest"),
            attempt=entry.get("attempt"),
            exit_code=entry.get("exitCode"),
            signal=entry.get("signal"),
            timed_out=entry.get("timedOut"),
            start=entry.get("start"),
            end=entry.get("end"),
            round=entry.get("round"),
            synthetic=entry.get("synthetic", top.get("synthetic", False)),
            reason=entry.get("reason"),
            note=entry.get("note"),
            hosts=entry.get("hosts") or {},
            nodes=entry.get("nodes") or {},
            position=self._positions.of(path),
        )
        return Batch(tuple(Input(name, folder / name) for name in files), declared, grouped=True)

    def _texts(self, values: list[Any], path: tuple[str | int, ...]) -> list[str]:
        good = []
        for index, item in enumerate(values):
            if isinstance(item, str) and item.strip():
                good.append(item)
            else:
                self._add("MU832", "a text is needed here", (*path, index))
        if len(set(good)) < len(good):
            self._add("MU832", "a name is given twice", path)
        return good
