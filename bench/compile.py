"""Compile: one site cold, many sites cold, nothing changed; against kustomize and against the floor."""

from __future__ import annotations

import os
import time
from functools import partial
from typing import TYPE_CHECKING, Any

import yaml

from bench.run import KUSTOMIZE, MUSTER, line, timed
from bench.sites import write_repository
from muster.emit.yaml import dump

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


PEER_SITES = 20


def measure_compile(folder: Path, count: int) -> None:
    """Print the figures of compiling ``count`` sites."""
    repository = folder / "fleet"
    write_repository(repository, count)
    compiling = [*MUSTER, "compile", "--repository", str(repository), "--output"]
    # A fresh output every time: file systems are slow to make files where as many were just removed.
    outputs = iter(folder / f"output-{index}" for index in range(99))
    one = timed(lambda: [*compiling, str(next(outputs)), "site-0000"], 5)
    line("one site of 105 objects, cold", f"{one.seconds:.2f} s", "< 1 s")
    output = next(outputs)
    many = timed(lambda: [*compiling, str(output)], 1)
    objects = [path for path in output.rglob("*.yaml") if path.name != "kustomization.yaml"]
    size = sum(path.stat().st_size for path in objects)
    line(
        f"{count} sites, {len(objects)} objects, {size / 1e6:.0f} MB, cold",
        f"{many.seconds:.1f} s",
        "< 15 s for 200 sites",
    )
    line("peak memory of one process", f"{many.mebibytes:.0f} MiB", "<= 500 MiB")
    same = timed(lambda: [*compiling, str(output)], 1)
    line("the same again, nothing changed", f"{same.seconds:.1f} s", "-")
    _against_kustomize(output, compiling, outputs)
    floor = _floor(output, folder / "floor")
    line("floor: serialize and write the same bytes, one process", f"{floor:.1f} s", "-")
    line("muster takes, of the floor", f"{many.seconds / floor:.1f} x", "<= 3 x")


def _against_kustomize(output: Path, compiling: list[str], outputs: Iterator[Path]) -> None:
    """Compare with kustomize in its two ways: one build of about 2,000 objects, and a build for each site."""
    if not KUSTOMIZE.is_file():
        line("kustomize build on the same objects", "not measured", "build tools/kustomize first")
        return
    sites = sorted(path for path in output.iterdir() if (path / "manifests").is_dir())
    some = sites[:PEER_SITES]
    mine = timed(lambda: [*compiling, str(next(outputs)), *(site.name for site in some)], 1)
    theirs = timed(lambda: _build(output, [stage for site in some for stage in _stages(site, output)]), 1)
    line(f"kustomize, one build of {len(some)} sites", f"{theirs.seconds:.1f} s", "-")
    line("muster on the same sites", f"{mine.seconds:.1f} s", "-")
    line("muster is faster than one build by", f"{theirs.seconds / mine.seconds:.1f} x", ">= 4 x")
    single = sum(timed(partial(_build, site, _stages(site, site)), 1).seconds for site in some)
    line("muster is faster than a build for each site by", f"{single / mine.seconds:.1f} x", "-")


def _stages(site: Path, base: Path) -> list[str]:
    return [
        path.relative_to(base).as_posix() for path in sorted((site / "manifests").iterdir()) if path.is_dir()
    ]


def _build(folder: Path, resources: list[str]) -> list[str]:
    """Write a kustomization over stages and return the command that builds it."""
    text = "resources:\n" + "".join(f"- {name}\n" for name in resources)
    (folder / "kustomization.yaml").write_text(text, "utf-8")
    return [str(KUSTOMIZE), "build", str(folder)]


def _floor(output: Path, target: Path) -> float:
    """Return the seconds that the bare work takes: every object to YAML, every file written, no check at all."""
    loaded: list[tuple[Path, Any]] = []
    for path in sorted(output.rglob("*")):
        if path.suffix == ".yaml":
            loaded.append((path.relative_to(output), yaml.load(path.read_bytes(), Loader=yaml.CSafeLoader)))
        elif path.is_file():
            loaded.append((path.relative_to(output), path.read_bytes()))
    start = time.perf_counter()
    for name, item in loaded:
        path = target / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(item if isinstance(item, bytes) else dump(item))
    os.sync()
    return time.perf_counter() - start
