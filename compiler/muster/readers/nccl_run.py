"""What one run of nccl-tests said, before it is judged for contradictions."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum
from typing import TYPE_CHECKING, NamedTuple

from muster.readers.model import problem
from muster.readers.nccl_transport import Transport

if TYPE_CHECKING:
    from muster.readers.model import Problem, Severity
    from muster.readers.nccl_command import Command
    from muster.readers.nccl_failure import Failure
    from muster.readers.nccl_header import Config, Device, Layout
    from muster.readers.nccl_number import Figure
    from muster.readers.nccl_rows import Row

KEPT_PROBLEMS = 100
KEPT_ROWS = 100_000
KEPT_RUNS = 1_000
KEPT_DEVICES = 65_536


class Stage(IntEnum):
    """How far a run has come: the tool's lines in their order."""

    NOTHING = 0
    VERSION = 1
    STARTING = 2
    CONFIG = 3
    DEVICES = 4
    DEVICE = 5
    REDUCING = 6
    COLUMNS = 7
    ROWS = 8
    BOUNDS = 9
    AVERAGE = 10
    CONCLUDED = 11


class Said(NamedTuple):
    """A text and the line where it stands."""

    text: str
    line: int


class Footer(NamedTuple):
    """One line below the table: its value, whether the tool itself called it OK (None: it did not say)."""

    value: Figure
    ok: bool | None
    line: int


@dataclass(slots=True)
class Run:
    """Facts of one run in the order of the tool's output; ``line`` is its first line."""

    line: int
    tool: str = "nccl-tests"
    round: int | None = None
    attempt: str | None = None
    origin: str = ""
    version: Said | None = None
    header_code: int | None = None
    library_code: int | None = None
    program: Said | None = None
    concluded: Said | None = None
    config: Config | None = None
    config_line: int = 0
    reduced: int | None = None
    commands: list[Command] = field(default_factory=list)
    devices: list[Device] = field(default_factory=list)
    devices_line: int = 0
    devices_cut: bool = False
    ranks_said: int | None = None
    layout: Layout | None = None
    layout_line: int = 0
    rows: list[Row] = field(default_factory=list)
    out_of_bounds: Footer | None = None
    average: Footer | None = None
    failures: list[Failure] = field(default_factory=list)
    gaps: list[int] = field(default_factory=list)
    libraries: dict[str, int] = field(default_factory=dict)
    cudas: dict[str, int] = field(default_factory=dict)
    warnings: list[Said] = field(default_factory=list)
    transport: Transport = field(default_factory=Transport)
    blocking: str | None = None
    extra: dict[str, object] = field(default_factory=dict)
    stage: Stage = Stage.NOTHING
    problems: list[Problem] = field(default_factory=list)
    _left_out: int = 0

    def note(self, code: str, message: str, line: int | None, severity: Severity | None = None) -> None:
        """Add a problem; beyond `KEPT_PROBLEMS` they are only counted."""
        if len(self.problems) < KEPT_PROBLEMS:
            self.problems.append(problem(code, message, line, severity=severity))
        else:
            self._left_out += 1

    def close(self) -> None:
        """Say how many problems were left out."""
        if self._left_out:
            text = f"{self._left_out} more problems of this run are not listed"
            self.problems.append(problem("MU704", text, self.line))
            self._left_out = 0

    @property
    def finished(self) -> bool:
        """Whether both lines of the footer are there."""
        return self.out_of_bounds is not None and self.average is not None

    @property
    def hosts(self) -> list[str]:
        """The hosts of the device lines, sorted."""
        return sorted({device.host for device in self.devices})

    @property
    def rank_count(self) -> int | None:
        """All ranks, as device lines or a report's configuration say; None when lines are missing."""
        if self.ranks_said is not None:
            return self.ranks_said
        return len(self.devices) if self.devices and not self.devices_cut else None

    @property
    def group_size(self) -> int | None:
        """Ranks of the communicator that was measured: those of the group of rank 0."""
        if self.ranks_said is not None or self.rank_count is None:
            return self.ranks_said
        first = min(self.devices).group
        return sum(device.group == first for device in self.devices)

    @property
    def command(self) -> Command | None:
        """The last command line before the run that shows the program's own options, else the last one."""
        full = [command for command in self.commands if command.argv] or self.commands
        return full[-1] if full else None
