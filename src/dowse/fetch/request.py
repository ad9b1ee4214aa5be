"""What a request says: its line and headers, and who asks (the User-Agent, and its product token in robots.txt)."""

from __future__ import annotations

import re
from collections.abc import Iterable
from fnmatch import fnmatchcase
from importlib.metadata import PackageNotFoundError, version

from dowse.model.http import Request
from dowse.model.secret_fields import join_cookies
from dowse.model.topic import Network

__all__ = ["PRODUCT", "OwnHeaders", "header_lines", "product_token", "request_bytes", "user_agent", "validators"]

PRODUCT = "dowse"
"""Our product token (RFC 9309, section 2.2.1)."""

_COMPATIBLE = re.compile(r"compatible;\s*([A-Za-z_-]+)")
_TOKEN = re.compile(r"[A-Za-z_-]+")
_UNSENDABLE = re.compile(r"[^\x20-\x7e]+")
_SENDABLE = re.compile(r"[\x20-\x7e]+").fullmatch


def _version() -> str:
    try:
        return version("dowse")
    except PackageNotFoundError:  # run from a source tree that was never installed
        return "0"


def user_agent(network: Network) -> str:
    """The User-Agent header: ``Dowse/<version> (+contact)``, or what the user put in its place.

    >>> user_agent(Network(user_agent="Example/2.0"))
    'Example/2.0'
    """
    if network.user_agent:
        return _UNSENDABLE.sub(" ", network.user_agent).strip() or PRODUCT
    contact = _UNSENDABLE.sub("", network.contact or "").strip()
    return f"Dowse/{_version()} ({'+' + contact if contact else 'focused web crawler'})"


def product_token(network: Network) -> str:
    """The token robots.txt addresses us by: ours, or the one inside a user's own User-Agent.

    >>> product_token(Network(user_agent="Mozilla/5.0 (compatible; LibraryBot/1.0; +https://library.example)"))
    'librarybot'
    """
    if not network.user_agent:
        return PRODUCT
    match = _COMPATIBLE.search(network.user_agent)
    if match is not None:
        return match[1].lower()
    match = _TOKEN.match(network.user_agent)
    return match[0].lower() if match else PRODUCT


class OwnHeaders:
    """The headers and cookies that the user sends to hosts of their choice. They are in no record of the exchange."""

    def __init__(self, network: Network) -> None:
        self._headers = [(glob.lower(), tuple(own.items())) for glob, own in network.headers.items()]
        self._cookies = [(glob.lower(), cookies) for glob, cookies in network.cookies.items()]

    def of(self, host: str) -> tuple[tuple[str, str], ...]:
        """What this host gets: of several values for one header, or for one cookie, the first."""
        if not self._headers and not self._cookies:
            return ()
        host = host.lower()
        found: dict[str, tuple[str, str]] = {}
        for glob, headers in self._headers:
            if fnmatchcase(host, glob):
                for name, value in headers:
                    found.setdefault(name.lower(), (name, value))
        cookies = join_cookies(*(own for glob, own in self._cookies if fnmatchcase(host, glob)))
        return (*found.values(), *((("Cookie", cookies),) if cookies else ()))


def header_lines(headers: Iterable[tuple[str, str]]) -> bytes:
    """Headers as they are sent. None can hold a line end: they are ours, or were seen to (:func:`validators`)."""
    return "".join([f"{name}: {value}\r\n" for name, value in headers]).encode()


def request_bytes(method: str, target: str, lines: bytes) -> bytes:
    """A whole request, with these lines of headers."""
    return b"%b HTTP/1.1\r\n%b\r\n" % (f"{method} {target}".encode(), lines)


def validators(request: Request) -> tuple[tuple[str, str], ...]:
    """The headers that make a request conditional. They come from servers: one that cannot stand in a header is left
    out."""
    if request.etag is None and request.last_modified is None:
        return ()
    wanted = (("If-None-Match", request.etag), ("If-Modified-Since", request.last_modified))
    return tuple((name, value) for name, value in wanted if value is not None and _SENDABLE(value))
