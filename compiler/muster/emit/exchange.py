"""Exchange two folders in one step, and make what was written durable before that.

Linux has ``renameat2(RENAME_EXCHANGE)``, macOS ``renamex_np(RENAME_SWAP)``; Python offers neither.
"""

from __future__ import annotations

import ctypes
import errno
import os
import sys
from functools import cache
from pathlib import Path
from typing import Any

_AT_FDCWD = -100
_RENAME_EXCHANGE = 2
_RENAME_SWAP = 2
_RENAMEAT2 = {"x86_64": 316, "aarch64": 276, "riscv64": 276, "ppc64le": 357, "s390x": 347}
_UNSUPPORTED = {errno.EINVAL, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOTTY}


@cache
def _libc() -> Any:
    return ctypes.CDLL(None, use_errno=True)


def _call(old: bytes, new: bytes) -> int:
    libc = _libc()
    if sys.platform == "darwin":
        return int(libc.renamex_np(old, new, _RENAME_SWAP))
    if hasattr(libc, "renameat2"):
        return int(libc.renameat2(_AT_FDCWD, old, _AT_FDCWD, new, _RENAME_EXCHANGE))
    number = _RENAMEAT2.get(os.uname().machine)
    if number is None or not hasattr(libc, "syscall"):
        ctypes.set_errno(errno.ENOSYS)
        return -1
    return int(libc.syscall(number, _AT_FDCWD, old, _AT_FDCWD, new, _RENAME_EXCHANGE))


def exchange(one: Path, other: Path) -> bool:
    """Exchange two existing folders of one file system in one atomic step.

    Returns:
        False if the kernel or the file system cannot do that; nothing has changed then.

    Raises:
        OSError: it was refused for another reason; nothing has changed.
    """
    if _call(os.fsencode(one), os.fsencode(other)) == 0:
        return True
    number = ctypes.get_errno()
    if number in _UNSUPPORTED:
        return False
    raise OSError(number, os.strerror(number), str(one), None, str(other))


def sync_folder(folder: Path) -> None:
    """Make the entries of a folder durable.

    Raises:
        OSError: the device refused to write.
    """
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def sync_tree(folder: Path) -> None:
    """Make all that was written below a folder durable: one ``syncfs`` on Linux, else file by file.

    Raises:
        OSError: the device refused to write.
    """
    libc = _libc()
    if hasattr(libc, "syncfs"):
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            if libc.syncfs(descriptor) != 0:
                number = ctypes.get_errno()
                raise OSError(number, os.strerror(number), str(folder))
        finally:
            os.close(descriptor)
        return
    for base, _, names in os.walk(folder):
        for name in names:
            descriptor = os.open(Path(base, name), os.O_RDONLY | os.O_CLOEXEC)
            try:
                os.fsync(descriptor)
            finally:
                os.close(descriptor)
        sync_folder(Path(base))
