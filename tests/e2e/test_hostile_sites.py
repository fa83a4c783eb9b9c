"""Whatever stands in a site file, muster says what is wrong with it, at its place, and no other site suffers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from e2e_helpers.compiling import LAB, compile_named
from e2e_helpers.hostile import EDITS, Edit, spoil
from muster.diagnostics.render import render

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from muster.compile.result import CompiledSite

AT_ONCE = 24
"""Sites in one run: most of the time goes into starting cue."""

FORMATS = ("text", "json", "markdown", "github", "sarif", "junit")


def write(folder: Path, name: str, text: str) -> None:
    own = text.replace("name: h20-lab", f"name: {name}", 1).replace("project: lab", f"project: {name}")
    (folder / "sites" / f"{name}.yaml").write_text(own, "utf-8", newline="")


@pytest.fixture(scope="module")
def folder(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository with one good site."""
    made = tmp_path_factory.mktemp("hostile")
    (made / "sites").mkdir()
    write(made, "good", (root / LAB).read_text("utf-8"))
    return made


@pytest.fixture(scope="module")
def alone(root: Path, folder: Path) -> CompiledSite:
    """What the good site compiles to alone."""
    (site,) = compile_named(root, ["good"], folder).sites
    assert site.files is not None
    return site


@settings(
    max_examples=8,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(mistakes=st.lists(EDITS, min_size=AT_ONCE, max_size=AT_ONCE))
def test_spoiled_sites(
    mistakes: Sequence[Sequence[Edit]], folder: Path, root: Path, alone: CompiledSite
) -> None:
    text = (root / LAB).read_text("utf-8")
    for number, edits in enumerate(mistakes):
        write(folder, f"spoiled-{number}", spoil(text, edits))
    done = compile_named(root, [], folder)
    assert len(done.sites) == AT_ONCE + 1
    for site in done.sites:
        errors = [item for item in site.diagnostics if item.is_error]
        assert (site.files is None) is bool(errors), site.name
        assert site.files is None or sum(site.counts.values()) > 0
        for item in site.diagnostics:
            assert item.position is not None, item
            assert item.position.file == f"sites/{site.name}.yaml", item
            assert "\n" not in item.message, item
    assert done.sites[0] == alone
    for form in FORMATS:
        render(done.diagnostics, form)


def test_an_edit_can_spoil_and_can_leave_a_site_good(root: Path, folder: Path) -> None:
    text = (root / LAB).read_text("utf-8")
    at = text.split("\n").index("    deadline: 8h")
    names = {"kept": "9h", "refused": "9 hours"}
    for name, value in names.items():
        write(folder, name, spoil(text, [("value", at, value)]))
    done = compile_named(root, sorted(names), folder)
    assert [site.files is not None for site in done.sites] == [True, False]
