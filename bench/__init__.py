"""Benchmarks: ratios in one run, against peers and against the floor."""
