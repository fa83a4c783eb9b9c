"""Evidence that the plan itself has put aside is history, not drift."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from muster.reconcile.drift import of_orphans
from muster.reconcile.gather import Gathered, Orphan

NOW = datetime(2026, 10, 20, tzinfo=UTC)
PLAN = {
    "site": "s",
    "validFor": 86400 * 30,
    "tests": {},
    "desired": [],
    "disabled": {"off": {"reason": "r", "owner": "o"}},
    "excluded": [{"pool": "p", "node": "n2", "reason": "NIC replaced"}],
}


@pytest.mark.parametrize(
    ("test", "nodes", "severity", "words"),
    [
        ("off", ("n1",), "info", "switched off"),
        ("on", ("n1", "n2"), "info", "n2 is excluded"),
        ("on", ("n1",), "error", "nobody asks"),
    ],
)
def test_history_is_told_and_drift_fails(
    test: str, nodes: tuple[str, ...], severity: str, words: str
) -> None:
    gathered = Gathered()
    gathered.orphans.append(Orphan("s", "v1/s/d/a", test, nodes, NOW, "nobody asks"))
    (found,) = of_orphans([PLAN], gathered, NOW)
    assert (found["code"], found["severity"]) == ("MU954", severity)
    assert words in found["message"]
