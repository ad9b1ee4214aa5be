"""Who we say we are: the User-Agent header, and the product token that robots.txt groups are matched with."""

from __future__ import annotations

import re
from importlib.metadata import PackageNotFoundError, version

from dowse.model.topic import Network

__all__ = ["PRODUCT", "product_token", "user_agent"]

PRODUCT = "dowse"
"""Our product token (RFC 9309, section 2.2.1)."""

_COMPATIBLE = re.compile(r"compatible;\s*([A-Za-z_-]+)")
_TOKEN = re.compile(r"[A-Za-z_-]+")
_UNSENDABLE = re.compile(r"[^\x20-\x7e]+")


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
