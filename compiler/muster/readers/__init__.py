"""Read what test tools print. Strict: what is odd becomes a problem with its line, never a number."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from muster.diagnostics import InputFault, Position, diagnostic
from muster.readers.model import problem, unreadable
from muster.readers.source import DOCUMENT_LIMIT, DocumentTooLargeError, Source

if TYPE_CHECKING:
    from muster.readers.model import Reading

__all__ = ["read_bytes", "read_file", "read_source"]


def read_file(path: str | Path) -> Reading:
    """Read one file.

    Raises:
        InputFault: the file cannot be opened or read (MU700).
    """
    try:
        return read_source(Source.of_path(Path(path), str(path)))
    except OSError as error:
        found = diagnostic("MU700", error.strerror or type(error).__name__, Position(str(path), 1, 1))
        raise InputFault(found) from error


def read_bytes(name: str, data: bytes) -> Reading:
    """Read a file that is already in memory; ``name`` is how the reading calls it."""
    return read_source(Source.of_bytes(name, data))


def read_source(source: Source) -> Reading:
    """Read a source with the reader that knows it best; never raises for what the bytes hold.

    Adds the record lines of the pod script and the over-long lines to the reading where the reader did not
    do so itself. A problem of severity error makes a reading that its reader calls complete unreadable.
    """
    from muster.readers import records
    from muster.readers.sniff import choose

    reader = choose(source)
    if reader is None:
        found = problem("MU701", "no known tool wrote this file")
        return unreadable(source.name, None, found)
    try:
        reading = reader.read(source)
    except DocumentTooLargeError:
        found = problem("MU705", f"the document has more than {DOCUMENT_LIMIT} bytes")
        return unreadable(source.name, reader.tool, found)
    if not (reading["records"] or reader.takes_records):
        reading["records"], troubles = records.scan(source)
        reading["problems"] += [item for item in troubles if item not in reading["problems"]]
    reading["problems"] += [item for item in source.problems if item not in reading["problems"]]
    if reading["state"] == "complete" and any(item["severity"] == "error" for item in reading["problems"]):
        reading["state"] = "unreadable"
    return reading
