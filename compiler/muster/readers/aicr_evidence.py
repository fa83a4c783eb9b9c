"""Read AICR's evidence: the pointer that a repository keeps, and the statement of the bundle it points to.

A pointer says where a signed bundle is and by which digest. It holds no result, and neither its signature nor
the bundle is looked at here: what it proves is who said what, not that a cluster passed.
"""

from __future__ import annotations

import re
from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal

from muster.readers.documents import DocumentError, load, scrub
from muster.readers.model import empty, problem, quoted, unreadable
from muster.readers.outcome import state_of
from muster.readers.registry import Reader
from muster.readers.views import View

if TYPE_CHECKING:
    from collections.abc import Mapping

    from muster.readers.model import Reading
    from muster.readers.source import Source

PREDICATE = "recipe-evidence/"
_DIGEST = re.compile(r"sha256:[0-9a-f]{64}", re.ASCII)
_POINTER = re.compile(r"(?:^|\n)attestations:|\"attestations\"\s*:")


def _sniff(head: str, _name: str) -> int:
    if PREDICATE not in head:
        return 0
    if _POINTER.search(head):
        return 85
    return 84 if head.lstrip()[:1] == "{" and '"predicateType"' in head else 0


def _read(source: Source) -> Reading:
    try:
        documents = load(source)
    except DocumentError as error:
        found = problem("MU780", quoted(str(error), 300)[1:-1], error.line)
        return unreadable(source.name, "aicr-evidence", found)
    reading = empty(source.name, "aicr-evidence", "complete")
    if len(documents) != 1:
        reading["problems"].append(problem("MU790", f"{len(documents)} documents instead of one"))
    view = View(documents[0] if documents else {}, "evidence", reading["problems"], "MU790")
    more = statement(view) if "predicate" in view else {"aicr": pointer(view)}
    merged: Any = {**reading, **more}
    merged["state"] = state_of(reading["problems"], {})
    clean: Reading = scrub(merged)
    return clean


def pointer(view: View) -> dict[str, Any]:
    """Return what a pointer says, newest attestation last."""
    version = view.text("schemaVersion") or ""
    if not version.startswith("1."):
        view.doubt(f"is {quoted(version, 40)}", "schemaVersion", "MU794")
    found = [_attestation(one) for one in view.views("attestations")]
    if not found:
        view.doubt("are none", "attestations", "MU792")
    return {
        "kind": "pointer",
        "schemaVersion": version,
        "recipe": view.text("recipe"),
        "recipeDigest": _digest(view, "recipeDigest", needed=False),
        "attestations": sorted(found, key=lambda one: one["attestedAt"] or ""),
    }


def _attestation(view: View) -> dict[str, Any]:
    bundle, signer = view.view("bundle"), view.view("signer")
    return {
        "attestedAt": _time(view, "attestedAt"),
        "digest": _digest(bundle, "digest", needed=True),
        "recipeDigest": _digest(view.view("recipe"), "digest", needed=False),
        "oci": bundle.text("oci"),
        "predicateType": bundle.text("predicateType"),
        "issuer": signer.text("issuer"),
        "identity": signer.text("identity"),
        "logIndex": signer.count("rekorLogIndex"),
    }


def statement(view: View) -> dict[str, Any]:
    """Return what the statement of a bundle says: the digest of its recipe, and counts of checks by phase."""
    kind = view.text("predicateType") or ""
    if PREDICATE not in kind:
        view.doubt(f"is {quoted(kind, 80)}", "predicateType", "MU794")
    predicate = view.view("predicate")
    phases = predicate.view("phases")
    checks = [_phase(name, phases.view(name)) for name in sorted(phases)]
    if not checks:
        predicate.doubt("are none", "phases", "MU792")
    matched = predicate.view("criteriaMatch").flag("matched")
    if matched is False:
        predicate.doubt("is false: the cluster is not what the recipe is for", "criteriaMatch", "MU791")
    about: dict[str, Any] = {
        "kind": "statement",
        "attestedAt": _time(predicate, "attestedAt"),
        "recipeDigest": _digest(predicate.view("recipe"), "digest", needed=True),
        "criteriaMatched": matched,
        "attestations": [],
    }
    return {"toolVersion": predicate.text("aicrVersion"), "checks": checks, "aicr": about}


def _phase(name: str, view: View) -> dict[str, Any]:
    """Return a phase as one check: passed only when something passed and nothing failed or was skipped."""
    passed, failed, skipped = (view.count(key) for key in ("passed", "failed", "skipped"))
    if passed is None or failed is None or skipped is None:
        view.doubt("has no count of passed, failed and skipped")
        status = "error"
    elif failed:
        status = "fail"
    elif skipped:
        status = "skip"
    else:
        status = "pass" if passed else "not-run"
    text = f"{passed} passed, {failed} failed, {skipped} skipped"
    return {"name": name, "entity": None, "status": status, "messages": [text], "errors": []}


def _digest(view: View, key: str, *, needed: bool) -> str | None:
    text = view.text(key)
    if text is None and not needed:
        return None
    if text is not None and _DIGEST.fullmatch(text):
        return text
    view.doubt(f"is no sha256 digest: {quoted(str(text), 80)}", key, "MU796")
    return None


def _time(view: View, key: str) -> str | None:
    text = view.text(key)
    try:
        known = text is not None and datetime.fromisoformat(text).tzinfo is not None
    except ValueError:
        known = False
    if not known:
        view.doubt(f"is no time with a zone: {quoted(str(text), 40)}", key)
    return text if known else None


def pointer_state(
    pointer: Mapping[str, Any], recipe_digest: str | None
) -> Literal["current", "stale", "unknown"]:
    """Say whether evidence is about the recipe as it is now.

    Args:
        pointer: the ``aicr`` part of a reading of evidence: a pointer or a statement.
        recipe_digest: the digest of the resolved recipe, as ``aicr evidence digest`` prints it.

    Returns:
        ``current`` when the recipe digest that the newest attestation records is this one, ``stale`` when it is
        another, ``unknown`` when it records none or this one is no digest. Only ``current`` may count: a pointer
        as AICR writes it records the digest of the bundle, not of the recipe, so its statement is needed.
    """
    newest = max(pointer.get("attestations") or [{}], key=lambda one: one.get("attestedAt") or "")
    recorded = newest.get("recipeDigest") or pointer.get("recipeDigest")
    if recorded is None or recipe_digest is None or not _DIGEST.fullmatch(recipe_digest):
        return "unknown"
    return "current" if recorded == recipe_digest else "stale"


READER = Reader("aicr-evidence", _sniff, _read, "aicr-evidence/1")
