"""Findings as SARIF 2.1.0 for code scanning: one run, bounded, with fingerprints that survive edits above.

Limits are those of GitHub (docs: "SARIF support for code scanning"): 25,000 results in a run.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from muster.diagnostics.escape import clip, visible
from muster.diagnostics.order import by_weight
from muster.diagnostics.registry import all_codes, diagnostic

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from muster.diagnostics.record import Diagnostic, Position

LIMIT = 25_000
_ROOT = "%SRCROOT%"
_TEXT_LIMIT = 4000
_LEVELS = {"error": "error", "warning": "warning", "info": "note"}
_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"


def render_sarif(diagnostics: Iterable[Diagnostic], *, version: str = "", limit: int = LIMIT) -> str:
    """Return a SARIF log with one run.

    Args:
        diagnostics: findings in any order.
        version: version of muster, left out when empty.
        limit: most results; the last then says how many are missing.

    Raises:
        ValueError: the limit leaves no room for a result and the summary.
    """
    shown = _bounded(by_weight(diagnostics), limit)
    rules = {code: index for index, code in enumerate(sorted({item.code for item in shown}))}
    seen: Counter[str] = Counter()
    driver: dict[str, Any] = {"name": "muster", "rules": [_rule(code) for code in rules]}
    if version:
        driver["version"] = version
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": {_ROOT: {"description": {"text": "the root of the repository"}}},
        "results": [_result(item, rules, seen) for item in shown],
    }
    return json.dumps({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}) + "\n"


def _bounded(found: Sequence[Diagnostic], limit: int) -> list[Diagnostic]:
    if limit < 2:
        raise ValueError(f"a limit of {limit} results leaves no room for a summary")
    if len(found) <= limit:
        return list(found)
    kept = list(found[: limit - 1])
    missing = found[limit - 1 :]
    severity = missing[0].severity  # errors come first, so this is the gravest of what is missing
    said = f"{len(missing)} more findings are not listed; {limit} results are the most"
    return [*kept, diagnostic("MU100", said, missing[0].position, severity=severity)]


def _rule(code: str) -> dict[str, Any]:
    entry = all_codes().get(code)
    if entry is None:  # a rule of the user's own
        return {"id": visible(code)}
    return {
        "id": code,
        "shortDescription": {"text": entry.title},
        "fullDescription": {"text": entry.title},
        "help": {"text": entry.explanation, "markdown": entry.explanation},
        "defaultConfiguration": {"level": _LEVELS[entry.severity]},
    }


def _result(item: Diagnostic, rules: Mapping[str, int], seen: Counter[str]) -> dict[str, Any]:
    said = item.message + (f" Hint: {item.hint}" if item.hint else "")
    result: dict[str, Any] = {
        "ruleId": visible(item.code),
        "ruleIndex": rules[item.code],
        "level": _LEVELS[item.severity],
        "message": {"text": _text(said)},
        "locations": [{"physicalLocation": _location(item.position)}],
        "partialFingerprints": {"musterFinding/v1": _fingerprint(item, seen)},
    }
    if item.path:
        result["locations"][0]["logicalLocations"] = [{"fullyQualifiedName": visible(item.path)}]
    if item.related:
        result["relatedLocations"] = [
            {
                "id": number,
                "physicalLocation": _location(other.position),
                "message": {"text": _text(other.note)},
            }
            for number, other in enumerate(item.related, 1)
        ]
    return result


def _text(said: str) -> str:
    """Return message text; ``[text](target)`` would be a link in SARIF, so the two are held apart."""
    return visible(clip(said, _TEXT_LIMIT)).replace("](", "] (")


def _location(position: Position | None) -> dict[str, Any]:
    """Return a place; code scanning wants one for each result, so the repository stands in for none."""
    artifact = {"uri": _uri(position.file) if position else ".", "uriBaseId": _ROOT}
    region = {"startLine": position.line, "startColumn": position.column} if position else {"startLine": 1}
    return {"artifactLocation": artifact, "region": region}


def _uri(file: str) -> str:
    relative = file.replace("\\", "/").lstrip("/").removeprefix("./")
    return quote(relative, safe="/", errors="backslashreplace") or "."


def _fingerprint(item: Diagnostic, seen: Counter[str]) -> str:
    """Return what identifies a finding when lines move: its words and, among equals, its number."""
    file = item.position.file if item.position else ""
    parts = (item.code, file, item.site, item.path, item.message)
    digest = hashlib.sha256("\x00".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:32]
    seen[digest] += 1
    return f"{digest}:{seen[digest]}"
