"""HOSTILE.md, group "addresses": the guard stands at the connection, whatever names and URLs say."""

from __future__ import annotations

import asyncio
import datetime
import socket
import ssl
import struct
from contextlib import suppress
from dataclasses import replace

import pytest
import trustme

from dowse.model.http import Failure, FailureKind, Request, Resolved, Response
from dowse.model.topic import Network

from .servers import (
    LIMITS,
    PRIVATE,
    Dns,
    FakeClock,
    failure,
    page,
    reply,
    response,
    run,
    serve,
    transport,
)

PUBLIC = "93.184.215.14"


@pytest.mark.parametrize(
    "host",
    ["127.0.0.1", "2130706433", "0x7f.1", "0177.0.0.1", "127.1", "[::1]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]",
     "169.254.169.254", "[fe80::1]", "0.0.0.0", "[64:ff9b::7f00:1]", "[2002:7f00:1::]", "%31%32%37.0.0.1"],
)  # fmt: skip
def test_literals_of_the_inside_are_refused(host: str) -> None:
    async def main() -> tuple[Failure, int]:
        async with serve(reply(page(b"secret"))) as site, transport(Network()) as out:
            return failure(await out.fetch(Request(site.url("/", host), timeout_s=2.0))), len(site.peers)

    got, connections = run(main())
    assert (got.kind, connections) == (FailureKind.ADDRESS, 0)
    assert "not a public address" in got.detail


@pytest.mark.parametrize("address", ["127.0.0.1", "10.1.2.3", "::1", "fd00::1", "100.100.100.200"])
def test_names_of_the_inside_are_refused(address: str) -> None:
    async def main() -> tuple[Failure, Resolved | Failure, int]:
        dns = Dns({"inside.example": [(address,)]})
        async with serve(reply(page(b"secret"))) as site, transport(Network(), dns) as out:
            got = failure(await out.fetch(Request(site.url("/", "inside.example"))))
            return got, await out.resolve("inside.example", site.port), len(site.peers)

    got, resolved, connections = run(main())
    assert (got.kind, connections) == (FailureKind.ADDRESS, 0)
    assert isinstance(resolved, Failure)
    assert resolved.kind is FailureKind.ADDRESS


def test_dns_rebinding_is_judged_at_each_use() -> None:
    async def main() -> tuple[Resolved | Failure, Failure, int, list[str]]:
        clock, dns = FakeClock(), Dns({"rebind.example": [(PUBLIC,), ("127.0.0.1",)]})
        async with serve(reply(page(b"secret"))) as site, transport(Network(), dns, clock=clock) as out:
            first = await out.resolve("rebind.example", site.port)
            clock.time += 301
            await out.resolve("rebind.example", site.port)  # has it looked up again
            await asyncio.sleep(0.05)
            return first, failure(await out.fetch(Request(site.url("/", "rebind.example")))), len(site.peers), dns.asked

    first, got, connections, asked = run(main())
    assert first == Resolved("rebind.example", (PUBLIC,))
    assert (got.kind, connections, len(asked)) == (FailureKind.ADDRESS, 0, 2)


def test_a_request_goes_to_the_address_it_names_and_that_is_guarded() -> None:
    async def main() -> tuple[Response, Failure, Failure, list[str]]:
        dns = Dns({"two.example": [("127.0.0.1", "127.0.0.2")]})
        async with serve(reply(page(b"here"))) as site, transport(PRIVATE, dns) as out:
            url = site.url("/", "two.example")
            got = response(await out.fetch(Request(url, address="127.0.0.1")))
            await out.resolve("two.example", site.port)
            dead = failure(await out.fetch(Request(url, address="127.0.0.2", timeout_s=5.0)))
            asked = dns.asked.copy()
        async with transport(Network(), dns) as shy:
            return got, dead, failure(await shy.fetch(Request(url, address="10.0.0.1"))), asked

    got, dead, refused, asked = run(main())
    assert (got.body, got.address) == (b"here", "127.0.0.1")
    assert dead.kind is FailureKind.CONNECT, "its connection to the other address is not used"
    assert refused.kind is FailureKind.ADDRESS
    assert asked == ["two.example"], "nobody is asked for a name whose address is given"


