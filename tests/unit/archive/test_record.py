"""The record: identity, checksum, schema, and the packed form of an index."""

from __future__ import annotations

import copy
import json
from typing import Any

import jsonschema_rs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from archive_helpers import logs
from archive_helpers.attempts import memory
from muster.archive.assemble import assemble
from muster.archive.binding import Declared, Plans, bind_record, declared_of
from muster.archive.ingest import _read
from muster.archive.intake import take_in
from muster.archive.note import printable
from muster.archive.record import DamagedError, attempt_id, canonical, checksum, decode, encode, schema
from muster.archive.summary import entry_of, entry_of_line, packed, unpacked

PAIR = logs.desired()


def make(tmp_path: Any) -> Any:
    source = memory("log", logs.pod_log(PAIR))
    assert source.opener is not None
    part = _read(take_in("log", source.opener(), tmp_path))
    bound = bind_record(part.reading["records"][0], Declared(), Plans([logs.plan(PAIR)]))
    return assemble([part], bound, Declared())[0]


def test_encode_and_decode(tmp_path: Any) -> None:
    record = make(tmp_path)
    path = f"v1/h20/{PAIR['digest'][7:]}/{record['attempt']['id']}/record.json"
    data = encode(record)
    assert decode(data, path) == {**record, "checksum": checksum(record)}
    assert encode(copy.deepcopy(record)) == data
    for other in (
        path.replace("h20", "h21"),
        path.replace("/a", "/b"),
        path.replace(PAIR["digest"][7:], "orphan"),
    ):
        with pytest.raises(DamagedError):
            decode(data, other)


def test_a_record_that_does_not_fit_its_schema_is_a_bug(tmp_path: Any) -> None:
    record = make(tmp_path)
    for key, value in (("state", "fine"), ("binding", "guess"), ("sources", []), ("identity", {})):
        with pytest.raises(ValueError, match="schema"):
            encode({**record, key: value})
    with pytest.raises(ValueError, match="schema"):
        encode({**record, "extra": 1})
    record["runs"][0]["rows"][0]["outOfPlace"]["busbw"] = float("nan")
    with pytest.raises(ValueError, match="JSON compliant"):
        encode(record)


def test_the_schema_is_one(tmp_path: Any) -> None:
    assert jsonschema_rs.meta.is_valid(schema())
    validator = jsonschema_rs.Draft202012Validator(schema())
    good = json.loads(encode(make(tmp_path)))
    assert validator.is_valid(good)
    for key in good:
        assert not validator.is_valid({name: value for name, value in good.items() if name != key}), key


def test_every_part_of_the_origin_makes_another_attempt() -> None:
    base: list[Any] = [["aa", "bb"], {"site": "h20"}, "job-1", None]
    ids = {attempt_id(*base)}
    for index, other in enumerate((["aa"], {"site": "l20"}, "job-2", {"exitCode": 1})):
        ids.add(attempt_id(*[other if index == at else value for at, value in enumerate(base)]))
    assert len(ids) == 5
    assert attempt_id(["bb", "aa"], *base[1:]) == attempt_id(*base)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


@given(json_values)
def test_canonical_json_reads_back(value: Any) -> None:
    assert json.loads(canonical(value)) == value


@given(json_values)
def test_printable_hides_nothing_and_changes_only_text(value: Any) -> None:
    shown = printable(value)
    assert printable(shown) == shown
    assert "\n" not in str(shown)
    assert "\x1b" not in json.dumps(shown, ensure_ascii=False)


numbers = st.none() | st.integers(0, 1 << 50) | st.floats(0, 1e6)
sides = st.fixed_dictionaries(dict.fromkeys(("timeUs", "algbw", "busbw", "wrong"), numbers))
extra = st.sampled_from([{}, {"cycle": 0}, {"deviation": 1}, {"type": "float", "redop": "sum", "root": -1}])


@st.composite
def runs(draw: st.DrawFn) -> dict[str, Any]:
    common = draw(extra)
    rows = [
        {
            "bytes": draw(numbers),
            "count": draw(numbers),
            **common,
            "outOfPlace": draw(sides),
            "inPlace": draw(sides),
        }
        for _ in range(draw(st.integers(0, 4)))
    ]
    if rows and draw(st.booleans()):
        rows[-1] = {**rows[-1], **draw(extra)}
    return {"op": "all_reduce", "rows": rows, **draw(st.sampled_from([{}, {"round": 1}]))}


@given(runs())
def test_packed_runs_come_back(run: dict[str, Any]) -> None:
    assert unpacked(json.loads(json.dumps(packed(run)))) == run


@given(st.lists(runs(), max_size=4))
def test_entries_come_back(several: list[dict[str, Any]]) -> None:
    identity = {
        "site": "s",
        "pool": "p",
        "test": "t",
        "scope": "node",
        "unit": ["a", "b"],
        "digest": "sha256:00",
    }
    attempt = {"id": "a1", "start": None, "end": "2026-10-14T08:00:00Z"}
    record = {
        "identity": identity,
        "attempt": attempt,
        "state": "complete",
        "binding": "record",
        "measurement": {"op": 1},
        "runs": several,
    }
    entry = entry_of(record, "v1/s/00/a1/record.json", "tag")
    assert entry_of_line(entry.line()) == entry
    assert entry.record() == record
    assert entry.test == "s/p/t/a+b"


@given(
    st.builds(
        Declared,
        site=st.none() | st.text(min_size=1),
        unit=st.none() | st.lists(st.text(), min_size=1, unique=True).map(lambda names: tuple(sorted(names))),
        exit_code=st.none() | st.integers(0, 255),
        timed_out=st.none() | st.booleans(),
        synthetic=st.booleans(),
        hosts=st.dictionaries(st.text(), st.text(), max_size=3),
    )
)
def test_declarations_come_back(declared: Declared) -> None:
    assert declared_of(declared.as_json()) == declared
