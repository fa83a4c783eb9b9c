"""Codes of the readers of tool output: what every reader shares, and nccl-tests (MU700-MU739)."""

from __future__ import annotations

from muster.diagnostics.registry import Code

CODES = (
    Code(
        "MU700",
        "File cannot be opened",
        """The operating system refused to open or read the file. Nothing is known about the test it should
hold, so nothing is said about it.""",
        hint="Name a file that exists and that you may read.",
    ),
    Code(
        "MU701",
        "No known tool wrote this file",
        """muster recognises a file by its text, never by its name alone. Nothing in the first 64 KiB looks
like the output of a tool that it reads, so no number is taken from it.""",
        hint="Give the whole output of the tool, from its first line.",
    ),
    Code(
        "MU702",
        "Line is too long",
        """A line over 64 KiB was cut; what stood behind the cut was not read. A tool that muster reads prints
no such line. Inside a run of a test the cut makes the run unreadable, elsewhere it is only reported.""",
        severity="warning",
        hint="Look for output without line ends, or for binary data in the log.",
    ),
    Code(
        "MU703",
        "Record line of the pod script is damaged",
        """A line starts with `MUSTER-RECORD` but what follows is not one JSON object of a known version. The
record binds the output to a desired test, so the file cannot be trusted to belong to it.""",
        hint="Collect the pod's log again; do not edit it.",
    ),
    Code(
        "MU704",
        "More than can be kept",
        """The file holds more rows or more problems than muster keeps from one file. What lies beyond the cap
was not judged, so the reading is not complete.""",
        hint="Read the output of one test per file.",
    ),
    Code(
        "MU705",
        "Document is too large",
        """A JSON document is read as a whole and may have at most 64 MiB.""",
        hint="Read the output of one test per file.",
    ),
    Code(
        "MU706",
        "Output of another tool",
        """The text looks like a tool that muster reads but comes from another one, whose figures mean
something else. No number is taken from it.""",
        hint="Run the tool that the test names.",
    ),
)
