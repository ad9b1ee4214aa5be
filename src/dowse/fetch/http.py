"""The way out over HTTP/1.1, on aiohttp.

One exchange is one call of :meth:`HttpTransport.fetch`: it ends within its time, whatever the server does, with a
:class:`Response` (perhaps a marked prefix) or a :class:`Failure`. What happens in it is kept in an :class:`Exchange`.

Of aiohttp this takes what connects (``lines``: resolving, TLS, proxies) and what reads an answer (``answer``). Its
session, made for requests of every kind, stands between the two with cookies, redirects, retries and uploads, none of
which an exchange has, and costs more than both. So requests are written here.
"""

from __future__ import annotations

import asyncio
import re
import ssl

from yarl import URL

from dowse.fetch.agent import product_token, user_agent
from dowse.fetch.answer import ask, header_texts, receive
from dowse.fetch.decode import ACCEPT_ENCODING
from dowse.fetch.exchange import Exchange, clean, conditions, current
from dowse.fetch.faults import cause_of, detail_of, kind_of
from dowse.fetch.guard import Guard, is_literal, networks, strip_literal
from dowse.fetch.lines import Lines, header_lines
from dowse.fetch.resolver import Lookup, Resolver, SystemLookup
from dowse.model.bodies import Bodies
from dowse.model.clock import Clock
from dowse.model.errors import TopicError
from dowse.model.http import Failure, FailureKind, Meter, Request, Resolved, Response
from dowse.model.proxy import without_login
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
        self._proxy = _proxy(network.proxy)
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
        self._lines = Lines(
            self._resolver,
            guard,
            {"User-Agent": self.user_agent, "Accept": _ACCEPT, "Accept-Encoding": ACCEPT_ENCODING},
            tls=network.verify_tls if tls is None or not network.verify_tls else tls,
            proxy=self._proxy,
            connect_timeout_s=limits.connect_timeout_s,
        )
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
        token = current.set(exchange)
        try:
            return await self._exchange(request, parts, exchange, meter)
        except Exception as error:  # the edge of the web: whatever a server provokes ends as a value
            return self._failure(request, exchange, error)
        finally:
            current.reset(token)

    async def close(self) -> None:
        """Close every connection; exchanges still running end as failures."""
        self._closed = True
        await self._lines.close()
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
        line = await self._lines.take(parts.origin, deadline)
        read = False
        try:
            exchange.connected, exchange.address = True, line.address
            if line.protocol is None:
                raise ConnectionResetError("the connection ended before the request")
            asked = tuple((conditions(request) or {}).items())
            headers = line.sent + header_lines(asked) if asked else line.sent
            message, content = await ask(line.protocol, request, self._target(parts), headers, meter, deadline)
            first_byte_s = exchange.elapsed_s
            body, truncated = await receive(request, message, content, line.protocol, self._bodies, deadline)
            read = content.is_eof()
        finally:
            if line.protocol is not None:
                exchange.wire_bytes = line.protocol.received
                line.protocol.rest()
            if read:
                self._lines.give_back(parts.origin, line)
            else:
                line.close()  # closed, not drained: the rest is not worth its bytes
        return Response(
            url=request.url,
            status=message.code,
            headers=header_texts(message.raw_headers),
            body=body,
            reason=clean(message.reason or ""),
            wire_bytes=exchange.wire_bytes,
            truncated=truncated,
            timings=exchange.timings(first_byte_s),
            address="" if self._proxy else exchange.address,
            request_headers=line.headers + asked,
            method=request.method,
        )

    def _target(self, parts: UrlParts) -> str:
        """What is asked for, byte for byte as it stands. A proxy that is to ask for it must know the whole URL; one
        that only connects need not."""
        path = parts.path + parts.query
        return parts.origin + path if self._proxy is not None and parts.origin.startswith("http:") else path

    def _failure(self, request: Request, exchange: Exchange, error: Exception) -> Failure:
        cause = cause_of(error)
        kind, detail = kind_of(cause), detail_of(cause)
        if self._closed:
            kind = FailureKind.CANCELLED
        elif kind is FailureKind.PROTOCOL and exchange.connected and not exchange.fresh:
            kind = FailureKind.RESET  # the rest of an earlier answer, perhaps: another connection may do
        elif isinstance(error, TimeoutError) and not exchange.connected:
            kind = FailureKind.DNS if exchange.resolving else FailureKind.CONNECT
        if kind is FailureKind.CONNECT and exchange.wanted:
            self._resolver.pass_over(split(request.url).host, exchange.wanted)
        if isinstance(error, TimeoutError):
            detail = f"nothing after {exchange.elapsed_s:.1f} s"
        address = "" if self._proxy else exchange.address
        return Failure(request.url, kind, detail, exchange.wire_bytes, timings=exchange.timings(), address=address)


def _proxy(text: str | None) -> URL | None:
    if not text:
        return None
    try:
        url = URL(text)
        usable = url.scheme in ("http", "https") and bool(url.host)
    except ValueError:
        usable = False
    if not usable:
        raise TopicError(f"{without_login(text)!r} is no proxy: write http://host:port", key="network.proxy")
    return url
