"""An archive in a directory: whole files only, whatever happens, and none is ever overwritten.

A file is written aside in ``.tmp``, flushed to the disk, then linked into its place, which fails when
something is there. A process holds a lock on each file that it writes aside; what is not locked was left by
a process that died and is removed.
"""

from __future__ import annotations

import errno
import fcntl
import os
import secrets
import shutil
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from muster.archive.store import RECORD, ROOT, Object, checked, conflict
from muster.diagnostics import EnvironmentFault, diagnostic
from muster.diagnostics.escape import visible

if TYPE_CHECKING:
    from collections.abc import Iterator

_ASIDE = ".tmp"
_NO_LINKS = frozenset({errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK})
_BLOCK = 1024 * 1024


class LocalStore:
    """Keep objects as files below a directory.

    Args:
        root: the directory; the first `create` makes it.
        durable: flush each file and directory to the disk; only a benchmark does without.
    """

    def __init__(self, root: Path, *, durable: bool = True) -> None:
        self.root = root
        self._durable = durable
        self._swept = False

    @property
    def url(self) -> str:
        """The directory, as it was given."""
        return visible(str(self.root))

    def create(self, path: str, content: bytes | Path) -> bool:
        """Write a file where none is; see `Store.create`."""
        target = self.root / checked(path)
        if target.exists():
            return self._same(target, content, path)
        try:
            return self._create(target, content, path)
        except OSError as error:
            raise self._fault(error) from error

    def _create(self, target: Path, content: bytes | Path, path: str) -> bool:
        self._make_parents(target.parent)
        self._sweep()
        descriptor, aside = self._aside()
        try:
            with os.fdopen(descriptor, "wb") as stream:
                _copy(content, stream)
                stream.flush()
                if self._durable:
                    os.fsync(stream.fileno())
                created = _link(aside, target)
        finally:
            aside.unlink(missing_ok=True)
        if not created:
            return self._same(target, content, path)
        if self._durable:
            _sync(target.parent)
        return True

    def _same(self, target: Path, content: bytes | Path, path: str) -> bool:
        try:
            if _equal(target, content):
                return False
        except OSError as error:
            raise self._fault(error) from error
        raise conflict(path, self.url)

    def _aside(self) -> tuple[int, Path]:
        while True:
            aside = self.root / _ASIDE / secrets.token_hex(8)
            descriptor = os.open(aside, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_CLOEXEC, 0o644)
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            if os.fstat(descriptor).st_nlink:
                return descriptor, aside
            os.close(descriptor)

    def _sweep(self) -> None:
        """Remove what dead processes left aside: files that nobody holds a lock on."""
        if self._swept:
            return
        self._swept = True
        for left in (self.root / _ASIDE).iterdir():
            try:
                descriptor = os.open(left, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
            except OSError:
                continue
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                left.unlink(missing_ok=True)
            except OSError:
                continue
            finally:
                os.close(descriptor)

    def _make_parents(self, folder: Path) -> None:
        for wanted in (self.root / _ASIDE, folder):
            for item in reversed(_missing(wanted)):
                item.mkdir(exist_ok=True)
                if self._durable:
                    _sync(item.parent)

    def read(self, path: str) -> bytes:
        """Return the bytes of a file; see `Store.read`."""
        with self.open(path) as stream:
            return stream.read()

    def open(self, path: str) -> BinaryIO:
        """Open a file for reading; see `Store.open`."""
        try:
            return (self.root / checked(path)).open("rb")
        except (FileNotFoundError, NotADirectoryError) as error:
            raise FileNotFoundError(path) from error
        except OSError as error:
            raise self._fault(error) from error

    def exists(self, path: str) -> bool:
        """Tell whether a file is there."""
        return (self.root / checked(path)).is_file()

    def paths(self, prefix: str) -> Iterator[str]:
        """Yield all paths below a prefix, sorted."""
        for folder, folders, files in os.walk(self.root / checked(prefix)):
            folders.sort()
            below = Path(folder).relative_to(self.root).as_posix()
            yield from sorted(f"{below}/{name}" for name in files)

    def records(self, site: str) -> Iterator[Object]:
        """Yield every record of a site, sorted by path.

        Its tag is size, times and number of its file; the time of change cannot be set back as that of writing can.
        """
        base, root = checked(f"{ROOT}/{site}"), str(self.root)
        for digest in _names(f"{root}/{base}"):
            for attempt in _names(f"{root}/{base}/{digest}"):
                path = f"{base}/{digest}/{attempt}/{RECORD}"
                try:
                    found = os.stat(f"{root}/{path}")  # noqa: PTH116 - a million times, and Path is slow
                except (FileNotFoundError, NotADirectoryError):
                    continue
                tag = f"{found.st_size}:{found.st_mtime_ns}:{found.st_ctime_ns}:{found.st_ino}"
                yield Object(path, tag)

    def sites(self) -> list[str]:
        """Return the sites that have anything in the archive, sorted."""
        return _names(f"{self.root}/{ROOT}")

    def _fault(self, error: OSError) -> EnvironmentFault:
        code = "MU808" if error.errno in _NO_LINKS else "MU806"
        reason = error.strerror or type(error).__name__
        return EnvironmentFault(diagnostic(code, f"archive {self.url}: {visible(reason)}"))


def _missing(folder: Path) -> list[Path]:
    return list(takewhile(lambda item: not item.is_dir(), (folder, *folder.parents)))


def _names(folder: str) -> list[str]:
    try:
        return sorted(os.listdir(folder))  # noqa: PTH208 - a hundred thousand times, and Path is slow
    except (FileNotFoundError, NotADirectoryError):
        return []


def _copy(content: bytes | Path, stream: BinaryIO) -> None:
    if isinstance(content, bytes):
        stream.write(content)
        return
    with content.open("rb") as source:
        shutil.copyfileobj(source, stream, _BLOCK)


def _link(aside: Path, target: Path) -> bool:
    try:
        os.link(aside, target)
    except FileExistsError:
        return False
    return True


def _equal(target: Path, content: bytes | Path) -> bool:
    if isinstance(content, bytes):
        return target.stat().st_size == len(content) and target.read_bytes() == content
    if target.stat().st_size != content.stat().st_size:
        return False
    with target.open("rb") as left, content.open("rb") as right:
        while block := left.read(_BLOCK):
            if block != right.read(_BLOCK):
                return False
    return True


def _sync(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
