"""Collect the results of one document or table of DCGM, and judge whether they agree with each other."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from muster.readers.dcgm_names import LEVEL_ONE, Status, test_name
from muster.readers.documents import tidy
from muster.readers.model import quoted
from muster.readers.outcome import Reporting

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


MESSAGES = 64
MESSAGE_LENGTH = 500
CHECKS = 20_000
_GPU = re.compile(r"\bGPU ?(\d{1,4})\b")
_LEVEL: dict[Status, int] = {"warn": 1, "fail": 2, "error": 3}


class Warned(NamedTuple):
    """A warning of DCGM: its text, and the numbers of its error entry where there is one."""

    text: str
    id: int | None = None
    category: int | None = None
    severity: int | None = None

    @property
    def entry(self) -> dict[str, int | None] | None:
        """The error entry as readings hold it."""
        if self.id is None and self.category is None and self.severity is None:
            return None
        return {"id": self.id, "category": self.category, "severity": self.severity}


class Result(NamedTuple):
    """What a test says of one entity; ``gpus`` is how many GPUs a result for all of them stands for."""

    entity: str | None
    status: Status
    warnings: Sequence[Warned] = ()
    info: Sequence[str] = ()
    gpus: int | None = None


@dataclass(slots=True)
class Findings(Reporting):
    """Checks and problems of one document.

    Attributes:
        round: the round it belongs to; None when the log names none.
        line: its first line.
        iteration: its number from 1 where dcgmi was told to iterate.
        detected: the ids of the entities by group (``GPU``) that the document lists.
    """

    round: int | None
    line: int
    iteration: int | None = None
    checks: list[dict[str, Any]] = field(default_factory=list)
    environment: dict[str, Any] = field(default_factory=dict)
    detected: dict[str, list[int]] = field(default_factory=dict)

    @property
    def place(self) -> int:
        """The first line of the document."""
        return self.line

    def add(self, raw: str, category: str | None, results: Iterable[Result], line: int | None = None) -> None:
        """Add the results of one test as checks; Pass with a warning becomes ``warn``."""
        name, part = test_name(raw)
        for result in results:
            status = result.status
            if status == "pass" and result.warnings:
                status = "warn"
                self.report(
                    "MU746", f"{quoted(raw)} of {result.entity or 'the node'} passed with a warning", line
                )
            for warning in result.warnings:
                if lacks_plugins(warning.text):
                    self.report("MU741", f"plugins are missing: {quoted(warning.text, 160)}", line)
            if len(self.checks) >= CHECKS:
                self.report("MU704", f"more than {CHECKS} results", line)
                return
            self.checks.append(
                {
                    "name": name or "unnamed",
                    "rawName": tidy(raw)[:MESSAGE_LENGTH],
                    "subtest": part,
                    "category": category,
                    "entity": result.entity,
                    "gpus": result.gpus,
                    "status": status,
                    "messages": _texts(item.text for item in result.warnings),
                    "info": _texts(result.info),
                    "errors": [item.entry for item in result.warnings if item.entry][:MESSAGES],
                    "round": self.round,
                    "iteration": self.iteration,
                }
            )

    def summarise(
        self, raw: str, results: Sequence[Result], summary: Result, line: int | None = None
    ) -> list[Result]:
        """Return the results with what only the summary of the test says added.

        DCGM repeats the warnings of the entities in the summary: what both say counts once. Pass beside Skip
        is summarised as Pass, so only Warn and Fail are compared, and Pass or Skip with results that are all
        the other.
        """
        known = {warning for result in results for warning in result.warnings}
        own = [warning for warning in summary.warnings if warning not in known]
        found = [result.status for result in results]
        level = max((_LEVEL.get(status, 0) for status in found), default=0)
        said = _LEVEL.get(summary.status, 0)
        if said < level or (said == level == 0 and found and summary.status not in found):
            what = f"summary {summary.status}, results {', '.join(sorted(set(found)))}"
            self.report("MU742", f"{quoted(raw)}: {what}", line)
        if said > level and not own and found:
            self.report("MU742", f"{quoted(raw)}: the summary says {summary.status}, no result does", line)
        if own or said > level or not found:
            return [*results, summary._replace(warnings=own)]
        return list(results)

    def finish(self) -> None:
        """Add what was left out, and report what was reported twice or not at all."""
        parts = {check["subtest"] for check in self.checks if check["subtest"]}
        for part in [part for part in LEVEL_ONE if part not in parts] if parts else []:
            note = "left out of the results of level 1"
            self.add(part, "deployment", [Result(None, "not-run", info=[note])])
        self._complete()
        keys = Counter((item["name"], item["subtest"], item["entity"]) for item in self.checks)
        for (name, part, entity), times in keys.items():
            if times > 1:
                self.report(
                    "MU742", f"{quoted(part or name)} of {entity or 'the node'} is there {times} times"
                )
        if not self.checks and not self.failed:
            self.report("MU743", "no test has a result")

    def _complete(self) -> None:
        """Add ``not-run`` for each entity that a test with results for its group leaves out.

        DCGM leaves a result out when the test did not run on that entity. Known are the entities that the
        document lists and those that another test names.
        """
        known: dict[str, dict[str, None]] = {
            group: {f"{group} {number}": None for number in numbers}
            for group, numbers in self.detected.items()
        }
        tests: dict[str, dict[str, Any]] = {}
        for check in self.checks:
            if check["entity"] is not None and check["subtest"] is None:
                known.setdefault(_group(check["entity"]), {})[check["entity"]] = None
                tests.setdefault(check["rawName"], {"category": check["category"], "named": set()})
                tests[check["rawName"]]["named"].add(check["entity"])
        gpus = self.environment.get("gpus")
        for raw, test in tests.items():
            if len(self.checks) >= CHECKS:
                self.report("MU704", f"more than {CHECKS} results")
                return
            groups = {_group(entity) for entity in test["named"]}
            missing = [
                entity for group in sorted(groups) for entity in known[group] if entity not in test["named"]
            ]
            note = "left out of the results of the test"
            self.add(raw, test["category"], [Result(entity, "not-run", info=[note]) for entity in missing])
            if "GPU" in groups and gpus is not None and len(known["GPU"]) != gpus:
                code = "MU744" if len(known["GPU"]) < gpus else "MU742"
                self.report(
                    code, f"{quoted(raw)} names {len(known['GPU'])} GPUs of {gpus} that were detected"
                )

    def settle(self, key: str, value: object, line: int | None = None) -> None:
        """Keep a version; two different ones in one document are a contradiction."""
        if not isinstance(value, str) or not value.strip():
            return
        text = tidy(value.strip())[:MESSAGE_LENGTH]
        if self.environment.setdefault(key, text) != text:
            self.report("MU742", f"{key} is {quoted(self.environment[key])} and {quoted(text)}", line)


def lacks_plugins(text: str) -> bool:
    """Return whether a text says that a plugin of the diagnosis is not installed."""
    _, found, rest = text.partition("plugin")
    return bool(found) and "No such file or directory" in rest


def share(
    entities: Sequence[str], status: Status, warnings: Sequence[Warned], info: Sequence[str]
) -> list[Result]:
    """Return one result for each entity of a result that stands for several.

    A warning that names exactly one of the GPUs goes to that one, every other warning to all of them.
    """
    own: dict[str, list[Warned]] = {entity: [] for entity in entities}
    for warning in warnings:
        named = {f"GPU {int(number)}" for number in _GPU.findall(warning.text)} & own.keys()
        for entity in named if len(named) == 1 else own:
            own[entity].append(warning)
    return [Result(entity, status, own[entity], info) for entity in own]


def _group(entity: str) -> str:
    return entity.rpartition(" ")[0]


def _texts(texts: Iterable[str]) -> list[str]:
    return [tidy(text)[:MESSAGE_LENGTH] for text in texts][:MESSAGES]
