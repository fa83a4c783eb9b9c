"""Loading: what comes back, files that are none, hostile bytes."""

from __future__ import annotations

import hashlib
import json
import os
import socket
import tracemalloc
from typing import TYPE_CHECKING

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from muster.site.compose import Limits
from muster.site.load import LoadedSite, load_site, read_site_file
from muster.site.positions import format_path
from site_helpers import CASES

if TYPE_CHECKING:
    from pathlib import Path

HEAD = b"apiVersion: muster.dev/v1alpha1\nkind: Site\nmetadata: {name: x}\n"


def codes(site: LoadedSite) -> list[str]:
    return [item.code for item in site.diagnostics]


def test_values_and_positions_are_those_of_the_golden(refresh: bool) -> None:
    raw = (CASES / "accepted" / "full.yaml").read_bytes()
    site = load_site("sites/full.yaml", raw)
    assert site.diagnostics == ()
    assert site.name == "full"
    places = {
        format_path(path): f"{site.positions.key(path)} {site.positions.of(path)}".replace(
            "sites/full.yaml:", ""
        )
        for path in site.positions
    }
    text = json.dumps({"data": site.data, "positions": places}, indent=1, ensure_ascii=False) + "\n"
    golden = CASES / "accepted" / "full.golden.json"
    if refresh:
        golden.write_text(text, encoding="utf-8")
    assert text == golden.read_text(encoding="utf-8")


def test_every_value_stands_where_its_position_says() -> None:
    raw = (CASES / "accepted" / "full.yaml").read_bytes()
    lines = raw.decode().splitlines()
    site = load_site("sites/full.yaml", raw)
    checked = 0
    for path in site.positions:
        value = site.data
        for part in path:
            value = value[part]
        place = site.positions.of(path)
        rest = lines[place.line - 1][place.column - 1 :]
        if isinstance(value, bool | int | float):
            assert json.loads(rest.split(",")[0].split("}")[0].split("]")[0].split(" #")[0].lower()) == value
        elif isinstance(value, str) and value and "\n" not in value and rest[0] not in ">|":
            assert rest.lstrip("\"'").startswith(value[:5].replace("'", "''")[:5]), (path, rest)
        else:
            assert rest
        if path and isinstance(path[-1], str):
            key = site.positions.key(path)
            assert lines[key.line - 1][key.column - 1 :].lstrip("\"'").startswith(path[-1])
        checked += 1
    assert checked > 60


def test_the_digest_is_that_of_the_bytes() -> None:
    raw = HEAD + b"# a comment counts\n"
    assert load_site("sites/x.yaml", raw).digest == "sha256:" + hashlib.sha256(raw).hexdigest()
    assert load_site("sites/x.yaml", HEAD).digest != load_site("sites/x.yaml", raw).digest


def test_crlf_and_lf_give_the_same_values() -> None:
    text = HEAD + b"note: |\n  two\n  lines\nlist:\n- a\n"
    windows = load_site("sites/x.yaml", text.replace(b"\n", b"\r\n"))
    unix = load_site("sites/x.yaml", text)
    assert windows.diagnostics == unix.diagnostics == ()
    assert windows.data == unix.data
    assert [str(windows.positions.of(path)) for path in windows.positions] == [
        str(unix.positions.of(path)) for path in unix.positions
    ]


def test_data_is_withheld_as_soon_as_one_thing_is_wrong() -> None:
    site = load_site("sites/x.yaml", HEAD + b"a: NO\n")
    assert (site.data, site.ok, site.name) == (None, False, "x")
    assert load_site("sites/x.yaml", HEAD).ok


def test_findings_name_the_site_and_the_field() -> None:
    (item,) = load_site("sites/x.yaml", HEAD + b'spec: {labels: {"nvidia.com/gpu.product": ~}}\n').diagnostics
    assert (item.site, item.path) == ("x", 'spec.labels."nvidia.com/gpu.product"')
    (item,) = load_site("sites/x.yaml", HEAD + b"spec: [1, [2, ~]]\n").diagnostics
    assert item.path == "spec[1][1]"


def test_both_places_of_a_repeated_key_are_named() -> None:
    (item,) = load_site("sites/x.yaml", HEAD + b"a: 1\nb: 2\na: 3\n").diagnostics
    assert str(item.position) == "sites/x.yaml:6:1"
    assert [str(other.position) for other in item.related] == ["sites/x.yaml:4:1"]


@pytest.mark.parametrize(("opening", "closing"), [(b"[", b"]"), (b"{a: ", b"}"), (b"- ", b""), (b"? ", b"")])
def test_ten_thousand_levels_are_refused_without_recursion(opening: bytes, closing: bytes) -> None:
    raw = HEAD + b"deep:\n  " + opening * 10_000 + closing * 10_000
    assert "MU109" in codes(load_site("sites/x.yaml", raw))


