"""One reading: what the loader accepts, every other reader of YAML reads alike."""

from __future__ import annotations

import datetime as dt
import json
from typing import TYPE_CHECKING, Any

import pytest
import ruamel.yaml
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from emit_helpers.yaml_readers import GoReaders, build_go_readers
from muster.site.compose import Limits, Tree, compose
from muster.site.events import events, fast_events, pure_events
from muster.site.findings import Findings
from muster.site.scalars import Fault, resolve
from muster.site.text import clean
from site_helpers import CASES, file_cases, raw_cases

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from muster.diagnostics import Diagnostic

# Pieces whose combinations meet most of the grammar, right and wrong.
_PIECES = json.loads((CASES / "pieces.json").read_text(encoding="utf-8"))
_SOUP = st.lists(st.sampled_from(_PIECES), max_size=14).map("".join)
_TEXTS = st.one_of(
    _SOUP, _SOUP.map("k: {}".format), _SOUP.map("a:\n  b: {}\nz: y\n".format), st.text(max_size=40)
)
_NUMBERISH = st.text("0123456789+-._eExXoObBnNaAfFiItTzZ:", min_size=1, max_size=12)
_WORDS = st.from_regex(
    r"([yYnN]|yes|Yes|YES|no|No|NO|[oO]n|ON|[oO]ff|OFF|yEs|nan|inf|=|<<|~|[tT]rue|TRUE|[fF]alse|[nN]ull)",
    fullmatch=True,
)
_SCALARS = st.one_of(
    _NUMBERISH,
    _WORDS,
    st.text("0123456789abcdef", min_size=1, max_size=9),
    st.dates().map(str),
    st.integers(-(2**65), 2**65).map(str),
    st.floats(allow_nan=False).map(str),
)


def is_text(raw: bytes) -> bool:
    """Tell whether a parser would ever see these bytes."""
    try:
        return bool(raw.decode().strip())
    except UnicodeDecodeError:
        return False


def read(text: str, source: Callable[[str], Iterator[Any]]) -> tuple[Tree | None, tuple[Diagnostic, ...]]:
    """Return the tree of a text and what was found, by one of the two parsers."""
    found = Findings("sites/x.yaml", "", 100)
    cleaned = clean(text, found)
    tree = None if cleaned is None else compose(cleaned, found, Limits(), source)
    return tree, found.done()


def assert_agreement(text: str) -> bool:
    """Compare both parsers on a text; tell whether the fast one accepts it."""
    fast, problems = read(text, fast_events)
    if problems or fast is None or not isinstance(fast.value, dict):
        return False
    pure, other_problems = read(text, pure_events)
    assert not other_problems
    assert pure is not None
    assert json.dumps(fast.value) == json.dumps(pure.value)
    assert fast.spans == pure.spans
    return True


@given(_TEXTS)
@settings(max_examples=500, deadline=None)
def test_the_fast_parser_and_the_parser_of_1_2_agree(text: str) -> None:
    assert_agreement(text)


def test_they_agree_on_every_yaml_file_of_the_repository(root: Path) -> None:
    accepted = [
        path
        for folder in ("sites", "tests/cases", "examples")
        for path in sorted(root.joinpath(folder).rglob("*.yaml"))
        if path.stat().st_size < 100_000
        and is_text(path.read_bytes())
        and assert_agreement(path.read_bytes().decode())
    ]
    assert accepted


@pytest.mark.parametrize("case", [case for case in file_cases() + raw_cases() if is_text(case.raw)], ids=str)
def test_both_find_the_same_in_every_case(case: Any) -> None:
    text = case.raw.decode()
    (fast, found), (pure, other) = read(text, fast_events), read(text, pure_events)
    assert bool(found) == bool(other)
    assert (fast is None) == (pure is None)
    # What one of them cannot read, or reads where the other does not, is refused: the words may differ.
    if not {item.code for item in found} & {"MU107", "MU113"}:
        assert [(str(item.position), item.code, item.message) for item in found] == [
            (str(item.position), item.code, item.message) for item in other
        ]


def parser_of(text: str) -> str:
    return type(next(events(text))).__module__.split(".")[0]


def test_a_python_without_libyaml_uses_the_pure_parser(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(yaml, "__with_libyaml__", False)
    assert parser_of("a: 1") == "ruamel"
    monkeypatch.undo()
    assert parser_of("a: 1") == "yaml"


def _is_moment(text: str, value: Any) -> bool:
    """Tell whether 1.1 readers make a date or a time of a text that stays text here: the same one, then."""
    if isinstance(value, dt.datetime):
        mine, theirs = dt.datetime.fromisoformat(text), value
        mine = mine if theirs.tzinfo else mine.astimezone(dt.UTC).replace(tzinfo=None)
        return mine == theirs
    return isinstance(value, dt.date) and value == dt.date.fromisoformat(text)


@given(_SCALARS)
@settings(max_examples=1500, deadline=None)
def test_python_readers_of_1_1_and_1_2_read_accepted_scalars_alike(text: str) -> None:
    mine = resolve(text)
    if isinstance(mine, Fault):
        return
    document = f"k: {text}\n"
    tree, problems = read(document, fast_events)
    if problems or tree is None or tree.value != {"k": mine}:
        return  # not one plain scalar
    pure = ruamel.yaml.YAML(typ="safe", pure=True)
    values = [yaml.load(document, yaml.SafeLoader)["k"], yaml.load(document, yaml.CSafeLoader)["k"]]
    values.append(pure.load(document)["k"])
    for value in values:
        assert (type(value), value) == (type(mine), mine) or _is_moment(text, value)


@pytest.fixture(scope="module")
def go(root: Path) -> Iterator[GoReaders]:
    found = build_go_readers(root)
    if isinstance(found, str):
        pytest.skip(found)
    readers = GoReaders(found)
    yield readers
    readers.close()


def test_go_readers_read_accepted_scalars_alike(go: GoReaders) -> None:
    @given(_SCALARS)
    @settings(max_examples=800, deadline=None)
    def check(text: str) -> None:
        document = f"k: {text}\n"
        tree, problems = read(document, fast_events)
        if problems or tree is None or tree.value != {"k": resolve(text)}:
            return
        mine = tree.value["k"]
        for reader, answer in go.read(document.encode()).items():
            value = answer["value"]["k"]
            if isinstance(mine, str) and text[:4].isdigit() and text[4:5] == "-":
                assert value.startswith(text[:10]), reader
                continue
            assert isinstance(value, str) == isinstance(mine, str), (reader, text)
            assert (float(value) if isinstance(mine, float) else value) == mine, (reader, text)

    check()


def test_go_readers_read_accepted_files_alike(go: GoReaders, root: Path) -> None:
    compared = 0
    for path in sorted(root.joinpath("sites").glob("*.yaml")):
        tree, problems = read(path.read_text(encoding="utf-8"), fast_events)
        assert not problems, problems
        assert tree is not None
        assert go.read(path.read_bytes())["sigs"]["value"] == tree.value
        compared += 1
    assert compared
