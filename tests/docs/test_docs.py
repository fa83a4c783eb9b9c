"""The user guide says what is true: its commands run, its names and links exist, its references are complete."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml
from jsonschema_rs import validator_for

from docs_helpers.console import Command, difference, matches, run, scratch, steps
from docs_helpers.pages import Page, pages, read_page
from docs_helpers.reference import cli_page, codes_page
from muster.archive import ingestlist
from muster.cli.main import COMMANDS
from muster.diagnostics import all_codes
from muster.site.load import load_site

ROOT = Path(__file__).parents[2]
PAGES = [path.relative_to(ROOT).as_posix() for path in pages(ROOT)]
RUN = [name for name in PAGES if any(isinstance(step, Command) for step in steps(read_page(ROOT / name)))]
LANGUAGES = {"console", "text", "sh", "yaml", "cue", "json"}


@cache
def page(name: str) -> Page:
    return read_page(ROOT / name)


def test_the_guide_has_pages_that_are_run() -> None:
    assert {"README.md", "docs/getting-started.md", "docs/evidence.md", "docs/verdicts.md"} <= set(RUN)


@pytest.mark.parametrize("name", RUN)
def test_commands_do_what_the_page_says(name: str, root: Path) -> None:
    with tempfile.TemporaryDirectory(prefix="muster-docs-") as aside:
        folder = Path(aside) / "here"
        folder.mkdir()
        done = run(steps(page(name)), scratch(root, folder), root)
    wrong = [text for command, printed, code in done if (text := difference(command, printed, code))]
    assert not wrong, f"{name}\n" + "\n".join(wrong)


def test_the_demo_prints_what_the_readme_says(root: Path, tmp_path: Path) -> None:
    (block,) = (block for block in page("README.md").blocks if block.info == "text demo")
    scratch(root, tmp_path)
    shutil.copytree(root / "tools", tmp_path / "tools")
    (tmp_path / ".venv").symlink_to(root / ".venv")
    done = subprocess.run(["sh", "tools/demo.sh"], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    printed = [line.rstrip() for line in done.stdout.strip().splitlines()]
    told = "\n".join(printed)
    assert matches(block.text, printed), told


@pytest.mark.parametrize("name", PAGES)
def test_blocks_say_what_they_are(name: str) -> None:
    odd = {block.line: block.info for block in page(name).blocks if block.language not in LANGUAGES}
    assert not odd
    shown = [block for block in page(name).blocks if block.language in {"text", "sh", "yaml", "json"}]
    prompts = [block.line for block in shown if any(line.startswith("$ ") for line in block.text)]
    assert not prompts, "what has a prompt is a console block"


@pytest.mark.parametrize("name", PAGES)
def test_links_lead_somewhere(name: str) -> None:
    here = (ROOT / name).parent
    for line, target in page(name).links():
        if re.match(r"[a-z]+:", target):
            continue
        file, _, anchor = target.partition("#")
        path = (here / file).resolve() if file else ROOT / name
        assert path.is_relative_to(ROOT), f"{name}:{line}: {target} leads out"
        assert path.exists(), f"{name}:{line}: {target} does not exist"
        if anchor:
            known = page(path.relative_to(ROOT).as_posix()).anchors()
            assert anchor in known, f"{name}:{line}: {target} has no such heading"


def test_every_page_is_reached_from_the_readme() -> None:
    seen, todo = set(), ["README.md"]
    while todo:
        name = todo.pop()
        if name in seen or not name.endswith(".md"):
            continue
        seen.add(name)
        for _, target in page(name).links():
            path = (ROOT / name).parent / target.partition("#")[0]
            if not re.match(r"[a-z]+:", target) and path.resolve().is_relative_to(ROOT):
                todo.append(path.resolve().relative_to(ROOT).as_posix())
    assert set(PAGES) <= seen


@pytest.mark.parametrize("name", PAGES)
def test_codes_that_are_named_exist(name: str) -> None:
    known = set(page("docs/codes.md").anchors())
    text = (ROOT / name).read_text(encoding="utf-8")
    named = set(re.findall(r"\bMU\d{3}\b", text))
    assert not {code for code in named if code.lower() not in known}


def invocations(name: str) -> list[str]:
    """Every `muster ...` of a page, in prose and in blocks, up to where the shell's own words begin."""
    spans = [text for _, line in page(name).prose for text in re.findall(r"`(muster [^`]*)`", line)]
    lines = [
        line.removeprefix("$ ")
        for block in page(name).blocks
        if block.language in {"console", "sh"}
        for line in block.text
        if block.language == "sh" or line.startswith("$ ")
    ]
    spans += [text for line in lines for text in re.findall(r"(?:^|[|;&(] *)(muster .*)", line)]
    return [re.split(r"[|;&>#)]", text)[0] for text in spans]


@pytest.mark.parametrize("name", PAGES)
def test_commands_that_are_named_exist(name: str) -> None:
    named = {text.split()[1] for text in invocations(name)} - {"COMMAND"}
    assert not {word for word in named if not word.startswith("-")} - COMMANDS.keys()


@pytest.mark.parametrize("name", PAGES)
def test_options_that_are_named_exist(name: str) -> None:
    known = set(re.findall(r"--[a-z][a-z-]+", (ROOT / "docs/cli.md").read_text(encoding="utf-8"))) | {
        "--help"
    }
    texts = invocations(name)
    if name == "docs/codes.md":
        texts += [line for _, line in page(name).prose if line.startswith("What to do: --")]
    used = {item for text in texts for item in re.findall(r"(?<=\s)--[a-z][a-z-]+", text)}
    assert not used - known


