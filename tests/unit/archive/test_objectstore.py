"""An object store that is real, one that lies, and one that is not there."""

from __future__ import annotations

import http.server
import subprocess
import sys
import threading
from typing import TYPE_CHECKING

import pytest

from archive_helpers.gateway import SECRET, Gateway
from muster.archive.objectstore import PROBE, ObjectStore
from muster.diagnostics import EnvironmentFault

if TYPE_CHECKING:
    from collections.abc import Iterator


def _code(caught: pytest.ExceptionInfo[EnvironmentFault]) -> str:
    assert caught.value.exit_code == 3
    assert SECRET not in str(caught.value)
    return caught.value.diagnostics[0].code


def test_evidence_outlives_the_server(gateway: Gateway) -> None:
    assert ObjectStore("s3://evidence/restart", gateway.env).create("v1/s/d/a/record.json", b"kept")
    gateway.stop()
    try:
        lost = ObjectStore("s3://evidence/restart", gateway.env, seconds=2, retries=1)
        with pytest.raises(EnvironmentFault) as caught:
            lost.read("v1/s/d/a/record.json")
        assert _code(caught) == "MU803"
    finally:
        gateway.start()
    again = ObjectStore("s3://evidence/restart", gateway.env)
    assert again.read("v1/s/d/a/record.json") == b"kept"
    assert not again.create("v1/s/d/a/record.json", b"kept")
    assert again.read(PROBE)


@pytest.mark.parametrize(
    ("change", "url", "says"),
    [
        ({"AWS_SECRET_ACCESS_KEY": "planted-wrong-key"}, "s3://evidence/x", "refuses the credentials"),
        ({"AWS_ACCESS_KEY_ID": "nobody"}, "s3://evidence/x", "refuses the credentials"),
        ({}, "s3://no-such-bucket/x", "has no such bucket"),
    ],
)
@pytest.mark.parametrize("action", ["create", "read", "exists", "paths", "records", "sites"])
def test_a_store_that_refuses_is_never_an_empty_one(
    gateway: Gateway, change: dict[str, str], url: str, says: str, action: str
) -> None:
    store = ObjectStore(url, {**gateway.env, **change}, seconds=5, retries=0)
    calls = {
        "create": lambda: store.create("v1/x", b"x"),
        "read": lambda: store.read("v1/x"),
        "exists": lambda: store.exists("v1/x"),
        "paths": lambda: list(store.paths("v1")),
        "records": lambda: list(store.records("s")),
        "sites": store.sites,
    }
    with pytest.raises(EnvironmentFault, match=says) as caught:
        calls[action]()
    assert _code(caught) == "MU803"
    assert "planted-wrong-key" not in str(caught.value)


def test_an_endpoint_that_does_not_answer() -> None:
    env = {"AWS_ENDPOINT_URL": "http://127.0.0.1:1", "AWS_ALLOW_HTTP": "true", "AWS_REGION": "x"}
    keys = {"AWS_ACCESS_KEY_ID": "a", "AWS_SECRET_ACCESS_KEY": SECRET}
    store = ObjectStore("s3://evidence/x", {**env, **keys}, seconds=2, retries=1)
    with pytest.raises(EnvironmentFault, match="cannot be reached") as caught:
        store.create("v1/x", b"x")
    assert _code(caught) == "MU803"


class _Overwriting(http.server.BaseHTTPRequestHandler):
    """Takes every PUT, whatever its conditions, as `rclone serve s3` does."""

    puts: list[str]

    def do_PUT(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        self.puts.append(self.path)
        self._answer(b"")

    def do_GET(self) -> None:
        self._answer(
            b'<?xml version="1.0"?><ListBucketResult><IsTruncated>false</IsTruncated></ListBucketResult>'
        )

    def _answer(self, body: bytes) -> None:
        self.send_response(200)
        self.send_header("ETag", '"1"')
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        pass


@pytest.fixture
def overwriting() -> Iterator[http.server.ThreadingHTTPServer]:
    _Overwriting.puts = []
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), _Overwriting) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def test_a_store_that_overwrites_is_refused(overwriting: http.server.ThreadingHTTPServer) -> None:
    pytest.importorskip("obstore")
    env = {
        "AWS_ENDPOINT_URL": f"http://127.0.0.1:{overwriting.server_port}",
        "AWS_ALLOW_HTTP": "true",
        "AWS_REGION": "x",
        "AWS_ACCESS_KEY_ID": "a",
        "AWS_SECRET_ACCESS_KEY": "b",
    }
    store = ObjectStore("s3://evidence", env)
    with pytest.raises(EnvironmentFault) as caught:
        store.create("v1/s/d/a/record.json", b"evidence")
    assert _code(caught) == "MU804"
    assert _Overwriting.puts == [f"/evidence/{PROBE}"] * 2


def test_without_the_extra() -> None:
    script = """
import sys
sys.modules["obstore"] = None
from muster.archive.open import open_archive
from muster.diagnostics import EnvironmentFault
try:
    open_archive("s3://bucket/x", {})
except EnvironmentFault as fault:
    print(fault.diagnostics[0].code)
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == "MU807\n"
