"""What made an output: versions of the tools and the digest of the templates, as every lock names them."""

from __future__ import annotations

import hashlib
import importlib.metadata
from functools import cache
from pathlib import Path

from muster import __version__
from muster.policy.cue import VERSION as CUE_VERSION


@cache
def tool_versions() -> dict[str, str]:
    """Return tool to version: muster, cue, the Jsonnet engine."""
    return {"muster": __version__, "cue": CUE_VERSION, "rjsonnet": importlib.metadata.version("rjsonnet")}


@cache
def templates_digest() -> str:
    """Return ``sha256:<hex>`` over the names and bytes of all templates."""
    folder = Path(__file__).resolve().parents[1] / "render" / "templates"
    whole = hashlib.sha256()
    for path in sorted(folder.iterdir()):
        if path.suffix in {".jsonnet", ".libsonnet"}:
            data = path.read_bytes()
            whole.update(f"{path.name} {len(data)}\n".encode() + data)
    return "sha256:" + whole.hexdigest()
