"""The ordinary exchange: what goes out, what comes back, connections kept, caps of headers."""

from __future__ import annotations

import asyncio
import gc
import gzip
from collections.abc import Callable
from dataclasses import replace

import pytest
import uvloop

from dowse.fetch.http import HttpTransport
from dowse.model.errors import TopicError
from dowse.model.http import Failure, FailureKind, Request, Response, Truncation
from dowse.model.topic import Network

from .servers import (
    LIMITS,
    PRIVATE,
    Behaviour,
    Dns,
    FakeClock,
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

SHORT = Request("", timeout_s=1.0)


def test_a_response_comes_back_whole() -> None:
    answer = page(b"<p>hi", "Content-Type: text/html", "X-Two: a", "x-two: b", status="404 Gone fishing")
    got = response(get(reply(answer)))
    assert (got.status, got.reason, got.body, got.wire_bytes) == (404, "Gone fishing", b"<p>hi", len(answer))
    assert got.headers[1:3] == (("X-Two", "a"), ("x-two", "b"))
    assert (got.address, got.truncated) == ("127.0.0.1", Truncation.NONE)
    assert 0 < got.timings.connect_s <= got.timings.first_byte_s <= got.timings.total_s


def test_the_request_goes_out_as_told() -> None:
    async def main() -> tuple[bytes, Response]:
        async with serve(reply(page(b""))) as site, transport(replace(PRIVATE, contact="me@example.org")) as out:
            asked = Request(
                site.url("/a%7Eb//./c?d=%2F&&e#f"), etag='W/"1"', last_modified="Thu, 01 Jan 2026 00:00:00 GMT"
            )
            got = response(await out.fetch(asked))
            return site.heads[0], got

    head, got = run(main())
    lines = head.decode().split("\r\n")
    assert lines[0] == "GET /a%7Eb//c?d=%2F&&e HTTP/1.1"
    sent = dict(line.split(": ", 1) for line in lines[1:-2])
    assert sent == dict(got.request_headers)
    assert sent["User-Agent"].startswith("Dowse/")
    assert "(+me@example.org)" in sent["User-Agent"]
    assert sent["Accept-Encoding"] == "gzip, deflate, br, zstd"
    assert (sent["If-None-Match"], sent["If-Modified-Since"]) == ('W/"1"', "Thu, 01 Jan 2026 00:00:00 GMT")
    assert "Cookie" not in sent


def test_what_has_not_changed_is_not_sent_again() -> None:
    """A server with validators of its own; some of them say how long the body would be that they do not send."""

    async def main() -> tuple[list[Response], int]:
        async def behaviour(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            asked = site.heads[-1].decode().split("\r\n")
            if 'If-None-Match: "v1"' in asked or f"If-Modified-Since: {date}" in asked:
                writer.write(page(b"", 'ETag: "v1"', status="304 Not Modified", length=5000))
            else:
                writer.write(page(b"x" * 5000, 'ETag: "v1"', f"Last-Modified: {date}"))

        date = "Thu, 01 Jan 2026 00:00:00 GMT"
        async with serve(behaviour) as site, transport() as out:
            url = site.url()
            requests = (
                Request(url),
                Request(url, etag='"v1"'),
                Request(url, last_modified=date),
                Request(url, etag='"v0"'),
            )
            return [response(await out.fetch(request)) for request in requests], len(set(site.peers))

    got, connections = run(main())
    assert [(one.status, len(one.body), one.truncated) for one in got] == [
        (200, 5000, ""), (304, 0, ""), (304, 0, ""), (200, 5000, "")
    ]  # fmt: skip
    assert connections == 1


def test_validators_that_cannot_be_sent_are_left_out() -> None:
    async def main() -> bytes:
        async with serve(reply(page(b""))) as site, transport() as out:
            response(await out.fetch(Request(site.url(), etag='"a"\r\nX-Injected: 1', last_modified="gestern, é")))
            return site.heads[0]

    head = run(main())
    assert b"Injected" not in head
    assert b"If-" not in head


@pytest.mark.parametrize("status", ["204 No Content", "304 Not Modified"])
def test_empty_by_nature(status: str) -> None:
    got = response(get(reply(f"HTTP/1.1 {status}\r\nContent-Encoding: gzip\r\n\r\n".encode()), Request("", etag='"1"')))
    assert (got.body, got.truncated) == (b"", Truncation.NONE)


def test_head_has_no_body_whatever_its_headers_say() -> None:
    async def main() -> tuple[Response, bytes]:
        answer = page(b"", "Content-Type: video/mp4", "Content-Encoding: gzip", length=5000)
        async with serve(reply(answer)) as site, transport() as out:
            asked = Request(site.url(), method="HEAD", accept_types=("text/html",))
            await out.fetch(asked)
            return response(await out.fetch(asked)), site.heads[0]

    got, head = run(main())
    assert head.startswith(b"HEAD / ")
    assert (got.body, got.truncated, got.header("content-length"), got.method) == (b"", Truncation.NONE, "5000", "HEAD")
    assert got.timings.connect_s == 0


@pytest.mark.parametrize("runner", [asyncio.run, uvloop.run])
def test_connections_are_kept_and_reuse_shows(runner: Callable[..., tuple[list[Response], int]]) -> None:
    async def main() -> tuple[list[Response], int]:
        dns = Dns({"keep.example": [("127.0.0.1",)]})
        async with serve(reply(chunked(b"again"))) as site, transport(lookup=dns) as out:
            got = [response(await out.fetch(Request(site.url(f"/{i}", "keep.example")))) for i in range(5)]
            return got, len(set(site.peers))

    got, connections = runner(main())
    assert connections == 1
    assert [result.body for result in got] == [b"again"] * 5
    assert got[0].timings.connect_s > 0
    assert [result.timings.connect_s + result.timings.dns_s for result in got[1:]] == [0.0] * 4


@pytest.mark.parametrize(
    "unread",
    [Request("", accept_types=("text/html",)), Request("", max_body_bytes=3)],
    ids=["of a type that is not wanted", "longer than wanted"],
)
@pytest.mark.parametrize("coding", ["", "gzip"])
def test_what_was_not_read_of_a_body_is_no_part_of_the_next(unread: Request, coding: str) -> None:
    async def main() -> Response:
        wire = gzip.compress(b"%PDF-1.7 of another URL") if coding else b"%PDF-1.7 of another URL"
        answers = [
            page(wire, "Content-Type: application/pdf", *([f"Content-Encoding: {coding}"] if coding else [])),
            page(b"<p>mine", "Content-Type: text/html"),
        ]

        async def behaviour(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            writer.write(answers.pop(0))

        async with serve(behaviour) as site, transport() as out:
            assert response(await out.fetch(replace(unread, url=site.url("/a.pdf")))).truncated is not Truncation.NONE
            return response(await out.fetch(Request(site.url("/b"))))

    got = run(main())
    assert (got.body, got.truncated) == (b"<p>mine", Truncation.NONE)


def test_redirects_are_not_followed_and_cookies_not_kept() -> None:
    async def main() -> tuple[Response, list[bytes]]:
        answer = page(b"", "Location: /elsewhere", "Set-Cookie: a=1; Domain=com", status="302 Found")
        async with serve(reply(answer)) as site, transport() as out:
            await out.fetch(Request(site.url()))
            return response(await out.fetch(Request(site.url()))), site.heads

    got, heads = run(main())
    assert (got.status, got.header("location"), len(heads)) == (302, "/elsewhere", 2)
    assert b"cookie" not in heads[1].lower()


def test_a_broken_connection_is_not_silently_tried_again() -> None:
    async def main() -> tuple[Failure, int]:
        async with serve(reply(close=True)) as site, transport() as out:
            return failure(await out.fetch(Request(site.url()))), len(site.heads)

    got, requests = run(main())
    assert (got.kind, requests) == (FailureKind.RESET, 1)


def test_a_second_answer_nobody_asked_for_is_not_taken_for_the_next() -> None:
    async def main() -> list[bytes]:
        async def behaviour(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            path = site.heads[-1].split()[1]
            writer.write(page(path) + (page(b"smuggled") if path == b"/1" else b""))

        async with serve(behaviour) as site, transport() as out:
            return [response(await out.fetch(Request(site.url(path)))).body for path in ("/1", "/2", "/3")]

    assert run(main()) == [b"/1", b"/2", b"/3"]


@pytest.mark.parametrize(
    "behaviour",
    [
        reply(b"HTTP/1.1 200 OK\r\nX: " + b"a" * 10_000_000 + b"\r\nContent-Length: 0\r\n\r\n"),
        reply(b"HTTP/1.1 200 OK\r\n" + b"X: 1\r\n" * 100_000 + b"\r\n"),
        forever(b"HTTP/1.1 200 OK\r\n", b"X-a: b\r\n" * 1000),
        forever(b"HTTP/1.1 200 ", b"OOOOOOO" * 1000),
        reply(b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\nContent-Length: 5\r\n\r\nabcde"),
        reply(b"HTTP/1.1 302 Found\r\nLocation: /a\rX: y\r\nContent-Length: 0\r\n\r\n"),
        reply(b"HTTP/1.1 302 Found\r\nLocation: /a\0b\r\nContent-Length: 0\r\n\r\n"),
        reply(b"<html>no headers at all</html>", close=True),
    ],
    ids=["10 MB header", "100k headers", "endless headers", "endless status line", "two lengths",
         "bare CR", "NUL", "HTTP/0.9"],
)  # fmt: skip
def test_headers_beyond_every_limit_are_a_protocol_failure(behaviour: Behaviour) -> None:
    got = failure(get(behaviour, SHORT))
    assert got.kind is FailureKind.PROTOCOL
    assert got.detail
    assert "\n" not in got.detail


def test_large_but_honest_headers_are_read() -> None:
    policy = "Content-Security-Policy: " + "x" * 30_000
    got = response(get(reply(page(b"ok", policy, *(f"Set-Cookie: c{i}=1" for i in range(300))))))
    assert (got.body, len(got.headers)) == (b"ok", 302)


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        (b"/caf\xe9", "/café"),
        ("/café".encode(), "/café"),
        (b"/a\r\n /b", "/a /b"),
        (b"http://[", "http://["),
        (b"\xff\xfe", "ÿþ"),
        (b"", ""),
    ],
)
def test_any_location_comes_through_as_text(raw: bytes, text: str) -> None:
    got = response(get(reply(b"HTTP/1.1 302 F\xe9\r\nLocation: " + raw + b"\r\nContent-Length: 0\r\n\r\n")))
    assert got.header("Location") == text
    repr(got).encode()  # nothing in it that could not be stored


@pytest.mark.parametrize(
    "url", ["", "http://", "http://[", "ftp://example.org/", "file:///etc/passwd", "data:,x", "a b"]
)
def test_what_is_no_web_address_fails(url: str) -> None:
    async def main() -> Failure:
        async with transport() as out:
            return failure(await out.fetch(Request(url)))

    assert run(main()).kind is FailureKind.PROTOCOL


def test_closing_ends_what_runs_and_what_comes_after() -> None:
    async def main() -> tuple[Failure, Failure]:
        async with serve(hang()) as site, transport() as out:
            running = asyncio.create_task(out.fetch(Request(site.url())))
            await asyncio.sleep(0.1)
            await out.close()
            return failure(await running), failure(await out.fetch(Request(site.url())))

    assert [result.kind for result in run(main())] == [FailureKind.CANCELLED] * 2


def test_nothing_is_left_open_to_warn_about(recwarn: pytest.WarningsRecorder) -> None:
    async def main() -> list[dict[str, object]]:
        complaints: list[dict[str, object]] = []
        asyncio.get_running_loop().set_exception_handler(lambda _, context: complaints.append(context))
        for behaviour in (
            reply(page(b"x")),
            reply(page(b"x", length=9), close=True),
            hang(page(b"x", length=9)),
            hang(),
        ):
            async with serve(behaviour) as site, transport() as out:
                await out.fetch(Request(site.url(), timeout_s=0.1))
        gc.collect()
        await asyncio.sleep(0)
        return complaints

    assert run(main()) == []
    gc.collect()
    assert not recwarn.list


@pytest.mark.parametrize("proxy", ["socks5://127.0.0.1:1080", "nonsense", "http://"])
def test_a_proxy_that_cannot_be_used_is_a_users_mistake(proxy: str) -> None:
    with pytest.raises(TopicError, match="http://host:port"):
        HttpTransport(Network(proxy=proxy), LIMITS, FakeClock(), Dns({}))


def test_a_request_that_may_not_leave_any_more_is_not_sent() -> None:
    """It is asked when there is a connection, which may have taken long."""

    async def main() -> None:
        async with serve(reply(page(b"seen"))) as site, transport() as out:
            connected: list[int] = []

            def may_leave() -> bool:
                connected.append(len(connected))
                return False

            url = f"http://127.0.0.1:{site.port}/"
            for _ in range(2):
                refused = failure(await out.fetch(Request(url, may_leave=may_leave)))
                assert (refused.kind, refused.wire_bytes) == (FailureKind.CANCELLED, 0)
            assert len(connected) == 2
            assert response(await out.fetch(Request(url, may_leave=lambda: True))).body == b"seen"
            assert failure(await out.fetch(Request(url, may_leave=may_leave))).wire_bytes == 0, "of the last answer"
            assert response(await out.fetch(Request(url))).body == b"seen"
            assert len(site.heads) == 2

    run(main())
