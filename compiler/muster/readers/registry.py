"""Which readers there are: every module of this package that has a ``READER`` or ``READERS``."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from muster.readers.model import Reading
    from muster.readers.source import Source


@dataclass(frozen=True, slots=True)
class Reader:
    """One format of one tool.

    Attributes:
        tool: the tool's name, ``nccl-tests``.
        sniff: gives 0 (not mine) to 100 (certain) for the cleaned head of a file and the file's name. It must
            be quick and may not raise.
        read: makes a reading of the whole file. It may let `DocumentTooLargeError` through and raises nothing
            else, whatever the bytes are.
        version: name and version of the parser, ``nccl-tests/1``; goes into evidence records.
        takes_records: ``read`` takes the record lines of the pod script itself.
    """

    tool: str
    sniff: Callable[[str, str], int]
    read: Callable[[Source], Reading]
    version: str
    takes_records: bool = False


@cache
def readers() -> tuple[Reader, ...]:
    """Return all readers, sorted by the name of their module."""
    import muster.readers as package

    found: list[Reader] = []
    for name in sorted(item.name for item in iter_modules(package.__path__)):
        module = import_module(f"{package.__name__}.{name}")
        if isinstance(single := getattr(module, "READER", None), Reader):
            found.append(single)
        found.extend(getattr(module, "READERS", ()))
    return tuple(found)
