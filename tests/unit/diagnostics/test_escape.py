"""Hostile text stays text, in every place it is shown."""

from __future__ import annotations

import html
import re
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from muster.diagnostics.escape import (
    clip,
    first_hidden,
    for_github,
    for_github_property,
    for_html,
    for_markdown,
    for_markdown_code,
    for_terminal,
    is_hidden,
    visible,
)

HOSTILE = (
    "a\nb",
    "a\r\n::error::x",
    "::add-mask::x",
    "  ##[error]x",
    "\x1b[2J\x1b]0;title\x07",
    "\u202egnp.exe",
    "zero\u200bwidth",
    "no\u00a0break",
    "\ud800",
    "\u2028",
    "| cell | <script>alert(1)</script> |",
    "[click](javascript:alert(1)) ![x](http://evil/x.png)",
    "@everyone #1 GH-12 https://evil.example www.evil.example",
    "`code` **bold** _it_ ~~del~~ $\\sqrt{3}$ $(rm -rf /)",
    "# head",
    "- item",
    "1. item",
    "    code block",
    "---",
    "===",
    "<!-- -->",
    "&lt;b&gt;",
    "%0A::error::x",
    '" onclick="x',
    "tail   ",
    "\u3164\u2800\ufe0f\U000e0041",
)
TEXTS = st.one_of(st.sampled_from(HOSTILE), st.text(st.characters(exclude_categories=[]), max_size=40))


class _Seen(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.text = ""

    def handle_starttag(self, tag: str, _: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)

    def handle_data(self, data: str) -> None:
        self.text += data


def parsed(markup: str) -> _Seen:
    seen = _Seen()
    seen.feed(markup)
    seen.close()
    return seen


@given(TEXTS)
def test_visible_text_is_one_line_of_seen_characters(text: str) -> None:
    shown = visible(text)
    assert not any(is_hidden(char) for char in shown)
    assert len(shown.splitlines()) <= 1
    assert visible(shown) == shown
    shown.encode("utf-8")


@given(st.text(st.characters(min_codepoint=32, max_codepoint=126)))
def test_ordinary_text_stays_as_it_is(text: str) -> None:
    assert visible(text) == text
    assert first_hidden(text) is None


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\n\tb\r", r"a\n\tb\r"),
        ("\x1b[31m", r"\x1b[31m"),
        ("\u202e", r"\u202e"),
        ("\U000e0041", r"\U000e0041"),
        ("\ud800", r"\ud800"),
        ("ünï 文\u3000字 😀", "ünï 文\u3000字 😀"),
    ],
)
def test_what_is_hidden_is_spelled_out(text: str, shown: str) -> None:
    assert visible(text) == shown


@given(TEXTS)
def test_no_line_of_a_log_becomes_a_command(text: str) -> None:
    shown = for_terminal(text)
    assert not shown.lstrip().startswith(("::", "##["))
    assert "\x1b" not in shown


@given(TEXTS)
def test_html_shows_the_text_and_makes_no_element(text: str) -> None:
    seen = parsed(f'<p title="{for_html(text)}">{for_html(text)}</p>')
    assert seen.tags == ["p"]
    assert seen.text == visible(text)


def rendered(markdown: str) -> str:
    """Undo what a Markdown renderer undoes: entities, backslash escapes, the elements we add ourselves."""
    text = markdown.replace("<span>$</span>", "$")
    assert "<" not in text
    assert ">" not in text
    text = re.sub(r"\\([!-/:-@\[-`{-~])", r"\1", text)
    return html.unescape(text).replace("\u200b", "")


@given(TEXTS)
def test_markdown_shows_the_text(text: str) -> None:
    assert rendered(for_markdown(text)) == visible(text)


@given(TEXTS)
def test_markdown_cannot_leave_its_cell_or_start_a_block(text: str) -> None:
    markup = for_markdown(text)
    assert "\n" not in markup
    assert not re.search(r"(?<!\\)(\\\\)*[|`*_\[\]]", re.sub(r"\\[^\\]", "", markup).replace("\\\\", ""))
    assert not re.match(r"\s|[-+=#>]|\d+[.)]|```|~~~", markup)
    assert not re.search(r"@\w|#\d|://|www\.|GH-\d", markup.replace("&#", "&"))


@given(TEXTS)
def test_a_code_element_shows_the_text_in_any_cell(text: str) -> None:
    markup = for_markdown_code(text)
    seen = parsed(markup)
    assert seen.tags == ["code"]
    assert seen.text == (visible(text) or " ")
    assert not re.search(r"(?i)[|`*_\[\]~\n@$\\]|://|www\.", markup)


@given(TEXTS)
def test_workflow_commands_have_one_line_and_no_stray_separator(text: str) -> None:
    data, value = for_github(text), for_github_property(text)
    assert "\n" not in data
    assert "\r" not in data
    assert ":" not in value
    assert "," not in value
    assert data.replace("%25", "%") == visible(text)
    assert value.replace("%3A", ":").replace("%2C", ",").replace("%25", "%") == visible(text)


@given(st.text(max_size=20), st.integers(1, 10))
def test_a_clipped_text_is_short_and_says_so(text: str, limit: int) -> None:
    short = clip(text, limit)
    assert len(short) <= limit
    assert (short == text) or (short[-1] == "…" and text.startswith(short[:-1]))


def test_no_room_is_a_mistake() -> None:
    with pytest.raises(ValueError, match="no room"):
        clip("a", 0)
