"""Codes of the readers of AICR's documents (MU790-MU799)."""

from __future__ import annotations

from muster.diagnostics.registry import Code

CODES = (
    Code(
        "MU790",
        "Document of AICR has another shape",
        """A field that AICR writes is missing, stands twice or is of another kind. AICR itself passes over some
of these, and over every constraint that depends on them; here the document is unreadable.""",
        hint="Write the document again with `aicr`; do not edit it by hand.",
    ),
    Code(
        "MU791",
        "Report and its summary differ",
        """The summary of a report counts other checks than the report lists, or the evidence says that the
cluster does not match its recipe. A shortened list is no proof of what it leaves out.""",
        hint="Give the whole report as `aicr validate` wrote it.",
    ),
    Code(
        "MU792",
        "Nothing in the document",
        """The document lists no check, no measurement, no component or no attestation. Nothing can follow from
it.""",
        hint="Run the tool again and look at its messages.",
    ),
    Code(
        "MU793",
        "Checks were skipped",
        """A skipped check did not run. AICR exits with 0 all the same; here it stays skipped, and where a test
requires it, it is not satisfied.""",
        severity="info",
        hint="Look at the reason that the check gives.",
    ),
    Code(
        "MU794",
        "Word that muster does not know",
        """A status, type or version is none of those that this format has. A newer version of AICR may mean
anything by it.""",
        hint="Use a version of AICR that muster knows, or a newer muster.",
    ),
    Code(
        "MU795",
        "Snapshot without a GPU",
        """The snapshot counts no GPU. AICR's collectors only warn when `nvidia-smi` cannot run, so this may be a
node without GPUs or a snapshot that could not look.""",
        severity="warning",
        hint="Take the snapshot on a GPU node with `--require-gpu`.",
    ),
    Code(
        "MU796",
        "Digest is malformed",
        """A digest that names evidence is not `sha256:` and 64 hexadecimal digits. A tag can move, so it names
nothing.""",
        hint="Record the digest that the push printed.",
    ),
    Code(
        "MU797",
        "Passed only by a tolerance",
        """AICR calls a bandwidth good that lies below the floor it names: its check multiplies the floor by 0.9.
The figure is kept as it is; what it has to reach is decided by the site's own threshold.""",
        severity="warning",
        hint="Compare the figure with the floor yourself.",
    ),
    Code(
        "MU798",
        "Recipe names a component that it does not hold",
        """The order of deployment lists a component that the recipe does not describe. The recipe was edited, or
put together from parts that do not fit.""",
        severity="warning",
        hint="Resolve the recipe again with `aicr recipe`.",
    ),
)
