"""Archive finished runs: take files in, bind them, read them, write one record for each attempt."""

from __future__ import annotations

import tarfile
import tempfile
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from muster.archive.assemble import Part, assemble
from muster.archive.binding import Bound, Declared, Plans, bind_declared, bind_record, is_site_name, orphan
from muster.archive.inputs import Input, input_of, items
from muster.archive.intake import attempt_key, take_in
from muster.archive.inventory import is_inventory
from muster.archive.note import note
from muster.archive.redact import LONGEST_LINE, Redactor
from muster.archive.unpack import Budget, Limits, RefusedError, refused
from muster.archive.write import Known, Written, write
from muster.diagnostics import Position, diagnostic
from muster.diagnostics.escape import visible

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import BinaryIO

    from muster.archive.intake import Blob
    from muster.archive.store import Store
    from muster.diagnostics import Diagnostic


@dataclass(frozen=True, slots=True)
class Batch:
    """Files that are handed over together.

    Attributes:
        sources: the files; a folder or a tar file counts as its members.
        declared: what the user says of them.
        grouped: all of them are of one attempt, in this order. Otherwise files whose record lines name the
            same attempt are one, and each other file is one of its own.
    """

    sources: tuple[Input, ...]
    declared: Declared = field(default_factory=Declared)
    grouped: bool = False


def batch_of(
    paths: Iterable[str | Path],
    declared: Declared | None = None,
    *,
    grouped: bool = False,
    stdin: BinaryIO | None = None,
) -> Batch:
    """Make a batch of arguments; ``-`` is ``stdin``."""
    return Batch(tuple(input_of(path, stdin) for path in paths), declared or Declared(), grouped)


@dataclass(frozen=True, slots=True)
class Options:
    """Bounds of an ingest, and where large files are kept while it runs (None: the system's place)."""

    limits: Limits = field(default_factory=Limits)
    longest_line: int = LONGEST_LINE
    spool: Path | None = None


@dataclass(slots=True)
class Counts:
    """How much was done; ``size`` is bytes of text, secrets taken out; ``empty`` files are kept out."""

    files: int = 0
    size: int = 0
    redactions: int = 0
    written: int = 0
    present: int = 0
    orphans: int = 0
    refused: int = 0
    empty: int = 0


@dataclass(frozen=True, slots=True)
class IngestResult:
    """What an ingest did.

    Attributes:
        records: each attempt, written now or there already.
        diagnostics: what the user must know.
        counts: how much.
    """

    records: tuple[Written, ...]
    diagnostics: tuple[Diagnostic, ...]
    counts: Counts

    @property
    def exit_code(self) -> int:
        """Return 2 when something was refused, 1 when something belongs to no test, else 0."""
        if self.counts.refused:
            return 2
        return 1 if self.counts.orphans else 0


def ingest(
    batches: Sequence[Batch],
    plans: Sequence[Mapping[str, Any]],
    store: Store,
    options: Options | None = None,
) -> IngestResult:
    """Archive files. Twice the same is once; an attempt is there whole or not at all.

    Args:
        batches: what to archive.
        plans: the ``plan.json`` of every site that the files may belong to.
        store: where to.
        options: bounds.

    Raises:
        EnvironmentFault: the archive or the spool cannot be used; what was written before stays.
    """
    how = options or Options()
    with tempfile.TemporaryDirectory(prefix="muster-", dir=how.spool) as spool:
        run = _Ingest(Plans(plans), store, how, Path(spool))
        for batch in batches:
            run.batch(batch)
        if run.counts.files == run.counts.empty and not run.counts.refused:
            run.refuse([diagnostic("MU815", "no file with anything in it was found")])
        return IngestResult(tuple(run.records), tuple(run.diagnostics), run.counts)


