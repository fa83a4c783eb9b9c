"""Check objects, each against the strictest schema that is known for its kind, and count against what."""

from __future__ import annotations

from dataclasses import dataclass, replace
from difflib import get_close_matches
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any

from muster.diagnostics import diagnostic
from muster.render.validate import builtin, crd, errors, own, pods, rules
from muster.render.validate.faults import Fault
from muster.render.validate.schema import Schema, builtin_scope, document

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from muster.diagnostics import Diagnostic


@dataclass(frozen=True, slots=True)
class ValidationResult:
    """What was found, and what it rests on.

    Attributes:
        faults: what is wrong, in the order of the objects.
        names: what findings call each object, ``Job gpu/muster-x``.
        counts: how many objects were checked against what.
    """

    faults: tuple[Fault, ...]
    names: tuple[str, ...]
    counts: Mapping[str, int]

    @property
    def ok(self) -> bool:
        """Whether every object may be emitted."""
        return not self.faults

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """The faults as findings without positions."""
        return tuple(
            diagnostic(fault.code, f"{self._called(fault)} {fault.message}", path=fault.path, hint=fault.hint)
            for fault in self.faults
        )

    def _called(self, fault: Fault) -> str:
        name = "the site" if fault.index < 0 else self.names[fault.index]
        return f"{name}: {fault.path}" if fault.path else name


def validate_objects(
    objects: Sequence[Mapping[str, Any]], *, kubernetes: str, crds: Sequence[Mapping[str, Any]] = ()
) -> ValidationResult:
    """Check every object of a site: nothing that the API server would drop or refuse, nothing twice.

    Built-in kinds are checked against the OpenAPI of the site's minor version; custom kinds against the site's own
    CRDs, else against muster's closed schema of the fields it emits. A kind without either is a fault, and so is a
    check of no objects at all.

    Args:
        objects: all objects of one site, kustomization files among them.
        kubernetes: the version that the cluster runs, ``1.30.0``.
        crds: the site's CustomResourceDefinitions.

    Returns:
        Faults MU550-MU568 and the counts.
    """
    names = tuple(_called(item) for item in objects)
    minor = builtin.minor_of(kubernetes)
    known = builtin.known_minors()
    if minor is None or minor not in known:
        span = f"1.{known[0]} to 1.{known[-1]}" if known else "none"
        message = f"says Kubernetes {kubernetes!r}, for which there are no schemas; known are {span}"
        return ValidationResult((Fault("MU551", "", message),), names, {})
    custom = _Crds(crds)
    found = list(custom.faults)
    counts = dict.fromkeys((f"kubernetes 1.{minor} OpenAPI", crd.SOURCE, own.SOURCE), 0)
    seen: dict[tuple[str, ...], int] = {}
    applied = 0
    for index, item in enumerate(objects):
        schema = _find(item, minor, custom)
        if isinstance(schema, Schema):
            counts[schema.source] += 1
            applied += schema.scope != "File"
            found += [replace(fault, index=index) for fault in _check(item, schema, seen, index)]
        else:
            found.append(replace(schema, index=index))
    if applied == 0:
        found.append(
            Fault("MU550", "", f"has no Kubernetes object that was checked, of {len(objects)} given")
        )
    return ValidationResult(tuple(found), names, counts)


def _check(
    item: Mapping[str, Any], schema: Schema, seen: dict[tuple[str, ...], int], index: int
) -> Iterator[Fault]:
    if not schema.validator.is_valid(item):
        yield from errors.explain(schema, item)
        return
    if schema.scope == "File":
        return
    yield from rules.check(item, schema.scope)
    yield from pods.check(item)
    metadata = item["metadata"]
    group = item["apiVersion"].rpartition("/")[0]
    key = (group, item["kind"], str(metadata.get("namespace")), str(metadata.get("name")))
    first = seen.setdefault(key, index)
    if first != index:
        yield Fault("MU565", "", f"is there twice, as object {first + 1} and object {index + 1}")


