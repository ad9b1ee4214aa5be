"""A little that costs a lot: what held an engine's loop for a minute, or was counted by nobody."""

from __future__ import annotations

import gzip
import itertools
import zlib
from collections.abc import Iterable, Iterator

import zstandard

from dowse.loopback.hostile.trial import DOMAIN, Answer, End, Trial
from dowse.loopback.hostile.wire import HTML, Visit, document, head

__all__ = ["TRIALS"]

_PIECE = 65_536


def _packed(pieces: Iterable[bytes]) -> bytes:
    """Packed with gzip, piece by piece."""
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    return b"".join([*map(packer.compress, pieces), packer.flush()])


def _repeated(piece: bytes, size: int) -> Iterator[bytes]:
    return itertools.repeat(piece * (_PIECE // len(piece)), size // _PIECE)


async def _empty_frames(visit: Visit) -> None:
    frame = zstandard.ZstdCompressor().compress(b"")
    packer = zstandard.ZstdCompressor(level=9).compressobj()
    body = b"".join([*map(packer.compress, _repeated(frame, 18_000_000)), packer.flush()])
    await visit.reply(body, "Content-Encoding: zstd, zstd")


async def _empty_members(visit: Visit) -> None:
    await visit.reply(_packed(_repeated(gzip.compress(b""), 18_000_000)), "Content-Encoding: gzip, gzip")


def _framed(name: str, piece: bytes) -> Answer:
    """A good chunk, and then, without end, what is no content at all."""

    async def answer(visit: Visit) -> None:
        page = document(name)
        await visit.send(head(f"Content-Type: {HTML}", "Transfer-Encoding: chunked"))
        await visit.send(b"%x\r\n%s\r\n" % (len(page), page))
        while True:
            await visit.send(piece)

    return answer


def _sitemap(pieces: Iterable[bytes], *, within: bool = False) -> Answer:
    """A packed file (``within``: of one that is packed already), as large as it may be when it is unpacked."""

    async def answer(visit: Visit) -> None:
        body = _packed(pieces)
        await visit.reply(body, "Content-Encoding: gzip", content_type="text/xml" if not within else "application/gzip")

    return answer


def _cut(name: str, does: str, answer: Answer, outcome: str, reason: str = "", cut: str = "") -> Trial:
    return Trial(name, "floods", does, answer, (End(f"http://{name}.{DOMAIN}/", outcome, reason, cut),))


def _map(name: str, does: str, answer: Answer, problem: str) -> Trial:
    seed = f"http://{name}.{DOMAIN}/sitemap.xml"
    return Trial(
        name, "floods", does, answer, seed=seed, sitemap=True, events=(("sitemap problem", f"{seed}: {problem}"),)
    )  # fmt: skip


TRIALS = (
    _cut("empty-frames", "2 KB of zstd in zstd that hold two million empty frames.", _empty_frames, "failed",
         "encoding: *", "encoding"),
    _cut("empty-members", "40 KB of gzip in gzip that hold 900,000 empty members.", _empty_members, "failed",
         "encoding: *", "encoding"),
    _cut("chunk-extensions", "A chunk, then endless chunks of one byte with 64 KB of extensions.",
         _framed("chunk-extensions", b"1;" + b"x" * _PIECE + b"\r\n.\r\n"), "fetched", cut="length|disconnect"),
    _cut("endless-chunk-size", "A chunk, then a chunk size of endless zeros.",
         _framed("endless-chunk-size", b"0" * _PIECE), "fetched", cut="length|disconnect"),
    _map("sitemap-lines", "A sitemap of 24 million lines, none an address, 48 KB packed.",
         _sitemap(_repeated(b"a\n", 48_000_000)), "cut at 50000 entries"),
    _map("sitemap-elements", "A sitemap of 12 million empty elements, 48 KB packed.",
         _sitemap(itertools.chain([b"<urlset>"], _repeated(b"<a/>", 48_000_000))), "cut at 500000 elements"),
    _map("sitemap-members", "A sitemap of 400,000 empty gzip members, 19 KB packed.",
         _sitemap(_repeated(gzip.compress(b""), 8_000_000), within=True), "cut at 1000 gzip members"),
)  # fmt: skip
