"""Go programs read what is emitted as we meant it: kubectl, Argo CD, Flux and kustomize are Go programs."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings

from emit_helpers.yaml_readers import VALUES
from muster.emit.yaml import dump

if TYPE_CHECKING:
    from pathlib import Path

    from emit_helpers.yaml_readers import GoReaders

pytestmark = pytest.mark.usefixtures("go_readers")


def same(go_readers: GoReaders, value: Any) -> None:
    document = dump(value, "header")
    for reader, outcome in go_readers.read(document).items():
        assert json.dumps(outcome, sort_keys=True) == json.dumps({"value": value}, sort_keys=True), (
            reader,
            document,
        )


def test_each_known_trap_is_read_back(go_readers: GoReaders, root: Path) -> None:
    for text in json.loads((root / "tests/cases/emit/strings.json").read_text("utf-8")):
        same(
            go_readers,
            {"value": text, "list": [text, [text, {text: text}]], text: {"deep": text}, "after": "a"},
        )


def test_whole_numbers_keep_every_digit(go_readers: GoReaders) -> None:
    same(go_readers, [2**53 + 1, -(2**53) - 1, 2**63 - 1, -(2**63), 2**64 - 1])


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(value=VALUES)
def test_any_value_is_read_back(go_readers: GoReaders, value: Any) -> None:
    same(go_readers, value)


def test_the_reader_can_disagree(go_readers: GoReaders) -> None:
    answer = go_readers.read(b"a: 6063e25\nb: no\n")
    assert answer["sigs"]["value"]["a"] != "6063e25"
    assert answer["v2"]["value"]["b"] is False
    assert "error" in go_readers.read(b"a: [\n")["v3"]
