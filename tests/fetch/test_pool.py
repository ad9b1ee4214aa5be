"""Connections between exchanges: which are kept, and what a server does with them while nobody asks."""

from __future__ import annotations

import asyncio
import errno
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st
from yarl import URL

from dowse.fetch.connect import Connector, Exchange
from dowse.fetch.connection import Connection
from dowse.fetch.pool import Idle
from dowse.model.http import Request, Response, Truncation
from dowse.model.topic import Network
from dowse.model.url import UrlParts, canonical, split

from .servers import Behaviour, page, reply, response, run, serve, transport


class Link:
    """What is kept."""

    def __init__(self) -> None:
        self.is_reusable = True

    def abort(self) -> None:
        self.is_reusable = False


def test_the_longest_idle_of_a_site_is_taken_first_and_one_that_is_over_never() -> None:
    async def run() -> None:
        idle: Idle[Link] = Idle(most_s=9.0, most=9)
        first, second, third = Link(), Link(), Link()
        for link in (first, second, third):
            idle.keep("http://a.example", link)
        first.is_reusable = False
        assert idle.take("http://b.example") is None
        assert idle.take("http://a.example") is second
        assert idle.take("http://a.example") is third
        assert idle.take("http://a.example") is None
        idle.close()

    asyncio.run(run())


def test_what_nobody_asks_for_is_closed_after_a_while() -> None:
    async def run() -> None:
        idle: Idle[Link] = Idle(most_s=0.05, most=9)
        old, fresh = Link(), Link()
        idle.keep("http://a.example", old)
        await asyncio.sleep(0.03)
        idle.keep("http://b.example", fresh)
        await asyncio.sleep(0.03)
        assert (old.is_reusable, fresh.is_reusable) == (False, True)
        await asyncio.sleep(0.08)
        assert not fresh.is_reusable

    asyncio.run(run())


def test_all_are_closed_in_the_end() -> None:
    async def run() -> None:
        idle: Idle[Link] = Idle(most_s=9.0, most=9)
        links = [Link(), Link()]
        for link in links:
            idle.keep("http://a.example", link)
        idle.close()
        assert not any(link.is_reusable for link in links)
        assert idle.take("http://a.example") is None

    asyncio.run(run())


def test_there_are_only_so_many_and_the_longest_idle_goes() -> None:
    async def run() -> None:
        idle: Idle[Link] = Idle(most_s=9.0, most=3)
        links = [Link() for _ in range(5)]
        for number, link in enumerate(links[:4]):
            idle.keep(f"http://{number % 2}.example", link)
        assert [link.is_reusable for link in links] == [False, True, True, True, True]
        assert idle.take("http://0.example") is links[2]
        idle.keep("http://0.example", links[2])
        idle.keep("http://0.example", links[4])
        assert [link.is_reusable for link in links] == [False, False, True, True, True]
        assert idle.take("http://1.example") is links[3]
        assert idle.take("http://1.example") is None
        idle.close()

    asyncio.run(run())


