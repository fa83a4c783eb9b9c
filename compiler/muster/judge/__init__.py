"""Turn acceptance and evidence into one verdict. Pure: no clock, no file, nothing but its arguments.

`judge` is the whole of it; `assess` and `decide` are its halves for callers that see one record at a time.
"""

from muster.judge.attempts import assess
from muster.judge.model import Assessment, Measure, Older, Reason
from muster.judge.states import STATES
from muster.judge.terms import Terms, terms_of
from muster.judge.verdict import decide, judge

__all__ = [
    "STATES",
    "Assessment",
    "Measure",
    "Older",
    "Reason",
    "Terms",
    "assess",
    "decide",
    "judge",
    "terms_of",
]
