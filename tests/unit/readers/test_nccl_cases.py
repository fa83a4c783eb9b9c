"""Cases of tests/cases/readers/nccl: real outputs where they are at hand, and our own with the same traps."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from muster.diagnostics import all_codes
from muster.readers import read_bytes, read_file
from unit.readers.nccl_cases import differences, digest, make
from unit.readers.nccl_writer import Spec, rows

CASES = Path(__file__).resolve().parents[2] / "cases" / "readers" / "nccl"


def _load(name: str) -> Any:
    return YAML(typ="safe", pure=True).load((CASES / name).read_text("utf-8"))


def _own() -> list[Any]:
    names = sorted(path.name for path in CASES.glob("*.yaml") if path.name != "index.yaml")
    return [pytest.param(case, id=f"{name[:-5]}:{case['name']}") for name in names for case in _load(name)]


def short(reading: dict[str, Any]) -> dict[str, Any]:
    made = {key: reading[key] for key in ("tool", "toolVersion", "state", "environment")}
    made["problems"] = sorted({item["code"] for item in reading["problems"]})
    made["records"] = [record["event"] for record in reading["records"]]
    made["fileLines"] = {item["code"]: item["line"] for item in reversed(reading["problems"])}
    return made | {"runs": [digest(run) for run in reading.get("runs", [])]}


def sound(reading: dict[str, Any]) -> None:
    """Ask what must hold of every reading."""
    for place in [reading, *reading.get("runs", [])]:
        for item in place["problems"]:
            assert item["code"] in all_codes()
            assert item["message"].isprintable()
            assert item["severity"] != "error" or place["state"] != "complete"


@pytest.mark.parametrize(
    ("name", "expect"), [pytest.param(*item, id=item[0]) for item in _load("index.yaml").items()]
)
def test_real_output(name: str, expect: dict[str, Any], shared: Path) -> None:
    reading = read_file(shared / "samples" / name)
    sound(reading)
    assert differences(short(reading), expect, "reading") == []


@pytest.mark.parametrize("case", _own())
def test_own_output(case: dict[str, Any]) -> None:
    assert set(case) <= {"name", "runs", "report", "text", "edits", "expect"}
    reading = read_bytes("case.log", make(case).encode())
    sound(reading)
    assert differences(short(reading), case["expect"], "reading") == []
    reading.setdefault("runs", [])
    specs = [Spec(**fields) for fields in case.get("runs", []) if "repeat" not in fields]
    if len(specs) == len(reading["runs"]):
        for spec, run in zip(specs, reading["runs"], strict=True):
            assert run["state"] != "complete" or figures(run) == printed(spec)


def figures(run: dict[str, Any]) -> list[Any]:
    """Return sizes and figures of a run as numbers."""
    names = ("timeUs", "algbw", "busbw")
    return [
        (
            row["bytes"],
            row["count"],
            *(row[place][name] for place in ("outOfPlace", "inPlace") for name in names),
        )
        for row in run["rows"]
    ]


def printed(spec: Spec) -> list[Any]:
    """Return the same of what the writer printed."""
    return [
        (row.size, row.count, *(float(text) for cell in row.cells for text in cell[:3]))
        for row in rows(spec)[0]
    ]


def test_index_is_whole(shared: Path) -> None:
    """Every nccl output of the samples has its expectation."""
    folder = shared / "samples"
    files = [*folder.glob("ncc*"), *folder.glob("mpirun*"), *(folder / "writer-made").glob("nccl*")]
    assert {str(path.relative_to(folder)) for path in files} == set(_load("index.yaml"))


def test_every_code_has_a_case() -> None:
    """Codes that a whole file cannot raise are in the tests of the base."""
    text = "".join(path.read_text("utf-8") for path in CASES.glob("*.yaml"))
    elsewhere = {"MU700", "MU702", "MU704", "MU705"}
    mine = {code for code in all_codes() if "MU700" <= code <= "MU739"}
    assert {code for code in mine if code not in text} == elsewhere
