"""The values of a site in muster's own grammars: what a pattern lets pass and no reader can use is refused here.

Patterns of the schema say how a value looks; the grammars of ``muster.site.units`` say what it is: ``9999y`` is a
duration by its looks, and longer than any clock counts.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from muster.site.names import label_key_problem, label_value_problem, shown, subdomain_problem
from muster.site.units import (
    UnitError,
    canonical_quantity,
    parse_bytes,
    parse_date,
    parse_duration,
    parse_percent,
    parse_rate,
    parse_version,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from muster.site.positions import Path as Steps


def _time_span(value: object) -> None:
    if parse_duration(value) == 0:
        raise UnitError(f"{shown(str(value))} is no time at all", "give a duration above zero")


def _figure(value: object) -> None:
    if re.fullmatch(r"[-+]?[0-9.]{1,20}", str(value)):
        raise UnitError(f"{value} has no unit", "write the figure with its unit, such as 427.58GB/s or 4.7us")
    parse_rate(value)


def _bound(value: object) -> None:
    if isinstance(value, str) and value.endswith("%"):
        parse_percent(value)
    else:
        _figure(value)


def _whole(value: object) -> None:
    canonical_quantity(value, whole=True)


def _folder(value: object) -> None:
    parts = str(value).split("/")
    if any(part in {"", ".", ".."} for part in parts):
        raise UnitError(f"{shown(str(value))} is not a folder inside a repository", "write it like a/b")


def _revision(value: object) -> None:
    if ".." in str(value) or "//" in str(value) or str(value).endswith(("/", ".", ".lock")):
        raise UnitError(f"{shown(str(value))} cannot be a branch, a tag or a commit")


def _address(value: object) -> None:
    user, at, _ = str(value).partition("://")[2].partition("/")[0].rpartition("@")
    if at and (":" in user or str(value).startswith("https://")):
        raise UnitError("the address holds credentials", "give them to the delivery engine as a Secret")
    if not _URL.fullmatch(str(value)):
        raise UnitError(f"{shown(str(value))} holds a character that no address has")


def _transport(value: object) -> None:
    if str(value) != str(value).strip() or "  " in str(value):
        raise UnitError(f"{shown(str(value))} holds a blank too many", "write it as NCCL does: NET/IB")


def _checked(problem: Callable[[str], str | None], what: str) -> Callable[[object], None]:
    def check(value: object) -> None:
        found = problem(value) if isinstance(value, str) else None
        if found:
            raise UnitError(f"{shown(str(value))} cannot be {what}: {found}")

    return check


_NODE = _checked(subdomain_problem, "the name of a node")
_LABEL = _checked(label_value_problem, "the value of a label")
_KEY = _checked(label_key_problem, "the key of a label")
_RESOURCE = _checked(label_key_problem, "the name of a resource")
_URL = re.compile(r"[A-Za-z0-9._~:/?#@!&*+,;=%\[\]-]+")

_FIELDS: tuple[tuple[str, Callable[[object], object]], ...] = (
    ("metadata.labels.*", _LABEL),
    ("metadata.labels.~", _KEY),
    ("spec.validFor", _time_span),
    ("spec.budget.deadline", _time_span),
    ("spec.cluster.kubernetes", parse_version),
    ("spec.cluster.components.*", parse_version),
    ("spec.cluster.prometheus.ruleLabels.*", _LABEL),
    ("spec.cluster.prometheus.ruleLabels.~", _KEY),
    ("spec.cluster.prometheus.monitorLabels.*", _LABEL),
    ("spec.cluster.prometheus.monitorLabels.~", _KEY),
    ("spec.cluster.prometheus.dcgmExporter.labels.*", _LABEL),
    ("spec.cluster.prometheus.dcgmExporter.labels.~", _KEY),
    ("spec.cluster.prometheus.dashboards.labels.*", _LABEL),
    ("spec.cluster.prometheus.dashboards.labels.~", _KEY),
    ("spec.delivery.path", _folder),
    ("spec.delivery.repoURL", _address),
    ("spec.delivery.revision", _revision),
    ("spec.delivery.server", _address),
    ("spec.software.*", parse_version),
    ("spec.pools.*.gpu.memory", _whole),
    ("spec.pools.*.gpu.resource", _RESOURCE),
    ("spec.pools.*.fabric.resource", _RESOURCE),
    ("spec.pools.*.fabric.rate", _figure),
    ("spec.pools.*.nodes.names.*", _NODE),
    ("spec.pools.*.nodes.labels.*", _LABEL),
    ("spec.pools.*.nodes.labels.~", _KEY),
    ("spec.pools.*.nodes.tolerations.*.key", _KEY),
    ("spec.pools.*.nodes.tolerations.*.value", _LABEL),
    ("spec.tests.*.estimate", _time_span),
    ("spec.tests.*.params.minBytes", parse_bytes),
    ("spec.tests.*.params.maxBytes", parse_bytes),
    ("spec.tests.*.params.roundTimeout", _time_span),
    ("spec.thresholds.*.at.bytes", parse_bytes),
    ("spec.thresholds.*.reference", _figure),
    ("spec.thresholds.*.lower", _bound),
    ("spec.thresholds.*.upper", _bound),
    ("spec.thresholds.*.spread", parse_percent),
    ("spec.thresholds.*.transport.require.*", _transport),
    ("spec.thresholds.*.transport.forbid.*", _transport),
    ("spec.thresholds.*.source.date", parse_date),
    ("spec.maintenance.windows.*.start", parse_date),
    ("spec.maintenance.windows.*.end", parse_date),
    ("spec.waivers.*.expires", parse_date),
)
_PATHS = tuple((tuple(path.split(".")), check) for path, check in _FIELDS)


def grammar_faults(data: Any) -> Iterator[tuple[Steps, UnitError]]:
    """Yield every value (``~``: every key) of a site, as written or merged, that its grammar refuses, with its path.

    Values of a wrong type and fields that are not there are left to the schema.
    """
    for path, check in _PATHS:
        for steps, value in _at(data, path, ()):
            if isinstance(value, dict | list | bool):
                continue
            try:
                check(value)
            except UnitError as error:
                yield steps, error


def _at(node: Any, path: tuple[str, ...], steps: Steps) -> Iterator[tuple[Steps, Any]]:
    if not path:
        yield steps, node
        return
    name, *rest = path
    below: list[tuple[str | int, Any]] = []
    if name == "~":
        below = [(key, key) for key in node] if isinstance(node, dict) else []
    elif name != "*":
        below = [(name, node[name])] if isinstance(node, dict) and name in node else []
    elif isinstance(node, dict):
        below = list(node.items())
    elif isinstance(node, list):
        below = list(enumerate(node))
    for step, value in below:
        yield from _at(value, tuple(rest), (*steps, step))
