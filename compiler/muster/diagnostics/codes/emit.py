"""Codes of the writing side: ownership, the output tree, immutable fields."""

from __future__ import annotations

from muster.diagnostics.registry import Code

_RESTORE = "restore it from Git (`git checkout -- PATH`) and compile again"

CODES = (
    Code(
        "MU601",
        "output path that is not allowed",
        """Generated paths are relative, stay inside the output folder and consist of segments of letters,
digits and `._@+=-`. Anything else could write or delete outside the folder, or could not be checked out on
another system.""",
    ),
    Code(
        "MU602",
        "two producers of one output path",
        """Every generated file belongs to exactly one site, and is made once. Two makers of one path would
overwrite each other in an order that nobody chose. Rename one of the sites, tests or pools that the message
names.""",
    ),
    Code(
        "MU603",
        "output paths that exclude each other",
        """Two paths differ in case only (one file on macOS and Windows), or one path is a file where another
needs a folder.""",
        hint="rename one of the two",
    ),
    Code(
        "MU604",
        "lock.json that cannot be trusted",
        """`lock.json` says which files muster owns. It is checked before it is used: complete JSON, the site
of its folder, the count and the digest of its own entries, no path outside the output. A lock that fails is
never used to delete anything, and nothing is written. After a merge conflict take one side of the whole
folder (`git checkout --ours -- generated/SITE`), then compile again.""",
        hint=_RESTORE,
    ),
    Code(
        "MU605",
        "generated file edited by hand",
        """The file differs from what the last compile wrote. Generated files are never overwritten or deleted
silently: put the change into the site file or a policy, or give up the edit with `git checkout`, or compile
with `--force`, which discards it.""",
        hint="move the change into the site or a policy, or discard it with git checkout",
    ),
    Code(
        "MU606",
        "file in the way that nobody owns",
        """The compile would write a file where there is one that no lock.json lists, with other content. muster
only ever replaces files that it wrote itself.""",
        hint="move the file away or delete it yourself",
    ),
    Code(
        "MU607",
        "empty output",
        """A site, or the whole compile, gave no files. Argo CD and Flux prune what vanishes from Git, so an
empty output is an error unless it is asked for.""",
        hint="restore the site files; an output that is meant to go is removed with Git",
    ),
    Code(
        "MU608",
        "large prune",
        """More than half of the files of a site would vanish without others taking their place. Argo CD and
Flux would delete the objects. Files that get a new name (a new digest, a new campaign) do not count.""",
        hint="--allow-prune if this is meant",
    ),
    Code(
        "MU609",
        "site whose input has vanished",
        """The output holds a site that has no file in the sites folder any more. A full compile removes all of
its files.""",
        hint="--allow-prune removes it; restore the site file if it was lost",
    ),
    Code(
        "MU610",
        "output folder that holds a link or a special file",
        """Symbolic links, sockets, pipes and devices inside the output could lead a write or a delete
elsewhere. The output folder itself must be a real folder too.""",
        hint="remove it or choose another output folder",
    ),
    Code(
        "MU611",
        "output folder that cannot be exchanged as a whole",
        """The new tree is built beside the output folder and exchanged with it in one step. That needs a
parent folder on the same file system, and an output that is no mount point and no Git work tree of its own.""",
        hint="choose a folder inside it as output",
    ),
    Code(
        "MU612",
        "immutable field changed under the same name",
        """Kubernetes refuses to change this field of an existing object, and one refused object stops the whole
sync. A changed test needs a new object with a new name: raise `campaign` in the site file.""",
        hint="raise spec.campaign in the site file, so that the object gets a new name",
    ),
    Code(
        "MU613",
        "generated file that is no readable YAML",
        """The file that is to be replaced cannot be read, so that nobody can tell whether the change is one that
Kubernetes accepts.""",
        hint=_RESTORE,
    ),
    Code(
        "MU620",
        "another compile is writing the output",
        """Compiles into one output folder exclude each other with a lock on its parent folder.""",
        hint="wait for the other compile, or end it",
    ),
    Code(
        "MU621",
        "output cannot be written",
        """The operating system refused a step: no space, no permission, a read-only file system. The output
folder is as it was before.""",
    ),
    Code(
        "MU630",
        "generated file is missing",
        """The committed output lacks a file that the compile gives.""",
        hint="run `muster compile` and commit the result",
    ),
    Code(
        "MU631",
        "generated file is out of date",
        """The committed file is what an earlier compile wrote; the inputs have changed since.""",
        hint="run `muster compile` and commit the result",
    ),
    Code(
        "MU632",
        "generated file that nothing desires any more",
        """The file was written by an earlier compile and would be pruned by the next.""",
        hint="run `muster compile` and commit the result",
    ),
    Code(
        "MU633",
        "file in the output of a site that nobody owns",
        """The file lies among generated ones, but no compile wrote it. Below `manifests/` it is an error: Argo CD
would apply it like any other, although no policy has seen it.""",
        severity="warning",
        hint="move it out of the output folder",
    ),
    Code(
        "MU640",
        "value that YAML cannot carry",
        """Some YAML reader would give back another value or none: a whole float, a number beyond 64 bits, half
of a surrogate pair, a key that is no string.""",
    ),
)
