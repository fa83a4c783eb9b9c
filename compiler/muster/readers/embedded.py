"""Find the JSON documents in a text that holds other lines too."""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections import Counter
from itertools import accumulate
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

    from muster.readers.model import Problem

from muster.readers.model import problem, quoted

MOST_DOCUMENTS = 2_000
MOST_BROKEN = 8
_START = re.compile(r"^[ \t]*(\{)(?=\s*(?:[\"}]|\Z))", re.MULTILINE)
_ROOT = re.compile(r"^(\{)(?=\s*(?:[\"}]|\Z))", re.MULTILINE)
_REST = re.compile(r"[ \t]*,?[ \t]*$", re.MULTILINE)
_STUMP = re.compile(r"[\w.+-]{0,24}\s*\Z", re.ASCII)


class DuplicateKeyError(ValueError):
    """A JSON object names one key twice."""


class Document(NamedTuple):
    """A JSON object: the numbers of its first and last line, and what it holds."""

    line: int
    last: int
    value: dict[str, Any]


class Broken(NamedTuple):
    """The start of a JSON object that cannot be read.

    Attributes:
        line: where it starts.
        at: the line of the fault.
        reason: what is wrong.
        cut: whether the text ended before the object did.
        last: the last line that belongs to it for certain.
    """

    line: int
    at: int
    reason: str
    cut: bool
    last: int


def documents(first: int, lines: Sequence[str]) -> tuple[list[Document], list[Broken]]:
    """Return the JSON objects that start at the beginning of a line, and those that cannot be read.

    Behind an object its line must end: text that follows shows that a brace too many closed it early. An object
    whose keys are not unique, that is nested too deep or that holds a number of thousands of digits is broken
    too: whoever takes the last of two ``status`` keys can be made to see a pass. NaN becomes None. The search
    ends at the first `MOST_BROKEN` broken objects; what follows them is not trusted anyway.

    Args:
        first: the number of the first line.
        lines: the lines, without prefixes.
    """
    text = "\n".join(lines)
    starts = list(accumulate((len(line) + 1 for line in lines), initial=0))
    decoder = json.JSONDecoder(object_pairs_hook=_unique, parse_constant=_no_number)
    found: list[Document] = []
    broken: list[Broken] = []

    def number(offset: int) -> int:
        return first + bisect_right(starts, offset, hi=len(lines)) - 1

    match = _START.search(text)
    while match and len(broken) < MOST_BROKEN:
        if len(found) >= MOST_DOCUMENTS:
            line = number(match.start(1))
            reason = f"more than {MOST_DOCUMENTS} documents stand before it"
            broken.append(Broken(line, line, reason, cut=False, last=line))
            break
        start = match.start(1)
        try:
            value, end = decoder.raw_decode(text, start)
        except json.JSONDecodeError as error:
            cut = error.msg.startswith("Unterminated string") or _STUMP.match(text, error.pos) is not None
            at = number(error.pos)
            broken.append(Broken(number(start), at, error.msg, cut=cut, last=at))
            match = _ROOT.search(text, max(error.pos, start + 1))
        except (ValueError, RecursionError) as error:
            reason = (
                str(error) if isinstance(error, DuplicateKeyError) else "nested too deep or a huge number"
            )
            last = first + len(lines) - 1
            broken.append(Broken(number(start), number(start), reason, cut=False, last=last))
            break
        else:
            line = number(end - 1)
            found.append(Document(number(start), line, value))
            if _REST.match(text, end) is None:
                broken.append(Broken(number(start), line, "text follows it", cut=False, last=line))
            match = _START.search(text, end)
    return found, broken


def trouble(item: Broken, cut_code: str, damaged_code: str) -> Problem:
    """Return the problem with an object that cannot be read; its line is where the fault is."""
    if item.cut:
        return problem(cut_code, f"the JSON document that starts in line {item.line} is cut off", item.at)
    message = f"the JSON document that starts in line {item.line} is damaged: {item.reason}"
    return problem(damaged_code, message, item.at)


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) != len(pairs):
        twice = next(key for key, times in Counter(key for key, _ in pairs).items() if times > 1)
        raise DuplicateKeyError(f"the key {quoted(twice)} is there twice")
    return made


def _no_number(_text: str) -> None:
    return None
