"""Documents that somebody else wrote: plain data or a refusal, whatever the bytes are."""

from __future__ import annotations

import gzip
import json
import math
import re
from base64 import b64encode
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from muster.readers import documents
from muster.readers.documents import DocumentError, Figure, from_json, from_yaml, load, scrub
from muster.readers.nvcre_failures import kind_of, status_of, threshold
from muster.readers.nvcre_packed import LIMIT, unpack, unpack_json
from muster.readers.nvcre_report import seconds
from muster.readers.source import Source
from muster.readers.views import View

# PyYAML writes YAML 1.1, where 0E0 is a text; such texts are left to the cases below.
TEXT = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"]), max_size=8).filter(
    lambda text: not re.fullmatch(r"[-+.0-9eE]+", text)
)
FLOATS = st.floats(allow_nan=False, allow_infinity=False)
SCALARS = st.none() | st.booleans() | st.integers(-(2**53), 2**53) | FLOATS | TEXT
VALUES = st.recursive(SCALARS, lambda inner: st.lists(inner) | st.dictionaries(TEXT, inner), max_leaves=12)


@settings(max_examples=150, deadline=None)
@given(st.dictionaries(TEXT, VALUES))
def test_json_comes_back_as_it_was(value: dict[str, Any]) -> None:
    assert from_json(json.dumps(value).encode()) == value


@settings(max_examples=150, deadline=None)
@given(st.dictionaries(TEXT, VALUES), st.booleans())
def test_yaml_comes_back_as_it_was(value: dict[str, Any], flow: bool) -> None:
    text = yaml.safe_dump(value, allow_unicode=True, default_flow_style=flow)
    assert from_yaml(text.encode()) == [value]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("a: 0777", "0777"),
        ("a: 0x1F", "0x1F"),
        ("a: yes", "yes"),
        ("a: NO", "NO"),
        ("a: 12:30:45", "12:30:45"),
        ("a: 2026-05-06T07:08:09Z", "2026-05-06T07:08:09Z"),
        ("a: .inf", ".inf"),
        ("a: .nan", ".nan"),
        ("a: 1e400", "1e400"),
        ("a: 1_000", "1_000"),
        ("a: ~", None),
        ("a:", None),
        ("a: null", None),
        ("a: true", True),
        ("a: -12", -12),
        ("a: +12", 12),
        ("a: 1.5", 1.5),
        ("a: 1e3", 1000.0),
        ("a: 0E0", 0.0),
        ("a: '0E0'", "0E0"),
        ('a: "1"', "1"),
        ("a: !!str 1", "1"),
        ("a: '<<'", "<<"),
        ("a: |\n  x\n  y\n", "x\ny\n"),
        ("a: &x [1]\n", [1]),
    ],
)
def test_plain_scalars_mean_what_yaml_1_2_says(text: str, value: Any) -> None:
    found = from_yaml(text.encode())[0]["a"]
    assert (type(found) if not isinstance(found, Figure) else float, found) == (type(value), value)


def test_a_figure_keeps_how_it_was_written() -> None:
    found = from_yaml(b"v: 1.30")[0]["v"]
    assert (found, found.text, json.dumps(found)) == (1.3, "1.30", "1.3")
    assert View({"v": found}, "", [], "MU783").scalar("v") == "1.30"
    assert from_json(b'{"v": 1.30}')["v"].text == "1.30"


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"[" * 100_000, "not YAML|nested"),
        (b"a: " + b"[" * 70 + b"]" * 70, "nested"),
        (b"a: &a [1]\nb: [" + b"*a," * 17 + b"]", "aliases"),
        (b"a: &a\n  b: *a", "into itself"),
        (b"a: *x", "into itself or nowhere|undefined"),
        (b"a: !!binary aGk=", "tag"),
        (b"a: !!timestamp 2026-01-01", "tag"),
        (b"a: !!python/name:os.system x", "tag"),
        (b"a: !mine x", "tag"),
        (b"? [1, 2]\n: x", "key is not a text"),
        (b"a: 1\na: 2", "twice"),
        (b"a: 'x", "not YAML"),
        (b"a: \x00", "not allow"),
        (b"\xff\xfe\x00", "not"),
        (b"--- 1\n" * 1001, "documents"),
    ],
)
def test_yaml_that_is_refused(data: bytes, reason: str) -> None:
    with pytest.raises(DocumentError, match=reason):
        from_yaml(data)


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"[" * 100_000, "nested"),
        (b"[" * 70 + b"]" * 70, "nested"),
        (b'{"a": ' * 66 + b"1" + b"}" * 66, "nested"),
        (b'{"a": 1, "a": 2}', "twice"),
        (b'{"a": NaN}', "NaN"),
        (b'{"a": -Infinity}', "Infinity"),
        (b'{"a": 1e999}', "too large"),
        (b'{"a": ' + b"9" * 5000 + b"}", "too large"),
        (b'{"a": "\xff"}', "UTF-8"),
        (b'{"a": 1', "not JSON"),
        (b'{"a": "x\ny"}', "not JSON"),
        (b"", "not JSON"),
    ],
)
def test_json_that_is_refused(data: bytes, reason: str) -> None:
    with pytest.raises(DocumentError, match=reason):
        from_json(data)


def test_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(documents, "YAML_LIMIT", 100)
    with pytest.raises(DocumentError, match="100 bytes"):
        load(Source.of_bytes("x", b"a: " + b"x" * 200))
    assert load(Source.of_bytes("x", b'{"a": "' + b"x" * 200 + b'"}')) == [{"a": "x" * 200}]
    monkeypatch.setattr(documents, "NODE_LIMIT", 10)
    monkeypatch.setattr(documents, "YAML_NODE_LIMIT", 10)
    for read in (from_json, from_yaml):
        with pytest.raises(DocumentError, match="more than 10 values"):
            read(b"[1,2,3,4,5,6,7,8,9,10,11]")


