"""Findings of reconcile and baseline (MU940-MU979)."""

from __future__ import annotations

from muster.diagnostics.registry import Code

CODES = (
    Code(
        "MU940",
        "a waiver has expired",
        """A date means 00:00 UTC of that day; from that moment on the waiver covers nothing. Repair what
it covered or renew it by review, and remove it.""",
    ),
    Code(
        "MU941",
        "a waiver covers nothing",
        """Nothing that it matches has the state it names. A waiver for one state never covers another; a
match that names nothing or an unknown field fits nothing. Remove it, or correct it.""",
    ),
    Code(
        "MU942",
        "a waiver ends soon",
        """It ends within 14 days, so that a report does not turn red on a calendar day without warning.""",
        severity="warning",
    ),
    Code(
        "MU945",
        "nothing was checked",
        """A plan without a desired test proves nothing; zero things checked is a failure.""",
        hint="Give the site tests, or a profile that brings them.",
    ),
    Code(
        "MU946",
        "evidence expires soon",
        """It is in the last tenth of its validity.""",
        severity="warning",
    ),
    Code(
        "MU950",
        "committed output is not what compiles now",
        """The cluster would run something other than what the site file says.""",
    ),
    Code(
        "MU951",
        "committed output was not compared",
        """Whoever made the report did not compile the site, so that this class of drift is not known.""",
        severity="warning",
    ),
    Code(
        "MU952",
        "evidence names a node that the site does not have",
        """Within the validity of evidence, a node took part or was targeted that belongs to no pool. Older
evidence is history.""",
    ),
    Code(
        "MU953",
        "a node of the site is in no evidence",
        """No record of any test or age names the node.""",
    ),
    Code(
        "MU954",
        "evidence that nobody desires",
        """Its measurement, test or unit is in no plan, or nothing binds the files to a test. Evidence
older than the longest validity is history, and evidence of an older measurement of a desired
test is superseded, not orphaned.""",
    ),
    Code(
        "MU955",
        "two tests of the same thing contradict each other",
        """Unit, operation, size, type, ranks and declared network are the same, the figures are further
apart than the declared spread. One of the two does not measure what it says: compare image,
launcher and transport.""",
    ),
    Code(
        "MU956",
        "nodes that no run covers",
        """A test of a pool leaves nodes out, which no verdict would ever show.""",
    ),
    Code(
        "MU957",
        "a plan cannot be read",
        """Reconcile refuses a plan of another version or with parts missing, since one that is read
wrongly looks like one without tests.""",
        hint="Compile the site again with this version of muster.",
    ),
    Code(
        "MU958",
        "a record names no site",
        """It cannot be said what it is evidence of.""",
        hint="Look at the record in the archive; `muster ingest` the raw files again.",
    ),
    Code(
        "MU960",
        "too few samples for a threshold",
        """A reference from fewer than three rounds is an anecdote. Run the test with more rounds.""",
    ),
    Code(
        "MU961",
        "no figures to propose a threshold from",
        """No attempt of the test is complete, readable and of right data over the declared transport, or
none has a row of that size.""",
    ),
    Code(
        "MU962",
        "the site file cannot be patched",
        """A threshold is only changed where the file itself writes it in a form that can be edited without
touching anything else: no alias, no merge key, one document, block or flow mappings.""",
        hint="Write the threshold out in the site file, then propose again.",
    ),
    Code(
        "MU963",
        "a figure is named wrongly",
        """The test, metric, size or placement that a threshold is asked for is not in the plan.""",
    ),
    Code(
        "MU964",
        "the thresholds of a test are not written in this site file",
        """They come from a profile. Change the profile by review, or give the site a threshold of its own
with a match that is more specific; nothing is proposed for the test.""",
        severity="info",
    ),
)