@pytest.mark.parametrize("name", PAGES)
def test_make_targets_that_are_named_exist(name: str) -> None:
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    named = set(re.findall(r"(?:`|^)make ([a-z]+)", (ROOT / name).read_text(encoding="utf-8"), re.MULTILINE))
    assert not named - targets


def test_fields_of_ingest_lists_are_explained() -> None:
    text = (ROOT / "docs/evidence.md").read_text(encoding="utf-8")
    assert {"apiVersion", "entries", "files"} < {*ingestlist._TOP, *ingestlist._ENTRY}
    assert not {
        field
        for field in {*ingestlist._TOP, *ingestlist._ENTRY}
        if f"{field}:" not in text and f"`{field}`" not in text
    }


def _fields(node: Any, defs: Any, seen: tuple[int, ...] = ()) -> set[str]:
    """Return the name of every field that a schema gives a place."""
    if isinstance(node, list):
        return set().union(*(_fields(item, defs, seen) for item in node))
    if not isinstance(node, dict) or id(node) in seen:
        return set()
    found: set[str] = set()
    for name, below in node.get("properties", {}).items():
        found |= {name} | _fields(below, defs, (*seen, id(node)))
    for key, below in node.items():
        if key == "$ref":
            found |= _fields(_pointed(defs, below), defs, (*seen, id(node)))
        elif key != "properties":
            found |= _fields(below, defs, (*seen, id(node)))
    return found


def _pointed(document: Any, reference: str) -> Any:
    node = document
    for part in reference.removeprefix("#/").split("/"):
        node = node[part.replace("~1", "/").replace("~0", "~")]
    return node


def test_every_field_of_a_site_is_explained() -> None:
    schema = json.loads((ROOT / "policies/schema/site.schema.json").read_text(encoding="utf-8"))
    fields = _fields(schema, schema) - {"apiVersion", "kind", "metadata", "spec"}
    assert len(fields) > 80
    text = (ROOT / "docs/sites.md").read_text(encoding="utf-8")
    named = {part for code in re.findall(r"`([^`\n]+)`", text) for part in re.findall(r"[A-Za-z]+", code)}
    assert not fields - named


def _merged(base: Any, more: Any) -> Any:
    if not isinstance(base, dict) or not isinstance(more, dict):
        return more
    return {**base, **{key: _merged(base.get(key), value) for key, value in more.items()}}


def _site_blocks() -> list[Any]:
    found = []
    for name in PAGES:
        for block in page(name).blocks:
            data = yaml.safe_load("\n".join(block.text)) if block.language == "yaml" else None
            if isinstance(data, dict) and "spec" in data:
                found.append(pytest.param("\n".join(block.text), id=f"{name}:{block.line}"))
    return found


@pytest.mark.parametrize("text", _site_blocks())
def test_parts_of_sites_have_the_shape_of_a_site(text: str) -> None:
    schema = json.loads((ROOT / "policies/schema/site.schema.json").read_text(encoding="utf-8"))
    whole = _merged(_loaded((ROOT / "sites/h20-roce.yaml").read_text(encoding="utf-8")), _loaded(text))
    assert [error.message for error in validator_for(schema).iter_errors(whole)] == []


def _loaded(text: str) -> Any:
    head = (
        ""
        if "apiVersion:" in text
        else "apiVersion: muster.dev/v1alpha1\nkind: Site\nmetadata: {name: part}\n"
    )
    name = yaml.safe_load(head + text)["metadata"]["name"]
    loaded = load_site(f"sites/{name}.yaml", (head + text).encode())
    assert not loaded.diagnostics
    return loaded.data


def test_references_are_what_muster_knows(root: Path, refresh: bool) -> None:
    for name, text in (("docs/codes.md", codes_page(root)), ("docs/cli.md", cli_page())):
        path = root / name
        if refresh:
            path.write_text(text, encoding="utf-8")
        assert path.read_text(encoding="utf-8") == text, f"{name} is old: run `make goldens`"


def test_every_code_has_an_entry() -> None:
    anchors = page("docs/codes.md").anchors()
    rules = {path.name[:5].lower() for path in (ROOT / "policies/guardrails").glob("MU*.cue")}
    assert len(rules) > 20
    assert not {code.lower() for code in all_codes()} - anchors
    assert not rules - anchors


def test_every_command_has_an_entry() -> None:
    assert not {f"muster-{name}" for name in COMMANDS} - page("docs/cli.md").anchors()


@pytest.mark.parametrize(
    ("expected", "printed", "same"),
    [
        (["a", "..."], ["a"], True),
        (["a", "...", "c"], ["a", "b", "b", "c"], True),
        (["..."], [], True),
        (["a", "..."], ["b", "a"], False),
        (["a b"], ["a  b"], False),
        ([], ["a"], False),
        (["...", "c"], ["c", "d"], False),
        (["x ... z"], ["x y z"], True),
        (["x.z"], ["xyz"], False),
        (["1 ..."], ["2 x"], False),
    ],
)
def test_dots_stand_for_lines_and_nothing_else_does(
    expected: list[str], printed: list[str], same: bool
) -> None:
    assert matches(expected, printed) is same


def test_a_page_that_lies_is_caught(tmp_path: Path, root: Path) -> None:
    lie = tmp_path / "lie.md"
    text = "```console\n$ echo yes\nno\n$ false\n$ cat there\nwritten\n```\n"
    lie.write_text("```yaml file=there\nwritten\n```\n" + text)
    folder = tmp_path / "here"
    folder.mkdir()
    done = run(steps(read_page(lie)), folder, root)
    wrong = [difference(*item) for item in done]
    assert "prints other lines" in str(wrong[0])
    assert "ends with 1 instead of 0" in str(wrong[1])
    assert wrong[2] is None
