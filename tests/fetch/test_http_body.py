"""HOSTILE.md, group "body": bodies that never end, end early, lie or explode."""

from __future__ import annotations

import asyncio
import gzip
import time
import tracemalloc
import zlib

import brotli
import pytest
import zstandard

from dowse.fetch import Keep, Retry, decide
from dowse.model.budget import Budget, Purse
from dowse.model.http import FailureKind, Request, Response, Truncation
from dowse.model.topic import Limits

from .servers import (
    Behaviour,
    chunked,
    failure,
    forever,
    get,
    hang,
    page,
    reply,
    response,
    run,
    serve,
    transport,
)

SHORT = Request("", timeout_s=0.3)
HTML = b"<!doctype html><title>Wells</title><p>" + b"water and wells and rods; " * 200
BOMB = b"\0" * 50_000_000
GZIP = {"gzip": gzip.compress(HTML), "x-gzip": gzip.compress(HTML), "deflate": zlib.compress(HTML)}
CODED = {
    **GZIP,
    "br": brotli.compress(HTML),
    "zstd": zstandard.compress(HTML),
    "GZIP": gzip.compress(HTML),
    "gzip, br": brotli.compress(gzip.compress(HTML)),
    "identity": HTML,
    "utf-8": HTML,
    "gzip,identity": gzip.compress(HTML),
}
RAW_DEFLATE = zlib.compressobj(wbits=-15)


@pytest.mark.parametrize(
    ("coding", "wire"), [*CODED.items(), ("deflate", RAW_DEFLATE.compress(HTML) + RAW_DEFLATE.flush())]
)
def test_content_is_decoded(coding: str, wire: bytes) -> None:
    answer = page(wire, f"Content-Encoding: {coding}")
    got = response(get(reply(answer)))
    assert (got.body, got.wire_bytes, got.truncated) == (HTML, len(answer), Truncation.NONE)


@pytest.mark.parametrize("coding", ["gzip", "deflate", "br", "zstd", "gzip, gzip", "br, zstd"])
def test_false_content_encoding_passes_through(coding: str) -> None:
    got = response(get(reply(page(HTML, f"Content-Encoding: {coding}"))))
    assert (got.body, got.truncated) == (HTML, Truncation.NONE)


