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
    Code(
        "MU710",
        "Run did not end",
        """nccl-tests prints `Out of bounds values` and `Avg bus bandwidth` when it is done. Without both, the
run was stopped, hangs, or the log is cut: what is there may be right, but it is not a result.""",
        hint="Look at why the test ended; run it again or collect the whole log.",
    ),
    Code(
        "MU711",
        "No figures",
        """The test began and printed no row, or the log holds no run at all. Nothing was measured.""",
        hint="Look at the lines before: a launch that failed, a network that could not be used.",
    ),
    Code(
        "MU712",
        "Run failed",
        """A line of the test or of its launcher says that a call failed or that a process ended early. Wrong
data alone is no failure of this kind: such a run is complete, and its data is judged.""",
        hint="The quoted line names the cause.",
    ),
    Code(
        "MU713",
        "Launch failed",
        """The launcher could not start the test. It is a warning when a run came after it all the same.""",
        hint="The quoted line names the cause.",
    ),
    Code(
        "MU714",
        "Row cannot be read",
        """Inside a table every line that begins with a number has to be a row with the columns of its
header. A row that is cut, glued or edited is never read in part, except for the placement that a run printed
before it died.""",
        hint="Collect the log again; do not edit it.",
    ),
    Code(
        "MU715",
        "Lines do not make one table",
        """A row stands outside a table, a table has two footers, or two processes wrote it: several runs were
mixed, or text is missing.""",
        hint="Write the output of each run to its own log, and of rank 0 only.",
    ),
    Code(
        "MU716",
        "Rows were cut out",
        """Three dots stand between the rows: someone shortened the log, so neither its average nor its sizes
can be checked.""",
        hint="Keep the whole log.",
    ),
    Code(
        "MU717",
        "Header or footer cannot be read",
        """A line looks like one that the tool prints around its table, but does not follow its grammar, or
the column names are not those of any version.""",
        hint="Collect the log again; do not edit it.",
    ),
    Code(
        "MU718",
        "algbw is not size over time",
        """algbw = size / time, within what the printed digits leave open. One of the three figures was
changed or misread.""",
        hint="Collect the log again; do not edit it.",
    ),
    Code(
        "MU719",
        "busbw does not follow from algbw",
        """busbw = algbw x factor, where the factor follows from the collective and the number of ranks. A
figure was changed, or the number of ranks is not what the device lines say.""",
        hint="Compare the device lines with the ranks that were started.",
    ),
    Code(
        "MU720",
        "Average is not the mean of the rows",
        """`Avg bus bandwidth` is the mean of busbw over all rows and both placements. When it is not, rows
are missing or were changed.""",
        hint="Collect the whole log.",
    ),
    Code(
        "MU721",
        "Device lines contradict",
        """Ranks have to be numbered without gap from 0, each once, and every process has as many as threads x
GPUs in the header. A list that the tool itself cut is only reported.""",
        hint="Collect the whole log.",
    ),
    Code(
        "MU722",
        "Validation contradicts",
        """The header says whether results are checked; the error columns show it (`N/A`: not checked).""",
        hint="Collect the log again; do not edit it.",
    ),
    Code(
        "MU723",
        "Count of wrong results contradicts",
        """`Out of bounds values` has to agree with its own word and with the error columns.""",
        hint="Collect the log again; do not edit it.",
    ),
    Code(
        "MU724",
        "Sizes are not those asked for",
        """The header names the first size, the last and the step; the table has to have exactly these rows.
The last size may be smaller when the tool says that it reduced it.""",
        hint="Collect the whole log.",
    ),
    Code(
        "MU725",
        "Table is there more than once",
        """The sizes repeat. That is right with `-N`; otherwise part of the log was doubled.""",
        hint="Show the command line in the log, or run without -N.",
    ),
    Code(
        "MU726",
        "Run is there twice",
        """Two runs of one log are the same to the last digit, or one round begins twice: one measurement
would count as two.""",
        hint="Collect the log again; do not put logs together.",
    ),
    Code(
        "MU727",
        "Collective is not named",
        """Newer versions print the program's name. Without it, and without a command line in the log, columns
and factor may still leave one collective; where they leave several, muster does not choose.""",
        severity="info",
        hint="Use nccl-tests 2.16.7 or later, or print the command line before the test.",
    ),
    Code(
        "MU728",
        "Collective contradicts",
        """Program, command line, redop and root column have to be those of one collective.""",
        hint="Check that the log belongs to the test.",
    ),
    Code(
        "MU729",
        "Command line and header contradict",
        """An option on the command line before the run is not what the header of the run says.""",
        hint="Check that the log belongs to the command.",
    ),
    Code(
        "MU730",
        "NCCL versions contradict",
        """One run names two versions of the NCCL library. Different versions of header and library are only a
warning: the library is what ran.""",
        hint="Install one version of NCCL on all nodes.",
    ),
    Code(
        "MU731",
        "Implausible value",
        """A value that the tool cannot have printed for a measurement: a size that is not count x type, no
time at all, nan.""",
        hint="Run the test again.",
    ),
    Code(
        "MU732",
        "Results were not checked",
        """The test ran with `-c 0`: its `0 OK` says nothing about the data.""",
        severity="info",
        hint="Run with -c 1.",
    ),
    Code(
        "MU733",
        "Warning of the tool",
        """NCCL or the test itself warned. The figures stand.""",
        severity="warning",
    ),
    Code(
        "MU734",
        "Figures by an old formula",
        """Versions around 2.0 print algbw of all_gather and reduce_scatter with (n-1)/n already in it. busbw
is right; algbw is not comparable with newer versions.""",
        severity="info",
    ),
    Code(
        "MU735",
        "JSON report is damaged",
        """The report is not JSON to its end. A report that breaks off is what a test leaves that died.""",
        hint="Look at the text output of the test.",
    ),
    Code(
        "MU736",
        "JSON report has an unknown form",
        """A key is missing, twice there or of another type than nccl-tests 2.17.3 to 2.19 writes.""",
        hint="Read the text output instead, and report the version of the tool.",
    ),
    Code(
        "MU737",
        "NCCL's own lines contradict",
        """NCCL's INFO lines name other ranks or nodes than the device lines, or a channel line cannot be
read.""",
        hint="Check that the lines belong to one run.",
    ),
    Code(
        "MU738",
        "Row was put together",
        """Another message stood inside a row. Both parts together make a whole row that fits.""",
        severity="info",
    ),
    Code(
        "MU739",
        "Version and layout contradict",
        """The version line names a version that does not print such a table.""",
        hint="Check that the log is of one run.",
    ),
)
