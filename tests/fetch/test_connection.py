"""Headers, however they come; what follows them; and connections that end, over TLS too."""

from __future__ import annotations

import asyncio
import socket
import ssl
import threading
import time
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager, suppress
from typing import Any

import pytest
import trustme
import uvloop

from dowse.model.http import Failure, FailureKind, Request, Response, Truncation

from .servers import Behaviour, chunked, failure, forever, get, page, reply, response, serve, transport

Runner = Callable[[Coroutine[Any, Any, Any]], Any]
MORE = b"<p>and more</p>"
HINT = b"HTTP/1.1 103 Early Hints\r\nLink: </a.css>\r\n\r\n"
BARE = b"HTTP/1.1 200 OK\nContent-Length: 2\n\nok"


@pytest.mark.parametrize(
    "answer",
    [
        HINT * 3 + page(b"ok") + MORE,
        HINT + chunked(b"ok") + MORE,
        b"\r\n\r\n\n" + page(b"ok") + MORE,
        BARE + MORE,
        b"HTTP/1.1 200 OK\r\nContent-Length: 2\nX: 1\r\n\nok" + MORE,
        b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 2\r\nX Y: 1\r\nServer : x\r\n\r\nok",
    ],
)
@pytest.mark.parametrize("pieces", [1, 2, 3, 7, 50])
def test_it_is_understood_however_it_is_cut(answer: bytes, pieces: int) -> None:
    size = len(answer) // pieces + 1
    parts = [answer[start : start + size] for start in range(0, len(answer), size)]
    got = response(get(reply(*parts, pause_s=0.001)))
    assert (got.body, got.truncated) == (b"ok", Truncation.NONE)


def test_a_length_beyond_every_number_is_none() -> None:
    """The unsigned -1 was taken for an empty body, and the body for the next answer."""

    async def main() -> list[Response]:
        async def behaviour(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            writer.write(page(site.heads[-1].split()[1], length=2**64 - 1))
            writer.close()

        async with serve(behaviour) as site, transport() as out:
            return [response(await out.fetch(Request(site.url(path)))) for path in ("/1", "/2")]

    assert [(got.body, got.truncated) for got in asyncio.run(main())] == [(b"/1", ""), (b"/2", "")]


@pytest.mark.parametrize(
    "behaviour",
    [
        forever(b"", HINT * 100),
        forever(b"", b"\r\n" * 1000),
        forever(b"HTTP/1.1 200 OK\r\n", b"X: " + b"x" * 60_000 + b"\r\n"),
        reply(b"HTTP/1.1 200 OK\r\n" + (b"X: " + b"x" * 60_000 + b"\r\n") * 5 + b"\r\n"),
    ],
    ids=["hints", "blank lines", "no end", "too many"],
)
def test_headers_have_a_limit_together(behaviour: Behaviour) -> None:
    got = failure(get(behaviour, Request("", timeout_s=5.0)))
    assert got.kind is FailureKind.PROTOCOL
    assert got.detail == "more than 262,144 bytes of headers"
    assert got.timings.total_s < 4


@pytest.mark.parametrize("length", [b"", b"Content-Encoding: gzip\r\n", b"Connection: close\r\n"])
def test_a_body_that_only_the_connection_ends_is_cut_when_it_breaks(length: bytes) -> None:
    def ends(abort: bool) -> Behaviour:
        async def behaviour(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            writer.write(b"HTTP/1.1 200 OK\r\n" + length + b"\r\nhello")
            await asyncio.sleep(0.03)
            if abort:
                writer.get_extra_info("socket").setsockopt(1, 13, b"\1\0\0\0\0\0\0\0")  # SO_LINGER, 0 s: a reset
                writer.transport.abort()
            else:
                writer.close()

        return behaviour

    assert [response(get(ends(abort))).truncated for abort in (False, True)] == ["", "disconnect"]


@contextmanager
def deaf(answer: bytes, then: bytes) -> Iterator[tuple[int, ssl.SSLContext, threading.Event]]:
    """A server with TLS that answers once, then goes on with ``then`` (if anything) and never listens, also to nobody
    who wants to end the connection in good order. Its port, who trusts it, and when it lost its client."""
    authority, lost = trustme.CA(), threading.Event()
    served, trusting = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH), ssl.create_default_context()
    authority.issue_cert("127.0.0.1").configure_cert(served)
    authority.configure_trust(trusting)

    def talk(listening: socket.socket) -> None:
        plain = listening.accept()[0]
        plain.settimeout(5.0)
        with suppress(OSError), served.wrap_socket(plain, server_side=True) as connection:
            connection.recv(65_536)
            connection.sendall(answer)
            while then:
                connection.sendall(then)
                time.sleep(0.001)
            lost.wait(5.0)
        lost.set()

    with socket.create_server(("127.0.0.1", 0)) as listening:
        thread = threading.Thread(target=talk, args=(listening,))
        thread.start()
        try:
            yield listening.getsockname()[1], trusting, lost
        finally:
            lost.set()
            thread.join()


@pytest.mark.parametrize("run", [asyncio.run, uvloop.run])
def test_what_is_not_wanted_is_not_read_over_tls_either(run: Runner) -> None:
    async def main(port: int, trusting: ssl.SSLContext, lost: threading.Event) -> tuple[Response | Failure, bool]:
        async with transport(tls=trusting) as out:
            url = f"https://127.0.0.1:{port}/"
            got = await out.fetch(Request(url, timeout_s=3.0, accept_types=("text/html",)))
            return got, await asyncio.to_thread(lost.wait, 2.0)

    with deaf(b"HTTP/1.1 200 OK\r\nContent-Type: video/mp4\r\n\r\n", b"x" * 16_384) as server:
        got, is_gone = run(main(*server))
    assert response(got).truncated is Truncation.TYPE
    assert is_gone, "an end in good order reads on for half a minute"


@pytest.mark.parametrize("run", [asyncio.run, uvloop.run])
def test_a_malformed_chunk_over_tls_does_not_cost_the_whole_time(run: Runner) -> None:
    async def main(port: int, trusting: ssl.SSLContext, _: threading.Event) -> Response | Failure:
        async with transport(tls=trusting) as out:
            return await out.fetch(Request(f"https://127.0.0.1:{port}/", timeout_s=3.0))

    with deaf(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\nzz\r\nnoise", b"") as server:
        got = response(run(main(*server)))
    assert (got.body, got.truncated) == (b"hello", Truncation.DISCONNECT)
    assert got.timings.total_s < 1.5
