"""Codes of the archive and of ingest."""

from muster.diagnostics.registry import Code

_ADDRESS = (
    Code(
        "MU800",
        "not the address of an archive",
        """An archive is a directory or one of `s3://bucket/prefix`, `gs://bucket/prefix`,
`az://container/prefix`. Anything else is refused, so that a mistyped address never becomes a new and
empty archive.""",
        hint="give a directory, or an s3://, gs:// or az:// address",
    ),
    Code(
        "MU801",
        "credentials in an address",
        """An address is written to logs, reports and files; a user name, password or query in it would
be too. muster neither uses nor prints it. Object stores take their credentials from the environment
(`AWS_ACCESS_KEY_ID`, `GOOGLE_APPLICATION_CREDENTIALS`, `AZURE_STORAGE_ACCOUNT_KEY`, ...).""",
        hint="take the credentials out of the address and give them in the environment",
    ),
    Code(
        "MU802",
        "the archive does not exist",
        """The directory is not there. When evidence is read, that is not taken for an archive without
records: a mistyped path would make everything look missing.""",
        hint="check the path; ingest creates an archive, nothing else does",
    ),
    Code(
        "MU803",
        "the archive cannot be used",
        """The store cannot be reached, refuses the credentials, has no such bucket or answered with an
error. Attempts are bounded in number and time.""",
        hint="check endpoint, bucket, credentials and network",
    ),
    Code(
        "MU804",
        "the store overwrites what it must keep",
        """muster writes every object with the condition that nothing is there yet (`If-None-Match: *`).
This store accepted a second object in the same place, so it would overwrite evidence in silence.
Nothing was archived.""",
        hint="use a store that honours conditional writes, or a directory",
    ),
    Code(
        "MU805",
        "the archive holds something else in this place",
        """Objects are never overwritten. Paths are derived from content, so other bytes in the same
place mean that the archive was changed by something else.""",
        hint="verify the archive; restore the object from a copy",
    ),
    Code(
        "MU806",
        "the archive cannot be written",
        """The disk is full, read-only or failing. What was not written completely does not count: no
record is there without all its files.""",
        hint="free space or mend the permissions, then ingest again: it goes on where it stopped",
    ),
    Code(
        "MU807",
        "object stores need an extra",
        """Archives at `s3://`, `gs://` and `az://` need the package `obstore`, which is an extra
because a directory does not need it.""",
        hint="install muster-gitops[s3]",
    ),
    Code(
        "MU808",
        "the file system cannot create files safely",
        """muster writes a file aside, then links it into its place, which the file system must support:
only so does a crash leave whole files only and never overwrites one.""",
        hint="put the archive on a file system with hard links",
    ),
)

_SOURCES = (
    Code(
        "MU810",
        "the file cannot be read",
        "It is missing, is no regular file, or may not be read. Nothing of it was archived.",
        hint="check path and permissions",
    ),
    Code(
        "MU811",
        "a member of the archive file is refused",
        """Members of a tar file must be regular files with a relative path inside it: no `..`, no
absolute path, no link, no device. The whole tar file is refused, since who made one such member may
have made others.""",
        hint="pack regular files only",
    ),
    Code(
        "MU812",
        "too large",
        """The file, or what it unpacks to, is above the limit for its size, its number of members or
its ratio of unpacked to packed bytes. A small file that unpacks to terabytes must not fill the disk.""",
        hint="ingest the files one by one, or raise the limit",
    ),
    Code(
        "MU813",
        "the compressed file is damaged",
        "It ends early or does not unpack. A part of a log is not archived as if it were the log.",
        hint="copy the file again from where it was made",
    ),
    Code(
        "MU814",
        "a line is too long to be searched for secrets",
        """Secrets are taken out of a file before it is archived; for that a line is held in memory as a
whole. A line above the limit is none that a test tool prints.""",
        hint="check that the file is a log or a JSON document",
    ),
    Code(
        "MU815",
        "nothing to ingest",
        "The arguments name no file that holds anything. Zero files archived is not a success.",
        hint="name the files or folders of a finished run",
    ),
    Code(
        "MU816",
        "an empty file was kept out",
        """A file without a word says nothing of any run, and nothing says which run it is of. A pod that
only lends its GPUs to another leaves such a log. An empty log that is declared to be of a test is
kept: that run had no result.""",
        severity="info",
    ),
)

