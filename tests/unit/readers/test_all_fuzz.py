"""Every reader against damaged inputs of every reader case: no crash, no better verdict, clean JSON.

``tests/fuzz/fuzz_readers.py`` does the same for as long as it is told.
"""

from __future__ import annotations

import json
import random
from functools import cache
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fuzz.fuzz_readers import (
    CHANGES,
    UNCLEAN,
    all_problems,
    attempt,
    better,
    corpus,
    damaged,
    faults,
    improves,
    passes,
    texts,
    truncate,
    wrongs,
)
from muster.readers import read_bytes
from muster.readers.registry import Reader, readers
from muster.readers.source import DocumentTooLargeError, Source

SLOW = [HealthCheck.too_slow, HealthCheck.data_too_large]
budget = settings(max_examples=700, deadline=None, derandomize=True, suppress_health_check=SLOW)
inputs = cache(corpus)
HEADS = (
    b"",
    b'{"DCGM Diagnostic": ',
    b'{"nvbandwidth": ',
    b'{"reportFormat": "CTRF", "generatedBy": "aicr", "results": ',
    b'{"categories": [], "totalNodes": 1, "result": ',
    b"apiVersion: nvcre.nvidia.com/v1alpha1\nkind: Job\nstatus: ",
    b"kind: Snapshot\napiVersion: aicr.run/v1\nmeasurements: ",
    b"# nccl-tests version 2.17.8\n#  size count type redop root time algbw busbw #wrong\n",
    b" iteration 1/ 2 | elapsed time per iteration (ms): ",
    b"CA 'mlx5_0'\n",
    b"nvidia-smi\n| NVIDIA-SMI ",
    b"#bytes #iterations BW peak[MB/sec] BW average[MB/sec] MsgRate[Mpps]\n",
    b'MUSTER-RECORD {"v": 1, ',
)


def test_the_inputs_reach_every_reader() -> None:
    tools = {read_bytes("x", data)["tool"] for data in inputs().values()}
    assert {reader.tool for reader in readers()} - tools == set()


@budget
@given(name=st.integers(0, 10_000), seed=st.integers(0, 2**32))
def test_damaged_inputs(name: int, seed: int) -> None:
    names = sorted(inputs())
    chosen = names[name % len(names)]
    assert attempt(inputs()[chosen], seed) == [], f"--once --seed {seed} --case {chosen!r}"


@budget
@given(st.sampled_from(HEADS), st.binary(max_size=400))
def test_any_bytes(head: bytes, data: bytes) -> None:
    assert faults(head + data) == []


@settings(budget, max_examples=300)
@given(st.sampled_from(HEADS), st.text(max_size=200))
def test_any_text(head: bytes, text: str) -> None:
    assert faults(head + text.encode("utf-8", "replace")) == []


@pytest.mark.parametrize("reader", readers(), ids=lambda one: f"{one.tool}-{one.version}")
def test_a_reader_survives_what_other_tools_print(reader: Reader) -> None:
    rng = random.Random(reader.version)
    for name in sorted(inputs())[:: max(1, len(inputs()) // 60)]:
        data = damaged(rng, inputs()[name])
        try:
            reading: Any = reader.read(Source.of_bytes(name, data))
        except DocumentTooLargeError:
            continue
        json.dumps(reading, allow_nan=False)
        assert 0 <= reader.sniff(Source.of_bytes(name, data).head_text, name) <= 100


def test_cutting_a_whole_file_never_makes_it_better() -> None:
    """Cut each complete input of up to 60 lines at its line ends, and once inside of each line."""
    rng = random.Random(7)
    whole = {name: data for name, data in inputs().items() if read_bytes("x", data)["state"] == "complete"}
    assert len(whole) > 60
    for name, data in rng.sample(sorted(whole.items()), 60):
        ends = [at for at, byte in enumerate(data) if byte == 10]
        for end in rng.sample(ends, min(len(ends), 8)):
            for cut in (end, max(0, end - rng.randrange(1, 20))):
                assert improves(data, data[:cut]) == [], f"{name} cut at {cut}"


def test_better_sees_what_is_better() -> None:
    run = {"op": "all_reduce", "rows": [{"bytes": 8, "outOfPlace": {"wrong": 3}, "inPlace": {"wrong": None}}]}
    check = {"name": "memory", "entity": "GPU 0", "status": "fail"}
    bad: dict[str, Any] = {
        "state": "incomplete",
        "runs": [run],
        "checks": [check],
        "goodput": {"ratio": None},
    }
    good: dict[str, Any] = json.loads(json.dumps(bad))
    assert better(good, bad) == []
    good["runs"][0]["rows"][0]["outOfPlace"]["wrong"] = 0
    good["runs"][0]["rows"][0]["inPlace"]["wrong"] = 0
    good["checks"][0]["status"] = "pass"
    good["goodput"]["ratio"] = 0.5
    good["state"] = "complete"
    assert len(better(good, bad)) == 5
    assert better(bad, good) == []
    assert passes(good) == {("memory", "GPU 0")}
    assert wrongs(bad)["all_reduce", 8, "inPlace"] == -1


def test_faults_are_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    made: dict[str, Any] = {
        "tool": "x\x1b",
        "state": "complete",
        "runs": [{"state": "incomplete", "problems": []}],
        "problems": [{"code": "MU000", "severity": "error", "line": 1, "message": "a\nb"}],
    }
    monkeypatch.setattr("muster.readers.read_bytes", lambda *_: made)
    found = faults(b"")
    assert len(found) == 5, found
    assert UNCLEAN.search("a\x9b")
    assert list(texts({"k": ["v", {"l": 1}]})) == ["k", "v", "l"]
    assert len(all_problems(made)) == 1


@pytest.mark.parametrize("change", CHANGES, ids=lambda one: one.__name__)
def test_a_change_changes_and_is_repeatable(change: Any) -> None:
    data = b"iteration 1/2 | 3.5 |\nsecond line\nthird line\n"
    made = [change(random.Random(seed), data) for seed in range(30)]
    assert made == [change(random.Random(seed), data) for seed in range(30)]
    assert any(one != data for one in made)
    assert change(random.Random(1), b"") == b"" or change is not truncate
