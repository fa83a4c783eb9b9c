"""Command lines of nccl-tests that a log shows: shell traces, prompts, launch scripts, record lines."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import TYPE_CHECKING

from muster.diagnostics.words import counted
from muster.readers.nccl_ops import OPS, op_of_program

if TYPE_CHECKING:
    from collections.abc import Sequence

    from muster.readers.nccl_header import Config

_WORD = re.compile(r"[\w./+-]*_perf(?:[._-][\w.-]*)?")
_SCRIPT = re.compile(r"nccl[\w.-]*\.sh\b.*?\s-t[ =]([a-z_]+)\b")
_SIZE = re.compile(r"(\d{1,19})([KMGT]?)B?", re.IGNORECASE | re.ASCII)
_LONGEST = 8192
_UNIT = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}
_LAUNCHERS = ("mpirun", "mpiexec", "orterun", "prterun", "srun")
_END = re.compile(r"&&|\|\||[;|&<>]|\d?>+&?.*|\)")

_SHORT = {
    "-t": "threads", "-g": "gpus", "-b": "min_bytes", "-e": "max_bytes", "-i": "step_bytes", "-f": "factor",
    "-n": "iters", "-w": "warmup", "-m": "agg_iters", "-c": "validation", "-N": "cycles", "-G": "graph",
}  # fmt: skip
_LONG = {
    "--nthreads": "-t", "--ngpus": "-g", "--minbytes": "-b", "--maxbytes": "-e", "--stepbytes": "-i",
    "--stepfactor": "-f", "--iters": "-n", "--warmup_iters": "-w", "--agg_iters": "-m", "--check": "-c",
    "--run_cycles": "-N", "--cudagraph": "-G",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Command:
    """One command line.

    Attributes:
        line: where it stands.
        op: the collective that its program measures; None when the program is not known.
        argv: the program and its own options; of a record line the whole command.
        asked: options with a value that could be read, by the names of `Config` and ``cycles``, ``factor``,
            ``step_bytes``; sizes in bytes.
        processes: how many the launcher before the program starts; None when that is not there to read.
        whole: every option of the program is in ``asked`` or irrelevant, so that one that is missing was
            not given.
    """

    line: int
    op: str | None
    argv: tuple[str, ...]
    asked: dict[str, int] = field(default_factory=dict)
    whole: bool = False
    processes: int | None = None


def find_command(text: str, line: int) -> Command | None:
    """Find the command line of a test program in a line of text."""
    text = text[:_LONGEST]
    if "_perf" in text:
        tokens = text.replace("'", " ").replace('"', " ").split()
        for index, token in enumerate(tokens):
            if len(token) < 300 and _WORD.fullmatch(token) and (op := op_of_program(token)):
                return _of_tokens(line, op, tokens[index:], tokens[:index])
    found = _SCRIPT.search(text) if ".sh" in text else None
    if found and found[1] in OPS:
        return Command(line, found[1], ())
    return None


def of_argv(argv: Sequence[str], line: int) -> Command | None:
    """Make the command of an argument list: a record line's ``command`` or the ``args`` of a JSON report."""
    known = [index for index, token in enumerate(argv) if op_of_program(token)]
    likely = [index for index, token in enumerate(argv) if len(token) < 300 and _WORD.fullmatch(token)]
    if not (known or likely):
        return None
    start = (known or likely)[0]
    own = _of_tokens(line, op_of_program(argv[start]), list(argv[start:]), list(argv[:start]))
    return replace(own, argv=tuple(argv))


def _of_tokens(line: int, op: str | None, tokens: list[str], before: list[str]) -> Command:
    end = next((index for index, token in enumerate(tokens) if _END.fullmatch(token)), len(tokens))
    own = [token.rstrip(";") for token in tokens[:end]]
    asked, whole = _options(own[1:])
    return Command(line, op, tuple(own[:64]), asked, whole, _processes(before))


def _processes(tokens: list[str]) -> int | None:
    """Return how many processes a launcher is told to start."""
    launchers = [index for index, token in enumerate(tokens) if token.rpartition("/")[2] in _LAUNCHERS]
    if not launchers:
        return None
    rest = tokens[launchers[-1] + 1 :]
    for token, value in pairwise([*rest, ""]):
        name, equals, glued = token.partition("=")
        if name in ("-np", "--np", "-n", "--ntasks"):
            return _number(glued if equals else value)
    return None


def _options(tokens: list[str]) -> tuple[dict[str, int], bool]:
    asked: dict[str, int] = {}
    whole = True
    rest = iter(tokens)
    for token in rest:
        name, glued = _name(token)
        if name is None:
            continue
        value = glued if glued is not None else next(rest, "")
        number = _number(value)
        if number is None:
            whole = False
        else:
            asked[_SHORT[name]] = number
    return asked, whole and not any("$" in token or "@" in token for token in tokens)


def _name(token: str) -> tuple[str | None, str | None]:
    """Return the short name of an option of interest and the value glued to it."""
    if token.startswith("--"):
        name, equals, value = token.partition("=")
        return _LONG.get(name), value if equals else None
    name = token[:2]
    return (name, token[2:] or None) if name in _SHORT else (None, None)


def _number(text: str) -> int | None:
    found = _SIZE.fullmatch(text)
    return int(found[1]) * _UNIT[found[2].upper()] if found else None


def differences(command: Command, config: Config, ranks: int | None) -> list[str]:
    """Return in words what a command line asks and the header or the device lines say otherwise."""
    found = []
    if command.processes is not None and ranks is not None:
        started = command.processes * config.threads * config.gpus
        if started != ranks:
            found.append(f"the command starts {counted(started, 'rank')}, {ranks} took part")
    for name, asked in command.asked.items():
        says = getattr(config, name, None)
        if name == "factor":
            says = config.step if config.by_factor or asked <= 1 else None
            if not config.by_factor and asked > 1:
                found.append(f"the command asks for factor {asked}, the header steps in bytes")
        elif name == "step_bytes":
            says = None if config.by_factor else config.step
        if says is not None and says != asked and not (name == "factor" and asked <= 1):
            found.append(f"the command asks for {name} {asked}, the header says {says}")
    return found
