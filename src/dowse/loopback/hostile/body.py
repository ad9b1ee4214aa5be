"""Bodies that never end, never come, unpack without end, or are not what they say."""

from __future__ import annotations

import asyncio
import gzip
import itertools
from collections.abc import Callable, Iterator

from dowse.loopback.hostile.bombs import brotli_bomb, gzip_bomb, nested_gzip_bomb, zstd_bomb
from dowse.loopback.hostile.trial import DOMAIN, Answer, End, Trial
from dowse.loopback.hostile.wire import HTML, Visit, document, head, prose

__all__ = ["TRIALS"]

_PIECE = 65_536
_NAMES = "abcdefghijklmnopqrstuvwxyz0123456789"


def _bomb(coding: str, pieces: Callable[[], Iterator[bytes]]) -> Answer:
    async def answer(visit: Visit) -> None:
        await visit.send(head(f"Content-Type: {HTML}", f"Content-Encoding: {coding}"))
        for piece in pieces():
            await visit.send(piece)

    return answer


async def _four_codings(visit: Visit) -> None:
    body = document("too-many-encodings")
    for _ in range(4):
        body = gzip.compress(body)
    await visit.reply(body, "Content-Encoding: gzip, gzip, gzip, gzip")


async def _not_gzip(visit: Visit) -> None:
    await visit.reply(document("false-encoding"), "Content-Encoding: gzip")


