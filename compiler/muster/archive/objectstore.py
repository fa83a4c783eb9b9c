"""An archive in an object store, through obstore: S3, Google Cloud Storage, Azure Blob Storage.

Every write carries the condition that nothing is there yet. Some stores ignore it and overwrite; before the
first write of a session a probe object is created twice, and a store that accepts both is refused.
"""

from __future__ import annotations

import re
import tempfile
from contextlib import contextmanager
from datetime import timedelta
from typing import TYPE_CHECKING, Any, BinaryIO, cast

from muster.archive.store import RECORD, ROOT, Object, checked, conflict
from muster.diagnostics import EnvironmentFault, diagnostic
from muster.diagnostics.escape import visible

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

SCHEMES = ("s3", "gs", "az")
PROBE = "probe/written-once"
_PROBE_BYTES = b"muster writes each object once\n"
_IN_MEMORY = 8 * 1024 * 1024
_LARGE = 256 * 1024
_PREFIXES = {"s3": ("aws_",), "gs": ("google_",), "az": ("azure_",)}
_CLIENT_SIDE = frozenset({"aws_allow_http", "azure_allow_http", "google_allow_http"})
_ERROR_CODE = re.compile(r"<Code>([A-Za-z0-9]{1,64})</Code>")
_STATUS = re.compile(r"status code: (\d{3})")
_REFUSED = frozenset(
    {
        "AccessDenied",
        "AuthenticationFailed",
        "InvalidAccessKeyId",
        "SignatureDoesNotMatch",
        "XAdminUserNotFound",
        "status 401",
        "status 403",
    }
)
_ABSENT = frozenset({"NoSuchKey", "BlobNotFound"})


