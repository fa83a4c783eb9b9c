"""Two engines give the same JSON, failures name the template's line, large numbers are refused."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from muster.diagnostics import MusterError, Position
from muster.render import jsonnet, render_site
from muster.render.jsonnet import EXACT, evaluate, fast, traced
from render_helpers.plans import FILE, locate, plan, spec

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

POSITION = Position(FILE, 40, 5)


def inputs(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, str]]:
    """Return every template with every input that rendering gives it."""
    seen = []

    def listen(template: str, code: str) -> str:
        seen.append((template, code))
        return fast(template, code)

    monkeypatch.setattr(jsonnet, "fast", listen)
    for runner in ("job", "mpijob"):
        render_site(spec(), plan(runner=runner), locate=locate)
    return seen


def test_engines_agree_on_every_template(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = inputs(monkeypatch)
    assert {name for name, _ in seen} == {path.name for path in jsonnet.TEMPLATES.glob("*.jsonnet")}
    for template, code in seen:
        assert json.loads(fast(template, code)) == json.loads(traced(template, code)), template


@pytest.fixture
def broken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    (tmp_path / "outer.jsonnet").write_text(
        "local inner = import 'inner.libsonnet';\nfunction(json) local x = std.parseJson(json); inner(x)\n"
    )
    (tmp_path / "inner.libsonnet").write_text("function(x)\n  [\n    x.missing,\n  ]\n")
    monkeypatch.setattr(jsonnet, "TEMPLATES", tmp_path)
    jsonnet._source.cache_clear()
    yield
    jsonnet._source.cache_clear()


@pytest.mark.usefixtures("broken")
def test_failure_names_template_line_and_site_line() -> None:
    with pytest.raises(MusterError) as caught:
        evaluate("outer.jsonnet", {"a": 1}, position=POSITION, site="s")
    [found] = caught.value.diagnostics
    assert (found.code, found.position, found.site) == ("MU502", POSITION, "s")
    assert found.message.startswith("templates/inner.libsonnet:3:5: ")
    assert "missing" in found.message
    assert str(found.related[0].position) == "templates/inner.libsonnet:3:5"


@pytest.mark.usefixtures("broken")
def test_a_failure_of_one_engine_alone_is_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jsonnet, "traced", "{0}{1}".format)
    with pytest.raises(MusterError) as caught:
        evaluate("outer.jsonnet", {"a": 1}, position=POSITION)
    assert caught.value.diagnostics[0].code == "MU502"


@pytest.mark.parametrize("value", [{"a": [EXACT + 1]}, [-EXACT - 1], {"b": {"c": 10**30}}])
def test_numbers_that_would_lose_digits_are_refused(value: Any) -> None:
    with pytest.raises(MusterError) as caught:
        evaluate("job.jsonnet", value, position=POSITION)
    assert caught.value.diagnostics[0].code == "MU503"


def test_the_largest_exact_number_and_long_texts_pass(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "same.jsonnet").write_text("function(json) std.parseJson(json)\n")
    monkeypatch.setattr(jsonnet, "TEMPLATES", tmp_path)
    value = {"n": EXACT, "m": -EXACT, "s": "12345678901234567890", "t": '\u202e\n"\\ $(x) \U0001f600'}
    assert evaluate("same.jsonnet", value) == value
