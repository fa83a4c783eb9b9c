"""What is remembered of attempts changes no report, and counts for nothing but what it was made from."""

from __future__ import annotations

import copy
import json
from typing import TYPE_CHECKING, Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

import judge_helpers as h
import reconcile_helpers as r
from muster.archive.store import Object
from muster.archive.summary import Entry, entry_of
from muster.judge import assess, terms_of
from muster.reconcile import GeneratedState, memory, reconcile

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

Json = dict[str, Any]
AS_OF = h.moment(h.AS_OF)


class Shelf:
    """Records on a shelf that remembers; ``fetched`` counts how often they were asked for."""

    def __init__(self, records: Sequence[Json], site: str = "h20-roce") -> None:
        self.site, self.kept, self.fetched = site, None, 0
        self.records = list(records)

    @property
    def listed(self) -> list[Object]:
        return [Object(self._path(record), self._tag(record)) for record in self.records]

    def _path(self, record: Json) -> str:
        place = str(record["identity"]["digest"] or "orphan").removeprefix("sha256:")
        return f"v1/{self.site}/{place}/{record['attempt']['id']}/record.json"

    def _tag(self, record: Json) -> str:
        return str(hash(json.dumps(record, sort_keys=True, default=str)))

    @property
    def entries(self) -> list[Entry]:
        self.fetched += 1
        return [entry_of(record, *place) for record, place in zip(self.records, self.listed, strict=True)]

    def forget(self) -> None:
        pass

    def recall(self) -> bytes | None:
        return self.kept

    def keep(self, data: bytes) -> None:
        self.kept = data


def report(plans: list[Json], shelf: Shelf | list[Json]) -> Json:
    given_ = [shelf] if isinstance(shelf, Shelf) else shelf
    return reconcile(plans, given_, as_of=AS_OF, generated=GeneratedState()).as_dict()


def _cases() -> Iterator[Any]:
    for path in sorted((h.CASES / "reconcile").glob("*.yaml")):
        for case in yaml.safe_load(path.read_text(encoding="utf-8")):
            if len(case.get("plans", [1])) == 1 and "extra" not in case:
                yield pytest.param(case, id=f"{path.stem}:{case['name']}")


@pytest.mark.parametrize("case", list(_cases()))
def test_remembered_is_as_good_as_judged(case: Json) -> None:
    plans = [r.plan(**said) for said in case.get("plans", [case.get("plan")])]
    records = [one for one in r.archive(plans, case.get("changes")) if one["identity"]["site"] is not None]
    for number, one in enumerate(records):
        one["attempt"]["id"] += f"-{number}"
    shelf = Shelf(records, plans[0]["site"])
    wanted = report(plans, records)
    cold = report(plans, shelf)
    asked = shelf.fetched
    assert json.dumps(report(plans, shelf)) == json.dumps(cold) == json.dumps(wanted), "in the same order too"
    shown = {verdict["id"]: verdict["attempts"] for verdict in wanted["verdicts"]}
    older = any(
        item and item[0]["state"] == "stale" and "another measurement" in item[0]["reason"]
        for item in shown.values()
    )
    orphans = (
        any(record["binding"] == "orphan" for record in records) or wanted["summary"]["records"]["orphan"]
    )
    if not older and not orphans:
        assert shelf.fetched == asked, "a warm shelf is not read"


@pytest.fixture
def warm() -> tuple[Json, Shelf]:
    plan = r.plan(["node-a", "node-b"], {"pair": {"base": "pair"}, "node": {"base": "node"}})
    old = {"identity": {"digest": "sha256:0"}, "attempt": {"id": "a0"}}
    shelf = Shelf(r.archive([plan], {"node/node-a": None, "node/node-b": [{}, old]}))
    assert report([plan], shelf)["summary"]["states"]["satisfied"] == 2
    shelf.fetched = 0
    return plan, shelf


def test_other_bounds_judge_anew(warm: tuple[Json, Shelf]) -> None:
    plan, shelf = warm
    changed = copy.deepcopy(plan)
    changed["desired"][0]["acceptance"]["thresholds"][0]["lower"] = 1000.0
    assert report([changed], shelf)["summary"]["states"]["violated"] == 1
    assert shelf.fetched == 1
    assert report([plan], shelf)["summary"]["states"]["violated"] == 0


