"""Bind evidence to one desired test: by its record lines or by what a user declares, never by a guess."""

from __future__ import annotations

import difflib
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from muster.diagnostics import diagnostic
from muster.diagnostics.escape import clip, visible

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from muster.diagnostics import Diagnostic, Position

Kind = Literal["record", "options", "orphan"]
_NAME = re.compile(r"[a-z0-9](?:[a-z0-9.-]{0,61}[a-z0-9])?")
_NODE = re.compile(r"[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?")
_DIGEST = re.compile(r"sha256:[0-9a-f]{64}")
NOTED = frozenset({"MU824", "MU825", "MU829", "MU857"})
_SCOPES = frozenset({"node", "pair", "domain", "cross-domain", "pool"})
_SHOWN = 10


@dataclass(frozen=True, slots=True)
class Declared:
    """What a user says of files that do not say it themselves; None and empty mean: not said.

    Attributes:
        site: name of the site; needed together with ``test`` to bind.
        test: name of the test in the site file.
        pool: name of the pool, where several run the test.
        unit: the nodes that the attempt ran on.
        digest: the measurement digest, where plans of several ages are given.
        attempt: a name that tells this attempt from others with the very same files.
        exit_code: how the attempt ended, 0 to 255.
        signal: the signal that ended it.
        timed_out: whether a time limit ended it.
        start: RFC 3339 time with offset.
        end: RFC 3339 time with offset.
        round: the round that all the files are of.
        synthetic: the figures were made, not measured.
        reason: why it ended as it did, one line.
        note: anything else worth keeping, one line.
        hosts: node names by the host names that logs use, where these differ.
        nodes: node names by the names of files that are of one node.
        position: where it is declared.
    """

    site: str | None = None
    test: str | None = None
    pool: str | None = None
    unit: tuple[str, ...] | None = None
    digest: str | None = None
    attempt: str | None = None
    exit_code: int | None = None
    signal: int | None = None
    timed_out: bool | None = None
    start: str | None = None
    end: str | None = None
    round: int | None = None
    synthetic: bool = False
    reason: str | None = None
    note: str | None = None
    hosts: Mapping[str, str] = field(default_factory=dict)
    nodes: Mapping[str, str] = field(default_factory=dict)
    position: Position | None = None

    @property
    def binds(self) -> bool:
        """Whether it names a test."""
        return self.test is not None

    def as_json(self) -> dict[str, Any] | None:
        """Return what was said, for the record; None when nothing was."""
        values: dict[str, Any] = {
            "site": self.site,
            "test": self.test,
            "pool": self.pool,
            "unit": sorted(self.unit) if self.unit else None,
            "digest": self.digest,
            "attempt": self.attempt,
            "exitCode": self.exit_code,
            "signal": self.signal,
            "timedOut": self.timed_out,
            "start": self.start,
            "end": self.end,
            "round": self.round,
            "synthetic": self.synthetic or None,
            "reason": self.reason,
            "note": self.note,
            "hosts": dict(sorted(self.hosts.items())) or None,
            "nodes": dict(sorted(self.nodes.items())) or None,
        }
        return {key: value for key, value in values.items() if value is not None} or None


def declared_of(found: Mapping[str, Any] | None) -> Declared:
    """Return what a record says was declared; the inverse of `Declared.as_json`."""
    said = found or {}
    return Declared(
        site=said.get("site"),
        test=said.get("test"),
        pool=said.get("pool"),
        unit=tuple(said["unit"]) if "unit" in said else None,
        digest=said.get("digest"),
        attempt=said.get("attempt"),
        exit_code=said.get("exitCode"),
        signal=said.get("signal"),
        timed_out=said.get("timedOut"),
        start=said.get("start"),
        end=said.get("end"),
        round=said.get("round"),
        synthetic=said.get("synthetic", False),
        reason=said.get("reason"),
        note=said.get("note"),
        hosts=said.get("hosts", {}),
        nodes=said.get("nodes", {}),
    )