_BINDING = (
    Code(
        "MU820",
        "no desired test fits",
        """Evidence belongs to exactly one desired test of a plan. The options (or the entry of the
list) name one that no plan has. Candidates are listed; nothing is guessed.""",
        hint="compile the site, or correct site, test, pool and unit",
    ),
    Code(
        "MU821",
        "several desired tests fit",
        "Evidence belongs to exactly one desired test of a plan. What was given fits several of them.",
        hint="give pool and unit too",
    ),
    Code(
        "MU822",
        "the options contradict the log",
        """The log itself says, in its record lines, what was run where and how it ended. An option that
says something else would bind the numbers to another test.""",
        hint="leave the option out, or check that it is the right log",
    ),
    Code(
        "MU823",
        "evidence of nobody knows what",
        """The file has no record lines and no option says which test it belongs to. It is kept as an
orphan and counts for nothing. A file name is never taken as a proof.""",
        hint="ingest again with site, test and unit, or with an ingest list",
    ),
    Code(
        "MU824",
        "records of several attempts in one file",
        """Record lines of different tests or attempts stand in one file, so it is not known which
numbers belong to which. The file is kept, its numbers are not used.""",
        hint="split the file by attempt",
    ),
    Code(
        "MU825",
        "a digest that no given plan has",
        """The log was made for a measurement that the given plans do not ask for, most often an older
one. It is archived under its own digest: it will show as stale, not as missing.""",
        severity="info",
        hint="give the plan of the site, if this is a surprise",
    ),
    Code(
        "MU826",
        "the same file is archived as another attempt",
        """An attempt in the archive holds the very same bytes under other declarations. Both stay,
since nothing is overwritten; one log must not count as two runs, so the judge is told.""",
        severity="warning",
        hint="name attempts alike each time the same file is ingested",
    ),
    Code(
        "MU827",
        "no time of the attempt is known",
        """Neither record lines nor options say when it ran. The time stamp of a file is no proof: a
copy changes it. Without a time it cannot be told whether the evidence is still valid.""",
        severity="warning",
        hint="give start and end",
    ),
    Code(
        "MU828",
        "secrets were taken out",
        """Values that look like secrets, and environment variables that are not known to be harmless,
were replaced before the file was stored. The hash of the original is kept.""",
        severity="info",
    ),
    Code(
        "MU829",
        "an identity that cannot be one",
        """Site, test, pool, node names and digest in record lines must have their exact form, since
they become paths and keys. This one has not, so the log is bound to nothing.""",
        hint="check where the log comes from",
    ),
)

_LIST = (
    Code(
        "MU831",
        "an unknown field in the ingest list",
        "The list is closed: a mistyped field would otherwise be dropped in silence.",
        hint="see `muster schema ingest-list` for the fields",
    ),
    Code(
        "MU832",
        "a value in the ingest list is wrong",
        "The field needs another type or form.",
        hint="mend the value",
    ),
    Code(
        "MU833",
        "a field is missing in the ingest list",
        "Without it the entry says too little.",
        hint="add the field",
    ),
)

_ATTEMPT = (
    Code(
        "MU840",
        "the attempt was cut short",
        """A time-out, a kill or a signal ended it (exit 124, 137, 128 and a signal). It started and did
not finish: no result, and no fault of a device either.""",
        severity="warning",
        hint="run it again",
    ),
    Code(
        "MU841",
        "the tool did not run",
        """The launcher, the tool or one of its parts is missing, or the tool refused its arguments or
its configuration. That says nothing about the devices.""",
        severity="warning",
        hint="mend the image or the configuration, then run it again",
    ),
    Code(
        "MU842",
        "exit code and output contradict each other",
        """The output says that everything went well, the exit code says that it did not, and bad
results do not explain it. One of the two is wrong, so neither is used.""",
        hint="look at the log; run it again",
    ),
    Code(
        "MU843",
        "rounds are missing",
        "The attempt did not finish all the rounds that it began with, or its log ends before it did.",
        severity="warning",
        hint="run it again",
    ),
    Code(
        "MU844",
        "record lines contradict each other",
        "Record lines of one attempt disagree on what happened, so what they say is not used.",
        hint="look at the log",
    ),
    Code(
        "MU845",
        "a file of the attempt was not read",
        "No reader knows it. It is kept beside the others and counts for nothing.",
        severity="warning",
    ),
    Code(
        "MU846",
        "the diagnosis reports a device fault but its document is missing",
        """`dcgmi` ended with 205: at least one error of priority ISOLATE. Which device it was stands in
the document, and that is not there. The attempt is incomplete, and the node is to be looked at.""",
        severity="warning",
        hint="run the diagnosis again and keep its JSON",
    ),
    Code(
        "MU847",
        "nothing was measured",
        "The files of the attempt hold no result at all. Zero things measured is never a success.",
        hint="check that these are the files of the run",
    ),
    Code(
        "MU848",
        "the exit code hides a failure",
        "The exit code is 0 although the output holds failures. The output counts.",
        severity="warning",
    ),
    Code(
        "MU849",
        "a node was excluded before the run",
        "The preflight found less than the site declares, or the node could not be targeted.",
        severity="warning",
        hint="mend the node or the site file",
    ),
)

