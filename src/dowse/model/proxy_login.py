"""A proxy's URL and the login in it, which is nobody's but the user's: no record, message or report gets it."""

from __future__ import annotations

import re

__all__ = ["LOGIN", "PROXY", "has_login", "without_login"]

PROXY = "DOWSE_PROXY"
"""The environment variable that names the proxy of ``dowse``, with its login: command lines are seen by others."""

LOGIN = "proxy_login"
"""The setting in a crawl's records that says: its proxy had one."""

_login = re.compile(r"(?<=://)[^/?#\s]*@")


def without_login(text: str) -> str:
    """A URL, or a text with one in it, without user name and password.

    >>> without_login("http://me:secret@proxy.example:3128")
    'http://proxy.example:3128'
    """
    return _login.sub("", text)


def has_login(text: str | None) -> bool:
    return text is not None and _login.search(text) is not None
