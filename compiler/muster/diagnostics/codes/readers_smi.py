"""Codes of the reader of nvidia-smi (MU760-MU764)."""

from __future__ import annotations

from muster.diagnostics.registry import Code

CODES = (
    Code(
        "MU760",
        "Output of nvidia-smi is not whole",
        """Fewer GPUs are there than the tool announced or numbered, or the text stops inside one. An
inventory with a hole in it is no inventory.""",
        hint="Collect the whole output; ask for all GPUs, not for single ones.",
    ),
    Code(
        "MU761",
        "A device reports no value",
        """nvidia-smi prints ERR!, Unknown Error or an inactive link where a value should stand. The value is
null, not 0; the device may need a reset.""",
        severity="warning",
        hint="Look at the kernel log of the node for this GPU (Xid).",
    ),
    Code(
        "MU762",
        "Output of nvidia-smi contradicts itself",
        """One bus id belongs to two GPUs, one index to two bus ids, or a link has two names. Such a text was
edited or put together from several machines.""",
        hint="Collect the output of one node again.",
    ),
    Code(
        "MU763",
        "Output of nvidia-smi is not understood",
        """A row, a column or a value is not what nvidia-smi prints in any version that muster reads.""",
        hint="Use nvidia-smi --query-gpu=... --format=csv with the header.",
    ),
    Code(
        "MU764",
        "nvidia-smi could not run",
        """The tool found no driver, no device or lost one while it ran. Nothing is known about the GPUs.""",
        hint="Look at the driver and at the kernel log of the node.",
    ),
)