def _called(item: Any) -> str:
    if not isinstance(item, dict):
        return "an object"
    metadata = item.get("metadata")
    metadata = metadata if isinstance(metadata, dict) else {}
    place = "/".join(str(metadata[part]) for part in ("namespace", "name") if metadata.get(part))
    return f"{item.get('kind')} {place}".rstrip()


def _find(item: Any, minor: int, custom: _Crds) -> Schema | Fault:
    api_version, kind = (item.get("apiVersion"), item.get("kind")) if isinstance(item, dict) else (None, None)
    if not isinstance(api_version, str) or not isinstance(kind, str) or not api_version or not kind:
        return Fault("MU552", "", f"has the apiVersion {api_version!r} and the kind {kind!r}")
    group, _, version = api_version.rpartition("/")
    versions = builtin.kinds(minor).get((group, kind))
    if versions is not None:
        if version in versions:
            return _builtin(group, version, kind, minor)
        return _no_version(api_version, versions, f"Kubernetes 1.{minor}")
    of_site = custom.find(group, version, kind, minor)
    if of_site is not None:
        return of_site
    ours = own.entries().get((group, kind))
    if ours is not None:
        if version in ours:
            return own.schema_of(group, version, kind, minor)
        return _no_version(api_version, ours, "muster's own schemas")
    near = get_close_matches(kind, [name for _, name in (*builtin.kinds(minor), *own.entries())], 1)
    hint = f"did you mean the kind {near[0]}?" if near else ""
    return Fault("MU553", "kind", f"is {kind!r} of {api_version!r}, which nothing here can check", hint)


def _no_version(api_version: str, versions: Iterable[str], where: str) -> Fault:
    message = f"is {api_version!r}; {where} has the kind in {', '.join(sorted(versions)) or 'no version'}"
    return Fault("MU554", "apiVersion", message)


@cache
def _builtin(group: str, version: str, kind: str, minor: int) -> Schema:
    definition = builtin.kinds(minor)[group, kind][version]
    root = {"$ref": f"kubernetes:{definition}", "required": ["metadata"]}
    return Schema(f"kubernetes 1.{minor} OpenAPI", builtin_scope(group, kind), document(root, minor))


class _Same:
    """A CRD that is equal to itself only, so that its closed schema can be kept."""

    __slots__ = ("crd",)

    def __init__(self, item: Mapping[str, Any]) -> None:
        self.crd = item

    def __hash__(self) -> int:
        return id(self.crd)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and other.crd is self.crd


@lru_cache(maxsize=64)
def _closed(item: _Same, version: str, minor: int) -> Schema:
    schema = crd.close(item.crd, version, minor)
    try:
        schema.validator  # noqa: B018 (compiles it)
    except ValueError as error:
        raise crd.CrdError(f"its schema cannot be used: {error}") from error
    return schema


class _Crds:
    """The CRDs of one site by group and kind."""

    def __init__(self, crds: Sequence[Mapping[str, Any]]) -> None:
        self.faults: list[Fault] = []
        self._by_kind: dict[tuple[str, str], _Same] = {}
        for number, item in enumerate(crds, 1):
            try:
                identity = crd.identity(item)
            except crd.CrdError as error:
                self.faults.append(Fault("MU556", "", f"has as CRD {number} {error}"))
                continue
            if identity in self._by_kind:
                self.faults.append(Fault("MU556", "", f"has two CRDs of {'/'.join(identity)}"))
            self._by_kind[identity] = _Same(item)

    def find(self, group: str, version: str, kind: str, minor: int) -> Schema | Fault | None:
        """Return the schema of a kind, what forbids to use it, or None where the site has no CRD of it."""
        item = self._by_kind.get((group, kind))
        if item is None:
            return None
        versions = crd.served(item.crd)
        if version not in versions:
            return _no_version(f"{group}/{version}", versions, "the site's CRD")
        try:
            return _closed(item, version, minor)
        except crd.CrdError as error:
            return Fault(
                "MU555" if error.hollow else "MU556", "kind", f"has a CRD that is of no use: {error}"
            )
