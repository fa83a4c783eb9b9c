"""Read NVCRE objects as ``kubectl get -o json|yaml`` writes them: one, a List of them, or several documents.

Certification, WorkloadRun, Workflow and Job say how a run ended and for which nodes; BandwidthMeasurement and
GoodputMeasurement hold figures; ConfigMaps hold packed lists of nodes and reports. A verdict of theirs becomes a
check, never a judgement of ours: without thresholds of its own NVCRE passes whatever exits with 0.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from muster.readers.documents import DocumentError, load, scrub
from muster.readers.model import empty, problem, quoted, unreadable
from muster.readers.nvcre_objects import Objects
from muster.readers.outcome import state_of
from muster.readers.registry import Reader
from muster.readers.views import View

if TYPE_CHECKING:
    from collections.abc import Iterator

    from muster.readers.model import Reading, State
    from muster.readers.source import Source

MOST_OBJECTS = 20_000
STATES: dict[str, State] = {
    "MU781": "incomplete",
    "MU786": "incomplete",
    "MU788": "incomplete",
    "MU789": "errored",
}
_START = re.compile(r"\s*(?:\{|\[|---|#|(?:apiVersion|kind|items|metadata):|- )")
_GROUP = re.compile(r"""["']?apiVersion["']?: *["']?(?:nv)?cre\.nvidia\.com/v""")
_PACKED = re.compile(r"""["']?(?:failed-nodes\.json\.gz|report\.json\.gz)["']? *:""")


def _sniff(head: str, _name: str) -> int:
    if not _START.match(head):
        return 0
    if _GROUP.search(head):
        return 92
    return 70 if "ConfigMap" in head and _PACKED.search(head) else 0


def _read(source: Source) -> Reading:
    try:
        documents = load(source)
    except DocumentError as error:
        return unreadable(source.name, "nvcre", problem("MU780", quoted(str(error), 300)[1:-1], error.line))
    reading = empty(source.name, "nvcre", "complete")
    found = Objects(reading["problems"])
    for index, item in enumerate(_objects(documents)):
        if index >= MOST_OBJECTS:
            reading["problems"].append(problem("MU704", f"more than {MOST_OBJECTS} objects"))
            break
        found.take(View(item, f"object {index}", reading["problems"], "MU783"))
    if not found.shown:
        reading["problems"].append(problem("MU785", "no object of NVCRE that holds a result"))
    merged: Any = {**reading, **found.result()}
    merged["state"] = state_of(reading["problems"], STATES)
    clean: Reading = scrub(merged)
    return clean


def _objects(documents: list[Any]) -> Iterator[Any]:
    for document in documents:
        if isinstance(document, dict) and isinstance(document.get("items"), list):
            yield from document["items"]
        elif isinstance(document, list):
            yield from document
        elif document is not None:
            yield document


READER = Reader("nvcre", _sniff, _read, "nvcre/1")