@pytest.mark.parametrize("coding", ["gzip", "deflate", "br", "zstd"])
def test_truncated_encoding_keeps_the_prefix(coding: str) -> None:
    noise = b"".join(b"%d rods; " % i for i in range(20_000))
    packed = {"gzip": gzip.compress, "deflate": zlib.compress, "br": brotli.compress, "zstd": zstandard.compress}
    wire = packed[coding](noise)
    got = response(get(reply(page(wire[: len(wire) * 3 // 4], f"Content-Encoding: {coding}"))))
    assert got.truncated is Truncation.ENCODING
    assert noise.startswith(got.body)
    assert len(got.body) > len(noise) // 3


@pytest.mark.parametrize(
    ("coding", "wire"),
    [
        ("gzip", gzip.compress(BOMB)),
        ("deflate", zlib.compress(BOMB)),
        ("br", brotli.compress(BOMB, quality=4)),
        ("zstd", zstandard.compress(BOMB)),
        ("gzip, gzip", gzip.compress(gzip.compress(BOMB))),
        ("br, zstd, gzip", gzip.compress(zstandard.compress(brotli.compress(BOMB, quality=4)))),
    ],
    ids=["gzip", "deflate", "br", "zstd", "gzip twice", "three codings"],
)
def test_bombs_stop_at_the_cap_with_little_memory(coding: str, wire: bytes) -> None:
    async def main() -> tuple[int, int, Truncation]:
        async with serve(reply(page(wire, f"Content-Encoding: {coding}"))) as site, transport() as out:
            tracemalloc.start()
            try:
                got = response(await out.fetch(Request(site.url(), max_body_bytes=2_000_000)))
                return tracemalloc.get_traced_memory()[1], len(got.body), got.truncated
            finally:
                tracemalloc.stop()

    peak, *got = run(main())
    assert got == [2_000_000, Truncation.LENGTH]
    assert peak < 12_000_000


def test_too_many_codings_are_not_even_read() -> None:
    endless = forever(b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip, gzip, gzip, gzip\r\n\r\n", HTML)
    got = response(get(endless))
    assert (got.body, got.truncated) == (b"", Truncation.ENCODING)
    assert got.wire_bytes < 2_000_000


@pytest.mark.parametrize(
    ("behaviour", "body", "truncated"),
    [
        (hang(b"HTTP/1.1 200 OK\r\nContent-Length: 900\r\n\r\n", b"a usable prefix"), b"a usable prefix", "time"),
        (hang(b"HTTP/1.1 200 OK\r\nContent-Length: 900\r\n\r\n"), b"", "time"),
        (reply(page(b"slow", length=9), *[b"."] * 9, pause_s=0.2), None, "time"),
        (reply(page(b"short", length=900), close=True), b"short", "disconnect"),
        (reply(chunked(b"first")[:-5], b"zz\r\nnoise", pause_s=0.05), b"first", "disconnect"),
        (reply(chunked(b"first")[:-5], b"-5\r\nnoise", pause_s=0.05), b"first", "disconnect"),
        (reply(chunked(b"first")[:-5], b"f" * 40 + b"\r\nnoise", pause_s=0.05), b"first", "disconnect"),
        (reply(chunked(b"first")[:-5], close=True), b"first", "disconnect"),
        (reply(b"HTTP/1.1 200 OK\r\n\r\nno length at all", close=True), b"no length at all", ""),
        (reply(b"HTTP/1.0 200 OK\r\n\r\nthe old way", close=True), b"the old way", ""),
    ],
)
def test_a_usable_prefix_is_kept_and_marked(behaviour: Behaviour, body: bytes | None, truncated: str) -> None:
    started = time.perf_counter()
    got = response(get(behaviour, SHORT))
    assert time.perf_counter() - started < 2.0
    assert got.truncated == truncated
    assert got.body == body if body is not None else got.body.startswith(b"slow")


def test_an_answer_cut_to_nothing_is_tried_again() -> None:
    got = get(hang(b"HTTP/1.1 200 OK\r\nContent-Length: 900\r\n\r\n"), SHORT)
    assert decide(got, 1, Limits(retry_wait_s=2.0), wall=0.0, max_delay_s=60.0) == Retry(
        2.0, False, "timeout: no body came"
    )
    kept = get(hang(b"HTTP/1.1 200 OK\r\nContent-Length: 900\r\n\r\n", b"some"), SHORT)
    assert decide(kept, 1, Limits(), wall=0.0, max_delay_s=60.0) == Keep()


@pytest.mark.parametrize(
    ("behaviour", "kind"),
    [
        (hang(), FailureKind.TIMEOUT),
        (hang(b"HTTP/1.1 200 OK\r\nX-Half: "), FailureKind.TIMEOUT),
        (forever(b"", b"HTTP/1.1 100 Continue\r\n\r\n" * 100), FailureKind.PROTOCOL),
        (reply(close=True), FailureKind.RESET),
        (reply(b"HTTP/1.1 200 OK\r\nX-Half: ", close=True), FailureKind.RESET),
        (reply(b"SSH-2.0-OpenSSH_9.6\r\n\r\n"), FailureKind.PROTOCOL),
        (reply(b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n"), FailureKind.PROTOCOL),
    ],
)
def test_no_usable_answer_is_a_failure_in_time(behaviour: Behaviour, kind: FailureKind) -> None:
    started = time.perf_counter()
    assert failure(get(behaviour, SHORT)).kind is kind
    assert time.perf_counter() - started < 2.0


def test_what_came_before_a_malformed_chunk_in_the_same_bytes_is_kept_too() -> None:
    got = response(get(reply(chunked(b"first")[:-5] + b"zz\r\n"), SHORT))
    assert (got.body, got.truncated) == (b"first", Truncation.DISCONNECT)


def test_early_hints_are_skipped() -> None:
    hints = b"HTTP/1.1 103 Early Hints\r\nLink: </a.css>\r\n\r\n" * 3
    assert response(get(reply(hints + page(b"at last")))).body == b"at last"


@pytest.mark.parametrize("caps", [(5000, 20_000_000), (10_000_000, 5000)])
def test_an_endless_body_stops_at_either_cap(caps: tuple[int, int]) -> None:
    endless = forever(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", b"400\r\n" + b"x" * 1024 + b"\r\n")
    got = response(get(endless, Request("", max_wire_bytes=caps[0], max_body_bytes=caps[1], timeout_s=5.0)))
    assert (len(got.body), got.truncated) == (5000 - 5 * 7 + 2 if caps[0] == 5000 else 5000, Truncation.LENGTH)
    assert got.wire_bytes < 1_000_000


def test_a_body_of_exactly_the_cap_is_whole() -> None:
    got = response(get(reply(page(b"x" * 500)), Request("", max_wire_bytes=500, max_body_bytes=500)))
    assert (len(got.body), got.truncated) == (500, Truncation.NONE)


def test_other_types_are_not_read() -> None:
    endless = forever(b"HTTP/1.1 200 OK\r\nContent-Type: Video/MP4\r\n\r\n", b"x" * 65536)
    got = response(get(endless, Request("", accept_types=("text/html", "text/plain"))))
    assert (got.status, got.body, got.truncated) == (200, b"", Truncation.TYPE)
    assert got.wire_bytes < 1_000_000


@pytest.mark.parametrize("headers", [("Content-Type: Text/HTML; charset=utf-8",), (), ("Content-Type:",)])
def test_accepted_and_undeclared_types_are_read(headers: tuple[str, ...]) -> None:
    assert response(get(reply(page(HTML, *headers)), Request("", accept_types=("text/html",)))).body == HTML


class SpyPurse(Purse):
    """Notes the highest count, reservations in flight included."""

    most = 0

    def grant(self, wanted: int) -> int:
        granted = super().grant(wanted)
        self.most = max(self.most, self.spent.bytes)
        return granted


def test_the_byte_budget_holds_under_concurrency() -> None:
    purse = SpyPurse(Budget(bytes=300_000))

    async def main() -> list[Response]:
        long = serve(reply(b"HTTP/1.1 200 OK\r\nContent-Length: 40000\r\n\r\n", *[b"x" * 4000] * 10, pause_s=0.002))
        async with long as slow, serve(reply(page(b"x" * 4000))) as quick, transport() as out:
            jobs = (out.fetch(Request((slow if i % 2 else quick).url(f"/{i}")), purse) for i in range(20))
            return [response(result) for result in await asyncio.gather(*jobs)]

    got = run(main())
    assert purse.most <= 300_000
    assert purse.spent.bytes == sum(result.wire_bytes for result in got) <= 300_000
    assert {result.truncated for result in got} == {Truncation.NONE, Truncation.BUDGET}


@pytest.mark.parametrize(
    "behaviour",
    [reply(page(b"short", length=900), close=True), hang(page(b"slow", length=900)), reply(page(b"x" * 100_000))],
)
def test_what_is_spent_is_what_came(behaviour: Behaviour) -> None:
    purse = Purse(Budget(bytes=1_000_000))
    got = response(get(behaviour, SHORT, meter=purse))
    assert purse.spent.bytes == got.wire_bytes > len(got.body)


def test_cancelling_leaves_nothing_behind() -> None:
    purse = Purse(Budget(bytes=1_000_000))
    answer = page(b"slow", length=900)

    async def main() -> None:
        async with serve(hang(answer)) as site, transport() as out:
            task = asyncio.create_task(out.fetch(Request(site.url()), purse))
            await asyncio.sleep(0.1)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task

    run(main())
    assert purse.spent.bytes == len(answer)


CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nfirst\r\n"
FRAMING = {
    "one endless extension": (CHUNKED + b"5;", b"x" * 65536),
    "extensions": (CHUNKED, b"1;" + b"x" * 65536 + b"\r\n.\r\n"),
    "zeros in a size": (CHUNKED, b"0" * 65536),
    "trailers": (CHUNKED + b"0\r\n", b"X: y\r\n" * 8192),
}


@pytest.mark.parametrize("framing", FRAMING)
def test_what_frames_a_body_counts_towards_the_cap(framing: str) -> None:
    got = response(get(forever(*FRAMING[framing]), Request("", max_wire_bytes=300_000, timeout_s=20.0)))
    assert got.body.startswith(b"first")
    assert got.truncated in (Truncation.LENGTH, Truncation.DISCONNECT)
    assert got.wire_bytes < 1_000_000


@pytest.mark.parametrize("framing", FRAMING)
def test_what_frames_a_body_counts_towards_the_budget(framing: str) -> None:
    purse = Purse(Budget(bytes=200_000))
    got = response(get(forever(*FRAMING[framing]), Request("", timeout_s=20.0), meter=purse))
    assert got.truncated in (Truncation.BUDGET, Truncation.DISCONNECT)
    assert purse.spent.bytes == got.wire_bytes <= 200_000


def test_headers_count_too_and_a_budget_may_end_within_them() -> None:
    purse = Purse(Budget(bytes=2_000))
    got = failure(get(reply(page(b"", "X: " + "y" * 5_000)), SHORT, meter=purse))
    assert (got.kind, got.wire_bytes, purse.spent.bytes) == (FailureKind.BUDGET, 2_000, 2_000)


def test_nobody_takes_what_comes_between_two_answers() -> None:
    sent = 0

    async def behaviour(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal sent
        writer.write(page(b"ok"))
        await writer.drain()
        await asyncio.sleep(0.1)  # the answer was received, and the connection is kept
        for _ in range(1000):
            writer.write(b"x" * 65536)
            await writer.drain()
            sent += 1

    async def main() -> None:
        async with serve(behaviour) as site, transport() as out:
            assert response(await out.fetch(Request(site.url()))).body == b"ok"
            await asyncio.sleep(0.5)

    run(main())
    assert sent < 200


def test_a_long_body_is_decoded_beside_the_loop() -> None:
    """Twenty of them at once, each of which takes a tenth of a second: between two looks at the clock lies less."""
    wire = gzip.compress(gzip.compress(b"a" * 20_000_000))
    longest = 0.0

    async def look() -> None:
        nonlocal longest
        while True:
            before = time.thread_time()
            await asyncio.sleep(0.002)
            longest = max(longest, time.thread_time() - before)

    async def main() -> list[int]:
        async with serve(reply(page(wire, "Content-Encoding: gzip, gzip"))) as site, transport() as out:
            looking = asyncio.create_task(look())
            got = await asyncio.gather(*(out.fetch(Request(site.url(f"/{n}"), timeout_s=60.0)) for n in range(20)))
            looking.cancel()
            return [len(response(result).body) for result in got]

    assert run(main()) == [20_000_000] * 20
    assert longest < 0.05
