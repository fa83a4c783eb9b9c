"""Codes of the reader of perftest, ``ib_write_bw`` and its like (MU755-MU759)."""

from __future__ import annotations

from muster.diagnostics.registry import Code

CODES = (
    Code(
        "MU755",
        "Output of perftest is cut off or empty",
        """There is a header without a row, no line that closes the table, or a size is missing in a run over
all sizes. What was not measured to the end is not a measurement.""",
        hint="Run the test again, or collect the whole output of the client.",
    ),
    Code(
        "MU756",
        "Figures of perftest contradict each other",
        """One size has two different results in one run, or the bandwidth does not follow from the message
rate and the size. Two processes may have written over each other.""",
        hint="Keep the output of client and server apart, and run the test again.",
    ),
    Code(
        "MU757",
        "Output of perftest is not understood",
        """A column, a row or a unit is not what perftest prints. MB/sec and MiB/sec both mean 2^20 bytes
there, Gb/sec means 1e9 bits: a figure without its unit can be off by a factor of 119 and is not used.""",
        hint="Run perftest with --report_gbits and keep the header of the table.",
    ),
    Code(
        "MU758",
        "perftest reports an error",
        """The tool could not connect, found no device or ended with a failed completion. Such a run says
something about the path between the two ends, and nothing about its bandwidth.""",
        hint="Look at the state of the port, the address of the server and the GID index.",
    ),
    Code(
        "MU759",
        "How a figure of perftest has to be read",
        """A bidirectional test prints the sum of both directions; the JSON of perftest before 2024 is not
JSON. The figure is read; whoever compares it should know.""",
        severity="info",
        hint="Compare bidirectional figures with bidirectional thresholds only.",
    ),
)
