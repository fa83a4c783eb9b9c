"""Let one compile at a time write an output folder."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import time
from typing import TYPE_CHECKING

from muster.diagnostics import EnvironmentFault, diagnostic

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_PAUSE = 0.05
_NO_FOLDER_LOCK = {errno.EBADF, errno.EINVAL, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EISDIR}


@contextlib.contextmanager
def exclusive(output: Path, shown: str, wait: float) -> Iterator[None]:
    """Hold the lock of an output folder: ``flock`` on its parent folder, which leaves no file.

    Where folders cannot be locked (NFS), a file ``.<output>.muster-lock`` beside the output is, and stays. The
    system drops the lock when the process ends, in whatever way.

    Args:
        output: the output folder; it need not exist, its parent must.
        shown: how findings call it.
        wait: seconds to wait for another compile.

    Raises:
        EnvironmentFault: another compile holds the lock for longer (MU620).
        OSError: the lock cannot be had at all.
    """
    with contextlib.ExitStack() as stack:
        descriptor = os.open(output.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        stack.callback(os.close, descriptor)
        try:
            held = _acquire(descriptor, wait)
        except OSError as error:
            if error.errno not in _NO_FOLDER_LOCK:
                raise
            beside = output.parent / f".{output.name}.muster-lock"
            descriptor = os.open(beside, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o644)
            stack.callback(os.close, descriptor)
            held = _acquire(descriptor, wait)
        if not held:
            message = f"another compile has been writing {shown} for more than {wait:g} s"
            raise EnvironmentFault(diagnostic("MU620", message))
        yield


def _acquire(descriptor: int, wait: float) -> bool:
    for _ in range(max(1, round(wait / _PAUSE))):
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            time.sleep(_PAUSE)
        else:
            return True
    return False
