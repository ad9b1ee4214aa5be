"""The way out over HTTP/1.1.

One exchange is one call of :meth:`HttpTransport.fetch`: it ends within its time, whatever the server does, with a
:class:`Response` (perhaps a marked prefix) or a :class:`Failure`.
"""

from __future__ import annotations

import asyncio
import re
import ssl

from dowse.fetch.body import receive
from dowse.fetch.connect import Connector, Exchange, tls_context
from dowse.fetch.content_coding import ACCEPT_ENCODING
from dowse.fetch.faults import Withdrawn, clean, detail_of, kind_of
from dowse.fetch.guard import Guard, is_literal, networks, strip_literal
from dowse.fetch.pool import Pool
from dowse.fetch.proxy import read_proxy
from dowse.fetch.request import OwnHeaders, header_lines, product_token, request_bytes, user_agent, validators
from dowse.fetch.resolver import Lookup, Resolver, SystemLookup
from dowse.model.bodies import Bodies
from dowse.model.clock import Clock
from dowse.model.http import Failure, FailureKind, Meter, Request, Resolved, Response
from dowse.model.topic import Limits, Network
from dowse.model.url import UrlParts, split

__all__ = ["HttpTransport"]

_ACCEPT = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
_LOCALHOST = re.compile(r"(?:.*\.)?localhost\.?").fullmatch


