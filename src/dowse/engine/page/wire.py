"""Jobs and their work as bytes, between the engine and its workers.

Both ends are this program, and a message lives for milliseconds, so :mod:`marshal` of plain values serves. Packed and
unpacked, a job and its work take 0.04 to 0.09 ms for recorded pages of 4 to 35 kB with 14 to 38 links (medians of three
corpora, 400 pages each), where :mod:`pickle`, which calls Python for each dataclass and array, takes 0.13 to 0.24.
"""

from __future__ import annotations

import marshal
import pickle
import struct
from typing import Any

import numpy as np

from dowse.engine.page.job import Call, Job, Lost, Work
from dowse.model.http import Response, Timings, Truncation
from dowse.model.page import Bag, Context, Digest, Links, Part, Reason, Signature, Verdict

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
    """The same in parts, for who can send them all at once: a large message is not copied."""
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
        job.fetched_at, job.depth, job.via, job.keep_text, job.keep_bag, job.repeats,
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
    return Job(response, *rest)


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
    """Why a call gave nothing."""
    return Lost(f"{type(error).__name__}: {error}"[:200])


def pack_work(work: Work) -> bytes:
    return marshal.dumps((None if work.digest is None else _plain(work.digest), work.archive, work.error), _VERSION)


def unpack_work(payload: bytes | memoryview) -> Work:
    digest, archive, error = marshal.loads(payload)
    return Work(None if digest is None else _digest(digest), archive, error)


def _plain(digest: Digest) -> tuple[Any, ...]:
    v, links, signature = digest.verdict, digest.links, digest.signature
    return (
        (v.score, v.relevant, v.threshold, v.method, [(r.name, r.value, r.weight) for r in v.reasons], v.similarity,
         v.erid, [(p.text, p.held, p.degree, p.value, p.depth) for p in v.parts], v.fault),
        (links.urls, links.fingerprints.tobytes(), links.counts.tobytes(), links.anchors, links.rels,
         links.positions.tobytes(), links.similarity.tobytes(), links.places.tobytes()),
        (signature.exact, signature.minhash), digest.lines.tobytes(),
        None if digest.bag is None else (digest.bag.terms.tobytes(), digest.bag.counts.tobytes()),
        digest.title, digest.language, digest.charset, digest.words, digest.text_len, digest.n_links,
        digest.refused_links, digest.canonical, digest.refresh, digest.noindex, digest.nofollow, digest.text,
        digest.parse_s, digest.judge_s,
    )  # fmt: skip


def _digest(values: tuple[Any, ...]) -> Digest:
    verdict, links, signature, lines, bag, *rest = values
    score, relevant, threshold, method, reasons, similarity, erid, parts, fault = verdict
    urls, fingerprints, counts, anchors, rels, positions, contexts, places = links
    (title, language, charset, words, text_len, n_links, refused_links, canonical, refresh, noindex, nofollow, text,
     parse_s, judge_s) = rest  # fmt: skip
    return Digest(
        verdict=Verdict(
            score,
            relevant,
            threshold,
            method,
            tuple([Reason(*reason) for reason in reasons]),
            similarity,
            erid,
            tuple([Part(*part) for part in parts]),
            fault,
        ),
        title=title,
        language=language,
        charset=charset,
        words=words,
        text_len=text_len,
        links=Links(
            urls=urls,
            fingerprints=np.frombuffer(fingerprints, np.uint64),
            counts=np.frombuffer(counts, np.float32),
            anchors=anchors,
            rels=rels,
            positions=np.frombuffer(positions, np.int32),
            similarity=np.frombuffer(contexts, np.float32).reshape(-1, len(Context)),
            places=np.frombuffer(places, np.int32).reshape(-1, 4),
        ),
        n_links=n_links,
        refused_links=refused_links,
        canonical=canonical,
        refresh=refresh,
        noindex=noindex,
        nofollow=nofollow,
        signature=Signature(*signature),
        lines=np.frombuffer(lines, np.uint64),
        bag=None if bag is None else Bag(np.frombuffer(bag[0], np.uint32), np.frombuffer(bag[1], np.float32)),
        text=text,
        parse_s=parse_s,
        judge_s=judge_s,
    )
