"""The closed set of states, and which reason of an attempt counts most."""

from __future__ import annotations

from typing import Final, Literal

State = Literal[
    "satisfied",
    "violated",
    "missing",
    "stale",
    "incomplete",
    "errored",
    "unreadable",
    "unjudged",
    "excluded",
    "contested",
    "waived",
]

STATES: Final[tuple[State, ...]] = (
    "satisfied",
    "violated",
    "missing",
    "stale",
    "incomplete",
    "errored",
    "unreadable",
    "unjudged",
    "excluded",
    "contested",
    "waived",
)

RECORD_STATES: Final = frozenset({"complete", "incomplete", "errored", "unreadable", "excluded"})

# Code -> (state it leads to, rank). Of an attempt's reasons the one with the lowest rank gives its state:
# first that the record cannot be trusted, then proof of a bad device, then that something else was measured,
# then a missed acceptance, then what is not known or not there.
CODES: Final[dict[str, tuple[State, int]]] = {
    "MU936": ("unreadable", -1),
    "MU917": ("unreadable", 0),
    "MU918": ("unreadable", 1),
    "MU919": ("excluded", 2),
    "MU904": ("violated", 10),
    "MU907": ("violated", 11),
    "MU913": ("stale", 20),
    "MU914": ("stale", 21),
    "MU906": ("violated", 30),
    "MU908": ("violated", 31),
    "MU901": ("violated", 32),
    "MU902": ("violated", 33),
    "MU903": ("violated", 34),
    "MU905": ("violated", 35),
    "MU926": ("contested", 40),
    "MU937": ("contested", 41),
    "MU938": ("contested", 42),
    "MU927": ("unreadable", 50),
    "MU928": ("unreadable", 51),
    "MU929": ("unreadable", 52),
    "MU920": ("incomplete", 60),
    "MU924": ("errored", 61),
    "MU922": ("incomplete", 62),
    "MU923": ("incomplete", 63),
    "MU921": ("incomplete", 64),
    "MU925": ("unjudged", 90),
    "MU900": ("satisfied", 99),
}