def test_an_alias_bomb_is_not_expanded() -> None:
    bomb = b"a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n" + b"".join(
        b"a%d: &a%d [%s]\n" % (n, n, b", ".join([b"*a%d" % (n - 1)] * 10)) for n in range(1, 12)
    )
    tracemalloc.start()
    site = load_site("sites/x.yaml", HEAD + bomb)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert set(codes(site)) == {"MU100", "MU111"}
    assert peak < 4_000_000


def test_a_flood_of_findings_is_bounded() -> None:
    site = load_site("sites/x.yaml", HEAD + b"".join(b"k%d: ~\n" % n for n in range(5000)))
    assert len(site.diagnostics) == Limits().findings + 1
    assert site.diagnostics[-1].message == "4900 more findings in this file are not shown (4900 MU117)"


def test_a_file_of_the_largest_size_is_read_and_one_byte_more_is_not(tmp_path: Path) -> None:
    path = tmp_path / "x.yaml"
    filler = b"#" * (Limits().size - len(HEAD) - 1) + b"\n"
    path.write_bytes(HEAD + filler)
    assert read_site_file(path, "sites/x.yaml").ok
    path.write_bytes(HEAD + filler + b"#")
    site = read_site_file(path, "sites/x.yaml")
    assert codes(site) == ["MU102"]
    assert site.digest == ""


def test_a_file_on_disk_is_the_same_as_its_bytes(tmp_path: Path) -> None:
    path = tmp_path / "y.yaml"
    path.write_bytes(HEAD)
    read, loaded = read_site_file(path, "sites/x.yaml"), load_site("sites/x.yaml", HEAD)
    assert (read.data, read.digest, read.name) == (loaded.data, loaded.digest, "x")


def _directory(path: Path) -> str:
    path.mkdir()
    return "this is a directory"


def _pipe(path: Path) -> str:
    os.mkfifo(path)
    return "this is a pipe"


def _socket(path: Path) -> str:
    with socket.socket(socket.AF_UNIX) as bound:
        bound.bind(str(path))
    return "this is a socket"


def _device(path: Path) -> str:
    path.symlink_to("/dev/null")
    return "this is a device"


def _missing(path: Path) -> str:
    return "No such file"


def _dangling(path: Path) -> str:
    path.symlink_to(path.parent / "nowhere")
    return "No such file"


def _loop(path: Path) -> str:
    path.symlink_to(path)
    return "symbolic links"


@pytest.mark.parametrize("make", [_directory, _pipe, _socket, _device, _missing, _dangling, _loop])
def test_what_is_no_file_is_refused(make: object, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # the path of a socket is short
    said = make(tmp_path / "x")
    site = read_site_file(tmp_path / "x", "sites/x.yaml")
    assert codes(site) == ["MU101"]
    assert said in site.diagnostics[0].message
    assert (site.data, site.digest) == (None, "")


def test_a_file_that_may_not_be_read_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "x.yaml"
    path.write_bytes(HEAD)

    def refuse(*_: object) -> int:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("muster.site.load.os.open", refuse)
    site = read_site_file(path, "sites/x.yaml")
    assert [(item.code, item.message) for item in site.diagnostics] == [
        ("MU101", "the file cannot be read: Permission denied")
    ]


def test_a_path_that_cannot_exist_is_refused(tmp_path: Path) -> None:
    assert codes(read_site_file(tmp_path / "a\0b", "sites/x.yaml")) == ["MU101"]


@given(
    st.one_of(
        st.binary(max_size=200),
        st.text(max_size=100).map(lambda text: text.encode("utf-8", "surrogatepass")),
        st.text("ab:-?{}[]&*!|>'\"%@#,\n \t\r\\\x00é\u202e", max_size=60).map(str.encode),
    )
)
@example(b"&a [*a]")
@example(b"? ? ? ? a")
@example(b"\xef\xbb\xbf\xef\xbb\xbf")
@example(b"a: !<!\x80> b")
@settings(max_examples=500, deadline=None)
def test_no_bytes_make_it_crash(raw: bytes) -> None:
    site = load_site("sites/x.yaml", raw)
    assert (site.data is None) == bool(site.diagnostics)
    lines = raw.decode("utf-8", "replace").split("\n")
    for item in site.diagnostics:
        assert 1 <= item.position.line <= len(lines) + 1
        assert item.position.column >= 1
    assert site.data is None or json.loads(json.dumps(site.data)) == site.data


@given(st.binary(max_size=30), st.integers(0, len(HEAD)))
@settings(max_examples=200, deadline=None)
def test_no_damage_to_a_good_file_makes_it_crash(damage: bytes, at: int) -> None:
    site = load_site("sites/x.yaml", HEAD[:at] + damage + HEAD[at:])
    assert (site.data is None) == bool(site.diagnostics)
