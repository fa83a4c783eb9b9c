"""The address of an archive."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from muster.archive.local import LocalStore
from muster.archive.open import open_archive
from muster.diagnostics import EnvironmentFault, InputFault

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("url", "code"),
    [
        ("s3://AKIAPLANTED:planted-secret@bucket/x", "MU801"),
        ("s3://bucket/x?access_key=planted-secret", "MU801"),
        ("https://planted-secret@host/x", "MU801"),
        ("file://planted-secret@/x", "MU801"),
        ("https://host/bucket", "MU800"),
        ("ftp://host/bucket", "MU800"),
        ("s3://", "MU800"),
        ("s3:///", "MU800"),
        ("file://host/x", "MU800"),
        ("", "MU800"),
        ("  ", "MU800"),
    ],
)
def test_refused(url: str, code: str) -> None:
    with pytest.raises(InputFault) as caught:
        open_archive(url, {}, create=True)
    assert caught.value.diagnostics[0].code == code
    assert "planted" not in caught.value.diagnostics[0].message.lower()


def test_a_directory_that_is_missing_is_no_empty_archive(tmp_path: Path) -> None:
    with pytest.raises(EnvironmentFault) as caught:
        open_archive(str(tmp_path / "typo"), {})
    assert caught.value.diagnostics[0].code == "MU802"
    archive = open_archive(str(tmp_path / "new"), {}, create=True)
    assert not (tmp_path / "new").exists()
    archive.store.create("v1/x", b"x")
    assert open_archive(str(tmp_path / "new"), {}).store.exists("v1/x")


def test_a_file_is_no_archive(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(EnvironmentFault) as caught:
        open_archive(str(tmp_path / "file"), {}, create=True)
    assert caught.value.diagnostics[0].code == "MU802"


def test_file_url(tmp_path: Path) -> None:
    (tmp_path / "with blank").mkdir()
    archive = open_archive(f"file://{tmp_path}/with%20blank", {})
    assert isinstance(archive.store, LocalStore)
    assert archive.store.root == tmp_path / "with blank"
