"""Turn the address of an archive into a store."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from muster.archive.local import LocalStore
from muster.diagnostics import EnvironmentFault, InputFault, diagnostic
from muster.diagnostics.escape import visible

if TYPE_CHECKING:
    from collections.abc import Mapping

    from muster.archive.store import Store


@dataclass(frozen=True, slots=True)
class Archive:
    """An opened archive: its address as it may be shown, and its store."""

    url: str
    store: Store


def open_archive(url: str, env: Mapping[str, str], *, create: bool = False) -> Archive:
    """Open an archive; nothing is written and no store is asked yet.

    Args:
        url: a directory, ``file:///path``, or ``s3://``, ``gs://``, ``az://`` with bucket and prefix.
        env: the environment, for endpoint and credentials of an object store.
        create: whether a directory that does not exist may be made by the first write.

    Raises:
        InputFault: no address of an archive (MU800), or one with credentials (MU801).
        EnvironmentFault: the directory does not exist (MU802), obstore is missing (MU807).
    """
    if "://" not in url:
        return _local(Path(url), create)
    scheme, _, rest = url.partition("://")
    if "@" in rest or "?" in rest or "#" in rest:
        shown = f"{visible(scheme)}://***"
        raise InputFault(diagnostic("MU801", f"the address {shown} holds a user name, a password or a query"))
    if scheme == "file":
        parts = urlsplit(url)
        if parts.netloc not in {"", "localhost"}:
            raise InputFault(diagnostic("MU800", f"{visible(url)} names a host"))
        return _local(Path(unquote(parts.path)), create)
    from muster.archive.objectstore import SCHEMES, ObjectStore

    if scheme not in SCHEMES or not rest.strip("/"):
        raise InputFault(diagnostic("MU800", f"{visible(url)} is not the address of an archive"))
    store = ObjectStore(url.rstrip("/"), env)
    return Archive(store.url, store)


def _local(path: Path, create: bool) -> Archive:
    if not str(path).strip() or str(path) == ".":
        raise InputFault(diagnostic("MU800", "the address of the archive is empty"))
    if path.exists() and not path.is_dir():
        raise EnvironmentFault(diagnostic("MU802", f"{visible(str(path))} is not a directory"))
    if not create and not path.exists():
        raise EnvironmentFault(diagnostic("MU802", f"there is no directory {visible(str(path))}"))
    store = LocalStore(path)
    return Archive(store.url, store)
