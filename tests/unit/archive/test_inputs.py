"""What is taken in, what is refused, and that a refusal leaves nothing."""

from __future__ import annotations

import gzip
import io
import os
import tarfile
from functools import partial
from typing import TYPE_CHECKING

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from archive_helpers import logs
from archive_helpers.attempts import memory
from muster.archive.ingest import Batch, Options, batch_of, ingest
from muster.archive.inputs import Input, Item, input_of, items
from muster.archive.intake import safe_name
from muster.archive.local import LocalStore
from muster.archive.store import checked
from muster.archive.unpack import Budget, Limits, RefusedError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

gz = partial(gzip.compress, mtime=0)  # the same bytes at any time

TEXT = logs.table().encode()


def read(source: Input, **limits: int) -> dict[str, bytes]:
    return {name: stream.read() for name, stream in items(source, Budget(), Limits(**limits))}


def _drain(item: Item) -> None:
    while item.stream.read(100_000):
        pass


def tar(*members: tuple[str, bytes] | tarfile.TarInfo) -> bytes:
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w") as archive:
        for member in members:
            if isinstance(member, tarfile.TarInfo):
                archive.addfile(member)
                continue
            info = tarfile.TarInfo(member[0])
            info.size = len(member[1])
            archive.addfile(info, io.BytesIO(member[1]))
    return data.getvalue()


def special(name: str, kind: bytes, target: str = "") -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.type, info.linkname = kind, target
    return info


@pytest.mark.parametrize(
    ("name", "data", "found"),
    [
        ("log.txt", TEXT, {"log.txt": TEXT}),
        ("log.txt.gz", gz(TEXT), {"log.txt": TEXT}),
        ("two.gz", gz(b"one\n") + gz(b"two\n"), {"two": b"one\ntwo\n"}),
        ("log.txt.zst", zstandard.compress(TEXT), {"log.txt": TEXT}),
        ("two.zst", zstandard.compress(b"one\n") + zstandard.compress(b"two\n"), {"two": b"one\ntwo\n"}),
        ("misnamed.txt", gz(TEXT), {"misnamed.txt": TEXT}),
        ("a.tar", tar(("x/one", b"1"), ("two", b"2")), {"x/one": b"1", "two": b"2"}),
        ("a.tgz", gz(tar(("one.gz", gz(b"1")))), {"one": b"1"}),
        (
            "a.tar.zst",
            zstandard.compress(tar(special("folder", tarfile.DIRTYPE), ("one", b"1"))),
            {"one": b"1"},
        ),
        ("empty", b"", {"empty": b""}),
        ("padded.gz", gz(TEXT) + b"\0" * 600, {"padded": TEXT}),
    ],
)
def test_unpacked(name: str, data: bytes, found: dict[str, bytes]) -> None:
    assert read(memory(name, data)) == found


@pytest.mark.parametrize(
    ("name", "data", "code"),
    [
        ("a.tar", tar(("../../etc/passwd", b"x")), "MU811"),
        ("a.tar", tar(("fine", b"x"), ("/etc/passwd", b"x")), "MU811"),
        ("a.tar", tar(("a\\..\\b", b"x")), "MU811"),
        ("a.tar", tar(("C:/x", b"x")), "MU811"),
        ("a.tar", tar(special("link", tarfile.SYMTYPE, "/etc/passwd")), "MU811"),
        ("a.tar", tar(special("link", tarfile.LNKTYPE, "other")), "MU811"),
        ("a.tar", tar(special("device", tarfile.CHRTYPE)), "MU811"),
        ("a.tar", tar(special("pipe", tarfile.FIFOTYPE)), "MU811"),
        ("a.tar", tar(("log", TEXT))[:1500], "MU813"),
        ("a.tar", tar(("log", b"x" * 512))[:1024], "MU813"),
        ("a.gz", gz(TEXT)[:-20], "MU813"),
        ("a.gz", gz(TEXT)[:200] + b"damaged" + gz(TEXT)[207:], "MU813"),
        ("a.gz", gz(TEXT) + b"no gzip", "MU813"),
        ("a.zst", zstandard.compress(TEXT)[:-20], "MU813"),
        ("a.zst", zstandard.compress(TEXT)[:20] + b"\xff" * 400, "MU813"),
        ("bomb.gz", gz(bytes(5_000_000)), "MU812"),
        ("bomb.zst", zstandard.compress(bytes(5_000_000)), "MU812"),
        ("bomb.gz.gz", gz(gz(bytes(5_000_000))), "MU812"),
        ("large", bytes(3_000_001), "MU812"),
        ("many.tar", tar(*((str(number), b"") for number in range(30))), "MU812"),
    ],
)
def test_refused(name: str, data: bytes, code: str, tmp_path: Path) -> None:
    small = Limits(file_bytes=3_000_000, total_bytes=6_000_000, ratio=20, ratio_floor=100_000, members=20)
    with pytest.raises(RefusedError) as caught:
        list(map(_drain, items(memory(name, data), Budget(), small)))
    assert caught.value.found.code == code
    store = LocalStore(tmp_path / "archive", durable=False)
    result = ingest([Batch((memory(name, data),))], [], store, Options(limits=small))
    assert [item.code for item in result.diagnostics] == [code]
    assert (result.exit_code, result.counts.written, result.counts.files) == (2, 0, 0)
    assert not (tmp_path / "archive").exists()


