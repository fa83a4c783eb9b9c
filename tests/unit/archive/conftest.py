"""Fixtures of the archive's tests."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from archive_helpers.gateway import Gateway, build

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture(scope="session")
def gateway(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Gateway]:
    """A real S3 server with the bucket ``evidence``."""
    pytest.importorskip("obstore", reason="the extra s3 is not installed")
    server = Gateway(build(root), tmp_path_factory.mktemp("s3"))
    (server.data / "evidence").mkdir()
    server.start()
    yield server
    server.stop()
