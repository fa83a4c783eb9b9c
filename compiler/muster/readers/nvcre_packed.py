"""Unpack what NVCRE puts into ConfigMaps: gzip of JSON or of names, in base64."""

from __future__ import annotations

import binascii
import zlib
from base64 import b64decode
from typing import TYPE_CHECKING, Any

from muster.readers.documents import DocumentError, from_json

if TYPE_CHECKING:
    from muster.readers.views import View

LIMIT = 8 * 1024 * 1024


def unpack(view: View, key: str) -> bytes | None:
    """Return the plain bytes of one entry of ``binaryData``, None with a problem where that fails.

    At most 8 MiB come out of an entry, however small it is.
    """
    text = view.text(key)
    if text is None:
        return None
    try:
        packed = b64decode(text, validate=True)
        stream = zlib.decompressobj(wbits=31)
        data = stream.decompress(packed, LIMIT + 1)
    except (binascii.Error, zlib.error, ValueError):
        view.doubt("is no gzip in base64", key, "MU780")
        return None
    if len(data) > LIMIT or not stream.eof:
        view.doubt(f"is cut or has more than {LIMIT} bytes", key, "MU780")
        return None
    return data


def unpack_json(view: View, key: str) -> Any:
    """Return the JSON document of one entry, None with a problem where that fails."""
    data = unpack(view, key)
    if data is None:
        return None
    try:
        return from_json(data)
    except DocumentError:
        view.doubt("holds no JSON that can be read", key, "MU780")
        return None
