"""What engines that share a crawl, its *shards*, learn from each other (METHODS, section 6).

Each learns from its own pages alone, and counts those apart from all else. It publishes what it has counted itself, in
place of what it published before, and takes up what each of the others has published, in place of what it took up of
that one before. So nothing is counted twice, however often it is told, and what a dead shard had learned stays.

What is told are arrays by name, in pieces: one that is as it was is neither packed nor taken up again. :func:`packed`
makes one short byte string of the arrays of a piece; :func:`unpacked` trusts it no further than that it holds arrays of
numbers, and whoever takes them up checks that they can be what they say.
"""

from __future__ import annotations

import json
import math
import struct
from collections.abc import Mapping
from typing import Any, Protocol, runtime_checkable

import numpy as np
import zstandard
from numpy.typing import NDArray

__all__ = ["Arrays", "Pieces", "SharesLearning", "array_of", "next_telling", "packed", "unpacked", "unpacked_pieces"]

Arrays = Mapping[str, NDArray[Any]]
Pieces = Mapping[str, Arrays | None]
"""What is told, in pieces by name: None is one that is as it was the last time."""

_MAGIC = b"dowse2"
_LENGTH = struct.Struct("<I")
_KINDS = frozenset(("|u1", "<u2", "<u4", "<u8", "<i8", "<f4", "<f8"))
_MOST_BYTES = 1 << 25  # unpacked: ten times as many as a large crawl has to tell
_MOST_ARRAYS = 100
_MOST_AXES = 2
_MOST_PIECES = 100
_FEW = 100  # pages


@runtime_checkable
class SharesLearning(Protocol):
    """Whoever learns from pages, and can learn from those of other shards as well."""

    def own_part(self) -> Pieces | None:
        """All that was learned from our own pages, and nothing of what was taken up. None: hardly anything is new since
        this was last asked. It is asked for about once a second, so it says so at once."""
        ...

    def take_part(self, shard: int, part: Pieces) -> None:
        """Take up all that another shard has learned, in place of what was taken up of it before. ValueError: it cannot
        be what a shard of this crawl has learned; then everything is as it was."""
        ...


def next_telling(known: int) -> int:
    """How many pages there are when it is time to tell again, after so many were told: a quarter more while there are
    few, and each of them teaches much; half more later on."""
    return known + (known // 4 if known < _FEW else known // 2) + 3


def packed(arrays: Arrays) -> bytes:
    """Arrays as one byte string. Counts go in as few bytes as the greatest of them needs, and the bytes of numbers that
    say much stand apart from those that say little: that makes them short, and quick to pack."""
    told, parts = [], []
    for name, array in arrays.items():
        whole = _little(array)
        sent = _narrow(whole)
        told.append([name, whole.dtype.str, sent.dtype.str, list(whole.shape)])
        parts.append(sent.reshape(-1).view(np.uint8).reshape(-1, sent.dtype.itemsize).T.tobytes())
    head = json.dumps(told).encode()
    return _MAGIC + zstandard.ZstdCompressor(level=1).compress(_LENGTH.pack(len(head)) + head + b"".join(parts))


def unpacked_pieces(pieces: Mapping[str, bytes | None]) -> Pieces:
    """Pieces, but for those that are as they were; ValueError also where there are far too many, or too long ones
    together."""
    if len(pieces) > _MOST_PIECES:
        raise ValueError("it is in too many pieces")
    found: dict[str, Arrays | None] = {}
    room = _MOST_BYTES
    for name, data in pieces.items():
        found[name] = arrays = None if data is None else unpacked(data, room)
        room -= 0 if arrays is None else sum(array.nbytes for array in arrays.values())
    return found


def unpacked(data: bytes, most: int = _MOST_BYTES) -> dict[str, NDArray[Any]]:
    """The arrays; ValueError when it is not what :func:`packed` gives, or far too long."""
    if not data.startswith(_MAGIC):
        raise ValueError("it is not what this version of Dowse tells")
    body = data[len(_MAGIC) :]
    try:
        if not 0 <= zstandard.frame_content_size(body) <= most:
            raise ValueError("it is too long")
        plain = zstandard.ZstdDecompressor().decompress(body)
    except zstandard.ZstdError as fault:
        raise ValueError(f"it cannot be unpacked: {fault}") from None
    try:
        [size] = _LENGTH.unpack_from(plain)
        told = json.loads(plain[_LENGTH.size : _LENGTH.size + size])
    except (struct.error, ValueError, RecursionError):
        raise ValueError("it does not say what it holds") from None
    if not isinstance(told, list) or len(told) > _MOST_ARRAYS:
        raise ValueError("it does not say what it holds")
    found: dict[str, NDArray[Any]] = {}
    at, room = _LENGTH.size + size, most
    for row in told:
        name, kind, sent, shape = _checked(row)
        count = math.prod(shape)
        room -= count * kind.itemsize
        if room < 0:
            raise ValueError("it is too long")
        end = at + count * sent.itemsize
        if end > len(plain):
            raise ValueError(f"{name} is cut short")
        flat = np.frombuffer(plain, np.uint8, end - at, at)
        if sent.itemsize > 1:
            flat = np.ascontiguousarray(flat.reshape(sent.itemsize, -1).T).reshape(-1)
        found[name] = flat.view(sent).astype(kind, copy=False).reshape(shape)
        at = end
    return found


def array_of(part: Arrays, name: str, kind: type[np.generic], *shape: int) -> NDArray[Any]:
    """An array of a part, of this type and shape (-1: any length); ValueError where it has none such, or where some of
    its numbers are none."""
    array = part.get(name)
    if array is None or array.dtype != np.dtype(kind) or len(array.shape) != len(shape):
        raise ValueError(f"{name} is missing, or of the wrong kind")
    if any(wanted not in (-1, size) for wanted, size in zip(shape, array.shape, strict=True)):
        raise ValueError(f"{name} has the wrong length")
    if array.dtype.kind == "f" and not np.isfinite(array).all():
        raise ValueError(f"{name} holds something that is no number")
    return array


def _little(array: NDArray[Any]) -> NDArray[Any]:
    kind = array.dtype.newbyteorder("<")
    if kind.str not in _KINDS:
        raise TypeError(f"arrays of {array.dtype} are not told")
    return np.ascontiguousarray(array, kind)


def _narrow(array: NDArray[Any]) -> NDArray[Any]:
    """Counts as the shortest kind that holds them all."""
    if array.dtype.kind != "u":
        return array
    return array.astype(_little(np.zeros(0, np.min_scalar_type(int(array.max(initial=0))))).dtype, copy=False)


def _checked(row: Any) -> tuple[str, np.dtype[Any], np.dtype[Any], tuple[int, ...]]:
    if not isinstance(row, list) or len(row) != 4 or not all(isinstance(part, str) for part in row[:3]):
        raise ValueError("it does not say what it holds")
    name, kind, sent, shape = row
    if kind not in _KINDS or sent not in _KINDS or not np.can_cast(sent, kind):
        raise ValueError(f"{name} holds no numbers")
    if not isinstance(shape, list) or not 0 < len(shape) <= _MOST_AXES:
        raise ValueError(f"{name} has no shape")
    if any(type(size) is not int or not 0 <= size <= _MOST_BYTES for size in shape):
        raise ValueError(f"{name} has no shape")
    return name, np.dtype(kind), np.dtype(sent), tuple(shape)
