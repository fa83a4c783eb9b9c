"""Values of nvidia-smi, and what every form of its output has to satisfy."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from muster.readers.documents import tidy
from muster.readers.figures import decimal, whole
from muster.readers.model import quoted
from muster.readers.outcome import Reporting

GPUS = 4096
KEYS = (
    "index",
    "name",
    "busId",
    "uuid",
    "driver",
    "memoryMiB",
    "memoryUsedMiB",
    "ecc",
    "mig",
    "persistence",
    "temperatureC",
    "powerW",
    "powerLimitW",
    "utilizationPercent",
)
_BUS = re.compile(r"([0-9A-Fa-f]{4,8}):([0-9A-Fa-f]{2}):([0-9A-Fa-f]{2})\.([0-9A-Fa-f])")
_ABSENT = frozenset(
    {"", "n/a", "not supported", "none", "not available", "requested functionality has been deprecated"}
)
_FAULTY = re.compile(
    r"err!|.{0,40}\b(?:unknown error|gpu is lost|requires reset|insufficient permissions)\b.{0,40}"
)


@dataclass(slots=True)
class Inventory(Reporting):
    """What one output of nvidia-smi says: GPUs in order, versions, problems."""

    version: str | None = None
    environment: dict[str, Any] = field(default_factory=dict)
    gpus: list[dict[str, Any]] = field(default_factory=list)
    more: dict[str, Any] = field(default_factory=dict)

    def add(self, line: int, **values: Any) -> dict[str, Any]:
        """Add a GPU; what is not given is None."""
        made = {key: values.get(key) for key in KEYS}
        if len(self.gpus) < GPUS:
            self.gpus.append(made)
        else:
            self.report("MU704", f"more than {GPUS} GPUs", line)
        return made

    def text(self, value: str, what: str, line: int) -> str | None:
        """Return a value as text; None for what the device does not have, None and a problem for an error."""
        plain = value.strip().strip("[]").strip()
        if plain.lower() in _ABSENT:
            return None
        if _FAULTY.fullmatch(plain.lower()[:200]):
            self.report("MU761", f"{what} is {quoted(value.strip())}", line)
            return None
        return tidy(plain)[:200]

    def number(self, value: str, unit: str, what: str, line: int) -> float | None:
        """Return a value in a unit that stands behind it or in the header, as number."""
        text = self.text(value, what, line)
        if text is None:
            return None
        found = decimal(text.removesuffix(unit).strip()) if unit else decimal(text)
        if found is None:
            self.report("MU763", f"{what} is {quoted(text)}", line)
        return found

    def integer(self, value: str, unit: str, what: str, line: int) -> int | None:
        """Return a value in a unit as whole number."""
        text = self.text(value, what, line)
        if text is None:
            return None
        found = whole(text.removesuffix(unit).strip() if unit else text)
        if found is None:
            self.report("MU763", f"{what} is {quoted(text)}", line)
        return found

    def bus(self, value: str, what: str, line: int) -> str | None:
        """Return a bus id in the form ``00000000:19:00.0``."""
        text = self.text(value, what, line)
        if text is None:
            return None
        found = _BUS.fullmatch(text)
        if found is None:
            self.report("MU763", f"{what} is {quoted(text)}", line)
            return None
        return f"{found[1].zfill(8)}:{found[2]}:{found[3]}.{found[4]}".upper()

    def settle(self, key: str, value: str | None, line: int | None = None) -> None:
        """Keep a version; two different ones are a contradiction."""
        if value is not None and self.environment.setdefault(key, value) != value:
            self.report("MU762", f"{key} is {quoted(self.environment[key])} and {quoted(value)}", line)

    def finish(self, *, numbered: bool = True) -> None:
        """Report GPUs that are missing or there twice; ``numbered``: the output gives each GPU its index."""
        for key, code in (("busId", "MU762"), ("uuid", "MU762"), ("index", "MU762")):
            times = Counter(gpu[key] for gpu in self.gpus if gpu[key] is not None)
            twice = [value for value, count in times.items() if count > 1]
            if twice:
                self.report(code, f"{len(twice)} values of {key} belong to two GPUs, the first is {twice[0]}")
        indices = {gpu["index"] for gpu in self.gpus if gpu["index"] is not None}
        if numbered and indices and len(indices) <= max(indices):
            missing = next(number for number in range(GPUS + 1) if number not in indices)
            self.report("MU760", f"GPU {missing} is missing")
        if not self.gpus and not self.more and not self.failed:
            self.report("MU760", "there is no GPU")
