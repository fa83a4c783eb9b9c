"""Loads a site file: YAML 1.2, one reading, every value with its place."""

from __future__ import annotations

import hashlib
import os
import stat
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from muster.site.compose import Limits, compose
from muster.site.envelope import check_envelope, stem_of
from muster.site.findings import Findings
from muster.site.names import SITE_NAME_LIMIT, label_problem
from muster.site.positions import PositionMap
from muster.site.text import clean, decode

if TYPE_CHECKING:
    from pathlib import Path

    from muster.diagnostics import Diagnostic

DEFAULT_LIMITS = Limits()


@dataclass(frozen=True, slots=True)
class LoadedSite:
    """A site file as read.

    Attributes:
        file: the label under which positions name the file.
        name: metadata.name; None unless it is valid and the name of the file.
        data: plain JSON values, integers exact; None as soon as one error was found.
        positions: where each field stands; best effort when there are errors.
        diagnostics: what is wrong, in the order of the file.
        digest: ``sha256:`` and the hexadecimal digest of the raw bytes; empty when they were not read.
        partial: the values of a file with errors, where all of it was understood: good for finding more
            errors, never for compiling.
    """

    file: str
    name: str | None
    data: dict[str, Any] | None
    positions: PositionMap
    diagnostics: tuple[Diagnostic, ...]
    digest: str
    partial: dict[str, Any] | None = None

    @property
    def ok(self) -> bool:
        """Whether the file may be compiled."""
        return self.data is not None


def load_site(file_label: str, raw: bytes, limits: Limits = DEFAULT_LIMITS) -> LoadedSite:
    """Read a site from bytes. Never raises on any bytes: what is wrong is in ``diagnostics``.

    Args:
        file_label: how messages name the file, with forward slashes; its stem is the name of the site.
        raw: the bytes of the file.
        limits: bounds of size, nesting and number of values.
    """
    found = _findings(file_label, limits)
    positions = PositionMap(file_label)
    name, data, partial = None, None, None
    digest = "sha256:" + hashlib.sha256(raw).hexdigest()
    text = _text(raw, found, limits)
    if text is not None:
        tree = compose(text, found, limits)
        positions = PositionMap(file_label, tree.spans)
        if tree.complete and tree.value is not None:
            name = check_envelope(tree.value, file_label, positions, found)
            data = tree.value
            partial = data if isinstance(data, dict) else None
    if found:
        data = None
    return LoadedSite(file_label, name, data, positions, found.done(), digest, partial)


def read_site_file(path: Path, label: str, limits: Limits = DEFAULT_LIMITS) -> LoadedSite:
    """Read a site from a regular file; anything else is a diagnostic MU101, a large one MU102.

    The size is checked before anything is read, and a pipe does not block.
    """
    found = _findings(label, limits)
    try:
        mode = path.stat().st_mode  # before opening: a socket cannot be opened at all
        if stat.S_ISREG(mode):
            raw = _read(path, found, limits)
            if raw is not None:
                return load_site(label, raw, limits)
        else:
            found.add("MU101", f"this is {_kind(mode)}, not a file")
    except (OSError, ValueError) as fault:
        reason = fault.strerror if isinstance(fault, OSError) and fault.strerror else str(fault)
        found.add("MU101", f"the file cannot be read: {reason}")
    return LoadedSite(label, None, None, PositionMap(label), found.done(), "")


def _read(path: Path, found: Findings, limits: Limits) -> bytes | None:
    handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    try:
        status = os.fstat(handle)
        if not stat.S_ISREG(status.st_mode):
            found.add("MU101", "the file was replaced while it was read")
            return None
        if status.st_size > limits.size:
            _too_large(status.st_size, found, limits)
            return None
        with os.fdopen(handle, "rb", closefd=False) as stream:
            return stream.read(limits.size + 1)
    finally:
        os.close(handle)


def _findings(label: str, limits: Limits) -> Findings:
    stem = stem_of(label)
    return Findings(label, "" if label_problem(stem, SITE_NAME_LIMIT) else stem, limits.findings)


def _text(raw: bytes, found: Findings, limits: Limits) -> str | None:
    if len(raw) > limits.size:
        _too_large(len(raw), found, limits)
        return None
    if not raw.strip():
        found.add("MU103", "the file is empty")
        return None
    text = decode(raw, found)
    return None if text is None else clean(text, found)


def _too_large(size: int, found: Findings, limits: Limits) -> None:
    found.add("MU102", f"the file has {size} bytes, {limits.size} are the most")


def _kind(mode: int) -> str:
    kinds = (
        (stat.S_ISDIR, "a directory"),
        (stat.S_ISFIFO, "a pipe"),
        (stat.S_ISSOCK, "a socket"),
        (stat.S_ISCHR, "a device"),
        (stat.S_ISBLK, "a device"),
    )
    return next((name for test, name in kinds if test(mode)), "something special")
