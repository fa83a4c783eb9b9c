"""Names fit everywhere, differ where they must, and never look like anything but a name."""

from __future__ import annotations

import re

import pytest
import yaml
from hypothesis import example, given
from hypothesis import strategies as st

from muster.diagnostics import Position
from muster.render.naming import (
    LABEL_LIMIT,
    NAME_LIMIT,
    Claim,
    check_names,
    content_name,
    derived_names,
    label_value,
    object_name,
    short_digest,
)

DNS_LABEL = re.compile(r"[a-z]([-a-z0-9]*[a-z0-9])?")
DIGEST = "sha256:" + "0123456789abcdef" * 4
digests = st.text("0123456789abcdef", min_size=64, max_size=64).map("sha256:".__add__)
tests = st.from_regex(r"[a-z0-9]([-a-z0-9]{0,38}[a-z0-9])?", fullmatch=True)
nodes = st.from_regex(r"[a-z0-9]([-a-z0-9.]{0,80}[a-z0-9])?", fullmatch=True)
units = st.lists(nodes, min_size=1, max_size=5, unique=True).map(sorted)
words = st.sampled_from(
    ["no", "on", "Yes", "null", "1e3", "0x1f", "12", "6063e25", "y", "0o14", "true", ".5"]
)


@pytest.mark.parametrize(
    ("test", "unit", "name"),
    [
        ("node-all-reduce", ["node-a"], "node-all-reduce-node-a-m0123456789"),
        ("pair-all-reduce", ["node-a", "node-b"], "pair-all-reduce-node-a-b-m0123456789"),
        ("pair", ["gpu1.example.com", "other"], "pair-gpu1-example-com-other-m0123456789"),
        ("pool", [f"n{i}" for i in range(18)], "pool-n0-x18-m0123456789"),
        ("8gpu", ["a"], "t-8gpu-x2304a2-a-m0123456789"),
    ],
)
def test_names_are_readable(test: str, unit: list[str], name: str) -> None:
    assert object_name(test, unit, DIGEST) == name


@given(tests, units, digests, st.integers(1, 9999))
@example("a" * 40, ["b" * 253], DIGEST, 9999)
@example("a" * 21 + "-b", ["-".join("c" * 40)], DIGEST, 18)
@example("1e3", ["1.2.3.4"], DIGEST, 2)
def test_every_derived_name_fits(test: str, unit: list[str], digest: str, pods: int) -> None:
    name = object_name(test, unit, digest)
    assert len(name) <= NAME_LIMIT
    assert name.endswith("-m" + digest[7:17])
    for kind in ("Job", "MPIJob"):
        for _, text in derived_names(kind, name, pods):
            assert len(text) <= LABEL_LIMIT
            assert DNS_LABEL.fullmatch(text)
    position = Position("sites/x.yaml", 1, 1)
    assert check_names([Claim("MPIJob", name, pods, "x", position)]) == []


@given(tests, units, st.tuples(digests, digests))
def test_another_measurement_is_another_name(test: str, unit: list[str], pair: tuple[str, str]) -> None:
    names = [object_name(test, unit, digest) for digest in pair]
    assert (names[0] == names[1]) == (pair[0][:17] == pair[1][:17])


@given(st.tuples(tests, tests), units, digests)
@example(("a" * 39 + "b", "a" * 39 + "c"), ["n"], DIGEST)
@example(("1abc", "t-1abc"), ["n"], DIGEST)
@example(("1" + "a" * 20 + "b", "1" + "a" * 20 + "c"), ["n"], DIGEST)
def test_another_test_is_another_name(pair: tuple[str, str], unit: list[str], digest: str) -> None:
    names = [object_name(test, ["node"], digest) for test in pair]
    assert (names[0] == names[1]) == (pair[0] == pair[1])


def test_digest_must_be_one() -> None:
    with pytest.raises(ValueError, match="is not a sha256 digest"):
        short_digest("sha256:12\n34")
    with pytest.raises(ValueError, match="at least one node"):
        object_name("test", [], DIGEST)


def test_collision_is_refused_at_the_site_line() -> None:
    first = Claim("Job", "a-m0123456789", 1, "site/pool/a/n", Position("sites/x.yaml", 3, 5))
    second = first._replace(owner="site/pool/b/n", position=Position("sites/x.yaml", 7, 5))
    [found] = check_names([first, second, first._replace(kind="MPIJob", owner="c")])
    assert (found.code, str(found.position)) == ("MU500", "sites/x.yaml:7:5")
    assert "site/pool/b/n and site/pool/a/n" in found.message


@pytest.mark.parametrize(
    ("kind", "name", "pods"),
    [
        ("Job", "a" * 64, 1),
        ("Job", "a" * 55, 1000),
        ("MPIJob", "a" * 49, 1),
        ("Job", "1a-m0123456789", 2),
        ("Job", "a-", 1),
        ("Job", "A\nb", 1),
    ],
)
def test_name_that_does_not_fit_is_refused(kind: str, name: str, pods: int) -> None:
    [found] = check_names([Claim(kind, name, pods, "x", Position("sites/x.yaml", 9, 5))])
    assert (found.code, str(found.position)) == ("MU501", "sites/x.yaml:9:5")
    assert "\n" not in found.message


@given(st.one_of(words, st.text(min_size=1, max_size=120), tests))
@example("x" * 200)
@example("...")
def test_label_values_are_strings_for_every_reader(text: str) -> None:
    value = label_value(text)
    assert len(value) <= LABEL_LIMIT
    assert re.fullmatch(r"[A-Za-z]([-A-Za-z0-9_.]*[A-Za-z0-9])?", value)
    assert yaml.safe_load(value) == value  # YAML 1.1
    assert value.lower() not in {"y", "n", "nan", "inf"}


def test_plain_label_values_stay() -> None:
    assert label_value("pair-all-reduce") == "pair-all-reduce"
    assert label_value("8") == "x-8"
    assert label_value("on") == "x-on"


@given(st.binary(max_size=50))
def test_content_names_follow_the_content(content: bytes) -> None:
    name = content_name("muster-script", content)
    assert DNS_LABEL.fullmatch(name)
    assert name != content_name("muster-script", content + b"x")
