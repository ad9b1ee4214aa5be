"""Jobs and their work as bytes, between the engine and its workers.

Both ends are this program, and a message lives for milliseconds, so :mod:`marshal` of plain values serves. How a
digest travels follows from the fields of its dataclasses (``model/page.py``), looked up once, at import. Packed and
unpacked, a job and its work take 0.04 to 0.09 ms for recorded pages of 4 to 35 kB with 14 to 38 links (medians of three
corpora, 400 pages each), where :mod:`pickle`, which calls Python for each dataclass and array, takes 0.13 to 0.24.
"""

from __future__ import annotations

import marshal
import pickle
import struct
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from operator import attrgetter
from types import UnionType
from typing import Annotated, Any, NamedTuple, Union, get_args, get_origin, get_type_hints

import numpy as np

from dowse.engine.workers.job import Call, Job, Lost, Work
from dowse.model.http import Response, Timings, Truncation
from dowse.model.page import Counting, Digest, Shape

__all__ = [
    "READY", "Frames", "frame", "framed", "is_call", "lost", "pack_call", "pack_found", "pack_job", "pack_work",
    "unpack_call", "unpack_found", "unpack_job", "unpack_work",
]  # fmt: skip

_LENGTH = struct.Struct("!I")  # in front of each message
_ROOM = 1 << 18  # bytes: several messages
READY = b""  # a worker's first message
_VERSION = 2  # of marshal: without looking for values that occur twice
_CALL = _LENGTH.pack(0)  # in place of the length of what is told of a page: that is never empty
_TRUNCATIONS = {truncation.value: truncation for truncation in Truncation}


def frame(payload: bytes) -> bytes:
    """A message with its length in front."""
    return _LENGTH.pack(len(payload)) + payload


def framed(*parts: bytes) -> tuple[bytes, ...]:
    """A message of several parts, with the length in front: a large one is sent without a copy."""
    return _LENGTH.pack(sum(map(len, parts))), *parts


class Frames:
    """Cuts what a socket brings into messages, without a copy: it is received into :meth:`room`, and messages are views
    of that, good until room is asked for again."""

    __slots__ = ("_begin", "_end", "_held")

    def __init__(self) -> None:
        self._held = memoryview(bytearray(_ROOM))
        self._begin = self._end = 0  # of what was received and not cut yet

    def room(self) -> memoryview:
        """Where the next bytes belong; there is room for the message that has begun, at least."""
        begin, held = self._begin, self._end - self._begin
        size = _LENGTH.unpack_from(self._held, begin)[0] + _LENGTH.size if held >= _LENGTH.size else _LENGTH.size
        if begin + max(size, _ROOM) > len(self._held) or len(self._held) > _ROOM > size:
            fits = max(size, _ROOM)
            target = self._held if fits == len(self._held) else memoryview(bytearray(fits))
            target[:held] = self._held[begin : self._end]
            self._held, self._begin, self._end = target, 0, held
        return self._held[self._end :]

    def took(self, count: int) -> list[memoryview]:
        """So many bytes have come: the messages that are whole now."""
        self._end += count
        found = []
        while self._end - self._begin >= _LENGTH.size:
            start = self._begin + _LENGTH.size
            stop = start + _LENGTH.unpack_from(self._held, self._begin)[0]
            if stop > self._end:
                break
            found.append(self._held[start:stop])
            self._begin = stop
        return found


def pack_job(job: Job) -> tuple[bytes, bytes, bytes]:
    """In parts, one behind the other: the length of the second, all but the body, and the body as it is."""
    r = job.response
    t = r.timings
    about = marshal.dumps((
        r.url, r.status, r.headers, r.reason, r.wire_bytes, r.truncated.value,
        (t.dns_s, t.connect_s, t.first_byte_s, t.total_s), r.address, r.request_headers, r.method,
        job.fetched_at, job.depth, job.via, job.keep_text, job.terms, job.repeats,
        (job.counting.menus, job.counting.mean),
    ), _VERSION)  # fmt: skip
    return _LENGTH.pack(len(about)), about, r.body


