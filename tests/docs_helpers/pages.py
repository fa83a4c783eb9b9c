"""What a page of the guide holds: its fenced blocks, its links, its headings."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_FENCE = re.compile(r"^(\s*)(`{3,}|~{3,})\s*(.*)$")
_LINK = re.compile(r"(?<!!)\[(?:[^\]\\]|\\.)*\]\(([^)\s]+)(?:\s+\"[^\"]*\")?\)")
_HEADING = re.compile(r"^#{1,6} +(.*?)\s*$")
_CODE = re.compile(r"`[^`]*`")


@dataclass(frozen=True)
class Block:
    """A fenced block.

    Attributes:
        info: what stands behind the opening fence, ``console`` or ``yaml file=sites/lab.yaml``.
        line: number of the first line inside it.
        text: its lines.
    """

    info: str
    line: int
    text: tuple[str, ...]

    @property
    def language(self) -> str:
        return self.info.split(" ", 1)[0]

    @property
    def file(self) -> str | None:
        """The path that the block is the content of, if it says so."""
        found = re.search(r"\bfile=(\S+)", self.info)
        return found[1] if found else None


@dataclass(frozen=True)
class Page:
    """A Markdown file in parts."""

    path: Path
    blocks: tuple[Block, ...]
    prose: tuple[tuple[int, str], ...]

    def links(self) -> Iterator[tuple[int, str]]:
        for number, line in self.prose:
            for target in _LINK.findall(_CODE.sub("", line)):
                yield number, target

    def anchors(self) -> set[str]:
        """The anchors that headings get on GitHub."""
        found: set[str] = set()
        for _, line in self.prose:
            heading = _HEADING.match(line)
            if heading:
                text = re.sub(r"[`*]", "", heading[1]).lower()
                slug = re.sub(r"[^\w\- ]", "", text).replace(" ", "-")
                number, free = 0, slug
                while free in found:
                    number, free = number + 1, f"{slug}-{number + 1}"
                found.add(free)
        return found


def read_page(path: Path) -> Page:
    """Split a page; a block that is not closed is an error."""
    blocks: list[Block] = []
    prose: list[tuple[int, str]] = []
    fence, info, start, inside = "", "", 0, []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        found = _FENCE.match(line)
        if fence:
            if found and found[2].startswith(fence) and not found[3]:
                blocks.append(Block(info, start, tuple(inside)))
                fence = ""
            else:
                inside.append(line)
        elif found:
            fence, info, start, inside = found[2], found[3].strip(), number + 1, []
        else:
            prose.append((number, line))
    if fence:
        raise AssertionError(f"{path}:{start}: the block is not closed")
    return Page(path, tuple(blocks), tuple(prose))


def pages(root: Path) -> list[Path]:
    """All pages a user reads."""
    return [root / "README.md", root / "CONTRIBUTING.md", *sorted((root / "docs").glob("*.md"))]
