"""Standard output carries data that a program can read, in every format; everything else goes to standard error."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ET
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from unit.cli.conftest import Shell


def codes_of_text(text: str) -> list[str]:
    return re.findall(r"^\S+:\d+:\d+: error (MU\d+): ", text, re.MULTILINE)


def codes_of_json(text: str) -> list[str]:
    return [item["code"] for item in json.loads(text)["diagnostics"] if item["severity"] == "error"]


def codes_of_sarif(text: str) -> list[str]:
    (run,) = json.loads(text)["runs"]
    return [item["ruleId"] for item in run["results"] if item["level"] == "error"]


def codes_of_junit(text: str) -> list[str]:
    failed = [case for case in ET.fromstring(text).iter("testcase") if case.find("failure") is not None]
    return [code for case in failed for code in re.findall(r"MU\d+", case.get("name", ""))]


def codes_of_markdown(text: str) -> list[str]:
    return re.findall(r"^\| error \| (MU\d+) \|", text, re.MULTILINE)


def codes_of_github(text: str) -> list[str]:
    return re.findall(r"^::error [^\n]*title=(MU\d+)", text, re.MULTILINE)


READ: dict[str, Callable[[str], list[str]]] = {
    "text": codes_of_text,
    "json": codes_of_json,
    "sarif": codes_of_sarif,
    "junit": codes_of_junit,
    "markdown": codes_of_markdown,
    "github": codes_of_github,
}


@pytest.mark.parametrize("form", READ)
def test_check_says_the_same_in_every_format(form: str, muster: Shell) -> None:
    said = muster("check", "--no-output", "--format", form)
    assert said.code == 2
    assert sorted(READ[form](said.out)) == ["MU215", "MU215"]
    assert "<b>hours</b>" not in said.out or form in {"text", "github", "json", "sarif"}
    assert re.fullmatch(r"2 sites, \d+ rules each, \d+ objects checked: 2 errors\n", said.err)


@pytest.mark.parametrize("form", [form for form in READ if form != "text"])
def test_compile_says_what_it_did_on_the_other_stream(form: str, muster: Shell) -> None:
    refused = muster("compile", "--format", form)
    assert refused.code == 2
    assert sorted(READ[form](refused.out)) == ["MU215", "MU215"]
    assert refused.err == "muster: nothing is written: 1 of 2 sites refused\n"
    done = muster("compile", "--format", form, "h20-lab")
    assert done.code == 0
    assert READ[form](done.out) == []
    assert "files written" in done.err
    assert "files written" not in done.out


def test_nothing_found_is_a_document_too(muster: Shell) -> None:
    (muster.folder / "sites" / "bad.yaml").unlink()
    assert muster("compile").code == 0
    for form, read in READ.items():
        said = muster("check", "--format", form)
        assert said.code == 0
        assert read(said.out) == []
        assert said.out or form == "text"


def test_plan_and_images_print_data_of_the_good_sites(muster: Shell) -> None:
    plan, images = muster("plan", "--format", "json"), muster("images", "--format", "json")
    for said in (plan, images):
        assert said.code == 2, "one of the sites asked for is bad"
        assert codes_of_text(said.err) == ["MU215", "MU215"]
    (only,) = json.loads(plan.out)
    assert only["site"] == "h20-lab"
    assert [row["sites"].keys() for row in json.loads(images.out)] == [{"h20-lab"}, {"h20-lab"}]
    assert muster("plan", "--format", "markdown", "h20-lab").out.startswith("#")
    assert muster("images", "h20-lab").out.startswith("registry.example.com/gpu/dcgm@sha256:")


@pytest.mark.parametrize("which", ["site", "evidence", "report"])
def test_schemas_are_json_schemas(which: str, muster: Shell) -> None:
    import jsonschema_rs

    said = muster("schema", which)
    assert said.code == 0
    assert jsonschema_rs.meta.is_valid(json.loads(said.out))


def test_colour_is_for_nobody_who_reads_a_file(muster: Shell) -> None:
    for command in ("check", "plan", "explain", "doctor"):
        said = muster(command)
        assert "\x1b" not in said.out + said.err, command