def unpack_job(payload: bytes | memoryview) -> Job:
    end = _LENGTH.size + _LENGTH.unpack_from(payload)[0]
    url, status, headers, reason, wire_bytes, truncated, timings, address, asked, method, *rest = marshal.loads(
        payload[_LENGTH.size : end]
    )
    response = Response(
        url, status, headers, bytes(payload[end:]), reason, wire_bytes, _TRUNCATIONS[truncated], Timings(*timings),
        address, asked, method,
    )  # fmt: skip
    fetched_at, depth, via, keep_text, terms, repeats, counting = rest
    return Job(response, fetched_at, depth, via, keep_text, terms, repeats, Counting(*counting))


def is_call(payload: bytes | memoryview) -> bool:
    """Is this message a :class:`Call`, and not a page?"""
    return payload[: _LENGTH.size] == _CALL


def pack_call(call: Call) -> tuple[bytes, bytes]:
    return _CALL, pickle.dumps((call.function, call.arguments), 5)


def unpack_call(payload: bytes | memoryview) -> Call:
    return Call(*pickle.loads(payload[_LENGTH.size :]))


def pack_found(found: object) -> bytes:
    """What a call gave, or a :class:`Lost`."""
    return pickle.dumps(found, 5)


def unpack_found(payload: bytes | memoryview) -> Any:
    """What a worker was called for. It comes from our own code there, so that a pickle may be trusted."""
    return pickle.loads(payload)


def lost(error: BaseException) -> Lost:
    """A call that raised this error, for whoever waits for it."""
    return Lost(f"{type(error).__name__}: {error}"[:200])


def pack_work(work: Work) -> bytes:
    return marshal.dumps((_DIGEST.pack(work.digest), work.archive, work.error, work.unreadable), _VERSION)


def unpack_work(payload: bytes | memoryview) -> Work:
    digest, archive, error, unreadable = marshal.loads(payload)
    return Work(_DIGEST.unpack(digest), archive, error, unreadable)


class _Codec(NamedTuple):
    """Makes a value one that :mod:`marshal` takes, and back."""

    pack: Callable[[Any], Any]
    unpack: Callable[[Any], Any]


def _codec(hint: Any) -> _Codec | None:
    """That of a type; None for what marshal takes as it is: numbers, strings, and lists and dicts of such."""
    if get_origin(hint) is Annotated:
        of, *notes = get_args(hint)
        shape = next((note for note in notes if isinstance(note, Shape)), None)
        return _codec(of) if shape is None else _array(of, shape.width)
    if get_origin(hint) is np.ndarray:
        return _array(hint, 0)
    if get_origin(hint) in (Union, UnionType):
        [inner] = {_codec(part) for part in get_args(hint)} - {None} or {None}
        return None if inner is None else _optional(inner)
    if get_origin(hint) is tuple:
        return _several(_codec(get_args(hint)[0]))
    return _fields(hint) if is_dataclass(hint) else None


def _array(hint: Any, width: int) -> _Codec:
    [number] = get_args(get_args(hint)[1])
    dtype = np.dtype(number)
    if width:
        return _Codec(np.ndarray.tobytes, lambda data: np.frombuffer(data, dtype).reshape(-1, width))
    return _Codec(np.ndarray.tobytes, lambda data: np.frombuffer(data, dtype))


def _optional(of: _Codec) -> _Codec:
    pack, unpack = of
    return _Codec(
        lambda value: None if value is None else pack(value), lambda value: None if value is None else unpack(value)
    )


def _several(of: _Codec | None) -> _Codec:
    if of is None:
        return _Codec(tuple, tuple)
    pack, unpack = of
    return _Codec(lambda values: [pack(value) for value in values],
                  lambda values: tuple([unpack(value) for value in values]))  # fmt: skip


def _fields(of: Any) -> _Codec:
    """A dataclass becomes a list of its fields: a field that is added to it travels along."""
    hints = get_type_hints(of, include_extras=True)
    names = [field.name for field in fields(of)]
    values_of = attrgetter(*names)
    special = [(place, codec) for place, name in enumerate(names) if (codec := _codec(hints[name])) is not None]
    if not special:
        return _Codec(values_of, lambda values: of(*values))
    packs = [(place, codec.pack) for place, codec in special]
    unpacks = [(place, codec.unpack) for place, codec in special]

    def pack(value: Any) -> list[Any]:
        values = list(values_of(value))
        for place, packed in packs:
            values[place] = packed(values[place])
        return values

    def unpack(values: list[Any]) -> Any:
        for place, unpacked in unpacks:
            values[place] = unpacked(values[place])
        return of(*values)

    return _Codec(pack, unpack)


_DIGEST = _optional(_fields(Digest))
