"""One thing that is wrong with one object, before it is known which line of a site asked for the object."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Fault:
    """What is wrong with an object.

    Attributes:
        code: a registered code, MU550 to MU568.
        path: the field, ``spec.template.spec.containers[0].image``; empty for the object as a whole.
        message: what is wrong with it; begins with a verb, so that ``path`` can stand before it.
        hint: what may have been meant.
        index: the place of the object among those given; -1 where all of them are concerned.
    """

    code: str
    path: str
    message: str
    hint: str = ""
    index: int = -1
