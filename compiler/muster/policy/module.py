"""The CUE module that sites are checked with: muster's own and the files that a GitOps repository adds."""

from __future__ import annotations

import hashlib
import shutil
import tempfile
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from muster.diagnostics import InputFault, Position, diagnostic

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

LIMIT = 1 << 20
"""Largest policy file in bytes."""


@dataclass(frozen=True, slots=True)
class PolicyModule:
    """A CUE module on disk.

    Attributes:
        root: its folder; ``cue`` runs there.
        labels: relative path in the module to the path shown to people.
        digests: relative path to ``sha256:<hex>`` of its bytes; part of the digest of inputs.
    """

    root: Path
    labels: Mapping[str, str]
    digests: Mapping[str, str]

    def label(self, relative: str) -> str:
        """Return the path that people know a module file by."""
        return self.labels.get(relative.removeprefix("./"), relative)


def builtin_root() -> Path:
    """Return muster's own policies: of the checkout when installed editable, else of the wheel."""
    package = Path(__file__).resolve().parent.parent
    packed = package / "_policies"
    return packed if packed.is_dir() else package.parent.parent / "policies"


@contextmanager
def assemble(repository: Path | None) -> Iterator[PolicyModule]:
    """Yield a repository's own whole module, or muster's with the repository's files added.

    Raises:
        InputFault: MU201 a file would replace one of muster's; MU202 it is too large or no plain file.
    """
    own = repository / "policies" if repository else None
    if own is not None and (own / "cue.mod" / "module.cue").is_file():
        files = _files(own)
        yield PolicyModule(own, {name: f"policies/{name}" for name in files}, _digests(own, files))
        return
    base = builtin_root()
    base_files = _files(base)
    if own is None or not own.is_dir():
        yield PolicyModule(
            base, {n: f"(muster)/policies/{n}" for n in base_files}, _digests(base, base_files)
        )
        return
    with tempfile.TemporaryDirectory(prefix="muster-policies-") as folder:
        yield _overlay(base, base_files, own, Path(folder))


def _overlay(base: Path, base_files: list[str], own: Path, target: Path) -> PolicyModule:
    own_files = _files(own)
    clashes = sorted(set(base_files) & set(own_files))
    if clashes:
        raise InputFault(
            [
                diagnostic(
                    "MU201", f"{name} is a file of muster's own policies", Position(f"policies/{name}", 1, 1)
                )
                for name in clashes
            ]
        )
    labels: dict[str, str] = {}
    digests: dict[str, str] = {}
    for source, names, prefix in ((base, base_files, "(muster)/policies/"), (own, own_files, "policies/")):
        digests |= _digests(source, names)
        for name in names:
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source / name, target / name)
            labels[name] = prefix + name
    return PolicyModule(target, labels, digests)


def _files(root: Path) -> list[str]:
    found = []
    for path in sorted(root.rglob("*")):
        relative = path.relative_to(root).as_posix()
        if path.suffix not in {".cue", ".json"} or path.is_dir():
            continue
        if path.is_symlink() or not path.is_file() or path.stat().st_size > LIMIT:
            raise InputFault(
                diagnostic(
                    "MU202",
                    f"{relative} is not a plain file of at most 1 MiB",
                    Position(f"policies/{relative}", 1, 1),
                )
            )
        found.append(relative)
    return found


def _digests(root: Path, names: list[str]) -> dict[str, str]:
    return {name: "sha256:" + hashlib.sha256((root / name).read_bytes()).hexdigest() for name in names}
