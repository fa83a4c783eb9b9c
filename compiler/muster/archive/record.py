"""The evidence record: its types, its identity, its checksum, its schema."""

from __future__ import annotations

import hashlib
import json
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Literal, NotRequired, TypedDict

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from muster.archive.note import Note

SCHEMA = "muster.dev/evidence/v1"


class Identity(TypedDict):
    """What an attempt is evidence for; None where that is not known."""

    site: str | None
    pool: str | None
    test: str | None
    scope: str | None
    unit: list[str]
    digest: str | None


class Attempt(TypedDict):
    """One execution: RFC 3339 times, exit code 0 to 255, rounds in order."""

    id: str
    name: str | None
    start: str | None
    end: str | None
    exitCode: int | None
    signal: int | None
    timedOut: bool
    reason: str | None
    rounds: list[dict[str, Any]]


class SourceFile(TypedDict):
    """One raw file.

    Hashes are hexadecimal and of the uncompressed bytes, ``originalSha256`` of those before secrets were taken
    out.
    """

    file: str
    name: str
    tool: str | None
    toolVersion: str | None
    sha256: str
    originalSha256: str
    bytes: int
    redactions: int
    document: bool
    parser: str | None
    state: str


class Record(TypedDict):
    """An evidence record, as ``record.json`` holds it."""

    schema: str
    identity: Identity
    binding: Literal["record", "options", "orphan"]
    synthetic: bool
    declared: dict[str, Any] | None
    attempt: Attempt
    measurement: dict[str, Any] | None
    environment: dict[str, Any]
    command: list[str] | None
    parameters: dict[str, Any]
    runs: list[dict[str, Any]]
    checks: list[dict[str, Any]]
    rows: list[dict[str, Any]]
    steps: Any
    goodput: Any
    transport: dict[str, Any] | None
    coverage: dict[str, Any]
    sources: list[SourceFile]
    state: Literal["complete", "incomplete", "errored", "unreadable", "excluded"]
    notes: list[Note]
    checksum: NotRequired[str]


def canonical(value: Any) -> bytes:
    """Return JSON with sorted keys and no blanks: equal data gives equal bytes.

    Raises:
        ValueError: a number is not finite.
    """
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False).encode("ascii")


def attempt_id(
    originals: Sequence[str], identity: Mapping[str, Any], marker: str, declared: Mapping[str, Any] | None
) -> str:
    """Return the id of an attempt: the same files with the same claims give the same, all else another.

    Args:
        originals: sha256 of each file as it came.
        identity: what it is evidence for.
        marker: the name of the attempt.
        declared: what the user said of it.
    """
    origin = [sorted(originals), dict(identity), marker, declared]
    return "a" + hashlib.sha256(canonical(origin)).hexdigest()[:20]


def checksum(record: Mapping[str, Any]) -> str:
    """Return the checksum of a record over everything but the checksum itself."""
    rest = {key: value for key, value in record.items() if key != "checksum"}
    return "sha256:" + hashlib.sha256(canonical(rest)).hexdigest()


def encode(record: Record) -> bytes:
    """Return the bytes of ``record.json``, with its checksum.

    Raises:
        ValueError: the record does not fit its own schema, which is a bug.
    """
    whole = {**record, "checksum": checksum(record)}
    found = next(iter(_validator().iter_errors(whole)), None)
    if found is not None:
        raise ValueError(
            f"the record does not fit its schema at {list(found.instance_path)}: {found.message[:300]}"
        )
    return canonical(whole) + b"\n"


class DamagedError(ValueError):
    """The bytes of a record are not what muster wrote."""


def decode(data: bytes, path: str) -> Record:
    """Return the record of the bytes of a ``record.json``.

    Args:
        data: the bytes.
        path: where it lies, ``v1/<site>/<digest>/<attempt>/record.json``; the record must say the same.

    Raises:
        DamagedError: no JSON, no record of this version, another checksum, another place.
    """
    try:
        record = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise DamagedError("it is not JSON") from error
    found = next(iter(_validator().iter_errors(record)), None)
    if found is not None:
        raise DamagedError(f"it does not fit the schema at /{'/'.join(map(str, found.instance_path))}")
    if record.get("checksum") != checksum(record):
        raise DamagedError("its checksum does not fit its content")
    identity = record["identity"]
    digest = (identity["digest"] or "orphan").removeprefix("sha256:")
    place = f"{identity['site'] or '_'}/{digest}/{record['attempt']['id']}"
    if path.split("/")[1:4] != place.split("/"):
        raise DamagedError(f"it says that it is {place}")
    good: Record = record
    return good


def schema_text() -> str:
    """Return the JSON Schema of a record, as it is published."""
    return (files("muster.archive") / "evidence.schema.json").read_text(encoding="utf-8")


def schema() -> dict[str, Any]:
    """Return the JSON Schema of a record (draft 2020-12)."""
    found: dict[str, Any] = json.loads(schema_text())
    return found


@cache
def _validator() -> Any:
    import jsonschema_rs

    return jsonschema_rs.Draft202012Validator(schema())