_CLAIMS = (
    Code(
        "MU850",
        "the log is of another operation or tool",
        "What the log shows is not what the measurement asks for: its numbers answer another question.",
        hint="bind the log to the test that it is of",
    ),
    Code(
        "MU851",
        "the log has another number of ranks",
        "Bus bandwidth depends on the number of ranks; fewer ranks test fewer devices.",
        hint="check launcher and node list",
    ),
    Code(
        "MU852",
        "the log has other sizes",
        "Sizes that were not run prove nothing, and other sizes are another measurement.",
        hint="check the arguments of the tool",
    ),
    Code(
        "MU853",
        "the log was run with other parameters",
        "Iterations, warm-up, data type or command differ from those of the measurement.",
        hint="check the arguments of the tool",
    ),
    Code(
        "MU854",
        "the log is of other nodes",
        "The nodes that took part are not those of the unit.",
        hint="check unit and log; name pods and their nodes in `hosts`",
    ),
    Code(
        "MU855",
        "document and log of one run disagree",
        """nccl-tests writes a JSON document and a table of the same run. Here the figures of a document
are in no table of the attempt, so one of the two is of another run.""",
        hint="hand over the files of one attempt only",
    ),
    Code(
        "MU858",
        "one run is there twice",
        """Two runs of an attempt show the same figures to the last digit, and nothing says that they are one
round: a file was handed over twice under another name, or a part of a log was doubled.""",
        hint="hand over each file once",
    ),
    Code(
        "MU857",
        "record lines and digest name different tests",
        """The plan has the digest of the record lines for another pool, unit or site than they name.
One of the two was changed, so the log is no evidence for either.""",
        hint="check where the log comes from",
    ),
    Code(
        "MU856",
        "the log does not say what was run",
        "A parameter of the measurement cannot be compared, since the log does not show it.",
        severity="warning",
    ),
)

_STORED = (
    Code(
        "MU870",
        "a record in the archive is damaged",
        """It is no valid record, or its own checksum or its place do not fit. It is reported as
unreadable and never skipped.""",
        hint="restore it from a copy, or ingest the raw files again",
    ),
    Code(
        "MU871",
        "a raw file in the archive is damaged",
        "Its bytes are not those that the record names.",
        hint="restore it from a copy",
    ),
    Code(
        "MU872", "a raw file in the archive is missing", "The record names it.", hint="restore it from a copy"
    ),
    Code(
        "MU873",
        "today's readers read it differently",
        """The raw file gives other values than the record holds. The record is not rewritten; the
difference is shown, so that a person can decide.""",
        severity="warning",
        hint="ingest the raw file again to have the new reading beside the old one",
    ),
    Code(
        "MU874",
        "an attempt without a record",
        """Files of an attempt are there and its record is not: an ingest was interrupted. It counts for
nothing.""",
        severity="info",
        hint="ingest the same files again",
    ),
    Code(
        "MU875",
        "an object that does not belong into an archive",
        "Nothing that muster wrote.",
        severity="warning",
        hint="remove it",
    ),
    Code(
        "MU877",
        "the archive holds no record",
        "There is nothing to verify, which is not the same as everything being in order.",
        severity="warning",
        hint="check the address of the archive",
    ),
    Code(
        "MU878",
        "records are gone from the archive",
        """An index on this machine knows records that the archive has no more. Nothing in muster removes a
record; what a removed one said, a failure perhaps, cannot be known. It is told once, since only the
index remembers. Where nobody may delete objects (object lock, versioning) this cannot happen.""",
        severity="warning",
        hint="restore the archive from a copy",
    ),
    Code(
        "MU876",
        "the index cache cannot be used",
        "It is damaged, from another version or cannot be written. It is made anew from the records.",
        severity="info",
    ),
)

CODES = (*_ADDRESS, *_SOURCES, *_BINDING, *_LIST, *_ATTEMPT, *_CLAIMS, *_STORED)
