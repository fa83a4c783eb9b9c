"""Codes of planning: units, thresholds, budget."""

from muster.diagnostics.registry import Code

CODES = (
    Code(
        "MU401",
        "a test covers no unit",
        "The test's pools have no node, pair or domain that it could run on. Zero things tested is a failure.",
        hint="name other pools, exclude fewer nodes, or switch the test off with reason and owner",
    ),
    Code(
        "MU402",
        "the tests would make too many runs",
        "Pairs grow with the square of the nodes: a thousand nodes have half a million. Each run becomes an object of"
        " its own, and waves of them would take months.",
        hint="form pairs as a ring or as neighbours, use a wider scope, or split the site",
    ),
    Code(
        "MU411",
        "a threshold's figure cannot be used",
        "A bound or a reference is in a unit that its metric does not have, or is relative to nothing, or the bounds"
        " are such that every figure meets them, or none does.",
        hint="busbw, algbw and bandwidth are in GB/s (1e9 bytes/s), time in us, latency in ns",
    ),
    Code(
        "MU412",
        "two thresholds apply equally",
        "Of several thresholds for one metric at one size and placement the most specific match wins: unit, node,"
        " domain, pool, product, test, catalog, scope, compared in this order. These two name the same fields.",
        hint="make one match more specific, or remove one",
    ),
    Code(
        "MU413",
        "a threshold asks for a metric that the test does not measure",
        "It could never be met or missed.",
        hint="use a metric of the catalog entry (`muster explain <entry>`)",
    ),
    Code(
        "MU414",
        "a threshold asks for a place that the test does not measure",
        "A figure belongs to one message size and placement, or to one test case. Averages over sizes mean nothing.",
        hint="name a size that the test runs and a placement",
    ),
    Code(
        "MU415",
        "transports are required and forbidden at once",
        "The thresholds that apply to one run contradict each other about its transport.",
        hint="mend one of the thresholds",
    ),
    Code(
        "MU416",
        "a threshold applies to no run",
        "It judges nothing now: its test is switched off, its pool has no such test, or a more specific one wins"
        " everywhere.",
        severity="warning",
        hint="remove it, or mend its match",
    ),
    Code(
        "MU417",
        "a test runs over a transport that its thresholds refuse",
        "`params.net` of the test sets NCCL_NET for every rank, and a threshold that applies requires another network"
        " or forbids this one: every run would be violated.",
        hint="mend params.net of the test, or the threshold's transport",
    ),
    Code(
        "MU421",
        "the tests cost more GPU-hours than the budget",
        "The cost of a run is its GPUs times its expected wall time (the test's `estimate`, else the catalog's).",
    ),
    Code(
        "MU422",
        "a run needs more nodes at a time than the budget allows",
        "`spec.budget.maxConcurrentNodes` bounds how many nodes tests keep busy at once.",
        hint="raise the bound, or use a smaller scope",
    ),
    Code(
        "MU423",
        "the tests cannot be done by the deadline",
        "Waves run one after another so that no node is used twice at a time; together they take longer than"
        " `spec.budget.deadline`, queueing not even counted.",
        hint="raise the deadline or maxConcurrentNodes, use fewer pairs (ring, neighbours), or fewer tests",
    ),
    Code(
        "MU424",
        "the deadline is shorter than the rounds of a run may take",
        "Every Job is killed at `spec.budget.deadline`, queueing included. A run whose rounds may each take their"
        " `roundTimeout` needs at least the sum of these.",
        hint="raise the deadline, or lower rounds or roundTimeout",
    ),
)
