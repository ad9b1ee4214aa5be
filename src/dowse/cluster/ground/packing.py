"""Many letters as one row: what 50,000 links a second need, in either database.

Numbers (as steps from the one before), depths and values as plain columns of little-endian numbers, then the URLs, a
line each, and in front of these what is told of each link, all together compressed: neighbours share most of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import zstandard

from dowse.model.errors import StoreError
from dowse.model.others import Letter

__all__ = ["pack", "unpack"]

_COLUMNS: tuple[np.dtype[Any], ...] = (np.dtype("<u4"), np.dtype("<u4"), np.dtype("<f8"), np.dtype("<i4"))
# steps, depths, values, how long what is told of the link is (-1: nothing is)
_MOST_BYTES = 256 << 20  # of a row, unpacked: what somebody else put there must not fill the memory


def pack(letters: Sequence[Letter]) -> bytes:
    """Letters in the order of their numbers, as bytes. Whom they are for is not in it."""
    numbers = np.array([letter.number for letter in letters], dtype=np.int64)
    columns = (
        np.diff(numbers, prepend=numbers[:1]),
        np.array([letter.depth for letter in letters], dtype=np.int64),
        np.array([letter.value for letter in letters], dtype=np.float64),
        np.array([-1 if letter.mention is None else len(letter.mention) for letter in letters], dtype=np.int64),
    )
    mentions = b"".join([letter.mention for letter in letters if letter.mention is not None])
    text = "\n".join([letter.url for letter in letters]).encode("utf-8", "surrogatepass")
    if text.count(b"\n") != len(letters) - 1:
        raise ValueError("a URL in canonical form has no line feed")
    whole = [column.astype(kind).tobytes() for column, kind in zip(columns, _COLUMNS, strict=True)]
    return zstandard.ZstdCompressor(level=1).compress(b"".join((*whole, mentions, text)))


def unpack(body: bytes, first: int, letters: int, receiver: int) -> list[Letter]:
    """The letters of a row whose first number and count are known."""
    try:
        data = zstandard.ZstdDecompressor().decompress(body, max_output_size=_MOST_BYTES)
        parts, at = [], 0
        for kind in _COLUMNS:
            parts.append(np.frombuffer(data, dtype=kind, count=letters, offset=at))
            at += letters * kind.itemsize
        sizes = parts[3].tolist()
        mentions: list[bytes | None] = []
        for size in sizes:
            mentions.append(None if size < 0 else data[at : at + size])
            at += max(0, size)
        urls = data[at:].decode("utf-8", "surrogatepass").split("\n")
        numbers = (first + np.cumsum(parts[0], dtype=np.int64)).tolist()
        return [
            Letter(number, receiver, url, depth, value, mention)
            for number, url, depth, value, mention in zip(
                numbers, urls, parts[1].tolist(), parts[2].tolist(), mentions, strict=True
            )
        ]
    except (zstandard.ZstdError, ValueError) as error:
        raise StoreError(f"letters for shard {receiver} are damaged: {error}") from error
