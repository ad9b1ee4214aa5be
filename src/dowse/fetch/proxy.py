"""A proxy between us and every site: http targets are asked of it, to https targets it tunnels (CONNECT)."""

from __future__ import annotations

from base64 import b64encode
from dataclasses import dataclass, field
from urllib.parse import unquote, urlsplit

from dowse.fetch.connection import Connection
from dowse.fetch.faults import Untunnelled
from dowse.fetch.request import header_lines, request_bytes
from dowse.model.errors import TopicError
from dowse.model.proxy_login import without_login
from dowse.model.url import UrlParts

__all__ = ["Proxy", "read_proxy"]


@dataclass(frozen=True, slots=True)
class Proxy:
    """Where a proxy is, and the header that its login goes into: for the proxy alone, never for a site or a record."""

    host: str
    port: int
    is_tls: bool
    login: tuple[tuple[str, str], ...] = field(default=(), repr=False)

    async def tunnel(self, connection: Connection, parts: UrlParts, user_agent: str, deadline: float) -> None:
        """Have the proxy connect to a site: from then on the site is at the other end."""
        target = f"{parts.host}:{parts.port}"
        lines = header_lines((("Host", target), ("User-Agent", user_agent), *self.login))
        head = await connection.ask(request_bytes("CONNECT", target, lines), deadline=deadline, has_body=False)
        if head.status // 100 != 2:
            raise Untunnelled(f"the proxy answered {head.status} {head.reason}")


def read_proxy(text: str | None) -> Proxy | None:
    """Read ``http://user:password@host:port``; https stands for TLS between us and the proxy."""
    if not text:
        return None
    try:
        url = urlsplit(text)
        host, port = url.hostname, url.port
    except ValueError:
        host = port = None
    if not host or url.scheme not in ("http", "https"):
        raise TopicError(f"{without_login(text)!r} is no proxy: write http://host:port", key="network.proxy")
    is_tls = url.scheme == "https"
    login = b64encode(f"{unquote(url.username or '')}:{unquote(url.password or '')}".encode()).decode()
    has_login = url.username is not None or url.password is not None
    return Proxy(host, port or (443 if is_tls else 80), is_tls, _authorization(login) if has_login else ())


def _authorization(login: str) -> tuple[tuple[str, str], ...]:
    return (("Proxy-Authorization", f"Basic {login}"),)