@pytest.mark.parametrize("field", ["measurement", "unit"])
def test_another_measurement_under_the_digest_is_judged_anew(field: str, warm: tuple[Json, Shelf]) -> None:
    plan, shelf = warm
    changed = copy.deepcopy(plan)
    if field == "unit":
        changed["desired"][0]["unit"] = ["node-a", "node-c"]
    else:
        changed["desired"][0]["measurement"]["software"]["driver"] = "1.2.3"
    assert report([changed], shelf)["summary"]["states"]["satisfied"] == 1


def test_another_record_is_judged_anew(warm: tuple[Json, Shelf]) -> None:
    plan, shelf = warm
    shelf.records[0]["runs"][0]["rows"][0]["outOfPlace"]["wrong"] = 1
    assert report([plan], shelf)["summary"]["states"]["violated"] == 1
    assert shelf.fetched == 1


def test_a_record_that_is_gone_is_not_remembered(warm: tuple[Json, Shelf]) -> None:
    plan, shelf = warm
    del shelf.records[0]
    assert report([plan], shelf)["summary"]["states"]["satisfied"] == 1
    assert shelf.fetched == 1, "whoever keeps the index is asked, so that it can tell"


def test_another_judge_judges_anew(warm: tuple[Json, Shelf], monkeypatch: pytest.MonkeyPatch) -> None:
    plan, shelf = warm
    monkeypatch.setattr(memory, "code_of_the_judge", lambda: b"another")
    report([plan], shelf)
    assert shelf.fetched == 1


def test_the_code_of_the_judge_is_all_of_it() -> None:
    assert len(memory.code_of_the_judge()) == 32
    want = h.desired("pair")
    assert memory.key_of(want) == memory.key_of(copy.deepcopy(want))
    assert memory.key_of(want) != memory.key_of({**want, "pool": "other"})


JUNK = st.sampled_from([None, 0, -1, "", "x", [], [1], {}, {"a": 1}, 1e400, True])


@given(st.data())
@settings(max_examples=150, deadline=None)
def test_junk_in_a_memory_is_judged_anew(data: st.DataObject) -> None:
    plan = r.plan(["node-a", "node-b"], {"pair": {"base": "pair"}})
    shelf = Shelf(r.archive([plan]))
    wanted = report([plan], shelf)
    transports, rows = json.loads(shelf.kept or b"")
    (path,) = rows
    place = data.draw(st.integers(0, len(rows[path]) - 1))
    kind = data.draw(st.sampled_from(["cut", "drop", "whole", "bytes", "transport"]))
    if kind == "cut":
        rows[path] = rows[path][:place]
    elif kind == "drop":
        del rows[path][place]
    elif kind == "whole":
        rows[path] = data.draw(JUNK)
    elif kind == "transport":
        transports.clear()
    shelf.kept = b"{" if kind == "bytes" else json.dumps([transports, rows]).encode()
    assert report([plan], shelf) == wanted


@pytest.mark.parametrize("base", ["pair", "node", "dcgm", "inventory", "bandwidth"])
def test_a_row_gives_back_the_assessment(base: str) -> None:
    want = h.desired(base)
    for change in ({}, {"state": "errored", "attempt": {"end": None}}, {"edit": {"environment.driver": "1"}}):
        terms, record = terms_of(want), h.record(base, change)
        found = assess(want, record, terms)
        row = json.loads(json.dumps(memory.row_of("t", "k", found, ["x"])))
        assert memory.assessment_of(row, terms) == (found, ["x"])


def test_what_has_no_binding_is_never_remembered() -> None:
    plan = r.plan(["node-a", "node-b"])
    shelf = Shelf(r.archive([plan], {"node-a+node-b": {"binding": "orphan"}}))
    assert report([plan], shelf)["summary"]["states"]["unreadable"] == 1
    assert memory.load(shelf.kept) == {}


def test_the_fields_that_are_remembered_are_all_there_are() -> None:
    """A field that is added to an assessment has to be remembered too."""
    want = h.desired("pair")
    found = assess(want, h.record("pair"))
    assert set(found._fields) - {"copied"} == {
        "id",
        "state",
        "reasons",
        "measures",
        "passed",
        "transport",
        "fields",
        "start",
        "end",
        "time",
        "evidence",
        "synthetic",
        "binding",
        "prints",
    }
