"""The JSON Schema of site files is what CUE makes of #Site."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


def test_schema_is_what_cue_makes_of_it(root: Path, refresh: bool) -> None:
    argv = [str(root / ".tools" / "bin" / "cue"), "def", "./schema", "--out", "jsonschema", "-e", "#Site"]
    made = subprocess.run(argv, cwd=root / "policies", capture_output=True, check=True, text=True).stdout
    path = root / "policies" / "schema" / "site.schema.json"
    if refresh:
        path.write_text(made)
    assert path.read_text() == made
