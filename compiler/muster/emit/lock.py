"""``<site>/lock.json``: what muster wrote for a site, from which inputs, with which versions.

It is the ownership map: only what a lock lists is ever replaced or deleted. JSON with one entry per line and
sorted keys, so that a review shows what changed; count and digest of the entries show a lock that was cut or
edited.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from muster.diagnostics import InputFault, Position, diagnostic
from muster.emit.paths import is_safe

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from muster.diagnostics import Diagnostic

API_VERSION = "muster.dev/lock/v1"
NAME = "lock.json"


@dataclass(frozen=True, slots=True)
class Lock:
    """The checked content of a lock.

    Attributes:
        site: the site, which is the folder of the lock.
        owned: path below the output folder -> sha256 of the bytes written, in hex; not the lock itself.
        inputs: what the site was compiled from -> its digest.
        versions: tool -> version.
    """

    site: str
    owned: Mapping[str, str]
    inputs: Mapping[str, str]
    versions: Mapping[str, str]


def path_of(site: str) -> str:
    """Return the path of the lock of a site below the output folder."""
    return f"{site}/{NAME}"


def sha256(data: bytes) -> str:
    """Return the digest that locks hold, in hex."""
    return hashlib.sha256(data).hexdigest()


def _digest(owned: Mapping[str, str]) -> str:
    return "sha256:" + sha256("".join(f"{path} {owned[path]}\n" for path in sorted(owned)).encode())


def build_lock(
    site: str, files: Mapping[str, bytes], inputs: Mapping[str, str], versions: Mapping[str, str]
) -> bytes:
    """Return the lock of a site: deterministic JSON, one entry per line, sorted.

    Args:
        site: the name of the site.
        files: all files of the site by path below the output folder, without the lock itself.
        inputs: name of each input -> its digest.
        versions: tool -> version.

    Raises:
        ValueError: ``files`` holds the lock itself.
    """
    if path_of(site) in files:
        raise ValueError("a lock cannot hold its own digest")
    owned = {path: sha256(data) for path, data in files.items()}
    content = {
        "apiVersion": API_VERSION,
        "site": site,
        "versions": dict(versions),
        "inputs": dict(inputs),
        "count": len(owned),
        "digest": _digest(owned),
        "owned": owned,
    }
    return (json.dumps(content, indent=1, sort_keys=True) + "\n").encode()


def parse_lock(site: str, data: bytes) -> Lock:
    """Read a lock and check it.

    Raises:
        ValueError: it is cut, edited, of another site or version, or lists a path that is not allowed.
    """
    try:
        content = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"no complete JSON ({error})") from error
    if not isinstance(content, dict) or content.get("apiVersion") != API_VERSION:
        raise ValueError(f"no lock of version {API_VERSION}")
    if content.get("site") != site:
        raise ValueError(f"the lock of site {content.get('site')!r}, not of {site!r}")
    owned, inputs, versions = (_texts(content, name) for name in ("owned", "inputs", "versions"))
    unsafe = next((path for path in owned if not is_safe(path)), None)
    if unsafe is not None:
        raise ValueError(f"it claims the path {unsafe!r}")
    if content.get("count") != len(owned) or content.get("digest") != _digest(owned):
        raise ValueError("count or digest of its entries do not match: it was cut or edited")
    return Lock(site, owned, inputs, versions)


def _texts(content: Mapping[str, Any], name: str) -> dict[str, str]:
    value = content.get(name)
    if not isinstance(value, dict) or not all(isinstance(item, str) for item in value.values()):
        raise ValueError(f"{name} is no map of strings")
    return value


def read_locks(output: Path, shown: str = "") -> tuple[dict[str, Lock], list[Diagnostic]]:
    """Read the locks of all sites in an output folder.

    Args:
        output: the output folder; one that does not exist has no locks.
        shown: how findings call the folder; its path unless given.

    Returns:
        The locks by site, and a finding for each lock that cannot be trusted and each path that two locks claim.

    Raises:
        OSError: the folder cannot be read.
    """
    locks: dict[str, Lock] = {}
    found: list[Diagnostic] = []
    owners: dict[str, str] = {}
    for path in sorted(output.glob(f"*/{NAME}")) if output.is_dir() else []:
        site = path.parent.name
        place = Position(f"{shown or output}/{path_of(site)}", 1, 1)
        try:
            lock = parse_lock(site, path.read_bytes())
        except ValueError as error:
            found.append(diagnostic("MU604", f"{path_of(site)}: {error}", place, site=site))
            continue
        for name in sorted(lock.owned):
            other = owners.setdefault(name, site)
            if other != site:
                message = f"{name} is claimed by {path_of(other)} and {path_of(site)}"
                found.append(diagnostic("MU604", message, place, site=site, path=name))
        locks[site] = lock
    return locks, found


def merge(parts: Mapping[str, Mapping[str, bytes]]) -> dict[str, bytes]:
    """Put the files of several producers together.

    Args:
        parts: producer, as messages name it -> its files by path.

    Raises:
        InputFault: two producers make one path (MU602); both are named.
    """
    made: dict[str, bytes] = {}
    maker: dict[str, str] = {}
    found: list[Diagnostic] = []
    for producer, files in parts.items():
        for path, data in files.items():
            other = maker.setdefault(path, producer)
            if other != producer:
                found.append(diagnostic("MU602", f"{path} is made by {other} and by {producer}", path=path))
            made[path] = data
    if found:
        raise InputFault(found)
    return made
