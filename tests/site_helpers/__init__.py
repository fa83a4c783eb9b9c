"""Cases of the site loader: files with the expected findings beside the lines that cause them."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from muster.site.compose import Limits

if TYPE_CHECKING:
    from muster.diagnostics import Diagnostic

CASES = Path(__file__).resolve().parent.parent / "cases" / "site_loader"
_EXPECTED = re.compile(r"# E([-+]\d+)?(?:@(\d+))?: (MU\d+)(.*?)(?= # E[-+@:]|$)")
_LIMITS = re.compile(r"^# limits: (.*)$", re.MULTILINE)


@dataclass(frozen=True)
class Expected:
    """What a case expects at a line; ``column`` is None where any will do."""

    line: int
    column: int | None
    code: str
    text: str

    def matches(self, item: Diagnostic) -> bool:
        """Tell whether a finding is the expected one."""
        place = item.position
        return (
            place is not None
            and (place.line, item.code) == (self.line, self.code)
            and self.column in (None, place.column)
            and self.text in item.message
        )


@dataclass(frozen=True)
class Case:
    """One input with what the loader must find in it."""

    name: str
    label: str
    raw: bytes
    expected: tuple[Expected, ...]
    limits: Limits

    def __str__(self) -> str:
        return self.name


def file_cases() -> list[Case]:
    """Read the YAML cases: ``# E: MU116 text`` on the line, ``# E+1@3:`` for the next line, column 3."""
    return [_file_case(path) for path in sorted(CASES.glob("*.yaml"))]


def _file_case(path: Path) -> Case:
    text = path.read_text(encoding="utf-8")
    expected = tuple(
        Expected(number + int(shift or 0), int(column) if column else None, code, said.strip())
        for number, line in enumerate(text.split("\n"), 1)
        for shift, column, code, said in _EXPECTED.findall(line)
    )
    found = _LIMITS.search(text)
    pairs = (pair.split("=") for pair in found[1].split()) if found else ()
    limits = Limits(**{name: int(value) for name, value in pairs})
    return Case(path.stem, f"sites/{path.name}", text.encode(), expected, limits)


def raw_cases() -> list[Case]:
    """Read ``raw.txt``: bytes that cannot stand in a text file."""
    cases = []
    for number, line in enumerate((CASES / "raw.txt").read_text(encoding="utf-8").splitlines(), 1):
        if line.startswith("#"):
            continue
        literal, wanted = re.fullmatch(r"(b'.*')\s{2,}(.*)", line).groups()
        cases.append(
            Case(f"raw-{number}", "sites/raw.yaml", ast.literal_eval(literal), _raw(wanted), Limits())
        )
    return cases


def _raw(wanted: str) -> tuple[Expected, ...]:
    found = (re.fullmatch(r"(\d+):(\d+) (MU\d+) ?(.*)", part) for part in wanted.split(" ; "))
    return tuple(Expected(int(item[1]), int(item[2]), item[3], item[4]) for item in found)
