"""The loopback server, spoken to over real sockets."""

from __future__ import annotations

import asyncio
import gzip
import http.client
import socket
import ssl
import time
from collections.abc import Callable, Iterator

import pytest
import trustme

from dowse.loopback import Ask, Hit, LoopbackServer, Resource, Site, Web, in_thread, redirect, together
from dowse.model.errors import UserError

LONG = b"<title>Long</title>" + b"<p>the same words again</p>" * 200
DATE = "Tue, 05 Mar 2024 10:00:00 GMT"


def echo(ask: Ask) -> Resource | None:
    return None if ask.target.endswith("none") else Resource(f"{ask.host} {ask.target}".encode())


WEB = Web.of(
    Site(
        "a.test",
        {
            "/": Resource(b"<title>A</title>", modified=DATE),
            "/long": Resource(LONG),
            "/moved": redirect("http://b.test/"),
            "/gone": Resource(b"gone", status=410),
            "/robots.txt": Resource(b"User-agent: *\nDisallow: /private/\n", "text/plain"),
            "/bare": Resource(b"\x83\x65", content_type=None, headers=(("X-Note", "no type"),)),
            "/odd": Resource(b"", status=799),
        },
        made={"/made/": echo, "/made/deep/": lambda ask: Resource(b"deeper")},
    ),
    Site("b.test", {"/": Resource(b"<title>B</title>")}),
    Site("late.test", {"/": Resource(b"late")}, latency_s=0.05),
    Site("slow.test", {"/": Resource(b"x" * 2000, "application/octet-stream")}, bytes_per_s=20_000),
)


@pytest.fixture
def server() -> Iterator[LoopbackServer]:
    with in_thread(WEB) as running:
        yield running


class Browser:
    """One connection that may be used again and again."""

    def __init__(self, server: LoopbackServer) -> None:
        self.connection = http.client.HTTPConnection(server.host, server.port, timeout=10)

    def get(self, host: str, target: str = "/", method: str = "GET", **headers: str) -> http.client.HTTPResponse:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        self.connection.request(method, target, headers={"Host": host, **named})
        return self.connection.getresponse()

    def close(self) -> None:
        self.connection.close()


@pytest.fixture
def browser(server: LoopbackServer) -> Iterator[Browser]:
    made = Browser(server)
    yield made
    made.close()


def raw(server: LoopbackServer, data: bytes) -> bytes:
    """Everything the server says to these bytes until it closes."""
    with socket.create_connection((server.host, server.port), timeout=10) as sock:
        sock.sendall(data)
        sock.shutdown(socket.SHUT_WR)
        parts = []
        while part := sock.recv(65536):
            parts.append(part)
    return b"".join(parts)


def test_hosts_are_told_apart_by_name_whatever_the_port_and_case(browser: Browser) -> None:
    for host, title in (("a.test", b"A"), ("B.TEST:8080", b"B"), ("a.test:80", b"A")):
        response = browser.get(host)
        assert (response.status, response.read()) == (200, b"<title>%s</title>" % title)
        assert response.headers["Content-Type"] == "text/html; charset=utf-8"


def test_one_connection_carries_many_requests(server: LoopbackServer, browser: Browser) -> None:
    for _ in range(5):
        browser.get("a.test").read()
    assert len({hit.peer for hit in server.log}) == 1
    assert [hit.status for hit in server.log] == [200] * 5


def test_pipelined_requests_are_answered_in_order(server: LoopbackServer) -> None:
    asked = b"".join(b"GET %s HTTP/1.1\r\nHost: a.test\r\n\r\n" % path for path in (b"/gone", b"/", b"/moved"))
    answer = raw(server, asked)
    assert [answer.index(status) for status in (b" 410 ", b" 200 ", b" 301 ")] == sorted(
        answer.index(status) for status in (b" 410 ", b" 200 ", b" 301 ")
    )


def test_statuses_redirects_and_absent_types(browser: Browser) -> None:
    moved = browser.get("a.test", "/moved")
    assert (moved.status, moved.headers["Location"], moved.read()) == (301, "http://b.test/", b"Moved.\n")
    bare = browser.get("a.test", "/bare")
    assert (bare.read(), bare.headers["Content-Type"], bare.headers["X-Note"]) == (b"\x83\x65", None, "no type")
    found = {}
    for host, target in (("a.test", "/gone"), ("a.test", "/nowhere"), ("a.test", "/odd"), ("c.test", "/")):
        response = browser.get(host, target)
        response.read()
        found[host + target] = response.status
    assert found == {"a.test/gone": 410, "a.test/nowhere": 404, "a.test/odd": 799, "c.test/": 421}


