"""The address of an engine: its own, or one that the user names."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import urlencode

from dowse.model.errors import UserError
from dowse.model.url import canonical

__all__ = ["host_of", "named", "web_address", "with_parameters"]


def web_address(engine: str, base: str, default: str = "") -> str:
    """Where to ask, without a slash at its end; UserError when that is no web address."""
    if not base and not default:
        raise UserError(f"{engine} has no address of its own: write --engine {engine}:https://...")
    url = canonical(base or default)
    if url is None or "://" not in (base or default):
        raise UserError(f"--engine {engine}:{base}: {base!r} is not a web address: write it whole, https://...")
    return url.rstrip("/")


def host_of(url: str) -> str:
    """The host of an address, for names of engines."""
    return url.partition("://")[2].partition("/")[0]


def named(engine: str, base: str, url: str) -> str:
    """What an engine is called: where it is not at its own address, with the host it is at."""
    return f"{engine}:{host_of(url)}" if base else engine


def with_parameters(url: str, parameters: Mapping[str, object] | list[tuple[str, object]]) -> str:
    """An address with parameters, in UTF-8, whatever the language."""
    return f"{url}{'&' if '?' in url else '?'}{urlencode(parameters)}"
