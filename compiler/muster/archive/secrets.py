"""Which parts of a text are secrets. Rules work on bytes and give spans; `redact` applies them to streams.

A rule runs only on a chunk that holds one of its keys in lower case, so a log without secrets costs a few
substring searches.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

REPLACEMENT = b"[redacted]"

HARMLESS_PREFIXES = (
    b"NCCL_",
    b"CUDA_",
    b"UCX_",
    b"UCC_",
    b"OMPI_MCA_",
    b"OMPI_COMM_WORLD_",
    b"PMIX_MCA_",
    b"PRTE_MCA_",
    b"FI_",
    b"OFI_NCCL_",
    b"NVSHMEM_",
    b"NVIDIA_VISIBLE_",
    b"NVIDIA_DRIVER_",
    b"NVIDIA_REQUIRE_",
    b"MUSTER_",
    b"TORCH_NCCL_",
    b"TORCH_DISTRIBUTED_",
)
HARMLESS = frozenset(
    {
        b"LD_LIBRARY_PATH",
        b"PATH",
        b"HOSTNAME",
        b"LANG",
        b"LC_ALL",
        b"RANK",
        b"LOCAL_RANK",
        b"NODE_RANK",
        b"GROUP_RANK",
        b"WORLD_SIZE",
        b"LOCAL_WORLD_SIZE",
        b"MASTER_ADDR",
        b"MASTER_PORT",
        b"NNODES",
        b"OMP_NUM_THREADS",
        b"JOB_COMPLETION_INDEX",
        b"GLOO_SOCKET_IFNAME",
        b"PYTORCH_CUDA_ALLOC_CONF",
        b"SLURM_JOB_ID",
        b"SLURM_NNODES",
        b"SLURM_NTASKS",
        b"SLURM_PROCID",
    }
)

_NOTHING = frozenset({b"", b"true", b"false", b"null", b"none", b"[redacted]", b"***"})
_NUMBER = re.compile(rb"-?[0-9][0-9.,_]*(?:e[+-]?[0-9]+)?[kmbt]?(?:/s|%)?")
_KEY_OF = re.compile(rb"(?:api|access|account|private|auth|encryption|license|signing)[_-]?$")
_VOCABULARY = re.compile(rb"(?:eos|bos|pad|unk|mask|sep|cls|special|stop|image|video|per|max|min|num|n)[_-]$")

_STRING = rb'[^"\\\n]*+(?:\\.[^"\\\n]*+)*+'
_NESTED = rb'[^\\\n]*+(?:\\(?:\\\\.|[^"\n])[^\\\n]*+)*+'
_QUOTED = rb'\\"(?P<e>' + _NESTED + rb')|"(?P<d>' + _STRING + rb")|'(?P<s>[^'\n]*)"
_ARRAY = rb'\[(?:"' + _STRING + rb'"|[^\]"\n]){0,4096}\]'
_VALUE = rb"(?:" + _QUOTED + rb"|(?P<a>" + _ARRAY + rb")|(?P<u>[^\s\"'\[{][^\s\"']*))"
_SEPARATOR = rb"\\*[\"']?[ \t]{0,8}(?:=>|:=|[=:])[ \t]{0,8}"
_ARGUMENT = rb"(?P<argument>[ \t]+|\\*[\"'][ \t]*,[ \t]*)"
_FLAG_START = re.compile(rb"--[a-z0-9_-]*$")
_WORDS = (
    (b"token", rb"token(?!iz)[\w.-]{0,64}"),
    (b"secret", rb"secret[\w.-]{0,64}"),
    (b"pass", rb"(?:passw|passphrase|sshpass)[\w.-]{0,64}"),
    (b"credential", rb"credential[\w.-]{0,64}"),
    (b"key", rb"key[\w.-]{0,64}"),
    (b"_pat", rb"_pat(?![\w.-])"),
    (b"pwd", rb"_pwd(?![\w.-])"),
)

_PEM = (
    rb"(?s)-----begin [a-z0-9 ]{0,40}private key-----((?:(?!-----begin ).){0,16384}?)"
    rb"-----end [a-z0-9 ]{0,40}private key-----"
)
_PEM_CUT = (
    rb"-----begin [a-z0-9 ]{0,40}private key-----"
    rb"([^\n]*(?:\n[^\n]{0,200}?[a-z0-9+/=]{40,200}[ \t\r]*(?=\n|\Z))*"
    rb"(?:\n(?:[a-z0-9+/]{1,64}={0,2}|[^\n]{0,200}?[a-z0-9+/]{2,64}={1,2})[ \t\r]*(?=\n|\Z))?)"
)
PEM_LONGEST = 16384


class Span(NamedTuple):
    """A part of a text to replace: offsets, and by what."""

    start: int
    end: int
    by: bytes = REPLACEMENT


class Rule(NamedTuple):
    """Finds secrets of one kind.

    ``keys`` must be in the `skeleton` of a text for the rule to run; ``find`` gets the text as it is and in
    lower case.
    """

    keys: tuple[bytes, ...]
    find: Callable[[bytes, bytes], Iterator[Span]]


_KEPT = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_:/@=\n"
_LOWER = bytes(range(256)).lower()
_DROPPED = bytes(code for code in range(256) if code not in _KEPT)


def skeleton(text: bytes) -> bytes:
    """Return the distinct lines of a text with nothing but lower-case letters and the marks of assignments.

    The lines of a log differ in little but numbers, so this is short, and whether a key is in it is soon told.
    """
    return b"\n".join(set(text.translate(_LOWER, _DROPPED).split(b"\n")))


def is_harmless(name: bytes) -> bool:
    """Tell whether the value of an environment variable may be kept."""
    return name in HARMLESS or name.startswith(HARMLESS_PREFIXES)


def _value_span(found: re.Match[bytes], low: bytes) -> Span | None:
    kind = next(name for name in "edsau" if found[name] is not None)
    start, end = found.span(kind)
    value = low[start:end]
    if kind == "a":
        bare = value.replace(b'"[redacted]"', b"")
        return Span(start, end, b'["[redacted]"]') if b'"' in bare else None
    if kind == "u":
        end -= len(value) - len(value.rstrip(b",;)}]"))
        value = low[start:end]
    return None if value.strip() in _NOTHING else Span(start, end)


def _keyed(key: bytes, words: bytes) -> Rule:
    r"""Find the values of names that hold a word: ``my_token=x``, ``"token": "x"``, ``--token x``."""
    pattern = re.compile(words + rb"(?:" + _SEPARATOR + rb"|" + _ARGUMENT + rb")" + _VALUE)

    def find(_text: bytes, low: bytes) -> Iterator[Span]:
        for found in pattern.finditer(low):
            span = _value_span(found, low)
            if span is None or (found["argument"] and not _is_flag(found, span, low)):
                continue
            if not _is_other(key, found, low[span.start : span.end], low):
                yield span

    return Rule((key,), find)


def _is_flag(found: re.Match[bytes], span: Span, low: bytes) -> bool:
    before = low[max(0, found.start() - 42) : found.start()]
    return bool(_FLAG_START.search(before)) and not low.startswith(b"-", span.start)


def _is_other(key: bytes, found: re.Match[bytes], value: bytes, low: bytes) -> bool:
    """Tell tokens of a language model (counts, ``eos_token``) from those that open doors, and such keys."""
    before = low[max(0, found.start() - 12) : found.start()]
    if key == b"key":
        return not _KEY_OF.search(before)
    return key == b"token" and bool(_NUMBER.fullmatch(value) or _VOCABULARY.search(before))


def _plain(pattern: bytes) -> Callable[[bytes, bytes], Iterator[Span]]:
    compiled = re.compile(pattern)

    def find(_text: bytes, low: bytes) -> Iterator[Span]:
        for found in compiled.finditer(low):
            if found[1] not in _NOTHING:
                yield Span(*found.span(1))

    return find


def _shape(pattern: bytes) -> Callable[[bytes, bytes], Iterator[Span]]:
    """Find what is a secret by its very form; capitals matter."""
    compiled = re.compile(rb"(?<![A-Za-z0-9_-])" + pattern)

    def find(text: bytes, _low: bytes) -> Iterator[Span]:
        for found in compiled.finditer(text):
            yield Span(*found.span(1))

    return find


_whole_keys, _cut_keys = _plain(_PEM), _plain(_PEM_CUT)


def _private_keys(text: bytes, low: bytes) -> Iterator[Span]:
    """Private keys between their marks; one without its end as far as lines look like a key."""
    yield from _whole_keys(text, low)
    for span in _cut_keys(text, low):
        if b"-----end " not in low[span.start : span.start + PEM_LONGEST].partition(b"-----begin ")[0]:
            yield span


def open_key(low: bytes) -> int | None:
    """Return where a private key begins whose end may follow in the next block of a stream."""
    begin = low.rfind(b"-----begin ", max(0, len(low) - PEM_LONGEST))
    if begin < 0 or low.find(b"-----end ", begin) >= 0:
        return None
    return begin


_HEADER = rb"(?:authorization|cookie)\\*[\"']?\s?[:=]\s?\\*[\"']?([^\"'\r\n\\]+)"
_TEXT = rb'[^"\\]*+(?:\\.[^"\\]*+)*+'
_JSON_STRING = re.compile(rb'"([A-Z_][A-Z0-9_]*)=((?!")' + _STRING + rb')"')
_ENV_BLOCK = re.compile(rb'"env(?:ironment)?"\s*:\s*([\[{])')
_ENTRY = re.compile(rb'"([^"\\=]*+(?:\\.[^"\\=]*+)*+)=(' + _TEXT + rb')"')
_MEMBER = re.compile(rb'"(' + _TEXT + rb')"\s*:\s*"(' + _TEXT + rb')"')
_PAIR = re.compile(rb'"name"\s*:\s*"([A-Za-z_][\w.-]*)"\s*,\s*"value"\s*:\s*"(' + _TEXT + rb')"')
_ELEMENT = re.compile(rb'\s*(?:"' + _TEXT + rb'"|[^\s"\]}]+)')


def _unknown(matches: Iterator[re.Match[bytes]]) -> Iterator[Span]:
    for found in matches:
        if not is_harmless(found[1]) and found[2] not in {b"", REPLACEMENT}:
            yield Span(*found.span(2))


def _json_strings(text: bytes, _low: bytes) -> Iterator[Span]:
    yield from _unknown(_JSON_STRING.finditer(text))


def _json_env(text: bytes, _low: bytes) -> Iterator[Span]:
    """Values of the environment that a JSON document holds, as array of ``K=V`` or as object."""
    for block in _ENV_BLOCK.finditer(text):
        end = block.end()
        while (element := _ELEMENT.match(text, end)) is not None:
            end = element.end()
        entry = _ENTRY if block[1] == b"[" else _MEMBER
        yield from _unknown(entry.finditer(text, block.end(), end))


def _json_pairs(text: bytes, _low: bytes) -> Iterator[Span]:
    """Environment of a container: ``{"name": "X", "value": "..."}``, names in capitals."""
    for found in _PAIR.finditer(text):
        if found[1] == found[1].upper() and not is_harmless(found[1]) and found[2] not in {b"", REPLACEMENT}:
            yield Span(*found.span(2))


_BEFORE = (
    rb"(?:\d{4}-\d\d-\d\dT[0-9:.]+(?:Z|[+-]\d\d:?\d\d) (?:std(?:out|err) [FP] )?"
    rb"|\[[^\]\s]{0,80}\d+,\d+\]<std[a-z]{3,4}>: ?|\[pod/[^\]\s]+\] | *\d{1,6}: |\([^)\n]{1,80}\) ){0,4}"
)
_ENV_LINE = re.compile(
    rb"\n" + _BEFORE + rb"(?:export |declare -x |setenv )?([A-Z_][A-Z0-9_]*)=(?=[^\n\r])\"?([^\n\r\"]*)"
)


def _env_lines(text: bytes, _low: bytes) -> Iterator[Span]:
    """Lines that are nothing but an assignment in capitals: a dump of the environment."""
    yield from _unknown(_ENV_LINE.finditer(text))


RULES: tuple[Rule, ...] = (
    *(_keyed(key, words) for key, words in _WORDS),
    Rule((b"privatekey",), _private_keys),
    Rule((b"authorization", b"cookie"), _plain(_HEADER)),
    Rule((b"bearer",), _plain(rb"bearer +([a-z0-9._~+/=-]{8,})")),
    Rule((b"://",), _plain(rb"://([^\s/@\"'<>]{1,1024})@")),
    Rule((b"sig",), _plain(rb"sig(?:nature)?=([^&\s\"']+)")),
    Rule((b"akia", b"asia"), _shape(rb"((?:AKIA|ASIA)[A-Z0-9]{16})\b")),
    Rule((b"gh",), _shape(rb"(gh[pousr]_[A-Za-z0-9]{20,})")),
    Rule((b"github_pat",), _shape(rb"(github_pat_[A-Za-z0-9_]{20,})")),
    Rule((b"glpat",), _shape(rb"(glpat-[A-Za-z0-9_-]{16,})")),
    Rule((b"hf_",), _shape(rb"(hf_[A-Za-z0-9]{20,})")),
    Rule((b"xox",), _shape(rb"(xox[abeoprs]-[A-Za-z0-9-]{10,})")),
    Rule((b"nvapi",), _shape(rb"(nvapi-[A-Za-z0-9_-]{20,})")),
    Rule((b"sk",), _shape(rb"(sk-[A-Za-z0-9_-]{20,})")),
    Rule((b"aiza",), _shape(rb"(AIza[A-Za-z0-9_-]{35,})")),
    Rule((b"eyj",), _shape(rb"(eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*)")),
    Rule((b"=",), _env_lines),
    Rule((b"=",), _json_strings),
    Rule((b"env",), _json_env),
    Rule((b"value",), _json_pairs),
)
