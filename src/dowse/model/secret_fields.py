"""Headers and cookies that a user sends to hosts of their own choice: readers for the topic file and the flags.

They may be somebody's login. So no message shows a value, no record keeps one, and no host gets one that is not named.
"""

from __future__ import annotations

import re
from typing import Any

from dowse.model.topic_fields import Fault, host_glob, text

__all__ = ["OWN_HEADERS", "cookies", "headers", "join_cookies", "sends_secrets", "without_secrets"]

OWN_HEADERS = "own_headers"
"""The setting in a crawl's records that says: it sent some."""

_is_name = re.compile(r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+").fullmatch  # RFC 9110, section 5.6.2
_is_value = re.compile(r"[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?").fullmatch
_OURS = {
    "host": "the URL says it", "connection": "Dowse sets it", "content-length": "Dowse sends no body",
    "transfer-encoding": "Dowse sends no body", "accept-encoding": "Dowse sets it",
    "user-agent": "set network.user_agent, or --contact", "cookie": "use cookies, or --cookie",
    "proxy-authorization": "put the login into the proxy's URL",
}  # fmt: skip


def headers(value: Any) -> dict[str, dict[str, str]]:
    """Host globs to tables of headers."""
    if not isinstance(value, dict):
        raise Fault('must be a table such as { "example.org" = { X-Key = "..." } }')
    return {_host(glob): _headers(glob, own) for glob, own in value.items()}


def cookies(value: Any) -> dict[str, str]:
    """Host globs to cookies, ``name=value; name=value``."""
    if not isinstance(value, dict):
        raise Fault('must be a table such as { "example.org" = "name=value" }')
    for glob, own in value.items():
        _host(glob)
        if not isinstance(own, str) or not _is_value(own) or "=" not in own:
            raise Fault('is no cookie: write name=value, or several, joined by "; "', glob)
    return dict(value)


def join_cookies(*cookies: str) -> str:
    """Cookies from several places as one header's value; of one name, those of the first place that has it.

    >>> join_cookies("a=1; b=2", "b=3; c=4")
    'a=1; b=2; c=4'
    """
    found: dict[str, list[str]] = {}
    for place in cookies:
        own: dict[str, list[str]] = {}
        for cookie in filter(None, (each.strip() for each in place.split(";"))):
            own.setdefault(cookie.partition("=")[0], []).append(cookie)
        for name, values in own.items():
            found.setdefault(name, values)
    return "; ".join(cookie for own in found.values() for cookie in own)


def _host(glob: Any) -> str:
    try:
        return host_glob(glob)
    except Fault as fault:
        raise Fault(fault.message, str(glob)) from None


def _headers(glob: str, value: Any) -> dict[str, str]:
    if not isinstance(value, dict):
        raise Fault('must be a table of headers such as { X-Key = "..." }', glob)
    for name, own in value.items():
        if not _is_name(text(name)):
            raise Fault("is no name of a header", glob, name)
        if name.lower() in _OURS:
            raise Fault(f"is not for you to set: {_OURS[name.lower()]}", glob, name)
        if not isinstance(own, str) or not _is_value(own):
            raise Fault("must be one line of plain ASCII", glob, name)
    return dict(value)


def without_secrets(network: dict[str, Any]) -> dict[str, Any]:
    """The settings of a network as they may be written down."""
    return {**network, "headers": {}, "cookies": {}}


def sends_secrets(network: Any) -> bool:
    """Does a network send headers or cookies of the user's own?"""
    return bool(network.headers or network.cookies)