def test_of_mixed_answers_only_the_public_ones_are_used() -> None:
    async def main() -> Resolved | Failure:
        dns = Dns({"mixed.example": [("127.0.0.1", PUBLIC, "10.0.0.1")]})
        async with transport(Network(), dns) as out:
            return await out.resolve("mixed.example", 80)

    assert run(main()) == Resolved("mixed.example", (PUBLIC,))


def test_the_users_overrides_name_address_and_port() -> None:
    async def main() -> tuple[Response, Failure]:
        async with serve(reply(page(b"ours"))) as site:
            overrides = {"*.dowse.test": f"127.0.0.1:{site.port}"}
            async with (
                transport(replace(PRIVATE, resolve=overrides)) as out,
                transport(Network(resolve=overrides)) as shy,
            ):
                request = Request("http://a.dowse.test/page")
                return response(await out.fetch(request)), failure(await shy.fetch(request))

    got, refused = run(main())
    assert (got.body, dict(got.request_headers)["Host"]) == (b"ours", "a.dowse.test")
    assert refused.kind is FailureKind.ADDRESS


@pytest.mark.parametrize(
    ("answers", "kind"),
    [
        ({}, FailureKind.DNS),
        ({"odd.example": [()]}, FailureKind.DNS),
        ({"odd.example": [("nonsense",)]}, FailureKind.ADDRESS),
    ],
)
def test_names_without_a_usable_address(answers: dict[str, list[tuple[str, ...]]], kind: FailureKind) -> None:
    async def main() -> Failure:
        dns = Dns({host: list(given) for host, given in answers.items()})
        async with transport(PRIVATE, dns) as out:
            return failure(await out.fetch(Request("http://odd.example/")))

    assert run(main()).kind is kind


def test_a_name_server_that_never_answers() -> None:
    async def main() -> Failure:
        async with transport(PRIVATE, Dns({}, delay_s=30), limits=replace(LIMITS, connect_timeout_s=0.2)) as out:
            return failure(await out.fetch(Request("http://slow.example/")))

    assert run(main()).kind is FailureKind.DNS


def test_nobody_listens() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]

        async def main() -> Failure:
            async with transport() as out:
                return failure(await out.fetch(Request(f"http://127.0.0.1:{port}/")))

        assert run(main()).kind is FailureKind.CONNECT


def test_nobody_accepts() -> None:
    with socket.socket() as full, socket.socket() as first, socket.socket() as second:
        full.bind(("127.0.0.1", 0))
        full.listen(0)
        for filler in (first, second):  # after these the queue is full and a connection is never made
            filler.setblocking(False)
            filler.connect_ex(full.getsockname())

        async def main() -> Failure:
            async with transport(limits=replace(LIMITS, connect_timeout_s=0.2)) as out:
                return failure(await out.fetch(Request(f"http://127.0.0.1:{full.getsockname()[1]}/")))

        assert run(main()).kind is FailureKind.CONNECT


def server_context(authority: trustme.CA, *, expired: bool = False, name: str = "localhost") -> ssl.SSLContext:
    until = datetime.datetime(2020, 1, 1, tzinfo=datetime.UTC) if expired else None
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    authority.issue_cert("127.0.0.1", name, not_after=until).configure_cert(context)
    return context


def fetch_tls(served: ssl.SSLContext, trusted: trustme.CA | None, network: Network = PRIVATE) -> Response | Failure:
    tls = ssl.create_default_context()
    if trusted is not None:
        trusted.configure_trust(tls)

    async def main() -> Response | Failure:
        async with serve(reply(page(b"sealed")), tls=served) as site, transport(network, tls=tls) as out:
            await out.fetch(Request(site.url(scheme="https")))
            return await out.fetch(Request(site.url(scheme="https")))

    return run(main())


def test_tls_with_a_trusted_authority_keeps_its_connection() -> None:
    authority = trustme.CA()
    got = response(fetch_tls(server_context(authority), authority))
    assert (got.body, got.timings.connect_s) == (b"sealed", 0.0)


