"""Readers and tools of other people that must agree with us."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from emit_helpers.yaml_readers import GoReaders, build_go_readers

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture(scope="session")
def go_readers(root: Path) -> Iterator[GoReaders]:
    """Go's YAML readers, built once; skipped where there is no Go."""
    found = build_go_readers(root)
    if isinstance(found, str):
        if not found.startswith("no Go"):
            pytest.fail(found)
        pytest.skip(found)
    readers = GoReaders(found)
    yield readers
    readers.close()
