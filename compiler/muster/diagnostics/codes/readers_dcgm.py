"""Codes of the readers of ``dcgmi diag``, nvvs and ``dcgmi health`` (MU740-MU747)."""

from __future__ import annotations

from muster.diagnostics.registry import Code

CODES = (
    Code(
        "MU740",
        "Document of DCGM is cut off",
        """The JSON document or the table of the diagnosis has a beginning and no end: the tool was
killed, ran into its time limit, or the log was cut. What was printed before says nothing about
the tests that follow.""",
        hint="Run the diagnosis again with a longer limit, or collect the whole log.",
    ),
    Code(
        "MU741",
        "DCGM could not run the diagnosis",
        """DCGM itself reports that the diagnosis did not run: no connection to the hostengine, plugins
that are not installed, a group that is not homogeneous, a driver that does not fit. That is no
fault of a GPU.""",
        hint="Mend what the message names (packages, hostengine, driver) and run the test again.",
    ),
    Code(
        "MU742",
        "Results of DCGM contradict each other",
        """Two places say different things about one test: a summary that is better than its results, one
entity with two statuses, an exit code that reports errors for a document without any. Nobody
can say which is true, so neither counts.""",
        hint="Run the diagnosis again and keep its document and its exit code.",
    ),
    Code(
        "MU743",
        "Diagnosis without a test",
        """The document holds no result of any test. A run that tested nothing proves nothing.""",
        hint="Look at the run level and at the names of the tests that were asked for.",
    ),
    Code(
        "MU744",
        "Part of the results of DCGM is missing",
        """A result that must be there is not: the text is a fragment of a document, a round printed
nothing, a table names fewer GPUs than it detected.""",
        hint="Collect the whole output of the diagnosis, from its first line to its last.",
    ),
    Code(
        "MU745",
        "Document of DCGM is not understood",
        """A status, a type or a row is not what any known version of DCGM prints. A word that muster does
not know is never taken for a pass.""",
        hint="Compare the version of DCGM with the versions that muster reads (2.x to 4.x).",
    ),
    Code(
        "MU746",
        "Passed with an error entry",
        """The status is Pass but the result carries a warning or an error entry. DCGM 4.x exits with 226
then. muster counts such a result as a warning, not as a pass.""",
        severity="warning",
        hint="Read the entry: it names what has to be mended.",
    ),
    Code(
        "MU747",
        "Exit code 0 although a test did not pass",
        """The exit code that was recorded is 0, but a test of the document failed or warned: a wrapper
hides the code of dcgmi, or the version is old. The document, being the worse of the two,
counts.""",
        severity="warning",
        hint="Let the pod script hand on the exit code of dcgmi.",
    ),
)
