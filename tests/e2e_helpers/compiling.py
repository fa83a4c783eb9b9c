"""Compile sites as the command line does, inside this process."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import yaml

from muster.compile.inputs import read_sites
from muster.compile.run import compile_sites
from muster.policy import Cue

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from muster.compile.result import Compilation

LAB = "tests/cases/sites/h20-lab.yaml"


def cue(root: Path) -> Cue:
    """Return the pinned cue of the checkout."""
    return Cue(root / ".tools" / "bin" / "cue")


def compile_named(
    root: Path, wanted: Sequence[str], repository: Path | None = None, workers: int = 1
) -> Compilation:
    """Compile the sites asked for, all of ``sites/`` when none is."""
    place = repository or root
    return compile_sites(read_sites(place, wanted, lambda path: path.name), place, cue(root), workers)


def objects_of(files: Mapping[str, bytes]) -> dict[str, dict[str, Any]]:
    """Return every Kubernetes object of some files by path; kustomization files are none."""
    return {
        path: yaml.load(data, Loader=yaml.CSafeLoader)
        for path, data in files.items()
        if path.endswith(".yaml") and not path.endswith("kustomization.yaml")
    }
