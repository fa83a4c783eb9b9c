"""The CUE module that sites are checked with: muster's own and the files that a GitOps repository adds."""

from __future__ import annotations

import hashlib
import re
import shutil
import tempfile
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from muster.diagnostics import InputFault, Position, diagnostic
from muster.site.names import nearest

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from muster.diagnostics import Diagnostic

PACKAGES = ("catalog", "compat", "guardrails", "hardware", "profiles", "schema")
"""Folders of a policy module, each the package of its name."""

_PACKAGE = re.compile(r"^package[ \t]+(\w+)", re.MULTILINE)

_DEFINED = re.compile(r"^(#\w+)\s*:", re.MULTILINE)

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


def _misplaced(own: Path, files: list[str]) -> list[Diagnostic]:
    """Return a finding for every file that no package of the policies would load."""
    found = []
    for name in files:
        folder, _, _ = name.rpartition("/")
        match = _PACKAGE.search((own / name).read_text("utf-8", "replace")) if name.endswith(".cue") else None
        said = match[1] if match else "none"
        if folder not in PACKAGES or said != folder:
            text = f"{name} is loaded by nothing: its folder is {folder or 'policies'}, its package {said}"
            found.append(diagnostic("MU208", text, Position(f"policies/{name}", 1, 1)))
    return found


def _unused(base: Path, base_files: list[str], own: Path, own_files: list[str]) -> list[Diagnostic]:
    """Return a finding for every definition that muster's packages do not have and no own file refers to."""
    texts = {name: (own / name).read_text("utf-8", "replace") for name in own_files if name.endswith(".cue")}
    known = {name for item in base_files for name in _DEFINED.findall((base / item).read_text("utf-8"))}
    found = []
    for name, text in texts.items():
        for match in _DEFINED.finditer(text):
            used = sum(len(re.findall(rf"{match[1]}\b", other)) for other in texts.values())
            if match[1] not in known and used < 2:
                line = text.count("\n", 0, match.start()) + 1
                near = nearest(match[1], sorted(known))
                hint = f'did you mean "{near}"?' if near else ""
                place = Position(f"policies/{name}", line, 1)
                found.append(diagnostic("MU209", f"nothing uses {match[1]}", place, hint=hint))
    return found


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
    idle = _misplaced(own, own_files) or _unused(base, base_files, own, own_files)
    if idle:
        raise InputFault(idle)
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
