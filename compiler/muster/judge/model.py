"""What is known of one attempt once it has been held against a desired test. Small: 100,000 fit in memory."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from muster.judge import bounds, statistics
from muster.judge.fields import number

if TYPE_CHECKING:
    from datetime import datetime
    from decimal import Decimal

    from muster.judge.fields import JsonMap
    from muster.judge.states import State


class Reason(NamedTuple):
    """Why an attempt is not simply satisfied: a registered code and what was found, with values."""

    code: str
    message: str


class Measure(NamedTuple):
    """One threshold held against one attempt.

    Attributes:
        threshold: the threshold of the acceptance.
        values: one value per round in the order of rounds; None for what was not read or is missing.
        value: the declared statistic of all declared rounds; None unless each has a value.
        ok: whether every bound and the spread hold. Never true without a value.
        expected: the declared number of rounds.
        cell: the cell of a matrix that came out worst; None for plain values.
        cells: how many cells were judged.
    """

    threshold: JsonMap
    values: tuple[Decimal | None, ...]
    value: Decimal | None
    ok: bool
    expected: int
    cell: tuple[int | str, ...] | None = None
    cells: int = 1

    @property
    def spread(self) -> Decimal | None:
        """(max - min) / median of the values; None unless each round has one."""
        known = [value for value in self.values if value is not None]
        return statistics.spread(known) if self.value is not None else None

    @property
    def margin(self) -> Decimal | None:
        """The fraction of the nearer bound that is left, negative when missed; None without value or bound."""
        if self.value is None:
            return None
        lower, upper, reference = (number(self.threshold.get(key)) for key in ("lower", "upper", "reference"))
        return bounds.margin(self.value, lower, upper, reference)


class Assessment(NamedTuple):
    """One attempt held against one desired test; says nothing yet about age or other attempts.

    Attributes:
        id: the attempt's id; empty when the record has none.
        state: what this attempt alone would be.
        reasons: all reasons, the one that gives the state first; none when it is satisfied.
        measures: in the order of the acceptance's thresholds.
        passed: how many checks of a diagnosis passed.
        transport: the transport found, as the verdict shows it.
        fields: what differs between declared and found, for ``stale``.
        start: when it began.
        end: when it ended.
        time: what it is ordered and aged by: its end, else the last time it carries; None when undated.
        evidence: where the archive keeps it.
        synthetic: whether the evidence was written rather than measured.
        binding: what binds it to the test: ``record`` lines, ``options``, or nothing.
        prints: the finger prints of its runs; see `muster.judge.prints`.
        copied: the id of an older attempt whose figures these are; ``time`` is that one's then.
    """

    id: str
    state: State
    reasons: tuple[Reason, ...]
    measures: tuple[Measure, ...]
    passed: int
    transport: dict[str, Any] | None
    fields: tuple[tuple[str, Any, Any], ...]
    start: datetime | None
    end: datetime | None
    time: datetime | None
    evidence: str
    synthetic: bool
    binding: str = ""
    prints: tuple[str, ...] = ()
    copied: str | None = None


class Claim(NamedTuple):
    """That a run, known by its print, is evidence of a measurement.

    Attributes:
        digest: the measurement's digest.
        binding: ``record`` or ``options``.
        test: the test and unit it is claimed for, for messages.
    """

    digest: str
    binding: str
    test: str


class Older(NamedTuple):
    """The newest attempt of the same test on the same unit whose measurement had another digest."""

    id: str
    digest: str
    state: str
    start: datetime | None
    end: datetime | None
    time: datetime | None
    evidence: str
    measurement: JsonMap | None
    synthetic: bool
