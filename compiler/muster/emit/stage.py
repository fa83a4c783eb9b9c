"""Build the new tree beside the old one and put it in its place in one step.

The staging folder lies beside the output, ``.<output>.muster-<eight letters>``, and holds the copy of the deepest
folder that has all changes: hard links for what stays, new files for what changes. One exchange then shows the whole
change. A run that is killed leaves the old tree or the new one, and a staging folder that the next run removes.

Where the file system cannot exchange (NFS, some network disks), two renames do it: between them the folder is
absent, and the next run puts the old one back if the process was killed there.
"""

from __future__ import annotations

import contextlib
import errno
import os
import re
import shutil
import stat
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from muster.emit.exchange import exchange, sync_folder, sync_tree
from muster.emit.paths import folders_of, is_safe

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from muster.emit.scan import Tree

FILE_MODE, FOLDER_MODE = 0o644, 0o755
_PARTS = {"new", "old", "target"}
_NO_LINK = {
    errno.EPERM,
    errno.EMLINK,
    errno.EXDEV,
    errno.ENOTSUP,
    errno.EOPNOTSUPP,
    errno.ENOSYS,
    errno.EACCES,
}


def apply(output: Path, tree: Tree, write: Mapping[str, bytes], remove: Collection[str]) -> str:
    """Write and remove files so that no moment shows a mixture.

    Args:
        output: the output folder; its parent exists.
        tree: what lies in it now.
        write: bytes by path.
        remove: paths of files to remove; folders that get empty go too.

    Returns:
        The path of a staging folder that could not be removed afterwards, else an empty text.

    Raises:
        OSError: a step was refused; the output is as it was, the staging folder is gone.
    """
    staging = Path(tempfile.mkdtemp(prefix=_prefix(output), dir=output.parent))
    try:
        if len(write) == 1 and not remove and next(iter(write)) in tree.files:
            ((path, data),) = write.items()
            _replace_file(output / path, data, staging)
        else:
            target = _target(tree, write, remove)
            _build(output, target, staging / "new", write, remove)
            sync_tree(staging)
            _install(output, target, staging)
    finally:
        shutil.rmtree(staging, ignore_errors=True)
    return str(staging) if staging.exists() else ""


def recover(output: Path) -> None:
    """Remove what killed runs left, and put back a folder that one of them had moved away.

    Call it with the lock held only: a staging folder of a running compile looks the same.

    Raises:
        OSError: a step was refused.
    """
    name = re.compile(re.escape(_prefix(output)) + r"[a-z0-9_]{8}")
    for staging in sorted(output.parent.iterdir()):
        if not name.fullmatch(staging.name) or staging.is_symlink() or not staging.is_dir():
            continue
        if any(entry.name not in _PARTS for entry in staging.iterdir()):
            continue
        moved, record = staging / "old", staging / "target"
        if moved.is_dir() and record.is_file():
            target = record.read_text("utf-8")
            place = output / target if target else output
            if (not target or is_safe(target)) and not place.exists():
                moved.rename(place)
                sync_folder(place.parent)
        shutil.rmtree(staging)


def _prefix(output: Path) -> str:
    return f".{output.name}.muster-"


def _target(tree: Tree, write: Mapping[str, bytes], remove: Collection[str]) -> str:
    """Return the deepest folder that has all changes, is not emptied by them and has a parent to be put in.

    An empty text stands for the output folder itself.
    """
    if not tree.exists:
        return ""
    parents = [f"/{path}".rpartition("/")[0] or "/" for path in (*write, *remove)]
    target = os.path.commonpath(parents).removeprefix("/")
    after = (tree.files - set(remove)) | set(write)
    while target:
        parent = target.rpartition("/")[0]
        has_parent = not parent or parent in tree.folders
        if has_parent and any(path.startswith(f"{target}/") for path in after):
            return target
        target = parent
    return ""


def _build(output: Path, target: str, new: Path, write: Mapping[str, bytes], remove: Collection[str]) -> None:
    """Make the new content of ``target`` in the folder ``new``."""
    prefix = f"{target}/" if target else ""
    source = output / target
    if source.exists():
        _copy_folder(source, new)
        _mirror(str(source), str(new), prefix, {*write, *remove})
    else:
        _make_folder(new)
    made = {""}
    for path in sorted(write):
        name = path[len(prefix) :]
        for folder in sorted(folders_of(name)):
            if folder not in made:
                made.add(folder)
                with contextlib.suppress(FileExistsError):
                    _make_folder(new / folder)
        _write_file(f"{new}/{name}", write[path])
    for path in sorted(remove):
        for folder in folders_of(path[len(prefix) :]):
            if not _drop_if_empty(new / folder):
                break


def _mirror(source: str, copy: str, prefix: str, leave: set[str]) -> None:
    """Link every file below a folder into a copy of it, but for some paths."""
    with os.scandir(source) as entries:
        for entry in entries:
            path, to = prefix + entry.name, f"{copy}/{entry.name}"
            if entry.is_dir(follow_symlinks=False):
                _copy_folder(Path(entry.path), Path(to))
                _mirror(entry.path, to, path + "/", leave)
            elif path not in leave:
                _link(entry.path, to)


def _link(source: str, to: str) -> None:
    try:
        os.link(source, to, follow_symlinks=False)
    except OSError as error:
        if error.errno not in _NO_LINK:
            raise
        shutil.copyfile(source, to, follow_symlinks=False)


def _copy_folder(source: Path, to: Path) -> None:
    """Make an empty folder with the mode of another, and with its owner as far as the system lets us."""
    like = source.stat()
    to.mkdir(0o700)
    to.chmod(stat.S_IMODE(like.st_mode) | 0o700)
    if (like.st_uid, like.st_gid) != (os.geteuid(), os.getegid()):
        with contextlib.suppress(PermissionError):
            os.chown(to, like.st_uid, like.st_gid)


def _make_folder(path: Path) -> None:
    path.mkdir(FOLDER_MODE)
    path.chmod(FOLDER_MODE)


def _drop_if_empty(folder: Path) -> bool:
    """Remove a folder if it is there and empty; tell whether the one above may be empty now."""
    try:
        folder.rmdir()
    except FileNotFoundError:
        return True
    except OSError as error:
        if error.errno not in {errno.ENOTEMPTY, errno.EEXIST}:
            raise
        return False
    return True


def _write_file(path: str, data: bytes) -> None:
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    descriptor = os.open(path, flags, FILE_MODE)
    try:
        view = memoryview(data)
        while view:
            view = view[os.write(descriptor, view) :]
        os.fchmod(descriptor, FILE_MODE)
    finally:
        os.close(descriptor)


def _replace_file(path: Path, data: bytes, staging: Path) -> None:
    """Replace one file; the rename alone is atomic."""
    fresh = staging / "new"
    _write_file(str(fresh), data)
    descriptor = os.open(fresh, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
    fresh.replace(path)
    sync_folder(path.parent)


def _install(output: Path, target: str, staging: Path) -> None:
    place, new = output / target if target else output, staging / "new"
    if not place.exists():
        new.rename(place)
    elif not exchange(new, place):
        _install_in_two_steps(place, target, staging)
    sync_folder(place.parent)


def _install_in_two_steps(place: Path, target: str, staging: Path) -> None:
    """Move the old folder away and the new one in, with a record of where it belongs."""
    record, old = staging / "target", staging / "old"
    record.write_text(target, "utf-8")
    sync_tree(staging)
    place.rename(old)
    try:
        (staging / "new").rename(place)
    except OSError:
        old.rename(place)
        raise
