"""Names and texts that try to break out of what they are shown in, and what holds of a report that they are in."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from typing import Any

HOSTILE = [
    "a|b",
    "a\nb",
    "\r\n## Accepted",
    "<script>alert(1)</script>",
    "--> <!--",
    "\x1b[31mred",
    "\x1b]0;title\x07",
    "\u202eevil",
    "`code`",
    "**bold**",
    "[link](http://x)",
    "![img](http://x)",
    "@team",
    "#1",
    "$(reboot)",
    "${HOME}",
    "::error::x",
    "\ud800",
    "&lt;",
    "</code></td></table>",
    "]]>",
    "\x00",
    "~~~\n```",
    "{0}",
    "%s",
    "| --- | --- |",
    "\u2028x",
    "x" * 5000,
]


class Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.comments: list[str] = []

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.tags.add(tag)
        assert not attrs

    def handle_comment(self, data: str) -> None:
        self.comments.append(data)


def check_markdown(text: str) -> None:
    """Assert that a document is nothing but headings, tables of even width and plain lines."""
    parser = Tags()
    parser.feed(text)
    assert parser.tags <= {"code", "br", "span"}
    assert parser.comments == [" muster report "]
    columns = 0
    for number, line in enumerate(text.split("\n")):
        assert line.isprintable()
        cells = len(re.findall(r"(?<!\\)\|", line))
        if line.startswith(("| ", "|-")):
            assert columns in (0, cells), f"line {number}: {cells} cells, {columns} columns"
            columns = cells
            assert line.endswith("|")
        else:
            columns = 0
            assert not re.match(r"\s*([-+>`~]|\*(?!\*)|[0-9]+[.)])", line), line
            assert line.startswith(
                ("# muster: ", "## ", "**", "<!-- muster report -->")
            ) or "#" not in line.replace("\\#", "")
