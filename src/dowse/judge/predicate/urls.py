"""Tests of a page's address."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable

from dowse.model.url import spelled_host, split

__all__ = ["LONGEST", "url_test"]

LONGEST = 2_000
"""Characters of a URL that a regular expression is run on: what a stranger makes longer, the user's may take the square
of."""


def url_test(name: str, argument: str) -> Callable[[str], bool]:
    """The test ``url.NAME("argument")`` of canonical URLs. What is no URL satisfies none.

    >>> url_test("url.suffix", ".uk")("https://www.example.co.uk/a"), url_test("url.glob", "/a*")("https://e.org/b")
    (True, False)
    """
    if name == "url.contains":
        wanted = argument.lower()
        return lambda url: wanted in url.lower()
    if name == "url.suffix":
        ending = "." + spelled_host(argument.lstrip("."))
        return lambda url: f".{_parts(url)[0]}".endswith(ending)
    if name == "url.host":
        host = spelled_host(argument)
        glob = r"(?:.*\.)?" + _glob(host[2:]) if host.startswith("*.") else _glob(host)
        match_host = re.compile(glob).fullmatch
        return lambda url: match_host(_parts(url)[0]) is not None
    if name == "url.glob":
        match_path = re.compile(_glob("".join(map(_escaped, argument)))).fullmatch
        return lambda url: match_path(_parts(url)[1]) is not None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        search = re.compile(argument).search
    return lambda url: search(url[:LONGEST]) is not None


def _parts(url: str) -> tuple[str, str]:
    """Host, and path with query."""
    try:
        found = split(url)
    except (ValueError, TypeError):
        return "", ""
    return found.host, found.path + found.query


def _escaped(char: str) -> str:
    if char.isascii() and char > " ":
        return char
    return "".join(f"%{byte:02X}" for byte in char.encode("utf-8", "replace"))


def _glob(glob: str) -> str:
    """``*`` is anything. It goes back over the last ``*`` only, so that a hostile URL costs linear time."""
    first, *rest = (re.escape(part) for part in glob.split("*"))
    if not rest:
        return first
    middle = "".join(f"(?>.*?{part})" for part in rest[:-1] if part)
    return f"(?s:{first}{middle}.*{rest[-1]})"
