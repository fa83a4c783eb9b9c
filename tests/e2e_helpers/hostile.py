"""Site files that somebody, or something, has spoiled."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import strategies as st

if TYPE_CHECKING:
    from collections.abc import Sequence

Edit = tuple[str, int, str]

SCALARS = (
    *(
        "",
        "~",
        "null",
        "true",
        "NO",
        "0",
        "-1",
        "1",
        "3",
        "16",
        "1e9",
        ".nan",
        "-.inf",
        "0x10",
        "0o17",
        "1_000",
    ),
    *(
        "12:30:45",
        '"x"',
        "'",
        '"',
        '"\\u202e"',
        '"\\0"',
        '"a\\nb"',
        '"$(reboot)"',
        '"${x}"',
        "{{x}}",
        "%",
        "@x",
    ),
    *("`", "|", ">", "- x", "[", "{", "[]", "{}", "{a: b}", "[a]", "*a", "&a x", "!!str x", "<<", "? x", "#"),
    *(
        "---",
        "...",
        "9" * 30,
        "9" * 5000,
        "9223372036854775807",
        "-9223372036854775809",
        "0.1",
        "1.10",
        "1e400",
    ),
    *(
        "4Ki",
        "1Gi",
        "99999Pi",
        "-5%",
        "+5%",
        "-100%",
        "0%",
        "999999%",
        "5GB/s",
        "5us",
        "0GB/s",
        "0s",
        "1d",
        "400y",
    ),
    *("2026-02-30", "2026-12-31", "0001-01-01", "2026-12-31T23:59:60Z", "../../x", "a/b", "/etc/passwd"),
    *(
        "a" * 64,
        "a" * 300,
        "A",
        "é",
        "日本",
        "🦀",
        "\u2028",
        "\u00a0",
        "\ufeff",
        "\x7f",
        "\x1b[31m",
        "lab-1",
        "bench",
    ),
    *("pair", "node", "pool", "domain", "cross-domain", "ring", "all", "job", "mpijob", "nccl-all-reduce"),
    *(
        "dcgm-diag",
        "nvbandwidth",
        "node-inventory",
        "NET/IB",
        "NET/Socket",
        "busbw",
        "algbw",
        "time",
        "latency",
    ),
    *(
        "argocd",
        "none",
        "h20-acceptance",
        "NVIDIA-L20",
        "1.24.0",
        "1.37.0",
        "1.99.0",
        "v1.34.1+rke2r1",
        "default",
    ),
    *(
        "kube-system",
        "lab-acceptance",
        "https://u:p@x",
        "git@x:y",
        "nvidia.com/gpu",
        "^=mlx5_0",
        "-x",
        "2.0rc1",
    ),
)

_TEXT = st.one_of(st.sampled_from(SCALARS), st.text(st.characters(exclude_categories=["Cs"]), max_size=8))
_KINDS = st.sampled_from(
    [
        "value",
        "value",
        "value",
        "value",
        "field",
        "key",
        "delete",
        "repeat",
        "indent",
        "insert",
        "cut",
        "swap",
    ]
)
EDITS = st.lists(st.tuples(_KINDS, st.integers(0, 10_000), _TEXT), min_size=1, max_size=3)


def spoil(text: str, edits: Sequence[Edit]) -> str:
    """Apply edits to the lines of a site file."""
    lines = text.split("\n")
    for kind, number, scalar in edits:
        at = number % len(lines)
        line = lines[at]
        indent = line[: len(line) - len(line.lstrip(" "))]
        key, colon, _ = line.partition(": ")
        if kind == "value":
            lines[at] = f"{key}: {scalar}" if colon else f"{line} {scalar}"
        elif kind == "field":
            lines.insert(at, f"{indent}{scalar or 'x'}: {scalar}")
        elif kind == "key":
            lines[at] = f"{indent}{scalar}:{line.partition(':')[2]}"
        elif kind == "delete":
            del lines[at : at + 1 + number % 3]
        elif kind == "repeat":
            lines[at:at] = lines[at : at + 1 + number % 7]
        elif kind == "indent":
            lines[at] = " " * (number % 13) + line.lstrip(" ")
        elif kind == "insert":
            column = number % (len(line) + 1)
            lines[at] = line[:column] + scalar + line[column:]
        elif kind == "swap":
            other = (at * 7) % len(lines)
            lines[at], lines[other] = lines[other], lines[at]
        else:
            lines = lines[: at + 1]
        lines = lines or [""]
    return "\n".join(lines)