def test_made_resources_and_the_longest_prefix(browser: Browser) -> None:
    assert browser.get("a.test", "/made/x?y=1").read() == b"a.test /made/x?y=1"
    assert browser.get("a.test", "/made/deep/x").read() == b"deeper"
    missing = browser.get("a.test", "/made/none")
    missing.read()
    assert missing.status == 404


def test_head_has_the_length_and_no_body(server: LoopbackServer, browser: Browser) -> None:
    response = browser.get("a.test", "/long", "HEAD")
    assert (response.status, response.read()) == (200, b"")
    assert int(response.headers["Content-Length"]) == len(LONG)
    assert browser.get("a.test").read() == b"<title>A</title>"  # the connection is still in step
    assert [(hit.method, hit.bytes) for hit in server.log] == [("HEAD", 0), ("GET", 16)]


@pytest.mark.parametrize(
    ("accepted", "packed"),
    [("gzip", True), ("br, GZIP;q=0.5", True), ("", False), ("gzip;q=0", False), ("identity", False)],
)
def test_gzip_only_for_those_who_accept_it(browser: Browser, accepted: str, packed: bool) -> None:
    response = browser.get("a.test", "/long", Accept_Encoding=accepted)
    body = response.read()
    assert response.headers["Content-Encoding"] == ("gzip" if packed else None)
    assert response.headers["Vary"] == "Accept-Encoding"
    assert (gzip.decompress(body) if packed else body) == LONG


def test_conditional_requests(server: LoopbackServer, browser: Browser) -> None:
    first = browser.get("a.test")
    first.read()
    etag = first.headers["ETag"]
    cases = [
        ({"If_None_Match": etag}, 304),
        ({"If_None_Match": f'"other", {etag}'}, 304),
        ({"If_None_Match": "*"}, 304),
        ({"If_None_Match": '"other"'}, 200),
        ({"If_Modified_Since": DATE}, 304),
        ({"If_Modified_Since": "Mon, 04 Mar 2024 10:00:00 GMT"}, 200),
        ({"If_None_Match": '"other"', "If_Modified_Since": DATE}, 200),  # the tag decides
    ]
    for headers, status in cases:
        response = browser.get("a.test", **headers)
        assert (response.status, response.read() == b"") == (status, status == 304), headers
    assert sum(hit.bytes for hit in server.log if hit.status == 304) == 0


def test_a_changed_web_shows_at_once(server: LoopbackServer, browser: Browser) -> None:
    etag = browser.get("b.test").headers["ETag"]
    browser.close()
    server.web = Web.of(Site("b.test", {"/": Resource(b"<title>New</title>")}))
    response = browser.get("b.test", If_None_Match=etag)
    assert (response.status, response.read()) == (200, b"<title>New</title>")


def test_absolute_form_as_a_proxy_gets_it(server: LoopbackServer) -> None:
    answer = raw(server, b"GET http://b.test:80 HTTP/1.1\r\nHost: ignored\r\nConnection: close\r\n\r\n")
    assert answer.endswith(b"<title>B</title>")
    assert server.log[0].url == "http://b.test/"


@pytest.mark.parametrize(
    ("asked", "status"),
    [
        (b"nonsense\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\n\r\n", 400),  # no host
        (b"GET / HTTP/2.0\r\nHost: a.test\r\n\r\n", 400),
        (b"POST / HTTP/1.1\r\nHost: a.test\r\nContent-Length: 3\r\n\r\nabc", 405),
        (b"GET / HTTP/1.1\r\nHost: a.test\r\nX: " + b"y" * 70_000 + b"\r\n\r\n", 431),
    ],
)
def test_what_cannot_be_answered_ends_the_connection(server: LoopbackServer, asked: bytes, status: int) -> None:
    answer = raw(server, asked)
    assert answer.startswith(b"HTTP/1.1 %d " % status)
    assert b"Connection: close" in answer
    assert raw(server, b"GET / HTTP/1.0\r\nHost: a.test\r\n\r\n").startswith(b"HTTP/1.1 200 ")


def test_http_1_0_closes_unless_asked(server: LoopbackServer) -> None:
    assert b"Connection: close" in raw(server, b"GET / HTTP/1.0\r\nHost: a.test\r\n\r\n")
    kept = b"GET / HTTP/1.0\r\nHost: a.test\r\nConnection: keep-alive\r\n\r\n"
    assert raw(server, kept * 2).count(b"HTTP/1.1 200") == 2


def took(action: Callable[[], object]) -> float:
    start = time.perf_counter()
    action()
    return time.perf_counter() - start


