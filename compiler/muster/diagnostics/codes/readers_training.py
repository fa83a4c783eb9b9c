"""Codes of the reader of training logs (MU770-MU779)."""

from __future__ import annotations

from muster.diagnostics.registry import Code

CODES = (
    Code(
        "MU770",
        "No training step in the log",
        """The file looks like a training log, but no line of it is a step that muster knows. A log whose
format changed must not read as a run without overhead, so nothing is taken from it.""",
        hint="Give the log of the rank that prints the steps (the last one); muster knows Megatron and NeMo.",
    ),
    Code(
        "MU771",
        "Training step is damaged",
        """A line starts like a training step but has no time, or one that is no positive number. It may be
cut, or two lines may have run together.""",
        hint="Collect the log again, without a wrap at the width of a terminal.",
    ),
    Code(
        "MU772",
        "Training log is not whole",
        """The log starts after the first iteration or ends before the last one, and nothing in it says that
the program ended by itself. The steps that are there are listed, but they do not prove the whole.""",
        hint="Collect the whole log, or let the run finish.",
    ),
    Code(
        "MU773",
        "Times of a training log contradict each other",
        """The printed step times do not fit between the time stamps of their lines, or two lines give
different times for one step. One of the two is wrong, so neither is used.""",
        hint="Look for a clock that was set during the run, and for two logs in one file.",
    ),
    Code(
        "MU774",
        "Steps of two programs are mixed",
        """Steps with different labels alternate, or two frameworks print steps. A restart cannot be told from
the other program's progress, so nothing about time can be trusted.""",
        hint="Give the log of one rank of one job.",
    ),
    Code(
        "MU775",
        "Iterations that are not a number",
        """The framework counted iterations whose loss is not a number. Such a run did not train, however fast
it was.""",
        hint="Look at the loss; a GPU that computes wrongly is one of the causes.",
    ),
    Code(
        "MU776",
        "Training program failed",
        """After the last step the log holds a line that says that the program ended badly.""",
        hint="Read the log from that line on.",
    ),
    Code(
        "MU777",
        "Training ended by a limit of its own",
        """The program says that it ended by itself, before the number of iterations it was given: an exit
interval or a time limit in its own arguments. This is an end as good as the last iteration.""",
        severity="info",
    ),
    Code(
        "MU779",
        "Steps are missing",
        """Between two steps the number of the iteration grows by more than the log's interval. Lines were
lost or cut out, and with them perhaps a restart or a save.""",
        hint="Collect the whole log.",
    ),
)
