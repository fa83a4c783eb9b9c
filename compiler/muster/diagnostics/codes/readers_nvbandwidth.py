"""Codes of the reader of nvbandwidth (MU750-MU754)."""

from __future__ import annotations

from muster.diagnostics.registry import Code

CODES = (
    Code(
        "MU750",
        "Output of nvbandwidth is cut off or empty",
        """A test case was started and has no sum, the text ends before the tool's last words, or there is no
test case at all. What was not measured to the end is not a measurement.""",
        hint="Run the test again, or collect the whole output.",
    ),
    Code(
        "MU751",
        "nvbandwidth reports an error",
        """The tool stopped with an error, or marked a test case with one: wrong data, a failed CUDA call, a
test case that does not exist.""",
        hint="Read the message of the tool; run the named test case alone.",
    ),
    Code(
        "MU752",
        "Figures of nvbandwidth contradict each other",
        """The sum is not the sum of the cells, a test case is there twice with different outcomes, or a
latency is given in GB/s. One of the two places is wrong, and nobody can say which.""",
        hint="Look for lines that were lost or edited, and run the test again.",
    ),
    Code(
        "MU753",
        "Output of nvbandwidth is not understood",
        """A unit, a row or a status is not what any known version of nvbandwidth prints. A number whose unit
is not known is not used.""",
        hint="Compare the version of nvbandwidth with the versions that muster reads (0.1 to 0.10).",
    ),
    Code(
        "MU754",
        "Part of the test cases was not measured",
        """Test cases were waived without a name (the text of 0.5 and later does not say which), or a pair of
GPUs has no figure. What was not measured satisfies no threshold.""",
        severity="warning",
        hint="Use the JSON output (-j), which names the test cases that were waived.",
    ),
)