def twice(second: bytes, after_s: float) -> Behaviour:
    """Answers, and says more at once or a little later."""
    count = 0

    async def behaviour(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal count
        count += 1
        writer.write(page(f"answer {count}".encode()) + (b"" if after_s else second))
        if after_s:
            await asyncio.sleep(after_s)
            writer.write(second)

    return behaviour


@pytest.mark.parametrize("more", [page(b"an answer to nothing"), b"HTTP/1.1 200 OK\r\n", b"\0\1\2", b"x" * 100_000])
@pytest.mark.parametrize("after_s", [0.0, 0.03])
def test_what_nobody_asked_for_is_not_taken_for_the_next_answer(more: bytes, after_s: float) -> None:
    async def main() -> list[Response]:
        async with serve(twice(more, after_s)) as site, transport() as out:
            got = []
            for number in range(3):
                got.append(response(await out.fetch(Request(site.url(f"/{number}")))))
                await asyncio.sleep(0.1)
            return got

    assert [one.body for one in run(main())] == [b"answer 1", b"answer 2", b"answer 3"]


@pytest.mark.parametrize("chunked", [False, True])
@pytest.mark.parametrize("cut", range(0, 200, 7))
def test_a_body_longer_than_its_length_is_read_up_to_it(chunked: bool, cut: int) -> None:
    """Wherever the network cuts it; a browser does the same."""
    body = b"0123456789" * 3
    length = b"Transfer-Encoding: chunked" if chunked else b"Content-Length: %d" % len(body)
    sent = b"%x\r\n%b\r\n0\r\n\r\n" % (len(body), body) if chunked else body
    whole = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n%b\r\n\r\n%b<p>and more, and more</p>" % (length, sent)

    async def behaviour(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        for part in (whole[:cut], whole[cut:]):
            writer.write(part)
            await writer.drain()
            await asyncio.sleep(0.005)

    async def main() -> list[Response]:
        async with serve(behaviour) as site, transport() as out:
            return [response(await out.fetch(Request(site.url(f"/{number}")))) for number in range(2)]

    assert [(one.body, one.truncated) for one in run(main())] == [(body, Truncation.NONE)] * 2


def test_every_request_has_its_headers_whoever_connected() -> None:
    async def main() -> list[bytes]:
        async def slow(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await asyncio.sleep(0.02)
            writer.write(page(b"x"))

        async with serve(slow) as site, transport() as out:
            for _ in range(3):
                await asyncio.gather(*(out.fetch(Request(site.url(f"/{number}"))) for number in range(3)))
            assert len(set(site.peers)) == 3
            return site.heads

    heads = run(main())
    assert len(heads) == 9
    assert all(b"\r\nHost: 127.0.0.1:" in head and b"\r\nUser-Agent: " in head for head in heads)


def test_when_there_are_too_many_files_idle_connections_go(monkeypatch: pytest.MonkeyPatch) -> None:
    connect, refused = Connector.connect, []

    async def full(self: Connector, parts: UrlParts, exchange: Exchange, deadline: float) -> Connection:
        if any(connection.is_open for connection in self._open):
            refused.append(parts.origin)
            raise OSError(errno.EMFILE, "Too many open files")
        return await connect(self, parts, exchange, deadline)

    async def main() -> list[bytes]:
        async with serve(reply(page(b"one"))) as site, serve(reply(page(b"two"))) as other, transport() as out:
            first = response(await out.fetch(Request(site.url())))
            monkeypatch.setattr(Connector, "connect", full)
            return [first.body, response(await out.fetch(Request(other.url()))).body]

    assert run(main()) == [b"one", b"two"]
    assert len(refused) == 1


def test_what_a_proxy_is_told_is_not_told_to_the_archive() -> None:
    async def main() -> tuple[Response, bytes]:
        async with (
            serve(reply(page(b"x"))) as site,
            transport(Network(proxy=f"http://me:secret@127.0.0.1:{site.port}")) as out,
        ):
            return response(await out.fetch(Request("http://example.org/"))), site.heads[-1]

    got, sent = run(main())
    assert b"\r\nProxy-Authorization: Basic " in sent
    assert "Proxy-Authorization" not in dict(got.request_headers)
    assert "User-Agent" in dict(got.request_headers)


PARTS = st.text(st.characters(min_codepoint=0x20, max_codepoint=0x2FF), max_size=12)


@given(PARTS, PARTS)
def test_a_canonical_url_is_asked_for_as_other_clients_would(path: str, query: str) -> None:
    url = canonical(f"http://example.org:8080/{path}?{query}")
    assert url is not None
    parts, theirs = split(url), URL(url, encoded=True)
    assert parts.path + parts.query == theirs.raw_path_qs
    assert parts.origin + parts.path + parts.query == str(theirs)


SCRIPT = """
import resource
from dowse.fetch.pool import allow_open_files
resource.setrlimit(resource.RLIMIT_NOFILE, ({soft}, 300))
allow_open_files({wanted})
print(*resource.getrlimit(resource.RLIMIT_NOFILE))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="there is no such limit")
@pytest.mark.parametrize(("soft", "wanted", "after"), [(100, 200, 200), (100, 9000, 300), (250, 200, 250)])
def test_the_limit_is_raised_as_far_as_it_may_be_and_never_lowered(soft: int, wanted: int, after: int) -> None:
    script = SCRIPT.format(soft=soft, wanted=wanted)
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.split() == [str(after), "300"]
