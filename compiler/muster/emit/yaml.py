"""Write JSON-like values as YAML that every reader reads alike.

Block style, two blanks per level, sequences at the column of their key, keys in the order given, no line
folded. The style is frozen: a change of it moves every line of every committed file.
"""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Any

from muster.emit import scalar
from muster.emit.scalar import UnwritableError

if TYPE_CHECKING:
    from collections.abc import Callable

MAX_DEPTH = 100
"""Levels of indentation that are written; deeper values are refused."""

_LOWEST, _HIGHEST = -(2**63), 2**64 - 1
_LINE = re.compile(r"\n(?=[^\n])")
_COMMENT = re.compile(r"[ -~\u00a1-\u00ac\u00ae-\u024f\u3001-\u3029\u4e00-\u9fff]*")


def dump(value: Any, header: str = "") -> bytes:
    """Return the YAML document of a value of dicts, lists, strings, numbers, booleans and None.

    Args:
        value: what to write; every dict key is a string.
        header: lines of text to put before it as comments.

    Returns:
        UTF-8 text that ends with one line break.

    Raises:
        UnwritableError: a value that some reader would give back as another one or not at all: a float that
            is whole, infinite or no number, an integer that does not fit 64 bits, half of a surrogate pair,
            a key that is no string or too long, a type that JSON does not have, indentation
            beyond ``MAX_DEPTH``. It names the place.
    """
    out: list[str] = [_comment(header)] if header else []
    try:
        _node(out.append, value, "", "")
        return "".join(out).encode()
    except UnwritableError as error:
        raise _located(value, error) from None


def _comment(header: str) -> str:
    lines = header.rstrip("\n").split("\n")
    if not all(_COMMENT.fullmatch(line) for line in lines):
        raise UnwritableError(f"header {header!r} holds characters that a comment cannot show")
    return "".join(f"# {line}".rstrip() + "\n" for line in lines)


def _node(write: Callable[[str], None], value: Any, lead: str, pad: str) -> None:
    """Write a value on lines of its own: ``lead`` before the first of them, ``pad`` before the rest."""
    kind = type(value)
    if kind is dict and value:
        _mapping(write, value, lead, pad)
    elif (kind is list or kind is tuple) and value:
        _sequence(write, value, lead, pad)
    else:
        write(f"{lead}{_inline(value, pad or '  ')}\n")


def _mapping(write: Callable[[str], None], value: dict[str, Any], lead: str, pad: str) -> None:
    if len(pad) > 2 * MAX_DEPTH:
        raise UnwritableError(f"more than {MAX_DEPTH} levels of indentation")
    deeper = pad + "  "
    for name, item in value.items():
        if type(name) is not str:
            raise UnwritableError(f"key {name!r} is a {type(name).__name__}, not a string")
        kind = type(item)
        if kind is str and "\n" not in item:
            write(f"{lead}{scalar.key(name)} {scalar.inline(item)}\n")
        elif kind is dict and item:
            write(f"{lead}{scalar.key(name)}\n")
            _mapping(write, item, deeper, deeper)
        elif (kind is list or kind is tuple) and item:
            write(f"{lead}{scalar.key(name)}\n")
            _sequence(write, item, pad, pad)
        else:
            write(f"{lead}{scalar.key(name)} {_inline(item, deeper)}\n")
        lead = pad


def _sequence(write: Callable[[str], None], value: list[Any] | tuple[Any, ...], lead: str, pad: str) -> None:
    if len(lead) > 2 * MAX_DEPTH:
        raise UnwritableError(f"more than {MAX_DEPTH} levels of indentation")
    deeper = pad + "  "
    for item in value:
        _node(write, item, f"{lead}- ", deeper)
        lead = pad


def _inline(value: Any, body: str) -> str:
    """Return a scalar or an empty collection; the lines of a block scalar are indented by ``body``."""
    kind = type(value)
    if kind is str:
        return _text(value, body)
    if value is True:
        return "true"
    if value is False:
        return "false"
    if value is None:
        return "null"
    if kind is int:
        return _integer(value)
    if kind is float:
        return _float(value)
    if kind is dict:
        return "{}"
    if kind is list or kind is tuple:
        return "[]"
    raise UnwritableError(f"a {kind.__name__} has no place in JSON")


def _text(value: str, body: str) -> str:
    if "\n" not in value:
        return scalar.inline(value)
    if not scalar.is_block(value):
        return scalar.quoted(value)
    mark, text = ("|", value[:-1]) if value.endswith("\n") else ("|-", value)
    return f"{mark}\n{body}" + _LINE.sub("\n" + body, text)


def _integer(value: int) -> str:
    if not _LOWEST <= value <= _HIGHEST:
        raise UnwritableError("an integer beyond 64 bits, which readers turn into a float")
    return str(value)


def _float(value: float) -> str:
    if not math.isfinite(value):
        raise UnwritableError(f"{value} is not a number that JSON has")
    if value.is_integer():
        raise UnwritableError(f"{value!r} is a whole float; write an integer or a string")
    text = repr(value)
    mantissa, mark, exponent = text.partition("e")
    return f"{mantissa}.0e{exponent}" if mark and "." not in mantissa else text


def _located(value: Any, error: UnwritableError) -> UnwritableError:
    """Return the same error with the path of the innermost value that cannot be written on its own."""
    if error.path:
        return error
    path = ""
    for _ in range(MAX_DEPTH):
        step = _culprit(value)
        if step is None:
            break
        name, value = step
        path += f"[{name}]" if isinstance(name, int) else f".{name}" if path else name
    return UnwritableError(error.reason, path)


def _culprit(value: Any) -> tuple[int | str, Any] | None:
    sink: list[str] = []
    items: list[tuple[Any, Any]] = []
    if type(value) is dict:
        items = list(value.items())
    elif isinstance(value, (list, tuple)):
        items = list(enumerate(value))
    for name, item in items:
        if not isinstance(name, (int, str)):
            return None
        try:
            _node(sink.append, item, "", "")
        except UnwritableError:
            return name, item
    return None
