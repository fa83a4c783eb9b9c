"""Which files are sites: by name, by path, through links, of one name, of odd endings."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from muster.compile.inputs import SiteInput, read_sites
from muster.diagnostics import InputFault

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    (tmp_path / "sites").mkdir()
    for name in ("a.yaml", "b.yml", "C.YAML", "notes.md", "a.yaml~"):
        (tmp_path / "sites" / name).write_text("kind: Site\n")
    return tmp_path


def read(repository: Path, *wanted: str) -> list[SiteInput]:
    return read_sites(repository, wanted, lambda path: path.name)


def test_every_yaml_file_is_a_site_whatever_its_ending(repository: Path) -> None:
    assert [item.path.name for item in read(repository)] == ["C.YAML", "a.yaml", "b.yml"]


def test_a_site_has_one_place_in_messages_and_output(repository: Path) -> None:
    (site,) = read(repository, "a")
    assert (site.loaded.file, site.shown, site.own) == ("sites/a.yaml", "a.yaml", True)
    (repository / "a.yaml").write_text("kind: Site\n")
    (outside,) = read(repository, str(repository / "a.yaml"))
    assert (outside.loaded.file, outside.own) == ("a.yaml", False)


def test_one_file_asked_for_in_many_ways_is_one_site(repository: Path) -> None:
    place = repository / "sites"
    found = read(repository, "a", str(place / "a.yaml"), str(place / ".." / "sites" / "a.yaml"))
    assert [item.path.stem for item in found] == ["a"]


def test_a_link_inside_sites_is_judged_like_its_neighbours(repository: Path, tmp_path: Path) -> None:
    """Else a link would be a way around the rules of the repository."""
    (tmp_path / "elsewhere.yaml").write_text("kind: Site\n")
    (repository / "sites" / "linked.yaml").symlink_to(tmp_path / "elsewhere.yaml")
    (linked,) = read(repository, "linked")
    assert linked.own
    assert linked.loaded.file == "sites/linked.yaml"


def test_two_names_of_one_file_are_two_sites(repository: Path) -> None:
    (repository / "sites" / "z.yaml").symlink_to("a.yaml")
    assert [item.path.stem for item in read(repository)] == ["C", "a", "b", "z"]


def test_two_files_of_one_name_are_a_fault_of_that_site_alone(repository: Path) -> None:
    (repository / "sites" / "a.yml").write_text("kind: Site\n")
    found = read(repository)
    assert [item.path.stem for item in found] == ["C", "a", "b"]
    (fault,) = found[1].loaded.diagnostics
    assert fault.code == "MU003"
    assert "a.yaml and a.yml" in fault.message
    assert found[1].loaded.data is None
    assert not any(item.code == "MU003" for site in (found[0], found[2]) for item in site.loaded.diagnostics)


def test_what_is_not_there_is_told_with_the_nearest_name(repository: Path) -> None:
    (repository / "sites" / "h20-roce.yaml").touch()
    with pytest.raises(InputFault) as caught:
        read(repository, "h20-rose")
    assert caught.value.diagnostics[0].hint == 'did you mean "h20-roce"?'
    (missing,) = read(repository, "sites/none.yaml")
    assert missing.loaded.diagnostics[0].code == "MU101"


@pytest.mark.parametrize("folder", ["sites", None])
def test_no_site_is_a_fault(folder: str | None, tmp_path: Path) -> None:
    if folder:
        (tmp_path / folder).mkdir()
    with pytest.raises(InputFault, match="MU001"):
        read(tmp_path)
