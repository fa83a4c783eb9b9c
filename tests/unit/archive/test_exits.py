"""Exit codes of each tool."""

from __future__ import annotations

import pytest

from muster.archive.exits import Ending, meaning


@pytest.mark.parametrize(
    ("tool", "codes", "found"),
    [
        ("nccl-tests", (0,), "ok"),
        ("nccl-tests", (1, 6, 7), "results"),
        ("nccl-tests", (2, 3, 5), "failed"),
        ("nccl-tests", (4, 124, 130, 134, 137, 139, 143, -9), "cut"),
        ("nccl-tests", (125, 126, 127), "not-run"),
        ("nccl-tests", (226, 255), "failed"),
        ("dcgm", (0,), "ok"),
        ("dcgm", (226,), "findings"),
        ("dcgm", (205,), "device"),
        ("dcgm", (198, 206, 216, 254, 255, 127), "not-run"),
        ("dcgm", (190, 124, 137), "cut"),
        ("dcgm", (1, 7), "failed"),
        ("nvbandwidth", (1, 7, 226), "failed"),
        (None, (None,), "unknown"),
        (None, (0,), "ok"),
    ],
)
def test_codes(tool: str | None, codes: tuple[int | None, ...], found: str) -> None:
    assert [meaning(tool, Ending(code)) for code in codes] == [found] * len(codes)


@pytest.mark.parametrize("tool", ["nccl-tests", "dcgm", None])
def test_a_time_limit_or_a_signal_outweighs_the_code(tool: str | None) -> None:
    for code in (None, 0, 1, 226):
        assert meaning(tool, Ending(code, timed_out=True)) == "cut"
        assert meaning(tool, Ending(code, signal=9)) == "cut"


def test_text() -> None:
    texts = [Ending(timed_out=True), Ending(signal=9), Ending(3), Ending()]
    assert [item.text for item in texts] == ["a time-out", "signal 9", "exit code 3", "an unknown exit code"]
