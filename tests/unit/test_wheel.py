"""The wheel carries everything that the package needs at run time: policies, templates, scripts, schemas."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

DATA = {".cue", ".json", ".jsonnet", ".libsonnet", ".sh", ".lua", ".typed"}


def test_wheel_carries_code_policies_and_data(root: Path, tmp_path: Path) -> None:
    argv = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    subprocess.run(argv, cwd=root, check=True, capture_output=True)
    (wheel,) = tmp_path.glob("muster_gitops-*.whl")
    names = set(zipfile.ZipFile(wheel).namelist())
    package, policies = root / "compiler" / "muster", root / "policies"
    wanted = {
        f"muster/{path.relative_to(package).as_posix()}"
        for path in package.rglob("*")
        if path.suffix in DATA | {".py"}
    }
    wanted |= {
        f"muster/_policies/{path.relative_to(policies).as_posix()}" for path in policies.rglob("*.cue")
    }
    assert wanted - names == set()
    assert any(name.endswith("LICENSE") for name in names)