def test_all_files_together_are_bounded(tmp_path: Path) -> None:
    files = tuple(memory(f"log{number}", TEXT) for number in range(3))
    limits = Limits(total_bytes=2 * len(TEXT) + 10)
    result = ingest([Batch(files)], [], LocalStore(tmp_path, durable=False), Options(limits=limits))
    assert [item.code for item in result.diagnostics] == ["MU812", "MU823", "MU823"]
    assert (result.counts.files, result.counts.refused) == (2, 1)


def test_a_folder(tmp_path: Path) -> None:
    (tmp_path / "logs/pods").mkdir(parents=True)
    (tmp_path / "logs/pods/a.log").write_bytes(b"a")
    (tmp_path / "logs/b.log.gz").write_bytes(gz(b"b"))
    (tmp_path / "logs/c.log").symlink_to("pods/a.log")
    assert read(input_of(tmp_path / "logs")) == {"b.log": b"b", "c.log": b"a", "pods/a.log": b"a"}


def _outside(folder: Path) -> None:
    (folder.parent / "secret").write_text("x")
    (folder / "link").symlink_to("../secret")


def _pipe(folder: Path) -> None:
    os.mkfifo(folder / "pipe")


def _dangling(folder: Path) -> None:
    (folder / "link").symlink_to("nowhere")


@pytest.mark.parametrize(("make", "code"), [(_outside, "MU811"), (_pipe, "MU810"), (_dangling, "MU810")])
def test_a_folder_with_what_is_no_file(make: Callable[[Path], None], code: str, tmp_path: Path) -> None:
    (tmp_path / "logs").mkdir()
    make(tmp_path / "logs")
    with pytest.raises(RefusedError) as caught:
        read(input_of(tmp_path / "logs"))
    assert caught.value.found.code == code


@pytest.mark.parametrize("path", ["missing", "nul\0byte", "x" * 5000])
def test_a_path_that_cannot_be_read(path: str, tmp_path: Path) -> None:
    with pytest.raises(RefusedError) as caught:
        read(Input("x", tmp_path / path))
    assert caught.value.found.code == "MU810"
    assert caught.value.found.message.isprintable()


def test_standard_input() -> None:
    assert read(input_of("-", io.BytesIO(gz(TEXT)))) == {"stdin": TEXT}


def test_a_line_without_end(tmp_path: Path) -> None:
    store = LocalStore(tmp_path / "archive", durable=False)
    result = ingest([Batch((memory("log", b"x" * 1_000_000),))], [], store, Options(longest_line=10_000))
    assert [item.code for item in result.diagnostics] == ["MU814"]
    assert not (tmp_path / "archive").exists()


def test_nothing_to_ingest(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    result = ingest([batch_of([tmp_path / "empty"])], [], LocalStore(tmp_path / "archive"))
    assert ([item.code for item in result.diagnostics], result.exit_code) == (["MU815"], 2)


@given(st.text(max_size=200))
def test_safe_names(name: str) -> None:
    safe = safe_name(name)
    assert checked(f"raw/0-{safe}.zst")
    assert safe_name(safe) == safe


@pytest.mark.parametrize(
    ("name", "safe"),
    [
        ("../../etc/passwd", "passwd"),
        ("a b|c\n.log", "a_b_c_.log"),
        ("..", "file"),
        ("", "file"),
        ("ü", "file"),
    ],
)
def test_safe_names_of(name: str, safe: str) -> None:
    assert safe_name(name) == safe