class _Ingest:
    """One call of `ingest`."""

    def __init__(self, plans: Plans, store: Store, options: Options, spool: Path) -> None:
        self.plans, self.store, self.options, self.spool = plans, store, options, spool
        self.budget = Budget()
        self.known = Known(store)
        self.records: list[Written] = []
        self.diagnostics: list[Diagnostic] = []
        self.counts = Counts()

    def refuse(self, found: Iterable[Diagnostic]) -> None:
        self.diagnostics += found
        self.counts.refused += 1

    def batch(self, batch: Batch) -> None:
        blobs: list[Blob] = []
        for source in batch.sources:
            try:
                blobs += self._take(source)
            except RefusedError as error:
                self.refuse([error.found])
                if batch.grouped:
                    return
        declared = _without_secrets(batch.declared)
        if not batch.grouped and not batch.declared.binds:
            blobs = self._filled(blobs)
        for group in _groups(blobs, grouped=batch.grouped):
            self._attempt(group, declared)

    def _filled(self, blobs: Sequence[Blob]) -> list[Blob]:
        """Return the files that hold anything; of the others nothing is known that could be kept.

        Such are the logs of pods that lent their GPUs and had nothing to say.
        """
        kept = [blob for blob in blobs if not blob.empty]
        self.counts.empty += len(blobs) - len(kept)
        for blob in blobs:
            if blob.empty:
                shown = visible(blob.name)
                self.diagnostics.append(diagnostic("MU816", f"{shown} is empty", Position(shown, 1, 1)))
        return kept

    def _take(self, source: Input) -> list[Blob]:
        """Take in all files of one input, or none of them."""
        taken: list[Blob] = []
        name = source.name
        try:
            for name, stream in items(source, self.budget, self.options.limits):
                taken.append(self._file(name, stream))
        except (OSError, EOFError, tarfile.TarError) as error:
            code = "MU813" if isinstance(error, (EOFError, tarfile.TarError)) else "MU810"
            why = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
            raise refused(code, name, why) from error
        self.counts.files += len(taken)
        self.counts.size += sum(blob.size for blob in taken)
        self.counts.redactions += sum(blob.redactions for blob in taken)
        return taken

    def _file(self, name: str, stream: BinaryIO) -> Blob:
        return take_in(name, stream, self.spool, longest_line=self.options.longest_line)

    def _attempt(self, group: Sequence[Blob], declared: Declared) -> None:
        parts = [_read(blob) for blob in group]
        kept = _distinct(parts, declared)
        blobs, parts = [group[index] for index in kept], [parts[index] for index in kept]
        bound = bind(parts, declared, self.plans)
        record, told = assemble(parts, bound, declared)
        errors = [item for item in (*bound.findings, *told) if item.code in _REFUSING]
        if errors:
            self.refuse(errors)
            return
        if len(blobs) < len(group):
            record["notes"].append(note("MU826", "a file was given twice, it counts once", severity="info"))
        written = write(self.store, record, blobs, self.known)
        self.records.append(written)
        self.diagnostics += bound.findings
        if bound.kind == "orphan":
            self.counts.orphans += 1
            self.diagnostics.append(_orphaned(parts, written))
        if written.new:
            self.counts.written += 1
        else:
            self.counts.present += 1


def _distinct(parts: Sequence[Part], declared: Declared) -> list[int]:
    """Return which files count: of several with the same bytes the last, but inventories once for each node.

    Nodes may well have the same to tell. A result is a result once, of whichever node it is said to be.
    """
    kept: dict[tuple[str, str | None], int] = {}
    for index, part in enumerate(parts):
        node = declared.nodes.get(part.reading["file"]) if is_inventory(part.reading) else None
        kept[part.original, node] = index
    return sorted(kept.values())


def _without_secrets(declared: Declared) -> Declared:
    reason, remark = (
        Redactor().redact(text.encode("utf-8", "replace")).decode("utf-8", "replace") if text else text
        for text in (declared.reason, declared.note)
    )
    return replace(declared, reason=reason, note=remark)


_REFUSING = frozenset({"MU820", "MU821", "MU822"})


def _groups(blobs: Sequence[Blob], *, grouped: bool) -> Iterator[list[Blob]]:
    """Yield the files of each attempt: as declared, else by their record lines, else each file by itself."""
    if grouped:
        if blobs:
            yield list(blobs)
        return
    by_key: dict[object, list[Blob]] = {}
    for index, blob in enumerate(blobs):
        by_key.setdefault(blob.keys or index, []).append(blob)
    for key, group in by_key.items():
        yield group if isinstance(key, int) else sorted(group, key=lambda blob: (blob.name, blob.original))


def _read(blob: Blob) -> Part:
    from muster.readers import read_source
    from muster.readers.sniff import choose
    from muster.readers.source import Source

    source = Source(visible(blob.name), blob.open)
    reader = choose(source)
    parser = reader.version if reader is not None else None
    reading = read_source(source)
    return Part(
        blob.name,
        blob.original,
        blob.sha256,
        blob.size,
        blob.redactions,
        blob.document,
        parser,
        reading,
    )


def bind(parts: Sequence[Part], declared: Declared, plans: Plans) -> Bound:
    """Return what files belong to: by their record lines, else by what is declared, else to nothing."""
    told = {
        attempt_key(record): record
        for part in parts
        for record in part.reading["records"]
        if record.get("event") in ("begin", "excluded")
    }
    if len(told) > 1:
        found = diagnostic("MU824", f"{_names(parts)}: record lines of {len(told)} attempts")
        return orphan(_site(declared), found, marker=declared.attempt or "")
    if told:
        return bind_record(next(iter(told.values())), declared, plans)
    if declared.binds:
        return bind_declared(declared, plans)
    return orphan(_site(declared), marker=declared.attempt or "")


def _site(declared: Declared) -> str | None:
    return declared.site if is_site_name(declared.site) else None


def _names(parts: Sequence[Part]) -> str:
    more = f" and {len(parts) - 3} more" if len(parts) > 3 else ""
    return ", ".join(visible(part.name) for part in parts[:3]) + more


def _orphaned(parts: Sequence[Part], written: Written) -> Diagnostic:
    text = f"{_names(parts)}: kept as {written.place}, bound to no test"
    return diagnostic("MU823", text, Position(visible(parts[0].name), 1, 1))
