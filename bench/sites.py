"""Make sites of about 100 objects for benchmarks, from the shipped H20 site."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
NODES = 5


def site_text(name: str) -> str:
    """Return a site file with five nodes in a ring: 96 Kubernetes objects."""
    text = (ROOT / "sites" / "h20-roce.yaml").read_text("utf-8")
    nodes = "".join(f"          - {name}-n{index}\n" for index in range(NODES))
    text = text.replace("  name: h20-roce\n", f"  name: {name}\n", 1)
    text = text.replace("          - node-a\n          - node-b\n", nodes, 1)
    for field in ("project", "namespace"):
        text = text.replace(f"    {field}: gpu-acceptance\n", f"    {field}: {name}\n", 1)
    text = text.replace("    gpuHours: 40\n", "    gpuHours: 400\n").replace(
        "    deadline: 6h\n", "    deadline: 2d\n"
    )
    ring = "".join(f"    pair-{op}:\n      pairs: ring\n" for op in ("all-reduce", "all-gather", "alltoall"))
    return text.replace("  tests:\n", "  tests:\n" + ring, 1).replace(
        "      scope: pair\n", "      scope: pair\n      pairs: ring\n", 1
    )


def write_repository(folder: Path, count: int) -> None:
    """Write a GitOps repository with ``count`` such sites."""
    (folder / "sites").mkdir(parents=True)
    for index in range(count):
        name = f"site-{index:04}"
        (folder / "sites" / f"{name}.yaml").write_text(site_text(name), "utf-8")
