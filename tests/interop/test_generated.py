"""What sites compile to, as it is committed, is read alike by everybody, and the real CRDs accept it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from emit_helpers.crds import refused_by_real_crds
from emit_helpers.yaml_readers import PYTHON_READERS
from muster.emit.yaml import dump

if TYPE_CHECKING:
    from pathlib import Path

    from emit_helpers.yaml_readers import GoReaders


@pytest.fixture(scope="session")
def documents(root: Path) -> dict[str, bytes]:
    """Every committed YAML document by path: of the shipped sites and of the lab of the tests."""
    found: dict[str, bytes] = {}
    for folder in (root / "generated", root / "tests/golden/h20-lab"):
        here = {
            path.relative_to(folder).as_posix(): path.read_bytes() for path in sorted(folder.rglob("*.yaml"))
        }
        assert here, f"{folder} holds no YAML"
        found |= here
    return found


def test_go_programs_read_what_python_reads(documents: dict[str, bytes], go_readers: GoReaders) -> None:
    for path, document in documents.items():
        value = yaml.load(document, Loader=yaml.CSafeLoader)
        for reader, outcome in go_readers.read(document).items():
            assert json.dumps(outcome, sort_keys=True) == json.dumps({"value": value}, sort_keys=True), (
                path,
                reader,
            )


@pytest.mark.parametrize("reader", PYTHON_READERS)
def test_the_bytes_are_the_ones_of_the_emitter(reader: str, documents: dict[str, bytes]) -> None:
    for path, document in documents.items():
        body = b"".join(line for line in document.splitlines(keepends=True) if not line.startswith(b"#"))
        assert dump(PYTHON_READERS[reader](document)) in {document, body}, path


def test_real_crds_accept_every_custom_object(documents: dict[str, bytes], shared: Path) -> None:
    sites: dict[str, list[Any]] = {}
    for path, document in documents.items():
        parts = path.split("/")
        site = parts[2] if parts[0] == "delivery" else parts[0]
        sites.setdefault(site, []).append(yaml.load(document, Loader=yaml.CSafeLoader))
    assert {"h20-roce", "h20-lab"} <= sites.keys()
    assert any(item["kind"] == "MPIJob" for item in sites["h20-lab"])
    for site, objects in sites.items():
        assert refused_by_real_crds(objects, shared, "1.34.0") == [], site
