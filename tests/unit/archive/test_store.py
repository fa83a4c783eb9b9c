"""Both stores keep one contract: create once, never overwrite."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import pytest

from muster.archive.local import LocalStore
from muster.archive.objectstore import ObjectStore
from muster.archive.store import ConflictFault, checked, record_path

if TYPE_CHECKING:
    from pathlib import Path

    from muster.archive.store import Store

_PREFIX = itertools.count()


@pytest.fixture(params=["directory", "s3"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Store:
    if request.param == "directory":
        return LocalStore(tmp_path / "archive")
    server = request.getfixturevalue("gateway")
    return ObjectStore(f"s3://evidence/store{next(_PREFIX)}", server.env)


def test_create_once(store: Store) -> None:
    assert store.create("v1/s/d/a/record.json", b"one")
    assert not store.create("v1/s/d/a/record.json", b"one")
    with pytest.raises(ConflictFault) as caught:
        store.create("v1/s/d/a/record.json", b"two")
    assert caught.value.exit_code == 3
    assert caught.value.diagnostics[0].code == "MU805"
    assert store.read("v1/s/d/a/record.json") == b"one"


def test_create_from_file(store: Store, tmp_path: Path) -> None:
    content = bytes(range(256)) * 40_000
    (tmp_path / "content").write_bytes(content)
    assert store.create("v1/s/d/a/raw/0-x.zst", tmp_path / "content")
    assert not store.create("v1/s/d/a/raw/0-x.zst", tmp_path / "content")
    assert store.read("v1/s/d/a/raw/0-x.zst") == content
    for other in (content[:-1], content[:-1] + b"!", content + b"!"):
        (tmp_path / "other").write_bytes(other)
        with pytest.raises(ConflictFault):
            store.create("v1/s/d/a/raw/0-x.zst", tmp_path / "other")
    with store.open("v1/s/d/a/raw/0-x.zst") as stream:
        assert stream.read(3) == content[:3]


def test_read_back(store: Store) -> None:
    paths = [
        f"v1/{site}/{digest}/a1/{name}"
        for site in "ab"
        for digest in "cd"
        for name in ("raw/0-x.zst", "record.json")
    ]
    for path in paths:
        store.create(path, path.encode())
    store.create("v1/a/e/a1/raw/0-x.zst", b"no record beside it")
    assert store.sites() == ["a", "b"]
    assert [item.path for item in store.records("a")] == ["v1/a/c/a1/record.json", "v1/a/d/a1/record.json"]
    assert len({item.tag for item in store.records("a")}) == 2
    assert sorted(store.paths("v1/b")) == [path for path in paths if path.startswith("v1/b")]
    assert list(store.records("nobody")) == []
    assert list(store.paths("v1/nobody")) == []
    assert store.exists(paths[0])
    assert not store.exists("v1/a/c/a1/nothing")
    with pytest.raises(FileNotFoundError):
        store.read("v1/a/c/a1/nothing")
    with pytest.raises(FileNotFoundError):
        store.open("v1/a/c/a1/nothing")


@pytest.mark.parametrize(
    "path", ["", "/etc/passwd", "v1/../x", "v1//x", "v1/.hidden", "v1/a b", "v1/a\nb", "v1/" + "x" * 201]
)
def test_paths_are_plain(store: Store, path: str) -> None:
    with pytest.raises(ValueError, match="not a path"):
        store.create(path, b"")


def test_record_path() -> None:
    assert record_path("s", "sha256:ab", "a1") == "v1/s/ab/a1/record.json"
    assert record_path("s", None, "a1") == "v1/s/orphan/a1/record.json"
    with pytest.raises(ValueError, match="not a path"):
        record_path("../s", None, "a1")
    assert checked("v1/_/orphan") == "v1/_/orphan"
