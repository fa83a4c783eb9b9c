"""What the shipped sites and the lab of the tests compile to, made once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from e2e_helpers.compiling import LAB, compile_named

if TYPE_CHECKING:
    from pathlib import Path

    from muster.compile.result import Compilation, CompiledSite


@pytest.fixture(scope="session")
def compiled(root: Path) -> Compilation:
    """Every site of sites/, by the repository's policies."""
    done = compile_named(root, [])
    assert done.complete, [str(item) for item in done.diagnostics]
    return done


@pytest.fixture(scope="session")
def lab(root: Path) -> CompiledSite:
    """The site of the tests, by the policies that muster brings."""
    (site,) = compile_named(root, [str(root / LAB)]).sites
    assert site.files is not None, [str(item) for item in site.diagnostics]
    return site
