"""Documents and rounds inside a log: what bounds them and what ends them."""

from __future__ import annotations

import pytest

from muster.readers import embedded, read_bytes, rounds
from muster.readers.embedded import documents
from muster.readers.figures import count, decimal, finite, whole
from muster.readers.source import DOCUMENT_LIMIT, Source


def test_documents_carry_their_lines() -> None:
    found, broken = documents(10, ["noise", '{"a": 1,', ' "b": [2]}', "", '  {"c": {}},', "more noise"])
    assert [(item.line, item.last, item.value) for item in found] == [
        (11, 12, {"a": 1, "b": [2]}),
        (14, 14, {"c": {}}),
    ]
    assert broken == []


@pytest.mark.parametrize(
    ("lines", "at", "cut", "reason"),
    [
        (['{"a": [1,'], 1, True, "Expecting"),
        (['{"a":', '"b'], 2, True, "Unterminated"),
        (['{"a": tr'], 1, True, "Expecting"),
        (["{"], 1, True, "Expecting"),
        (['{"a": 1', '"b": 2}'], 2, False, "delimiter"),
        (['{"a": 1, "a": 2}'], 1, False, "twice"),
        (['{"a": ' + "[" * 50_000 + "]" * 50_000 + "}"], 1, False, "too deep"),
        (['{"a": ' + "9" * 5000 + "}"], 1, False, "huge number"),
        (['{"a": 1} x'], 1, False, "text follows"),
    ],
)
def test_broken_documents_say_where_and_why(lines: list[str], at: int, cut: bool, reason: str) -> None:
    _, broken = documents(1, lines)
    assert [(item.at, item.cut) for item in broken] == [(at, cut)]
    assert reason in broken[0].reason


def test_a_line_that_only_looks_like_an_object_is_none() -> None:
    assert documents(1, ["{not json}", "{ test_info: {", "a {"]) == ([], [])


def test_nan_is_no_number() -> None:
    found, _ = documents(1, ['{"a": NaN, "b": -Infinity}'])
    assert found[0].value == {"a": None, "b": None}


def test_the_search_ends_after_some_broken_and_after_many_documents(monkeypatch: pytest.MonkeyPatch) -> None:
    _, broken = documents(1, ['{"a'] * 100)
    assert len(broken) == embedded.MOST_BROKEN
    monkeypatch.setattr(embedded, "MOST_DOCUMENTS", 3)
    found, broken = documents(1, ["{}"] * 5)
    assert len(found) == 3
    assert ["documents stand before it" in item.reason for item in broken] == [True]


def test_a_document_above_the_limit_is_refused() -> None:
    data = b'{"DCGM Diagnostic": {"test_categories": []}}' + b" " * DOCUMENT_LIMIT
    reading = read_bytes("large.json", data)
    assert reading["state"] == "unreadable"
    assert [item["code"] for item in reading["problems"]] == ["MU705"]


def test_more_lines_than_are_read_make_a_log_incomplete(monkeypatch: pytest.MonkeyPatch) -> None:
    text = '{"body": {"Overall Health": {"value": "Healthy"}},\n"header": ["Health Monitor Report"]}\n\n\n'
    assert read_bytes("log", text.encode())["state"] == "complete"
    monkeypatch.setattr(rounds, "LINES", 3)
    reading = read_bytes("log", text.encode())
    assert reading["state"] == "incomplete"
    assert [item["code"] for item in reading["problems"]] == ["MU704"]


def test_rounds_split_at_begin_records_and_lose_their_prefixes() -> None:
    text = (
        "2026-05-02T08:00:00Z before\n"
        '2026-05-02T08:00:00Z MUSTER-RECORD {"v":1,"event":"begin","round":1,"command":["/bin/tool","-x"]}\n'
        "2026-05-02T08:00:00Z one  \n"
        'MUSTER-RECORD {"v":1,"event":"end","round":1,"exit":137,"timedOut":false}\n'
        'MUSTER-RECORD {"v":1,"event":"begin","round":true}\n'
        "two\n"
    )
    log = rounds.split(Source.of_bytes("log", text.encode()))
    assert [(part.number, part.first, part.exit_code, part.stopped) for part in log.rounds] == [
        (None, 1, None, False),
        (1, 2, 137, True),
        (None, 5, None, False),
    ]
    assert [list(part.texts()) for part in log.rounds][1] == [(2, ""), (3, "one"), (4, "")]
    assert log.rounds[1].command == ["/bin/tool", "-x"]
    assert rounds.programs(text) == {"tool", "-x"}
    assert [record["event"] for record in log.records] == ["begin", "end", "begin"]


def test_only_plain_numbers_are_numbers() -> None:
    assert [
        decimal(text) for text in ("1", "-1.50", "1e3", "inf", "nan", "1_0", "0x1", "1,5", "", "1e999")
    ] == [
        *(1.0, -1.5, 1000.0),
        *[None] * 7,
    ]
    assert [whole(text) for text in ("0", "42", "-1", "4.0", "", "9" * 19, "\u0661")] == [0, 42, *[None] * 5]
    assert [finite(value) for value in (1, 2.5, True, "3", None, 10**400, float("inf"))] == [
        1.0,
        2.5,
        *[None] * 5,
    ]
    assert [count(value) for value in (3, " 4 ", -1, True, 1.0, None, 10**18)] == [3, 4, *[None] * 5]