@pytest.mark.parametrize("case", ["self-signed", "expired", "wrong host"])
def test_bad_certificates_fail_unless_they_are_not_verified(case: str) -> None:
    authority = trustme.CA()
    served = server_context(authority, expired=case == "expired")
    if case == "wrong host":
        authority.issue_cert("elsewhere.example").configure_cert(served)
    trusted = None if case == "self-signed" else authority
    assert failure(fetch_tls(served, trusted)).kind is FailureKind.TLS
    assert response(fetch_tls(served, trusted, replace(PRIVATE, verify_tls=False))).body == b"sealed"


def test_https_asked_of_a_server_that_speaks_plain_http() -> None:
    async def main() -> Failure:
        async with serve(reply(page(b"plain"))) as site, transport() as out:
            return failure(await out.fetch(Request(site.url(scheme="https"), timeout_s=0.5)))

    assert run(main()).kind in (FailureKind.TLS, FailureKind.CONNECT)


def test_a_reset_within_the_handshake() -> None:
    async def main() -> Failure:
        async def reset(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await reader.read(1)
            sock = writer.get_extra_info("socket")
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            writer.transport.abort()

        server = await asyncio.start_server(reset, "127.0.0.1", 0)
        async with server, transport() as out:
            port = server.sockets[0].getsockname()[1]
            return failure(await out.fetch(Request(f"https://127.0.0.1:{port}/", timeout_s=2.0)))

    assert run(main()).kind is FailureKind.RESET


def test_a_proxy_is_asked_for_names_but_never_for_the_inside() -> None:
    async def main() -> tuple[Response, list[Response | Failure], Resolved | Failure, list[bytes]]:
        async with serve(reply(page(b"by proxy"))) as site:
            network = Network(proxy=f"http://127.0.0.1:{site.port}")
            async with transport(network, Dns({})) as out:
                got = response(await out.fetch(Request("http://nowhere.example/page?q=1")))
                inside = [await out.fetch(Request(f"http://{host}/")) for host in ("10.0.0.1", "[::1]", "localhost")]
                return got, inside, await out.resolve("nowhere.example", 80), site.heads

    got, inside, resolved, heads = run(main())
    assert (got.body, got.address) == (b"by proxy", "")
    assert heads[0].startswith(b"GET http://nowhere.example/page?q=1 HTTP/1.1\r\n")
    assert [failure(result).kind for result in inside] == [FailureKind.ADDRESS] * 3
    assert (resolved, len(heads)) == (Resolved("nowhere.example", ("nowhere.example",)), 1)


def test_a_proxy_that_will_not_tunnel() -> None:
    async def main() -> Failure:
        async with serve(reply(page(b"", status="403 Forbidden"))) as site:
            network = Network(proxy=f"http://127.0.0.1:{site.port}")
            async with transport(network, Dns({})) as out:
                return failure(await out.fetch(Request("https://nowhere.example/")))

    assert run(main()).kind is FailureKind.CONNECT


def test_a_proxys_password_is_for_the_proxy_alone() -> None:
    """Through a tunnel the origin reads what is sent: it must not be the password."""
    authority = trustme.CA()
    trusting = ssl.create_default_context()
    authority.configure_trust(trusting)
    told: list[bytes] = []

    async def main() -> tuple[Response, list[bytes]]:
        async with serve(reply(page(b"by tunnel")), tls=server_context(authority, name="site.example")) as origin:

            async def tunnel(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
                told.append(await reader.readuntil(b"\r\n\r\n"))
                inner, outer = await asyncio.open_connection("127.0.0.1", origin.port)
                writer.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
                await asyncio.gather(_pass(reader, outer), _pass(inner, writer))

            async with await asyncio.start_server(tunnel, "127.0.0.1", 0) as proxy:
                port = proxy.sockets[0].getsockname()[1]
                network = Network(proxy=f"http://me:secret@127.0.0.1:{port}")
                async with transport(network, tls=trusting) as out:
                    return response(await out.fetch(Request("https://site.example/"))), origin.heads

    got, heads = run(main())
    assert got.body == b"by tunnel"
    assert b"\r\nProxy-Authorization: Basic " in told[0]
    assert [head for head in heads if b"authorization" in head.lower()] == []
    assert len(heads) == 1
    assert "secret" not in repr(got)


async def _pass(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with suppress(OSError):
        while data := await reader.read(65536):
            writer.write(data)
            await writer.drain()
    writer.close()