@dataclass(frozen=True, slots=True)
class Bound:
    """What evidence belongs to.

    Attributes:
        kind: by record lines, by options, or to nothing.
        identity: site, pool, test, scope, unit and digest; None where not known.
        marker: the name of the attempt; empty when it has none.
        measurement: the measurement of the plan with this digest; None when no plan has it.
        nodes: all nodes of the plans' pools, to know a foreign host by.
        findings: what the user must know; an error means that the evidence must not be archived.
    """

    kind: Kind
    identity: dict[str, Any]
    marker: str = ""
    measurement: dict[str, Any] | None = None
    nodes: frozenset[str] = frozenset()
    findings: tuple[Diagnostic, ...] = ()


def orphan(site: str | None = None, *findings: Diagnostic, marker: str = "") -> Bound:
    """Return the binding of evidence that belongs to nothing that is known."""
    identity: dict[str, Any] = {
        "site": site,
        "pool": None,
        "test": None,
        "scope": None,
        "unit": [],
        "digest": None,
    }
    return Bound("orphan", identity, marker, findings=findings)


class Plans:
    """The desired tests of the plans at hand, by digest and by name."""

    def __init__(self, plans: Sequence[Mapping[str, Any]]) -> None:
        every = [item for plan in plans for item in plan["desired"]]
        self.desired = list({(item["id"], item["digest"]): item for item in every}.values())
        self.nodes = frozenset(
            node for plan in plans for pool in plan.get("pools", {}).values() for node in pool["nodes"]
        )
        self._by_digest: dict[str, list[Mapping[str, Any]]] = {}
        for item in self.desired:
            self._by_digest.setdefault(item["digest"], []).append(item)

    def of_digest(self, digest: str) -> list[Mapping[str, Any]]:
        """Return the desired tests with a measurement digest."""
        return self._by_digest.get(digest, [])


