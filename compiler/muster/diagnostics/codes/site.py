"""Codes of the site loader: what a site file must be before a policy is asked."""

from muster.diagnostics.registry import Code

CODES = (
    Code(
        "MU100",
        "More findings than are shown",
        """A file or a report holds so many findings that listing all of them would help nobody, or would
break the limit of the place that shows them (25,000 results in SARIF, 65,536 characters in a comment).

Mend the first ones; often one mistake causes the rest.""",
        hint="mend the ones that are shown first",
    ),
    Code(
        "MU101",
        "The site file cannot be read",
        """The path is missing, is a directory, a pipe, a socket or a device, or may not be read by this
user. Only regular files are read, so that a command never waits for a pipe.""",
        hint="give the path of a readable regular file",
    ),
    Code(
        "MU102",
        "The file is too large",
        """A site file describes one cluster in a few kilobytes; 1 MiB is the limit. A larger file is a
mistake (a log, an archive) or an attack, and is not read.""",
        hint="check that this is a site file; split a cluster that really is this large into several sites",
    ),
    Code(
        "MU103",
        "The file holds no site",
        """The file is empty or holds nothing but comments. An empty site would compile to nothing, and what
tests nothing must not pass.""",
        hint="write a site (docs/sites.md shows one), or delete the file",
    ),
    Code(
        "MU104",
        "The file is not plain UTF-8",
        """Site files are UTF-8 without a byte order mark. UTF-16, UTF-32, Latin-1 and a byte order mark are
refused, because readers disagree on what such files say.""",
        hint="save the file as UTF-8 without a byte order mark",
    ),
    Code(
        "MU105",
        "A character that cannot be seen",
        """Control characters, bidi marks, zero-width characters, no-break spaces, private-use characters
and the like make a reviewer see something else than what the compiler reads. They are refused everywhere:
in keys, in values (written out or as an escape such as `"\\u200b"`) and in comments.""",
        hint="delete the character, or write an ordinary blank",
    ),
    Code(
        "MU106",
        "A tab",
        """YAML forbids tabs in indentation, and readers disagree on tabs elsewhere. Site files hold none.""",
        hint="use blanks",
    ),
    Code(
        "MU107",
        "The file is not YAML",
        """The text breaks the grammar of YAML 1.2. The position is where the reader could not go on; the
mistake is there or shortly before (a quote that is not closed, a line that is indented otherwise than its
neighbours, a text that holds `: ` and is not quoted).""",
        hint="check indentation and quotes at this place and just before it",
    ),
    Code(
        "MU108",
        "A second document in the file",
        """One file describes one site, and its name is the name of the site. Editors apply a schema to the
first document of a file only.""",
        hint="move it to a file of its own",
    ),
    Code(
        "MU109",
        "The nesting is too deep",
        """No field of a site is nested this deep; such a file is a mistake or an attack. Nothing behind
this place was read.""",
        hint="close the brackets, or check the indentation",
    ),
    Code(
        "MU110",
        "Too many values in one file",
        """A site of a thousand nodes has a few thousand values. The limit keeps one file from using up the
machine that compiles all of them. Nothing behind this place was read.""",
        hint="split the cluster into several sites",
    ),
    Code(
        "MU111",
        "An anchor, an alias or a merge key",
        """An anchor (`&x`) with its aliases (`*x`) and merge keys (`<<`) let a small file expand without
bound, and a value then has two places, so no message could name the line to mend. YAML 1.2 dropped merge
keys.

What several tests or several sites share belongs into a profile under `policies/profiles`.""",
        hint="write the value out; what sites share belongs into a profile",
    ),
    Code(
        "MU112",
        "A tag",
        """Tags (`!!str`, `!!python/object`, `!mine`) change how a value is read, in ways that differ
between readers, up to running code. The plain forms of YAML say everything that a site needs.""",
        hint="remove the tag; quote the value if it is a text",
    ),
    Code(
        "MU113",
        "A directive or an end mark",
        """`%YAML` and `%TAG` lines change how the rest of the file is read. Site files are YAML 1.2 and use
no tags, so there is nothing to direct. A line `...` ends a document; a file of one document needs none, and
parsers disagree on what it means after a block text.""",
        hint="delete the line, and the --- after a directive",
    ),
    Code(
        "MU114",
        "A key is there twice",
        """Many readers keep the last of two equal keys in silence, so half of what a reviewer read has no
effect. Both places are named.""",
        hint="delete one of the two, or rename it",
    ),
    Code(
        "MU115",
        "A key is not a text",
        """Keys are names. A number, a boolean, null, an empty text, a list or a mapping as a key has no
JSON form.""",
        hint="write a name; quote it if it looks like a number",
    ),
    Code(
        "MU116",
        "A value that readers take for different things",
        """Unquoted, `NO` and `on` are booleans, `0777` is octal, `12:30:45` is a number to the base of 60,
`1_000` and `0o17` are numbers, `6063e25` is a float: for some readers of YAML, and texts or other numbers
for others. Such a value is refused wherever YAML 1.1, YAML 1.2 and go-yaml (kubectl, Argo CD, Flux) do not
all read the same.

Quote it when it is a text. Plain ISO dates (`2026-12-31`) and RFC 3339 times are texts and need none.""",
        hint="quote it if it is a text, else write it as plain decimal number, true or false",
    ),
    Code(
        "MU117",
        "A field without a value",
        """`~`, `null` and nothing at all after a colon are null. Whether null means "as if it were absent"
or "on purpose nothing" differs from tool to tool, so a site has none.""",
        hint="remove the field",
    ),
    Code(
        "MU118",
        "A number that cannot be compared",
        """`.nan` and `.inf` pass or fail every comparison; a threshold of NaN would never be missed.""",
        hint="give a number, or remove the field",
    ),
    Code(
        "MU119",
        "A number that would lose digits",
        """A decimal number is kept as a 64-bit float. When its shortest form is not what is written,
something is lost: `12.10` becomes 12.1 (CUDA 12.1 is another version), a long fraction is rounded, `-0`
becomes 0.

Quote versions. Write measured values with their unit (`427.58GB/s`), which is exact.""",
        hint="quote it if it is a version or another text",
    ),
    Code(
        "MU120",
        "An integer beyond 64 bits",
        """Kubernetes and Go keep integers in 64 bits. A longer one would be refused or rounded later, far
from this line.""",
        hint="quote it if it is a name, else write a smaller number",
    ),
    Code(
        "MU121",
        "A date that does not exist",
        """A waiver until 30 February would end on a day that nobody can name. Dates and times are checked where they
stand; leap seconds and 24:00 do not exist either.""",
        hint="give a date of the calendar",
    ),
    Code(
        "MU122",
        "A line break in a value",
        """Names, reasons and commands end up in tables, logs and annotations of one line. Only block texts
(`|` and `>`), which show their line breaks to the reviewer, may have them.""",
        hint="write it on one line, or as a block text with | or >",
    ),
    Code(
        "MU123",
        "The document is not a mapping",
        """A site is a mapping with the fields apiVersion, kind, metadata and spec. A list, a text or a number at the
top of the file is something else.""",
        hint="start with apiVersion: muster.dev/v1alpha1",
    ),
    Code(
        "MU124",
        "Wrong apiVersion",
        """Sites are `apiVersion: muster.dev/v1alpha1`. Another version would be read by rules that were not
made for it.""",
    ),
    Code(
        "MU125",
        "Wrong kind",
        """A file under `sites/` is of `kind: Site`. Kubernetes objects are output, not input.""",
    ),
    Code(
        "MU126",
        "The site has no name",
        """`metadata.name` names the site in every object, path and message. It is the name of the file.""",
    ),
    Code(
        "MU127",
        "The name cannot be that of a site",
        """The name becomes part of names and labels of Kubernetes objects: an RFC 1123 label (a-z, 0-9 and
-, a letter or a digit at both ends), at most 40 characters so that derived names fit into 63.""",
        hint="use at most 40 of a-z, 0-9 and -, with a letter or a digit at both ends",
    ),
    Code(
        "MU128",
        "The site is not called like its file",
        """The file `sites/<name>.yaml` holds the site `<name>`. Two files can then never claim one name,
and the output folder of a site is known from its path.""",
    ),
)
