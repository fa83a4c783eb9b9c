"""Print muster's speed as ratios: against kustomize on the same objects, and against the floor.

Every figure of one table comes from one run on one machine; absolute times are there to see the noise.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path


def main() -> None:
    """Run the benchmarks asked for and print a line for each figure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", nargs="*", default=["compile", "evidence"], choices=["compile", "evidence"])
    parser.add_argument("--sites", type=int, default=200, help="sites of about 100 objects to compile")
    parser.add_argument("--desired", type=int, default=10_000, help="desired tests to reconcile")
    parser.add_argument("--records", type=int, default=100_000, help="evidence records to reconcile")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="muster-bench-") as folder:
        if "compile" in asked.what:
            from bench.compile import measure_compile

            measure_compile(Path(folder), asked.sites)
        if "evidence" in asked.what:
            from bench.evidence import measure_evidence

            measure_evidence(Path(folder), asked.desired, asked.records)


if __name__ == "__main__":
    main()