class HttpTransport:
    """HTTP/1.1 with keep-alive, guarded, capped and metered. Implements :class:`dowse.model.http.Transport`.

    ``lookup`` replaces the system's DNS; ``tls`` replaces the trusted authorities; ``bodies`` counts bodies in memory.
    Connections are opened on the first use, so a transport can be made outside a running loop. With a proxy, it is the
    proxy that resolves names: literal targets are still guarded here, and the proxy's own address is the user's word.
    """

    def __init__(
        self,
        network: Network,
        limits: Limits,
        clock: Clock,
        lookup: Lookup | None = None,
        *,
        tls: ssl.SSLContext | None = None,
        bodies: Bodies | None = None,
    ) -> None:
        self.user_agent = user_agent(network)
        self.product = product_token(network)
        self._bodies = bodies or Bodies()
        self._guard = Guard(network.allow_private, networks(network.allow_addresses))
        self._proxy = read_proxy(network.proxy)
        self._system = SystemLookup() if lookup is None else None
        # Behind a proxy every socket leads to the proxy, so the guard stands at the target instead (_refuse_target).
        guard = Guard(allow_private=True) if self._proxy else self._guard
        self._resolver = Resolver(
            lookup or self._system or SystemLookup(),
            guard,
            clock,
            overrides=network.resolve,
            timeout_s=limits.connect_timeout_s,
        )
        self._own = OwnHeaders(network)
        self._headers = (
            ("User-Agent", self.user_agent), ("Accept", _ACCEPT), ("Accept-Encoding", ACCEPT_ENCODING)
        )  # fmt: skip
        if tls is None or not network.verify_tls:
            tls = tls_context(is_verified=network.verify_tls)
        connector = Connector(self._resolver, guard, tls=tls, proxy=self._proxy, user_agent=self.user_agent)
        self._pool = Pool(connector, limits.connect_timeout_s)
        self._closed = False

    async def resolve(self, host: str, port: int) -> Resolved | Failure:
        """The guarded addresses of a host. Behind a proxy a name stands for itself: only the proxy can resolve it."""
        if self._proxy is not None:
            refused = self._refuse_target(host)
            if refused is not None:
                return Failure(host, FailureKind.ADDRESS, refused)
            return Resolved(host, (strip_literal(host),))
        answer = await self._resolver.resolve(host)
        if answer.failure is not None:
            return Failure(host, answer.failure, answer.detail)
        return Resolved(host, answer.addresses)

    async def fetch(self, request: Request, meter: Meter | None = None) -> Response | Failure:
        """One exchange. Raises nothing but cancellation."""
        exchange = Exchange("" if self._proxy is not None else request.address)
        try:
            parts = split(request.url)
        except (ValueError, TypeError):  # TypeError: half of a surrogate pair
            return Failure(clean(request.url), FailureKind.PROTOCOL, "not a URL")
        if not parts.origin.startswith("http"):
            return Failure(request.url, FailureKind.PROTOCOL, "not an http or https address")
        if self._closed:
            return Failure(request.url, FailureKind.CANCELLED, "the transport is closed")
        refused = self._refuse_target(parts.host)
        if refused is not None:
            return Failure(request.url, FailureKind.ADDRESS, refused)
        try:
            return await self._exchange(request, parts, exchange, meter)
        except Exception as error:  # the edge of the web: whatever a server provokes ends as a value
            return self._failure(request, exchange, error)

    async def close(self) -> None:
        """Close every connection; exchanges still running end as failures."""
        self._closed = True
        await self._pool.close()
        await self._resolver.close()
        if self._system is not None:
            self._system.close()

    def _refuse_target(self, host: str) -> str | None:
        """Why a proxy must not be asked for this host; None when it may."""
        if self._proxy is None or self._guard.allow_private:
            return None
        inside = not self._guard.allows(host) if is_literal(host) else _LOCALHOST(host.lower())
        return f"{host} is not a public address" if inside else None

    async def _exchange(self, request: Request, parts: UrlParts, exchange: Exchange, meter: Meter | None) -> Response:
        """Send, then receive, both before the deadline. A fault up to the headers raises."""
        deadline = asyncio.get_running_loop().time() + request.timeout_s
        connection = await self._pool.take(parts, exchange, deadline)
        exchange.connected, exchange.address = True, connection.address
        headers = (("Host", parts.origin.partition("://")[2]), *self._headers, *validators(request))
        if request.may_leave is not None and not request.may_leave():
            self._pool.give_back(parts, connection)
            raise Withdrawn("the request was withdrawn before it left")
        try:
            head = await connection.ask(
                # these are never recorded
                self._asked(request, parts, (*headers, *self._own.of(parts.host), *request.secrets.headers)),
                deadline=deadline,
                has_body=request.method != "HEAD",
                max_bytes=request.max_wire_bytes,
                meter=meter,
            )
            first_byte_s = exchange.elapsed_s
            body, truncated = await receive(request, head, connection, self._bodies, deadline)
        finally:
            exchange.wire_bytes = connection.received
            self._pool.give_back(parts, connection)
        return Response(
            url=request.url,
            status=head.status,
            headers=head.headers,
            body=body,
            reason=head.reason,
            wire_bytes=exchange.wire_bytes,
            truncated=truncated,
            timings=exchange.timings(first_byte_s),
            address="" if self._proxy else exchange.address,
            request_headers=headers,
            method=request.method,
        )

    def _asked(self, request: Request, parts: UrlParts, headers: tuple[tuple[str, str], ...]) -> bytes:
        """The request as it is sent, its target byte for byte as it stands. A proxy that is to ask for it must know the
        whole URL, and may want its login; one that only tunnels has both already."""
        path = request.secrets.behind(parts.path + parts.query)
        if self._proxy is not None and parts.origin.startswith("http:"):
            return request_bytes(request.method, parts.origin + path, header_lines((*headers, *self._proxy.login)))
        return request_bytes(request.method, path, header_lines(headers))

    def _failure(self, request: Request, exchange: Exchange, error: Exception) -> Failure:
        kind, detail = kind_of(error, is_connected=exchange.connected), detail_of(error)
        if self._closed:
            kind = FailureKind.CANCELLED
        elif kind is FailureKind.PROTOCOL and exchange.connected and not exchange.fresh:
            kind = FailureKind.RESET  # the rest of an earlier answer, perhaps: another connection may do
        elif isinstance(error, TimeoutError) and exchange.resolving:
            kind = FailureKind.DNS
        if kind is FailureKind.CONNECT and exchange.wanted:
            self._resolver.pass_over(split(request.url).host, exchange.wanted)
        if isinstance(error, TimeoutError):
            detail = f"nothing after {exchange.elapsed_s:.1f} s"
        address = "" if self._proxy else exchange.address
        return Failure(request.url, kind, detail, exchange.wire_bytes, timings=exchange.timings(), address=address)
