"""The collectives that nccl-tests measures: what their tables look like and how bus bandwidth follows.

Factors as in nccl-tests' doc/PERFORMANCE.md: busbw = algbw x factor(n) for n ranks.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from muster.readers.nccl_number import Span

_PROGRAM = re.compile(
    r"(?:.*/)?(all_reduce|all_gather|reduce_scatter|alltoallv|alltoall|broadcast|reduce|gather|scatter|sendrecv"
    r"|hypercube)_perf(?:[._-][\w.-]*)?"
)


@dataclass(frozen=True, slots=True)
class Op:
    """One collective.

    Attributes:
        name: ``all_reduce``.
        law: ``double`` for 2(n-1)/n, ``share`` for (n-1)/n, ``one`` for 1.
        reduces: the redop column names an operation.
        rooted: the root column names a rank.
        in_place_checked: the in-place result can be checked at all.
        shared: size is count x type x ranks; otherwise count x type.
    """

    name: str
    law: Literal["double", "share", "one"]
    reduces: bool = False
    rooted: bool = False
    in_place_checked: bool = True
    shared: bool = False

    def factor(self, ranks: int) -> float:
        """Return busbw over algbw for a number of ranks."""
        if self.law == "one":
            return 1.0
        return (2.0 if self.law == "double" else 1.0) * (ranks - 1) / ranks

    def ranks_of(self, factor: Span) -> range | None:
        """Return the rank counts that fit a span of factors; None when it does not narrow them to a range."""
        if self.law == "one":
            return None if factor.holds(1.0) else range(0)
        top = 2.0 if self.law == "double" else 1.0
        if factor.low >= top or factor.high < 0:
            return range(0)
        low = max(1, math.ceil(top / (top - factor.low) - 1e-9))
        if factor.high >= top:
            return None
        return range(low, math.floor(top / (top - factor.high) + 1e-9) + 1)


OPS = {
    op.name: op
    for op in (
        Op("all_reduce", "double", reduces=True),
        Op("all_gather", "share", shared=True),
        Op("reduce_scatter", "share", reduces=True, shared=True),
        Op("alltoall", "share", in_place_checked=False, shared=True),
        Op("alltoallv", "share", in_place_checked=False, shared=True),
        Op("gather", "share", rooted=True, shared=True),
        Op("scatter", "share", rooted=True, shared=True),
        Op("broadcast", "one", rooted=True),
        Op("reduce", "one", reduces=True, rooted=True),
        Op("sendrecv", "one", reduces=True, in_place_checked=False),
        Op("hypercube", "one", shared=True),
    )
}


def op_of_program(program: str) -> str | None:
    """Return what a program measures: ``/opt/bin/all_reduce_perf_mpi`` gives ``all_reduce``."""
    found = _PROGRAM.fullmatch(program)
    return found[1] if found else None


def names_program(text: str) -> bool:
    """Whether the program of a known collective is named somewhere in a text; looks at 200 places at most."""
    place = text.find("_perf")
    for _ in range(200):
        if place < 0:
            return False
        before = text[max(0, place - 20) : place]
        for name in OPS:
            if before.endswith(name) and not re.match(r"\w", before[: -len(name)][-1:]):
                return True
        place = text.find("_perf", place + 1)
    return False