class ObjectStore:
    """Keep objects in a bucket or container.

    Args:
        url: ``s3://bucket/prefix``, ``gs://bucket/prefix`` or ``az://container/prefix``.
        env: where endpoint, region and credentials are (``AWS_*``, ``GOOGLE_*``, ``AZURE_*``).
        seconds: the longest time for one request with all its retries.
        retries: how often a request is sent again.

    Raises:
        EnvironmentFault: obstore is not installed (MU807), or the configuration is refused (MU803).
    """

    def __init__(self, url: str, env: Mapping[str, str], *, seconds: float = 60.0, retries: int = 4) -> None:
        self._url = url
        self._answered = False
        self._keeps = False
        try:
            import obstore
            from obstore.store import from_url
        except ImportError as error:
            raise EnvironmentFault(diagnostic("MU807", f"{self.url} needs the package obstore")) from error
        self._obstore = obstore
        with self._faults():
            self._store = from_url(
                url,
                config=cast("Any", _config(url.partition(":")[0], env)),
                client_options={
                    "connect_timeout": timedelta(seconds=min(5.0, seconds)),
                    "timeout": timedelta(seconds=seconds),
                    "allow_http": any(env.get(key.upper(), "").lower() == "true" for key in _CLIENT_SIDE),
                },
                retry_config={
                    "max_retries": retries,
                    "retry_timeout": timedelta(seconds=seconds),
                    "backoff": {
                        "init_backoff": timedelta(milliseconds=100),
                        "max_backoff": timedelta(seconds=2),
                        "base": 2,
                    },
                },
            )

    @property
    def url(self) -> str:
        """The address, which holds no credentials."""
        return visible(self._url)

    def create(self, path: str, content: bytes | Path) -> bool:
        """Write an object where none is; see `Store.create`."""
        self._probe()
        if not (_size(content) > _LARGE and self.exists(path)) and self._written(path, content):
            return True
        with self.open(path) as found:
            if _equal(found, content):
                return False
        raise conflict(path, self.url)

    def _written(self, path: str, content: bytes | Path) -> bool:
        """Put an object; a store that refuses a large one may hang up before it has said why."""
        try:
            return self._put(checked(path), content)
        except EnvironmentFault:
            if self.exists(path):
                return False
            raise

    def _put(self, path: str, content: bytes | Path) -> bool:
        with self._faults():
            try:
                self._obstore.put(self._store, path, content, mode="create", use_multipart=False)
            except self._obstore.exceptions.AlreadyExistsError:
                return False
            except FileNotFoundError as error:
                raise self._fault(error) from error
        return True

    def _probe(self) -> None:
        if self._keeps:
            return
        self._answer()
        if self._put(PROBE, _PROBE_BYTES) and self._put(PROBE, _PROBE_BYTES):
            found = f"{self.url} accepted a second object in the place of the first"
            raise EnvironmentFault(diagnostic("MU804", found))
        self._keeps = True

    def _answer(self) -> None:
        """List once: a missing bucket answers a single read as if only the object were missing."""
        if not self._answered:
            with self._faults():
                next(iter(self._obstore.list(self._store, ROOT, chunk_size=1)), None)
            self._answered = True

    def read(self, path: str) -> bytes:
        """Return the bytes of an object; see `Store.read`."""
        with self.open(path) as stream:
            return stream.read()

    def open(self, path: str) -> BinaryIO:
        """Fetch an object, above 8 MiB into a temporary file; see `Store.open`."""
        self._answer()
        spool = tempfile.SpooledTemporaryFile(max_size=_IN_MEMORY)  # noqa: SIM115 - the caller closes it
        try:
            with self._faults():
                for chunk in self._obstore.get(self._store, checked(path)).stream():
                    spool.write(chunk)
        except BaseException:
            spool.close()
            raise
        spool.seek(0)
        return cast("BinaryIO", spool)

    def exists(self, path: str) -> bool:
        """Tell whether an object is there."""
        self._answer()
        with self._faults():
            try:
                self._obstore.head(self._store, checked(path))
            except FileNotFoundError as error:
                if _absent(error):
                    return False
                raise self._fault(error) from error
        return True

    def paths(self, prefix: str) -> Iterator[str]:
        """Yield all paths below a prefix, sorted."""
        yield from (found.path for found in self._list(prefix))

    def records(self, site: str) -> Iterator[Object]:
        """Yield every record of a site with its ETag, sorted by path."""
        for found in self._list(f"{ROOT}/{site}"):
            if found.path.endswith(f"/{RECORD}") and found.path.count("/") == 4:
                yield found

    def _list(self, prefix: str) -> list[Object]:
        found = []
        with self._faults():
            for chunk in self._obstore.list(self._store, checked(prefix)):
                found += [Object(item["path"], item["e_tag"] or str(item["last_modified"])) for item in chunk]
        return sorted(found)

    def sites(self) -> list[str]:
        """Return the sites that have anything in the archive, sorted."""
        with self._faults():
            below = self._obstore.list_with_delimiter(self._store, ROOT)["common_prefixes"]
        return sorted(item.rpartition("/")[2] for item in below)

    @contextmanager
    def _faults(self) -> Iterator[None]:
        try:
            yield
        except self._obstore.exceptions.BaseError as error:
            raise self._fault(error) from None
        except FileNotFoundError as error:
            if _absent(error):
                raise
            raise self._fault(error) from None
        except (OSError, ValueError) as error:
            raise self._fault(error) from None

    def _fault(self, error: Exception) -> EnvironmentFault:
        """Say what went wrong without the text of the store: it may quote keys and signatures."""
        text = str(error)
        code = _ERROR_CODE.search(text)
        status = _STATUS.search(text)
        detail = code[1] if code else f"status {status[1]}" if status else type(error).__name__
        if detail in _REFUSED or type(error).__name__ in {"PermissionDeniedError", "UnauthenticatedError"}:
            what = "refuses the credentials"
        elif detail in {"NoSuchBucket", "ContainerNotFound"}:
            what = "has no such bucket"
        elif "HTTP error" in text or "Connect" in text:
            what, detail = "cannot be reached", "no answer"
        else:
            what = "answered with an error"
        return EnvironmentFault(diagnostic("MU803", f"{self.url} {what} ({detail})"))


def _absent(error: FileNotFoundError) -> bool:
    code = _ERROR_CODE.search(str(error))
    return code is None or code[1] in _ABSENT


def _config(scheme: str, env: Mapping[str, str]) -> dict[str, str]:
    """Return what the store understands of an environment; other variables of its vendor are left out."""
    from obstore.store import AzureStore, GCSStore, S3Store

    store: Any = {"s3": S3Store, "gs": GCSStore, "az": AzureStore}[scheme]
    found = {}
    for name, value in sorted(env.items()):
        key = name.lower()
        if key.startswith(_PREFIXES[scheme]) and key not in _CLIENT_SIDE and _knows(store, key, value):
            found[key] = value
    return found


def _knows(store: Any, key: str, value: str) -> bool:
    from obstore.exceptions import BaseError, UnknownConfigurationKeyError

    try:
        store("bucket", config={key: value})
    except UnknownConfigurationKeyError:
        return False
    except BaseError:
        return True
    return True


def _size(content: bytes | Path) -> int:
    return len(content) if isinstance(content, bytes) else content.stat().st_size


def _equal(found: BinaryIO, content: bytes | Path) -> bool:
    if isinstance(content, bytes):
        return found.read() == content
    with content.open("rb") as wanted:
        while block := found.read(_IN_MEMORY):
            if block != wanted.read(len(block)):
                return False
        return not wanted.read(1)
