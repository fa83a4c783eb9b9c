"""Take off what launchers and log collectors put before a line, and put lines back together that they broke.

Known: kubectl ``--timestamps`` and ``--prefix``, container runtimes, Open MPI ``--tag-output`` (also PRRTE's
form and its dates), ``srun --label``, Ray workers, torchrun.
"""

from __future__ import annotations

import re

_TIME = (
    r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d)(?: (?:std(?:out|err) [FP] )?|$)"
)
_POD = r"\[pod/[^\]\s]+\] "
_RAY = r"\((?P<ray>(?:[\w.:<>-]+ )?(?:pid=\d+|raylet|autoscaler)(?:, ip=[0-9A-Fa-f.:]+)?)\) "
_SRUN = r" *(?P<srun>\d{1,6}):(?: |$)"
_TORCH = r"\[(?P<torch>(?:rank|default)\d+)\]:(?: |$)"
_DATE = r"[A-Z][a-z]{2} [A-Z][a-z]{2} +\d+ \d\d:\d\d:\d\d \d{4}(?=\[|<)"
_MPI = r"\[(?P<mpi>\d+,\d+)\]<std(?:out|err|diag)>:"
_PRTE = r"\[(?:prterun|prte)-[^\[\]\s@]+@(?P<prte>\d+,\d+)\]<std(?:out|err|diag)>:"

PREFIX = re.compile(f"(?:{_TIME}|{_POD}|{_RAY}|{_SRUN}|{_TORCH}|{_DATE}|{_MPI}|{_PRTE} ?)", re.ASCII)
_TAG = re.compile(r"\[(?:(?:prterun|prte)-[^\[\]\s@]+@)?(\d+,\d+)\]<std(?:out|err|diag)>:", re.ASCII)
_DEPTH = 6
_WAITING = 1 << 20


def split(text: str) -> tuple[str, str]:
    """Return who wrote a line (rank, task, worker; empty when nothing says) and the line without prefixes."""
    start, origin = 0, ""
    for _ in range(_DEPTH):
        found = PREFIX.match(text, start)
        if found is None:
            break
        start = found.end()
        if found.lastgroup is not None:
            origin = f"{'mpi' if found.lastgroup == 'prte' else found.lastgroup} {found[found.lastgroup]}"
    return origin, text[start:]


def strip(text: str) -> str:
    """Return a line without the prefixes before it and without tags of Open MPI inside it."""
    rest = split(text)[1]
    return _TAG.sub("", rest) if "]<std" in rest else rest


def holds_any(text: str, words: tuple[str, ...]) -> bool:
    """Whether one of some words is in a text: the cheap question before a pattern is tried."""
    for word in words:  # noqa: SIM110 (any() with a generator takes three times as long)
        if word in text:
            return True
    return False


class Joiner:
    """Puts lines back together that Open MPI tagged in the middle.

    It puts the tag before every *write* of a rank, not before every line: a tag inside a line means that the
    text before it had no line end. The same rank goes on there, or another rank's text came between and the
    first one's rest follows later behind its own tag.
    """

    def __init__(self) -> None:
        self._open: dict[str, tuple[int, str]] = {}

    @property
    def waiting(self) -> bool:
        """Whether a line of some rank is still without its end."""
        return bool(self._open)

    def feed(self, number: int, text: str) -> list[tuple[int, str, str]]:
        """Take one line of the file; return the whole lines that it ends: number, origin, text."""
        origin, rest = split(text)
        if "]<std" not in rest and not self._open:
            return [(number, origin, rest)]
        pieces = _pieces(origin, rest)
        done: list[tuple[int, str, str]] = []
        for index, (who, part) in enumerate(pieces):
            first, before = self._open.pop(who, (number, ""))
            if index == len(pieces) - 1:
                done.append((first, who, before + part))
            else:
                self._open[who] = (first, before + part)
        if sum(len(text) for _, text in self._open.values()) > _WAITING:
            done += self.rest()
        return done

    def rest(self) -> list[tuple[int, str, str]]:
        """Return the lines whose end never came, in order."""
        left = sorted((number, who, text) for who, (number, text) in self._open.items())
        self._open.clear()
        return left


def _pieces(origin: str, text: str) -> list[tuple[str, str]]:
    """Split a line at the tags inside it; neighbours of one rank are one piece."""
    pieces, start = [(origin, "")], 0
    for tag in _TAG.finditer(text):
        _append(pieces, pieces[-1][0], text[start : tag.start()])
        _append(pieces, f"mpi {tag[1]}", "")
        start = tag.end()
    _append(pieces, pieces[-1][0], text[start:])
    return pieces


def _append(pieces: list[tuple[str, str]], who: str, part: str) -> None:
    if pieces[-1][0] == who:
        pieces[-1] = (who, pieces[-1][1] + part)
    else:
        pieces.append((who, part))