def identity_of_record(record: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the identity that a begin or excluded record gives, None when a part has not its exact form."""
    unit = record.get("unit")
    if not isinstance(unit, list) or not unit or len(unit) > 100_000:
        return None
    named = all(_matches(_NAME, record.get(key)) for key in ("site", "pool", "test"))
    nodes = all(_matches(_NODE, node) for node in unit) and len(set(unit)) == len(unit)
    if not named or not nodes or record.get("scope") not in _SCOPES:
        return None
    if not _matches(_DIGEST, record.get("digest")):
        return None
    return {
        **{key: record[key] for key in ("site", "pool", "test", "scope")},
        "unit": sorted(unit),
        "digest": record["digest"],
    }


def _matches(pattern: re.Pattern[str], value: object) -> bool:
    return isinstance(value, str) and pattern.fullmatch(value) is not None


def is_site_name(value: object) -> bool:
    """Tell whether a value has the form of a site's name."""
    return _matches(_NAME, value)


def bind_record(record: Mapping[str, Any], declared: Declared, plans: Plans) -> Bound:
    """Bind by a begin or excluded record.

    A digest that no plan has is kept: it is evidence for another measurement. What is declared must not
    contradict the record.
    """
    identity = identity_of_record(record)
    marker = visible(clip(str(record.get("attempt") or ""), 200))
    if identity is None:
        found = diagnostic("MU829", "a record line has a site, test, node or digest that cannot be one")
        return orphan(None, found, marker=marker)
    findings = _contradictions(identity, marker, declared)
    known = plans.of_digest(identity["digest"])
    same = [item for item in known if item["test"] == identity["test"]] or known
    measurement = dict(same[0]["measurement"]) if same else None
    if same and any(same[0].get(key) != identity[key] for key in ("site", "pool", "test", "unit")):
        findings.append(_stranger(identity, same[0]))
    if not known:
        text = f"{identity['site']}/{identity['pool']}/{identity['test']}: digest {identity['digest'][7:19]}"
        findings.append(diagnostic("MU825", f"{text} is in none of the given plans"))
    return Bound("record", identity, marker, measurement, plans.nodes, tuple(findings))


def _stranger(identity: Mapping[str, Any], desired: Mapping[str, Any]) -> Diagnostic:
    name = f"{identity['site']}/{identity['pool']}/{identity['test']}/{'+'.join(identity['unit'])}"
    text = f"the log says {clip(name, 160)}, its digest is of {clip(str(desired['id']), 160)}"
    return diagnostic("MU857", text)


def _contradictions(identity: Mapping[str, Any], marker: str, declared: Declared) -> list[Diagnostic]:
    said = {
        "site": declared.site,
        "test": declared.test,
        "pool": declared.pool,
        "unit": sorted(declared.unit) if declared.unit else None,
        "digest": declared.digest,
    }
    found = {**identity, "attempt": marker}
    said["attempt"] = declared.attempt if marker else None
    return [
        contradiction(key, value, found[key], declared)
        for key, value in said.items()
        if value is not None and value != found[key]
    ]


def contradiction(what: str, said: object, found: object, declared: Declared) -> Diagnostic:
    """Return the finding that an option and the log disagree (MU822)."""
    text = (
        f"{what} {visible(clip(str(said), 120))} is declared, the log says {visible(clip(str(found), 120))}"
    )
    return diagnostic("MU822", text, declared.position)


def bind_declared(declared: Declared, plans: Plans) -> Bound:
    """Bind by what a user declares; an orphan with an error when it names none or several tests."""
    site = [item for item in plans.desired if declared.site in (None, item["site"])]
    found = [item for item in site if _fits(item, declared)]
    if len(found) == 1:
        item = found[0]
        identity = {key: item[key] for key in ("site", "pool", "test", "scope")}
        identity |= {"unit": sorted(item["unit"]), "digest": item["digest"]}
        return Bound("options", identity, declared.attempt or "", dict(item["measurement"]), plans.nodes)
    wanted = visible(clip(_wanted(declared), 200))
    if found:
        text = f"{wanted} fits {len(found)} desired tests: {_listed([_called(item) for item in found])}"
        return orphan(None, diagnostic("MU821", text, declared.position))
    near = [_called(item) for item in site if item["test"] == declared.test] or _near(declared, plans)
    text = f"no desired test fits {wanted}; candidates: {_listed(near) or 'none, the plans are empty'}"
    return orphan(None, diagnostic("MU820", text, declared.position))


def _fits(item: Mapping[str, Any], declared: Declared) -> bool:
    return (
        item["test"] == declared.test
        and declared.pool in (None, item["pool"])
        and declared.digest in (None, item["digest"])
        and (declared.unit is None or sorted(declared.unit) == sorted(item["unit"]))
    )


def _wanted(declared: Declared) -> str:
    parts = [("site", declared.site), ("test", declared.test), ("pool", declared.pool)]
    text = ", ".join(f"{key} {value}" for key, value in parts if value)
    unit = f", unit {'+'.join(sorted(declared.unit))}" if declared.unit else ""
    return text + unit + (f", digest {declared.digest}" if declared.digest else "")


def _called(item: Mapping[str, Any]) -> str:
    return f"{item['id']} ({item['digest'][:19]})"


def _near(declared: Declared, plans: Plans) -> list[str]:
    names = sorted({item["test"] for item in plans.desired if declared.site in (None, item["site"])})
    close = difflib.get_close_matches(declared.test or "", names, n=3, cutoff=0.4) or names
    return [f"test {name}" for name in close] or sorted({f"site {item['site']}" for item in plans.desired})


def _listed(names: Sequence[str]) -> str:
    more = len(names) - _SHOWN
    shown = ", ".join(visible(clip(name, 200)) for name in names[:_SHOWN])
    return shown + (f" and {more} more" if more > 0 else "")
