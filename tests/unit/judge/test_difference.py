"""Which fields of two measurements differ, held against deepdiff."""

from __future__ import annotations

import re
from typing import Any

from deepdiff import DeepDiff
from hypothesis import given, settings
from hypothesis import strategies as st

from muster.judge.difference import differences

names = st.sampled_from(["op", "params", "iters", "unit", "env"])
leaves = st.none() | st.booleans() | st.integers(-3, 3) | st.sampled_from(["", "a", "1"])
measurements = st.recursive(leaves, lambda inner: st.dictionaries(names, inner, max_size=4), max_leaves=12)


def _paths(one: Any, two: Any) -> set[str]:
    """Where deepdiff sees a difference: every path but for how a change of kind is called."""
    found = DeepDiff(one, two, verbose_level=2, threshold_to_diff_deeper=0)
    paths = {path for kind in found.values() for path in kind}
    return {".".join(re.findall(r"\['([^']*)'\]", path)) for path in paths}


@given(st.dictionaries(names, measurements, max_size=4), st.dictionaries(names, measurements, max_size=4))
@settings(max_examples=200, deadline=None)
def test_the_same_fields_as_deepdiff(one: dict[str, Any], two: dict[str, Any]) -> None:
    assert {path for path, _, _ in differences(one, two)} == _paths(one, two)
    assert differences(one, one) == []


def test_a_list_is_one_value() -> None:
    one, two = {"command": ["a", "b"], "unit": ["n"]}, {"command": ["a", "c"], "unit": ["n"]}
    assert differences(one, two) == [("command", ["a", "b"], ["a", "c"])]