async def _half_a_gzip(visit: Visit) -> None:
    # noise in front, so that half of the packed bytes is more than the head
    page = document("truncated-gzip", body=f"<!-- {prose('before')} -->") + prose("after").encode() * 50
    packed = gzip.compress(page)
    await visit.reply(packed[: len(packed) // 2], "Content-Encoding: gzip")


async def _chunks_without_end(visit: Visit) -> None:
    await visit.send(head(f"Content-Type: {HTML}", "Transfer-Encoding: chunked"))
    line = b"<p>" + prose("endless").encode() + b"</p>\n"
    piece = line * (_PIECE // len(line))
    while True:
        await visit.send(b"%x\r\n%s\r\n" % (len(piece), piece))


async def _byte_by_byte(visit: Visit) -> None:
    await visit.send(head(f"Content-Type: {HTML}", "Content-Length: 1000000"))
    for byte in document("one-byte-each-10-s"):
        await visit.send(bytes([byte]))
        await asyncio.sleep(10)


async def _only_headers(visit: Visit) -> None:
    await visit.send(head(f"Content-Type: {HTML}", "Content-Length: 1000"))
    await asyncio.Event().wait()


async def _nothing(visit: Visit) -> None:
    await asyncio.Event().wait()


async def _less_than_said(visit: Visit) -> None:
    body = document("short-body")
    await visit.reply(body, length=len(body) + 5000)


async def _more_than_said(visit: Visit) -> None:
    body = document("long-body")
    await visit.reply(body + b"<p>and more</p>" * 100, length=len(body))


async def _informational(visit: Visit) -> None:
    while True:
        await visit.send(b"HTTP/1.1 103 Early Hints\r\nLink: </style.css>; rel=preload\r\n\r\n" * 10)
        await asyncio.sleep(0)  # other visitors get their turn


async def _bad_chunk(visit: Visit) -> None:
    good = document("bad-chunk-size")
    await visit.send(head(f"Content-Type: {HTML}", "Transfer-Encoding: chunked"), b"%x\r\n%s\r\n" % (len(good), good))
    await visit.send(b"-1zz\r\nnot a chunk\r\n")


async def _one_line(visit: Visit) -> None:
    size = 2_000_000_000
    await visit.send(head(f"Content-Type: {HTML}", f"Content-Length: {size}"), b"<title>giant-line</title><p>")
    piece = b"nobreak " * (_PIECE // 8)
    for _ in range(size // len(piece)):
        await visit.send(piece)


async def _nested(visit: Visit) -> None:
    await visit.reply(document("nested-tags", body="<div>" * 100_000 + "<b>deep down</b>"))


async def _attributes(visit: Visit) -> None:
    """A million names of four letters: 5 MB in one tag."""
    names = ("".join(name) for name in itertools.islice(itertools.product(_NAMES, repeat=4), 1_000_000))
    batches = (" ".join(itertools.islice(names, 10_000)) + " " for _ in range(100))
    page = document("million-attributes").decode()
    await visit.pour(itertools.chain(["<title>million-attributes</title><div "], batches, [">", page]))


async def _entities(visit: Visit) -> None:
    """A billion laughs: nine entities, each ten times the one before."""
    lines = ['<!ENTITY a0 "ha">'] + [f'<!ENTITY a{n} "{f"&a{n - 1};" * 10}">' for n in range(1, 10)]
    body = f"<!DOCTYPE urlset [{''.join(lines)}]><urlset><url><loc>http://x.test/&a9;</loc></url></urlset>"
    await visit.reply(body.encode(), content_type="application/xml")


def _trial(name: str, does: str, answer: Answer, outcome: str, reason: str = "", cut: str = "", **more: bool) -> Trial:
    end = End(f"http://{name}.{DOMAIN}/", outcome, reason, cut)
    return Trial(name, "body", does, answer, (end,), by_clock=more.get("by_clock", False))


TRIALS = (
    _trial("gzip-bomb", "An endless gzip body: 1 KB unpacks to a MB.", _bomb("gzip", gzip_bomb), "fetched",
           cut="length"),
    _trial("brotli-bomb", "An endless brotli body: 12 bytes unpack to a MB.", _bomb("br", brotli_bomb), "fetched",
           cut="length"),
    _trial("zstd-bomb", "An endless zstd body: 32 bytes unpack to a MB.", _bomb("zstd", zstd_bomb), "fetched",
           cut="length"),
    _trial("nested-bomb", "A gzip bomb packed in gzip.", _bomb("gzip, gzip", nested_gzip_bomb), "fetched",
           cut="length"),
    _trial("too-many-encodings", "A page packed four times.", _four_codings, "failed", "encoding: *", "encoding"),
    _trial("false-encoding", "Plain HTML declared as gzip.", _not_gzip, "fetched"),
    _trial("truncated-gzip", "Half of a gzip body, with the right length.", _half_a_gzip, "fetched", cut="encoding"),
    _trial("endless-chunks", "Endless chunks.", _chunks_without_end, "fetched", cut="length|time"),
    _trial("one-byte-each-10-s", "One byte of the body every ten seconds.", _byte_by_byte, "fetched", cut="time",
           by_clock=True),
    _trial("hang-after-headers", "Headers, then silence.", _only_headers, "failed", "timeout: *", "time",
           by_clock=True),
    _trial("never-answers", "Accepts the connection and says nothing.", _nothing, "failed", "timeout: *",
           by_clock=True),
    _trial("short-body", "A body shorter than its Content-Length.", _less_than_said, "fetched", cut="disconnect"),
    _trial("long-body", "A body longer than its Content-Length.", _more_than_said, "fetched"),
    _trial("endless-1xx", "Endless informational answers.", _informational, "failed", "protocol: *"),
    _trial("bad-chunk-size", "A good chunk, then one with a malformed size.", _bad_chunk, "fetched", cut="disconnect"),
    _trial("giant-line", "A line of 2 GB.", _one_line, "fetched", cut="length|time"),
    _trial("nested-tags", "100,000 nested tags.", _nested, "fetched"),
    _trial("million-attributes", "A tag with a million attributes.", _attributes, "fetched"),
    Trial("entity-bomb", "body", "A sitemap whose XML entities unpack to a billion words.", _entities,
          seed=f"http://entity-bomb.{DOMAIN}/sitemap.xml", sitemap=True,
          events=(("sitemap problem", f"http://entity-bomb.{DOMAIN}/sitemap.xml: refused"),)),
)  # fmt: skip