def test_nested_aliases_cannot_grow_without_bound() -> None:
    lines = ["a0: &a0 [x]"] + [f"a{k}: &a{k} [*a{k - 1}, *a{k - 1}]" for k in range(1, 9)]
    assert len(json.dumps(from_yaml("\n".join(lines).encode()))) < 10_000
    lines.append("a9: &a9 [*a8, *a8]")
    with pytest.raises(DocumentError, match="aliases"):
        from_yaml("\n".join(lines).encode())


def test_scrub_leaves_no_control_character() -> None:
    value = {"a\nb": ["x\x1b[31m", "\ud800", {"k": "\x9b"}], "n": 1, "f": 1.5, "z": None, "t": True}
    shown = json.dumps(scrub(value))
    assert json.loads(shown) == {
        "a\ufffdb": ["x\ufffd[31m", "\ufffd", {"k": "\ufffd"}],
        "n": 1,
        "f": 1.5,
        "z": None,
        "t": True,
    }


@pytest.mark.parametrize(
    ("value", "unit", "number"),
    [
        (1, "", 1.0),
        (1.5, "", 1.5),
        ("1.50", "", 1.5),
        ("-2", "", -2.0),
        ("1e3", "", 1000.0),
        ("1.5 GB/s", "GB/s", 1.5),
        ("", "", None),
        (None, "", None),
    ],
)
def test_numbers(value: Any, unit: str, number: float | None) -> None:
    problems: list[Any] = []
    assert View({"n": value}, "v", problems, "MU783").number("n", unit) == number
    assert problems == []


@pytest.mark.parametrize(
    ("value", "unit"),
    [
        (True, ""),
        ([1], ""),
        ("1,5", ""),
        ("0x10", ""),
        ("nan", ""),
        ("inf", ""),
        ("1e999", ""),
        ("1_0", ""),
        (" 1", ""),
        ("١", ""),
        (10**400, ""),
        (1.5, "GB/s"),
        ("1.5", "GB/s"),
        ("1.5 Gb/s", "GB/s"),
        ("1.5GB/s", "GB/s"),
        ("1.5 GB/s ", "GB/s"),
    ],
)
def test_what_is_no_number(value: Any, unit: str) -> None:
    problems: list[Any] = []
    assert View({"n": value}, "v", problems, "MU783").number("n", unit) is None
    assert [item["code"] for item in problems] == ["MU783"]
    assert problems[0]["message"].isprintable()


@given(st.dictionaries(st.sampled_from("abc"), VALUES))
def test_a_view_never_raises_and_never_guesses(data: dict[str, Any]) -> None:
    problems: list[Any] = []
    view = View(data, "v", problems, "MU783")
    for key in "abcd":
        assert (found := view.count(key)) is None or math.isfinite(found)
        assert (flag := view.flag(key)) is None or flag is data[key]
        assert (text := view.text(key)) is None or isinstance(data[key], str) or text == data[key]
        assert all(isinstance(item, str) for item in view.texts(key))
        assert all(isinstance(item, View) for item in view.views(key))
        assert len(view.view(key)) == (len(data.get(key)) if isinstance(data.get(key), dict) else 0)
    assert len(problems) <= 50


def packed(data: bytes) -> View:
    return View({"k": b64encode(gzip.compress(data, mtime=0)).decode()}, "binaryData", [], "MU783")


def test_unpack() -> None:
    assert unpack(packed(b"hello"), "k") == b"hello"
    assert unpack_json(packed(b'[{"name": "n"}]'), "k") == [{"name": "n"}]
    assert unpack(View({}, "binaryData", [], "MU783"), "k") is None
    big = packed(b"0" * (LIMIT + 1))
    assert unpack(big, "k") is None
    assert [item["code"] for item in big.problems] == ["MU780"]


@pytest.mark.parametrize(
    "text", ["", "!!!", "aGVsbG8=", b64encode(gzip.compress(b"x" * 99, mtime=0)[:-9]).decode(), "é"]
)
def test_unpack_refuses(text: str) -> None:
    view = View({"k": text}, "binaryData", [], "MU783")
    assert unpack(view, "k") is None
    assert [item["code"] for item in view.problems] == ["MU780"]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("45s", 45),
        ("6m 47s", 407),
        ("1h 12m", 4320),
        ("2h", 7200),
        ("1h 2m 3s", 3723),
        ("", None),
        (" ", None),
        ("5", None),
        ("1d", None),
        ("-5s", None),
        (None, None),
    ],
)
def test_durations(text: str | None, found: int | None) -> None:
    assert seconds(text) == found


def test_kinds_of_failure() -> None:
    missed = 'Threshold "busBandwidthGBps" violated: measured 441.2000, expression: value >= 850.0'
    assert [kind_of(one) for one in ("HardwareFailureDetected", "ThresholdViolation", "WorkloadFailed")] == [
        "hardware",
        "threshold",
        "workload",
    ]
    assert (kind_of(missed), kind_of("X", missed), kind_of("BackoffLimitExceeded"), kind_of(None)) == (
        "threshold",
        "threshold",
        "unknown",
        "unknown",
    )
    assert {status_of(kind) for kind in ("workload", "unknown", "diagnose")} == {"error"}
    assert threshold(missed) == {
        "key": "busBandwidthGBps",
        "measured": 441.2,
        "expression": "value >= 850.0",
    }
    assert threshold("something else") is None
