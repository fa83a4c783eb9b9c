"""Ingest lists: what they say, what is refused and where, and the acceptance they were made for."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
import yaml

from archive_helpers import logs
from archive_helpers.attempts import dcgm
from muster.archive import ingestlist
from muster.archive.ingest import ingest
from muster.archive.ingestlist import read_ingest_list
from muster.archive.local import LocalStore
from muster.diagnostics import InputFault

CASES: list[dict[str, Any]] = yaml.safe_load(
    (Path(__file__).resolve().parents[2] / "cases/archive/lists.yaml").read_text(encoding="utf-8")
)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"].replace(" ", "-"))
def test_refused(case: dict[str, Any], tmp_path: Path) -> None:
    (tmp_path / "list.yaml").write_text(case["text"])
    with pytest.raises(InputFault) as caught:
        read_ingest_list(tmp_path / "list.yaml", "evidence/list.yaml")
    found = caught.value.diagnostics
    assert len(found) == len(case["found"]), [(str(item.position), item.code, item.message) for item in found]
    for item, wanted in zip(found, case["found"], strict=True):
        place, code, says = wanted.split(" ", 2)
        assert (str(item.position), item.code) == (f"evidence/list.yaml:{place}", code)
        assert says in f"{item.message} {item.hint}"


def test_unreadable(tmp_path: Path) -> None:
    (tmp_path / "list.yaml").write_bytes(b"\xff\xfe")
    for name in ("list.yaml", "missing.yaml"):
        with pytest.raises(InputFault) as caught:
            read_ingest_list(tmp_path / name, name)
        assert caught.value.diagnostics[0].code == "MU810"


def _schema() -> Any:
    import jsonschema_rs

    text = (files("muster.archive") / "ingest-list.schema.json").read_text("utf-8")
    return jsonschema_rs.Draft202012Validator(json.loads(text))


def _plain(text: str) -> Any:
    """YAML as JSON has it: times stay text."""
    loader = type("Loader", (yaml.SafeLoader,), {"yaml_implicit_resolvers": {}})
    for first, rules in yaml.SafeLoader.yaml_implicit_resolvers.items():
        kept = [rule for rule in rules if rule[0] != "tag:yaml.org,2002:timestamp"]
        loader.yaml_implicit_resolvers[first] = kept
    return yaml.load(text, loader)


def test_the_published_schema_takes_what_is_read(root: Path) -> None:
    _schema().validate(_plain(LIST))
    for path in sorted((root / "examples").rglob("*.yaml")):
        _schema().validate(_plain(path.read_text("utf-8")))


def test_the_published_schema_knows_the_fields_that_are_read() -> None:
    shown = json.loads((files("muster.archive") / "ingest-list.schema.json").read_text("utf-8"))
    assert set(shown["properties"]) == set(ingestlist._TOP)
    assert set(shown["properties"]["entries"]["items"]["properties"]) == set(ingestlist._ENTRY)


# What is no YAML at all, no schema sees.
SHAPES = [case for case in CASES if not any(" MU1" in line for line in case["found"])]


@pytest.mark.parametrize("case", SHAPES, ids=lambda case: case["name"].replace(" ", "-"))
def test_the_published_schema_refuses_what_is_refused(case: dict[str, Any]) -> None:
    assert not _schema().is_valid(_plain(case["text"]))


LIST = """\
apiVersion: muster.dev/v1alpha1
kind: IngestList
site: h20
synthetic: true
entries:
  - files: [dcgm/a-1.log]
    test: dcgm-level-1
    unit: [node-a]
    attempt: first
    exitCode: 226
    end: 2026-10-14T06:00:00Z
    reason: the image had no plugins
  - files: [dcgm/a-2.json]
    test: dcgm-level-1
    unit: [node-a]
    attempt: second
    exitCode: 0
    end: 2026-10-14T07:00:00Z
  - files: [dcgm/a-level-2.log]
    test: dcgm-level-2
    unit: [node-a]
    exitCode: 137
    end: 2026-10-14T08:00:00Z
    reason: outer limit of 720 s and 10 s grace
  - files: [nccl/b-1.log]
    test: node-all-reduce
    unit: [node-b]
    attempt: first
    exitCode: 127
    end: 2026-10-14T08:30:00Z
  - files: [nccl/b-2/round-1.log, nccl/b-2/round-2.log, nccl/b-2/round-3.log]
    test: node-all-reduce
    unit: [node-b]
    attempt: repeat
    exitCode: 0
    start: 2026-10-14T09:00:00Z
    end: 2026-10-14T09:10:00Z
"""


def test_the_acceptance_of_two_nodes(tmp_path: Path) -> None:
    """Failed attempts stay beside their repeats, each with its own state and reason."""
    texts = {
        "dcgm/a-1.log": "plugins/cuda13/libDiagnostic.so: No such file or directory\n",
        "dcgm/a-2.json": dcgm("Pass"),
        "dcgm/a-level-2.log": "",
        "nccl/b-1.log": "bash: mpirun: command not found\n",
        **{f"nccl/b-2/round-{n}.log": logs.table(("node-b",), 465 + n / 10) for n in (1, 2, 3)},
    }
    for name, text in texts.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    (tmp_path / "list.yaml").write_text(LIST)
    check = {"tool": "dcgm", "op": None, "ranks": None}
    plan = logs.plan(
        logs.desired(test="dcgm-level-1", unit=("node-a",), **check),
        logs.desired(test="dcgm-level-2", unit=("node-a",), **check),
        logs.desired(test="node-all-reduce", unit=("node-b",)),
        logs.desired(test="node-all-reduce", unit=("node-a",)),
    )
    store = LocalStore(tmp_path / "archive", durable=False)
    result = ingest(read_ingest_list(tmp_path / "list.yaml", "list.yaml"), [plan], store)
    assert (result.exit_code, result.counts.written) == (0, 5)
    assert [item.state for item in result.records] == [
        "errored",
        "complete",
        "incomplete",
        "errored",
        "complete",
    ]
    records = [json.loads(store.read(f"{item.place}/record.json")) for item in result.records]
    assert all(record["synthetic"] for record in records)
    assert [record["attempt"]["name"] for record in records] == ["first", "second", None, "first", "repeat"]
    assert records[0]["attempt"]["reason"] == "the image had no plugins"
    assert records[0]["identity"] == records[1]["identity"]
    assert [run["file"] for run in records[4]["runs"]] == [0, 1, 2]
    assert records[4]["coverage"]["exercised"] == ["node-b"]
    again = ingest(read_ingest_list(tmp_path / "list.yaml", "list.yaml"), [plan], store)
    assert (again.counts.written, again.counts.present) == (0, 5)
    (tmp_path / "dcgm/a-1.log").unlink()
    missing = ingest(read_ingest_list(tmp_path / "list.yaml", "list.yaml"), [plan], store)
    assert [item.code for item in missing.diagnostics] == ["MU810"]
    assert missing.exit_code == 2
