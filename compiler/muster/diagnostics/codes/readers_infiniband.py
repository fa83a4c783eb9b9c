"""Codes of the readers of ``ibstat`` and ``ibv_devinfo`` (MU765-MU769)."""

from __future__ import annotations

from muster.diagnostics.registry import Code

CODES = (
    Code(
        "MU765",
        "Tool for RDMA devices could not run",
        """ibstat or ibv_devinfo ended with an error: no device, no permission, `ibpanic`. Blocks that stand
before the error may be whole, the list is not.""",
        hint="Run the tool where /dev/infiniband is there and may be read.",
    ),
    Code(
        "MU766",
        "List of RDMA devices is not whole",
        """A device announces more ports than it shows, or a port lacks its state, its rate or its link
layer: the text was cut.""",
        hint="Collect the whole output of the tool.",
    ),
    Code(
        "MU767",
        "Port of an RDMA device is not active",
        """The port is down, disabled or still initialising. The rate that the tool shows for it (10 or 40)
is not the rate of the link.""",
        severity="warning",
        hint="Look at the cable, the switch port and the driver of this device.",
    ),
    Code(
        "MU768",
        "List of RDMA devices contradicts itself",
        """One device or one port is there twice, or the width and speed of a port do not belong together.""",
        hint="Collect the output of one node again.",
    ),
    Code(
        "MU769",
        "List of RDMA devices is not understood",
        """A state, a rate or a link layer is not a word that ibstat or ibv_devinfo prints.""",
        hint="Use ibstat or ibv_devinfo without options.",
    ),
)
