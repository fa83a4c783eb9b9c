"""Take off what launchers and log collectors put before a line."""

from __future__ import annotations

import re

_TIME = r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d)(?: |$)"
_POD = r"\[pod/[^\]\s]+\] "
_RAY = r"\((?:[\w.:<>-]+ )?(?:pid=\d+|raylet|autoscaler)(?:, ip=[0-9A-Fa-f.:]+)?\) "
_SRUN = r" *\d{1,6}:(?: |$)"
_TORCH = r"\[(?:rank|default)\d+\]:(?: |$)"
_TAG = r"\[(?:prterun-[^\]\s@]+@|prte-[^\]\s@]+@)?\d+,\d+\]<std(?:out|err|diag)>: ?"
_DATE = r"[A-Z][a-z]{2} [A-Z][a-z]{2} +\d+ \d\d:\d\d:\d\d \d{4}(?=\[|<)"

PREFIX = re.compile(f"(?:{_TIME}|{_POD}|{_RAY}|{_SRUN}|{_TORCH}|{_DATE}|{_TAG})", re.ASCII)
TAG = re.compile(_TAG, re.ASCII)


def strip(text: str) -> str:
    """Return a line without the prefixes before it: time stamp, pod, Ray worker, srun label, MPI tag.

    Tags of Open MPI are taken out of the middle of the line too: they are put in per write, not per line.
    """
    start = 0
    for _ in range(6):
        found = PREFIX.match(text, start)
        if found is None:
            break
        start = found.end()
    text = text[start:]
    return TAG.sub("", text) if "]<std" in text else text
