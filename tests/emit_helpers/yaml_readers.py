"""The YAML readers that must agree about what is emitted, and values to try on them."""

from __future__ import annotations

import json
import shutil
import string
import subprocess
from typing import TYPE_CHECKING, Any

import ruamel.yaml
import yaml
from hypothesis import strategies as st

if TYPE_CHECKING:
    from pathlib import Path


def pyyaml(document: bytes) -> Any:
    """Read as YAML 1.1 with the pure Python reader."""
    return yaml.load(document, Loader=yaml.SafeLoader)


def libyaml(document: bytes) -> Any:
    """Read as YAML 1.1 with the C reader."""
    return yaml.load(document, Loader=yaml.CSafeLoader)


def ruamel12(document: bytes) -> Any:
    """Read as YAML 1.2."""
    return ruamel.yaml.YAML(typ="safe", pure=True).load(document)


PYTHON_READERS = {"PyYAML": pyyaml, "libyaml": libyaml, "ruamel.yaml": ruamel12}


class GoReaders:
    """A running ``tools/yamlread``: three Go readers over one pipe."""

    def __init__(self, binary: Path) -> None:
        self._process = subprocess.Popen(
            [str(binary)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8"
        )

    def read(self, document: bytes) -> dict[str, Any]:
        """Return what each reader gives back: ``{"value": ...}`` or ``{"error": ...}``."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(document.decode()) + "\n")
        self._process.stdin.flush()
        return json.loads(self._process.stdout.readline())

    def close(self) -> None:
        """End the process."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        self._process.wait(timeout=30)
        self._process.stdout.close()


def build_go_readers(root: Path) -> Path | str:
    """Return the built ``yamlread``, or why there is none."""
    binary, source = root / ".tools/bin/yamlread", root / "tools/yamlread"
    newest = max(source.joinpath(name).stat().st_mtime for name in ("main.go", "go.mod", "go.sum"))
    if binary.is_file() and binary.stat().st_mtime >= newest:
        return binary
    local = root / ".tools/go/bin/go"
    go = shutil.which("go") or (str(local) if local.is_file() else None)
    if go is None:
        return "no Go on PATH or in .tools/go"
    binary.parent.mkdir(parents=True, exist_ok=True)
    command = [go, "build", "-mod=readonly", "-trimpath", "-ldflags=-s -w", "-o", str(binary), "."]
    built = subprocess.run(command, cwd=source, capture_output=True, text=True)
    return binary if built.returncode == 0 else f"tools/yamlread does not build: {built.stderr[-300:]}"


_HEX = st.text("0123456789abcdef", min_size=1, max_size=12)
_NUMBERISH = st.text("0123456789+-._eExXoObBnNaAfFiI:", min_size=1, max_size=10)
_PUNCTUATED = st.text(string.ascii_letters[:6] + " \t:#-?,[]{}&*!|>'\"%@`=<~\\/$()\n", max_size=14)
_ANY = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
_LINES = st.lists(st.text(string.ascii_letters[:4] + " \t#:-.'\"", max_size=8), max_size=5).map("\n".join)

TEXTS = st.one_of(_HEX, _NUMBERISH, _PUNCTUATED, _ANY, _LINES, st.builds("{}\n".format, _LINES))
FLOATS = st.floats(allow_nan=False, allow_infinity=False).filter(lambda number: not number.is_integer())
SCALARS = st.one_of(TEXTS, st.integers(-(2**63), 2**64 - 1), FLOATS, st.booleans(), st.none())
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(TEXTS, inner, max_size=4)),
    max_leaves=12,
)
