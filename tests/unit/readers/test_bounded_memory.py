"""A log is read in the same memory however long it is."""

from __future__ import annotations

import subprocess
import sys

CHILD = r"""
import io, resource, sys
from muster.readers import read_source
from muster.readers.source import Source

line = "node-a:4001:{0} [1] NCCL INFO AllReduce: opCount {0:x} count 8 datatype 7 op 0 root 0 [nranks=16]\n"

class Long(io.RawIOBase):
    number = made = 0
    rest = b"# Collective test starting: all_reduce_perf\n"

    def readable(self):
        return True

    def read(self, size=-1):
        while len(self.rest) < size and self.made < int(sys.argv[1]) << 20:
            block = "".join(line.format(self.number + step) for step in range(1000)).encode()
            self.number, self.made, self.rest = self.number + 1000, self.made + len(block), self.rest + block
        data, self.rest = self.rest[:size], self.rest[size:]
        return data

found = read_source(Source("long.log", Long))
assert (found["tool"], found["state"]) == ("nccl-tests", "incomplete"), found["problems"]
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


def peak(megabytes: int) -> int:
    """Read a log of some megabytes in a process of its own; return its peak memory in KiB."""
    done = subprocess.run(
        [sys.executable, "-c", CHILD, str(megabytes)], capture_output=True, text=True, check=True
    )
    return int(done.stdout)


def test_ten_times_the_log_takes_hardly_more_memory() -> None:
    assert peak(40) < peak(4) + 16 * 1024
