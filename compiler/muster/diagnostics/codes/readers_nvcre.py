"""Codes of the readers of NVCRE's reports and objects (MU780-MU789)."""

from __future__ import annotations

from muster.diagnostics.registry import Code

CODES = (
    Code(
        "MU780",
        "Document is damaged or refused",
        """The file is no JSON or YAML that can be read in one way only: it is cut, a key stands twice in one
object, a number is not finite, it is nested too deep, or it holds tags or many aliases.""",
        hint="Write the object again, with `kubectl get -o json` or with the tool's own option.",
    ),
    Code(
        "MU781",
        "Run is not finished",
        """The object or report says that something is still pending or running, or does not say that it ended.
Figures in it are provisional.""",
        hint="Collect it again when the run has ended.",
    ),
    Code(
        "MU782",
        "Document contradicts itself",
        """Two parts of the document cannot both be true, such as a passed report with a failed category, or a
ratio that does not follow from its own parts. Neither is used.""",
        hint="Read the raw logs: they win over a summary.",
    ),
    Code(
        "MU783",
        "Value is not of its kind",
        """A field that should hold a number, a text or a list holds something else, or a number without its
unit. It is not guessed at.""",
        hint="Look at the version of the tool that wrote the document.",
    ),
    Code(
        "MU784",
        "Word that muster does not know",
        """A status, result, kind or version is none of those that this format has. A newer version of the tool
may mean anything by it.""",
        hint="Use a version of the tool that muster knows, or a newer muster.",
    ),
    Code(
        "MU785",
        "Nothing was tested",
        """The document holds no category, no result and no measurement. Zero things checked is not a pass.""",
        hint="Give the object that holds results, or the report of a run that targeted nodes.",
    ),
    Code(
        "MU786",
        "Measurement without final data",
        """NVCRE says that the measurement collected nothing, could not read the log, or belongs to a job that
failed. Its figures are provisional and are not used for thresholds by NVCRE either.""",
        hint="Read the raw log of the launcher.",
    ),
    Code(
        "MU787",
        "Hardware failure may be a cordoned node",
        """NVCRE watches the node object during a run; with its own catalog a node that is cordoned while it runs
is recorded as a hardware failure.""",
        severity="warning",
        hint="Look who cordoned the node before you replace hardware.",
    ),
    Code(
        "MU788",
        "Nodes were left out",
        """Nodes that matched the target were not tested: cordoned, of another GPU model, or short of GPUs. They
were not accepted.""",
        severity="warning",
        hint="Make the nodes schedulable and run again.",
    ),
    Code(
        "MU789",
        "Run failed for a reason that is not the device's",
        """NVCRE could not build or start the run: an unknown category, a name that is taken, a threshold that it
cannot evaluate. No node was tested by it, so no node failed.""",
        hint="Mend the object and apply it under a new name; a Certification is immutable.",
    ),
)
