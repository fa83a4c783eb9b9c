"""The commands on evidence, from a compiled site and the sample evidence to what they print and return."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

MUSTER = Path(sys.executable).parent / "muster"


def muster(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "XDG_CACHE_HOME": str(folder / "cache")}
    environment.pop("MUSTER_ARCHIVE", None)
    return subprocess.run(
        [str(MUSTER), *arguments], cwd=folder, env=environment, capture_output=True, text=True
    )


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory, root: Path) -> Path:
    """A compiled site and its sample evidence in an archive."""
    folder = tmp_path_factory.mktemp("cli")
    done = muster(folder, "compile", "--repository", str(root), "--output", "generated", "h20-roce")
    assert done.returncode == 0, done.stderr
    listed = str(root / "examples/h20-roce/evidence.yaml")
    done = muster(folder, "ingest", "--output", "generated", "--list", listed)
    assert done.returncode == 0, done.stderr
    assert done.stdout.endswith(
        "33 files: 17 attempts written, 0 there already, 0 orphans, 0 refused, 0 secrets taken out\n"
    )
    return folder


@pytest.fixture
def place(prepared: Path, tmp_path: Path) -> Path:
    """A copy of it that may be spoiled."""
    return Path(shutil.copytree(prepared, tmp_path / "copy"))


RECONCILE = ("reconcile", "--output", "generated", "--no-compile", "--as-of", "2026-10-20")
ONE = (*RECONCILE, "--test", "pair-all-reduce")


def test_synthetic_evidence_accepts_nothing_unasked(place: Path) -> None:
    done = muster(place, *ONE)
    assert done.returncode == 1
    assert done.stdout.count("MU935") == 1
    assert "satisfied [synthetic]" in done.stdout
    done = muster(place, *ONE, "--synthetic")
    assert done.returncode == 0
    assert done.stdout.startswith("h20-roce (campaign 2026-10) at 2026-10-20T00:00:00Z\naccepted: 1 of 1")


def test_a_warm_archive_gives_the_same_report(place: Path) -> None:
    cold, warm = (muster(place, *RECONCILE, "--format", "json") for _ in range(2))
    assert cold.stdout == warm.stdout
    assert list((place / "cache").rglob("*.judged"))


@pytest.mark.parametrize(
    ("file", "old", "new", "named"),
    [
        ("plan.json", '"lower":363.443', '"lower":1.0', "h20-roce/plan.json"),
        ("lock.json", '"count": 40', '"count": 41', "h20-roce/lock.json"),
    ],
)
def test_a_plan_edited_by_hand_is_seen_without_compiling(
    file: str, old: str, new: str, named: str, place: Path
) -> None:
    path = place / "generated/h20-roce" / file
    text = path.read_text()
    assert text.replace(old, new) != text or old.replace(":", ": ") in text
    path.write_text(text.replace(old, new).replace(old.replace(":", ": "), new))
    done = muster(place, *ONE, "--synthetic", "--format", "json")
    found = json.loads(done.stdout)["drift"]["generated"]
    assert done.returncode == 1
    assert [item["message"] for item in found if item["code"] == "MU950"] == [f"{named} is modified"]


def test_records_that_were_removed_are_told_once(place: Path) -> None:
    muster(place, *RECONCILE)
    gone = next((place / "archive/v1/h20-roce").glob("*/*/record.json")).parent
    shutil.rmtree(gone)
    told = [muster(place, *RECONCILE).stderr for _ in range(2)]
    assert "MU878" in told[0]
    assert gone.name in told[0]
    assert "MU878" not in told[1]


def test_a_record_that_was_edited_is_no_evidence(place: Path) -> None:
    muster(place, *RECONCILE)
    for path in (place / "archive/v1/h20-roce").glob("*/*/record.json"):
        times = path.stat()
        path.write_bytes(path.read_bytes().replace(b'"wrong":0', b'"wrong":1', 1))
        os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
    done = muster(place, *ONE, "--synthetic", "--format", "json")
    assert "MU870" in done.stderr
    assert [verdict["state"] for verdict in json.loads(done.stdout)["verdicts"]] == ["unreadable"]


@pytest.mark.parametrize(
    ("said", "why"),
    [
        (["--end", "yesterday"], "--end yesterday: write a time with offset"),
        (["--start", "2026-10-14T08:00:00"], "write a time with offset"),
        (["--start", "2026-10-14T08:00:00Z", "--end", "2026-10-14T07:59:59Z"], "--end is before --start"),
        (["--node", "a.csv"], "write NAME=NODE"),
    ],
)
def test_what_is_said_of_a_file_is_checked(said: list[str], why: str, place: Path, root: Path) -> None:
    log = str(root / "examples/h20-roce/pair-tcp-all-reduce.log")
    done = muster(place, "ingest", "--output", "generated", "--test", "pair-all-reduce-tcp", *said, log)
    assert (done.returncode, done.stdout) == (2, "")
    assert why in done.stderr


def test_schemas_are_printed(place: Path) -> None:
    for name in ("site", "ingest-list", "evidence", "report"):
        done = muster(place, "schema", name)
        assert json.loads(done.stdout)["$schema"].startswith("https://json-schema.org/")


def test_verify_counts_what_it_read(place: Path) -> None:
    done = muster(place, "archive", "verify")
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr == "17 records, 33 raw files whole, 0 readings changed\n"


def test_metrics_of_what_is_not_satisfied(place: Path) -> None:
    done = muster(place, "metrics", "--output", "generated", "--as-of", "2026-10-20")
    assert done.returncode == 0
    assert "muster_reconcile_ok 0\n" in done.stdout
    assert done.stdout.endswith("# EOF\n")


def test_a_baseline_needs_what_was_measured(place: Path, root: Path) -> None:
    asked = ("baseline", "h20-roce", "--repository", str(root), "--output", str(place / "generated"))
    done = muster(place, *asked, "--test", "pair-all-reduce-tcp")
    assert (done.returncode, done.stdout) == (1, "")
    assert "synthetic, written and not measured" in done.stderr
    done = muster(place, *asked, "--test", "pair-all-reduce-tcp", "--synthetic")
    assert (done.returncode, done.stdout) == (0, "")
    assert "0 thresholds proposed, 1 as they are" in done.stderr
