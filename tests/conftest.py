"""Fixtures that every test may use."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import settings

settings.register_profile("muster", deadline=None)
settings.load_profile("muster")

ROOT = Path(__file__).resolve().parent.parent


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--refresh-goldens", action="store_true", help="write golden files instead of comparing")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """With --refresh-goldens run only the tests that have golden files."""
    if config.getoption("--refresh-goldens"):
        golden = [item for item in items if "refresh" in getattr(item, "fixturenames", ())]
        config.hook.pytest_deselected(items=[item for item in items if item not in golden])
        items[:] = golden


@pytest.fixture(scope="session")
def refresh(request: pytest.FixtureRequest) -> bool:
    return bool(request.config.getoption("--refresh-goldens"))


@pytest.fixture(scope="session")
def root() -> Path:
    """The repository."""
    return ROOT


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of real tool outputs and CRDs beside a developer's checkout; most machines lack it."""
    folder = Path(os.environ.get("MUSTER_SHARED", ROOT.parent / "shared"))
    if not (folder / "samples" / "INDEX.md").is_file():
        pytest.skip("no folder of real samples here (set MUSTER_SHARED)")
    return folder
