"""Reasons of verdicts (MU900-MU939)."""

from __future__ import annotations

from muster.diagnostics.registry import Code

CODES = (
    Code(
        "MU900",
        "the evidence meets the acceptance",
        """Complete, readable, live evidence of exactly this measurement meets every threshold, the
transport and the validation that the site declares, and no other live attempt says otherwise.""",
        severity="info",
    ),
    Code(
        "MU901",
        "a figure lies below its lower bound",
        """The declared statistic over all declared rounds lies below `lower`. The bound itself is allowed;
there is no hidden tolerance: slack belongs in the site file. A missed threshold alone does not
prove a bad GPU: look at the suspects of the report.""",
    ),
    Code(
        "MU902",
        "a figure lies above its upper bound",
        """The declared statistic lies above `upper`. Of a bandwidth far too good is a finding like far too
bad: the wrong size, the wrong number of ranks, a reference that has grown stale. Of a time or
latency it is simply too slow.""",
    ),
    Code(
        "MU903",
        "the rounds spread too widely",
        """(max - min) / median over the rounds exceeds the declared `spread`. A median of figures that do
not repeat says little; look for interference and run again on quiet nodes.""",
    ),
    Code(
        "MU904",
        "the tool found wrong data",
        """At least one element had a wrong value. No bandwidth makes up for it, and an attempt that ended
early counts too.""",
    ),
    Code(
        "MU905",
        "nobody checked the data",
        """The acceptance asks for validation, but validation was off, its column says N/A where the
operation can be checked, or the total is missing. Missing in-place checks of alltoall and
sendrecv are no error: nccl-tests has none.""",
    ),
    Code(
        "MU906",
        "the wrong transport was used",
        """Judged by NCCL's `via` lines: a required path is absent, a forbidden one present, GPUDirect is
not what was declared, or the network is not the one that the measurement asks for. The worst
path between nodes counts, so one channel over sockets is enough.""",
    ),
    Code(
        "MU907",
        "the diagnosis failed or warned",
        """The diagnosis tool accuses a device. A check that is not required counts too when it fails.""",
    ),
    Code(
        "MU908",
        "a node is not what its pool declares",
        """The inventory found another number of GPUs, another product or other software than the site file
says.""",
    ),
    Code(
        "MU910",
        "nothing was ever attempted",
        """The archive has no attempt of this measurement and none of an older one of the same test and
unit.""",
    ),
    Code(
        "MU911",
        "the evidence is of another measurement",
        """There are attempts of this test on this unit, but what they measured differs: parameters, image,
software, campaign. Stale is neither failed nor missing.""",
    ),
    Code(
        "MU912",
        "the evidence has expired",
        """The newest attempt is older than `validFor`, counted from its end to the moment judged at. At
exactly `validFor` it is still valid.""",
    ),
    Code(
        "MU913",
        "the evidence was made with other software or hardware",
        """Driver, CUDA, the NCCL library that was loaded, DCGM, the GPU product, the number of GPUs or the
image differ from what the site declares. Versions are compared to the precision declared: 12.9
is met by 12.9.1.""",
    ),
    Code(
        "MU914",
        "the tool ran with other parameters",
        """The tool's own header tells other sizes or iterations than the measurement declares.""",
    ),
    Code(
        "MU915",
        "the evidence is of the future",
        """The newest attempt ended after the moment judged at. Either a clock is wrong, or an old moment
is judged with newer evidence in the archive.""",
    ),
    Code(
        "MU916",
        "the evidence has no date",
        """No attempt carries a time with an offset, so its validity cannot be shown.""",
    ),
    Code(
        "MU917",
        "the record cannot be trusted",
        """The record says so itself, contradicts itself or this test, or holds something that cannot be
compared: another number of ranks, an unknown operation, more rounds than declared.""",
    ),
    Code(
        "MU918",
        "exit code and output contradict each other",
        """The process failed though its output is clean. The worse of the two counts, so neither proves a
pass.""",
    ),
    Code(
        "MU919",
        "the unit could not be targeted",
        """A node was cordoned or short of GPUs. It was not accepted: it stays in the denominator with its
reason.""",
    ),
    Code(
        "MU920",
        "the attempt did not finish",
        """It timed out, was killed, its log is cut off, or a node of the unit did not take part. That is
no proof of a fault, and none of health.""",
    ),
    Code(
        "MU921",
        "a size was not measured",
        """No row has exactly the size of the threshold. A neighbouring size is another measurement.""",
    ),
    Code(
        "MU922",
        "fewer rounds than declared",
        """Statistics are over a fixed number of rounds; with one missing there is no statistic.""",
    ),
    Code(
        "MU923",
        "a required check was skipped or is missing",
        """Skipped, waived, not run and absent are not passed. A check must pass on every GPU of every
node.""",
    ),
    Code(
        "MU924",
        "the tool failed",
        """It failed for a reason that is not the device's: a missing plug-in, an image, no slots.""",
    ),
    Code(
        "MU925",
        "nothing to judge by",
        """The test was measured, but no threshold that tells good from bad (a least bandwidth, a longest
time), no required check and no declared inventory applies. That is never a pass.""",
    ),
    Code(
        "MU926",
        "two sources of one attempt contradict each other",
        """Two readings of the same round give different figures.""",
    ),
    Code(
        "MU927",
        "a figure is implausible",
        """Zero, negative, not a number, or above what the links can carry: the reading or the tool is
wrong.""",
    ),
    Code(
        "MU928",
        "a figure was not read",
        """The row is there, its value is not.""",
    ),
    Code(
        "MU929",
        "something that must be known is not",
        """The acceptance asks for a fact (transport, software, inventory) that the evidence does not tell, or
for a figure that muster does not judge (the time of training steps, for one). Every doubt counts
against the evidence.""",
    ),
    Code(
        "MU930",
        "an earlier attempt did not count",
        """It was unfinished, failed or unreadable and a newer attempt superseded it. It stays visible.""",
        severity="info",
    ),
    Code(
        "MU931",
        "an attempt carries no time",
        """It counts as the oldest.""",
        severity="warning",
    ),
    Code(
        "MU932",
        "attempts of one measurement disagree",
        """Some live attempts meet the acceptance, others do not. Repeating until one passes proves
nothing: after a repair ask for a fresh run by a new campaign, which is a reviewed change.""",
    ),
    Code(
        "MU933",
        "attempts of one measurement lie too far apart",
        """Their statistics differ by more than the declared `spread`.""",
    ),
    Code(
        "MU934",
        "two records claim to be the same attempt",
        """An attempt id stands for one thing. Find out which source is wrong; the archive keeps both.""",
    ),
    Code(
        "MU935",
        "the evidence is synthetic",
        """It was written, after published figures for instance, and not measured by this site.""",
        severity="warning",
    ),
    Code(
        "MU936",
        "a record of this measurement is damaged",
        """It lies where evidence of this measurement lies, but its bytes are not what muster wrote, or
nothing binds it to the test. What it said, and when, is lost: it may have been a failure, so
that no other attempt can make up for it.""",
    ),
    Code(
        "MU937",
        "one run is evidence of two measurements",
        """The very same figures, to the last digit, are archived for another unit or another measurement
too. A run is of one of them. What record lines of the pod bind stands; what options bind does not.""",
    ),
    Code(
        "MU938",
        "rounds were picked",
        """The attempt holds some of the runs of another attempt of the same measurement and leaves the
rest of them out. The number of rounds is fixed, and the best of more is no statistic.""",
    ),
    Code(
        "MU939",
        "a copy of an older attempt",
        """The same figures, to the last digit, are archived under an older date. A log does not get
younger by being ingested again: the older date counts.""",
        severity="warning",
    ),
)