def test_latency_and_pace(browser: Browser) -> None:
    assert took(lambda: browser.get("late.test").read()) >= 0.05
    assert took(lambda: browser.get("slow.test").read()) >= 0.09  # 2,000 bytes at 20,000 a second


def test_the_log_says_who_asked_for_what_and_when() -> None:
    heard: list[Hit] = []

    async def scene() -> LoopbackServer:
        async with LoopbackServer(WEB, on_hit=heard.append) as server:

            async def visit(host: str) -> None:
                reader, writer = await asyncio.open_connection(server.host, server.port)
                writer.write(f"GET / HTTP/1.1\r\nHost: {host}\r\nUser-Agent: t/1\r\nConnection: close\r\n\r\n".encode())
                await reader.read()
                writer.close()
                await writer.wait_closed()

            await asyncio.gather(*(visit("late.test") for _ in range(3)))
            await visit("a.test")
        return server

    server = asyncio.run(scene())
    assert list(server.log) == heard
    assert [hit.host for hit in heard] == ["late.test"] * 3 + ["a.test"]
    assert [hit.time for hit in heard] == sorted(hit.time for hit in heard)
    assert heard[3].time - heard[0].time >= 0.05
    assert {(hit.peer[0], hit.agent, hit.status) for hit in heard} == {("127.0.0.1", "t/1", 200)}
    assert server.peak == {"late.test": 3, "a.test": 1}


def test_it_ends_with_connections_open_and_answers_half_sent() -> None:
    async def scene() -> None:
        async with LoopbackServer(WEB) as server:
            idle = await asyncio.open_connection(server.host, server.port)
            busy = await asyncio.open_connection(server.host, server.port)
            busy[1].write(b"GET / HTTP/1.1\r\nHost: slow.test\r\n\r\n")
            await busy[0].readline()
        assert await idle[0].read() == b""  # closed by the server
        for _, writer in (idle, busy):
            writer.close()
            await writer.wait_closed()

    asyncio.run(asyncio.wait_for(scene(), 5))


def test_clients_that_leave_early_harm_nobody(server: LoopbackServer, browser: Browser) -> None:
    for _ in range(20):
        with socket.create_connection((server.host, server.port)) as sock:
            sock.sendall(b"GET /long HTTP/1.1\r\nHost: a.test\r\n\r\nGET /lo")
    assert browser.get("a.test").read() == b"<title>A</title>"


def test_only_loopback_and_one_port_on_several_addresses() -> None:
    with pytest.raises(UserError, match=r"0\.0\.0\.0 is not a loopback address"):
        LoopbackServer(WEB, host="0.0.0.0")
    with in_thread(WEB) as one, in_thread(WEB, host="127.0.0.2", port=one.port) as two:
        assert (one.port, two.address) == (two.port, f"127.0.0.2:{one.port}")
        with pytest.raises(OSError, match="in use"), in_thread(WEB, port=one.port):
            raise AssertionError("the port is taken")


def test_answers_are_timed_before_they_leave() -> None:
    heard = []
    with in_thread(WEB) as server:
        browser = Browser(server)
        for host, target in (("late.test", "/"), ("slow.test", "/"), ("a.test", "/odd")):
            browser.get(host, target).read()
            heard.append(time.monotonic())
        browser.connection.close()
    assert all(answer.last_byte <= when for answer, when in zip(server.answers, heard, strict=True))
    late, slow, empty = server.answers
    assert [answer.hit for answer in server.answers] == list(server.log)
    assert late.first_byte - late.hit.time >= 0.05
    assert slow.last_byte - slow.first_byte >= 0.05
    assert empty.last_byte == empty.first_byte, "all of it is in the head"
    assert server.most_connections == 1


def test_several_servers_in_one_thread_one_of_them_with_tls() -> None:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority = trustme.CA()
    authority.issue_cert("127.0.0.2").configure_cert(context)
    trusting = ssl.create_default_context()
    authority.configure_trust(trusting)
    plain, safe = LoopbackServer(WEB), LoopbackServer(WEB, host="127.0.0.2", tls=context)
    with together([plain, safe]):
        browser = Browser(plain)
        assert browser.get("a.test").read() == b"<title>A</title>"
        browser.connection.close()
        connection = http.client.HTTPSConnection(safe.host, safe.port, context=trusting, timeout=10)
        connection.request("GET", "/", headers={"Host": "b.test"})
        assert connection.getresponse().read() == b"<title>B</title>"
        connection.close()
    assert [hit.host for server in (plain, safe) for hit in server.log] == ["a.test", "b.test"]
