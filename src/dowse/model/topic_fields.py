"""Readers for the values of a topic file: each takes what TOML holds and gives what the dataclass wants.

A reader raises :class:`Fault` with a message that says what to write; who calls it adds the file, line and key.
"""

from __future__ import annotations

import difflib
import ipaddress
import math
import re
from collections.abc import Callable
from datetime import date, time
from pathlib import Path
from typing import Any

from dowse.model.budget import Budget, parse_budget, parse_duration, parse_size
from dowse.model.errors import TopicError
from dowse.model.proxy_login import without_login
from dowse.model.topic import Keyword
from dowse.model.url import canonical

__all__ = ["Fault", "Read"]

Read = Callable[[Any], Any]
_DAY_S = 86400.0
_KINDS: list[tuple[type | tuple[type, ...], str]] = [
    (bool, "a boolean"), (str, "a string"), ((int, float), "a number"), (list, "a list"), (dict, "a table"),
    ((date, time), "a date"),
]  # fmt: skip


class Fault(Exception):
    """A value that cannot be used. ``within`` leads to the part at fault inside a list or table."""

    def __init__(self, message: str, *within: str | int) -> None:
        super().__init__(message)
        self.message = message
        self.within = within


def shown(value: Any) -> str:
    """A value as a message names it: scalars in TOML, the rest by kind."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, (int, float)):
        return f"{value:g}" if isinstance(value, float) else str(value)
    if isinstance(value, str):
        return f'"{one_line(value)}"'
    return next(name for kinds, name in _KINDS if isinstance(value, kinds))


def one_line(value: str) -> str:
    """Text that fits a message: short, with line breaks and the like as escapes."""
    value = without_login(value)  # a message may end in somebody's log
    return "".join(c if c.isprintable() else repr(c)[1:-1] for c in (value if len(value) <= 60 else value[:60] + "..."))


def text(value: Any) -> str:
    if not isinstance(value, str):
        raise Fault(f"must be a string, not {shown(value)}")
    return value


def boolean(value: Any) -> bool:
    if not isinstance(value, bool):
        raise Fault(f"must be true or false, not {shown(value)}")
    return value


def whole(low: int, high: int = 2**53) -> Read:
    def read(value: Any) -> int:
        if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
            limits = f"of at least {low}" if high == 2**53 else f"from {low} to {high}"
            raise Fault(f"must be a whole number {limits}, not {shown(value)}")
        return value

    return read


def number(low: float, high: float) -> Read:
    def read(value: Any) -> float:
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not low <= value <= high:
            raise Fault(f"must be a number from {low:g} to {high:g}, not {shown(value)}")
        return float(value)

    return read


def above(low: float) -> Read:
    def read(value: Any) -> float:
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not low < value < math.inf:
            raise Fault(f"must be a number above {low:g}, not {shown(value)}")
        return float(value)

    return read


def duration(low: float = 0.0, high: float = 366 * _DAY_S) -> Read:
    """Seconds, from a number or from ``"90s"``, ``"30m"``, ``"2h"``, ``"1d"``; a low of 0 allows 0."""

    def read(value: Any) -> float:
        if isinstance(value, bool) or not isinstance(value, (int, float, str)):
            raise Fault(f'must be a length of time such as 2 or "30m", not {shown(value)}')
        seconds = _parsed(parse_duration, value) if isinstance(value, str) else float(value)
        if not low <= seconds <= high:
            raise Fault(f"must be a time from {low:g}s to {high / _DAY_S:g}d, not {shown(value)}")
        return float(seconds)

    return read


def size(value: Any) -> int:
    """Bytes, from a number or from ``"20MB"``."""
    if isinstance(value, bool) or not isinstance(value, (int, str)):
        raise Fault(f'must be a size such as 500000 or "20MB", not {shown(value)}')
    count: int = _parsed(parse_size, value) if isinstance(value, str) else value
    if not 0 < count <= 2**60:
        raise Fault(f"must be a size above 0, not {shown(value)}")
    return count


def budget_text(value: str) -> Budget:
    read: Budget = _parsed(parse_budget, value)
    return read


def _parsed(parse: Callable[[str], Any], value: str) -> Any:
    try:
        return parse(value)
    except TopicError as error:
        raise Fault(error.message) from None


def one_of(*names: str) -> Read:
    def read(value: Any) -> str:
        if value not in names:
            close = difflib.get_close_matches(value, names, 1, 0.75) if isinstance(value, str) else []
            hint = f": did you mean {close[0]}?" if close and len(names) > 5 else ""
            raise Fault(f"must be {', '.join(names[:-1])} or {names[-1]}, not {shown(value)}{hint}")
        return str(value)

    return read


def each(read: Callable[[str], Any]) -> Read:
    """A list of strings, each through ``read`` (which may give several values as a tuple)."""

    def read_all(value: Any) -> tuple[Any, ...]:
        if not isinstance(value, list):
            raise Fault(f"must be a list of strings, not {shown(value)}")
        values: list[Any] = []
        for i, item in enumerate(value):
            try:
                result = read(text(item))
            except Fault as fault:
                raise Fault(fault.message, i, *fault.within) from None
            values += result if isinstance(result, tuple) else [result]
        return tuple(values)

    return read_all


def matching(pattern: str, wanted: str) -> Callable[[Any], str]:
    compiled = re.compile(pattern)

    def read(value: Any) -> str:
        if not compiled.fullmatch(text(value)):
            raise Fault(f"{shown(value)} is not {wanted}")
        return str(value)

    return read


def web_url(value: Any) -> str:
    url = canonical(text(value))
    if url is None:
        raise Fault(f"{shown(value)} is not a web address: write it whole, as in https://example.org/")
    return url


host_glob = matching(r"[^\s/:@?#]+", "a host name such as example.org or *.example.org")
path_glob = matching(r"[/*]\S*", "a path pattern: it begins with / or *, as in /papers/* or *.html")
language_code = matching(r"[a-z]{2,3}(-[A-Za-z]+)?", "a language code such as en")
content_type = matching(r"[a-z]+/[a-z0-9.+*-]*", "a content type such as text/html or application/pdf")
header_text = matching(r"[ -~]+", "one line of plain ASCII")
contact = matching(r"[!-~]+@[!-~]+|https?://[!-~]+", "a mail address or an http(s) URL")
proxy = matching(r"https?://[!-~]+", "a proxy's URL, as in http://proxy.example:3128")


def address_or_network(value: Any) -> str:
    """``127.0.0.1`` or ``10.0.0.0/8``."""
    try:
        ipaddress.ip_network(text(value), strict=False)
    except ValueError:
        raise Fault(f'{shown(value)} is not an address: write "127.0.0.1", or a network, "10.0.0.0/8"') from None
    return str(value)


def ports(value: Any) -> tuple[int, ...]:
    """A list of port numbers."""
    if not isinstance(value, list):
        raise Fault(f"must be a list of ports such as [8022], not {shown(value)}")
    found: list[int] = []
    for i, port in enumerate(value):
        try:
            found.append(whole(1, 65535)(port))
        except Fault as fault:
            raise Fault(fault.message, i) from None
    return tuple(found)


def resolve(value: Any) -> dict[str, str]:
    """Host globs to ``address`` or ``address:port`` (IPv6 in brackets when a port follows)."""
    if not isinstance(value, dict):
        raise Fault(f'must be a table such as {{ "*.example.org" = "127.0.0.1:8080" }}, not {shown(value)}')
    for glob, address in value.items():
        try:
            host_glob(glob)
            match = re.fullmatch(r"\[(.+)\](?::([0-9]{1,5}))?|([0-9.]+)(?::([0-9]{1,5}))?", text(address))
            ipaddress.ip_address((match[1] or match[3]) if match else address)
            if match and int(match[2] or match[4] or 1) not in range(1, 65536):
                raise ValueError
        except Fault as fault:
            raise Fault(fault.message, glob) from None
        except ValueError:
            raise Fault(f'{shown(address)} is not an address: write "127.0.0.1" or "127.0.0.1:8080"', glob) from None
    return dict(value)


def keywords(value: Any) -> tuple[Keyword, ...]:
    """A list of words and phrases, or a table of them with weights."""
    if isinstance(value, list):
        value = dict.fromkeys(each(str)(value), 1.0)
    if not isinstance(value, dict):
        raise Fault(
            f'must be a list such as ["solar cell"] or a table such as {{ "solar cell" = 2.0 }}, not {shown(value)}'
        )
    for word, weight in value.items():
        if not word.strip():
            raise Fault("a keyword is empty", word)
        is_number = isinstance(weight, (int, float)) and not isinstance(weight, bool)
        if not is_number or not 0 < weight < math.inf:
            raise Fault(f"a keyword's weight must be a number above 0, not {shown(weight)}", word)
    return tuple(Keyword(word.strip(), float(weight)) for word, weight in value.items())


def categories(directory: Path) -> Callable[[Any], dict[str, str]]:
    """Names of categories and their files, relative to the topic file."""
    file = existing(directory)

    def read(value: Any) -> dict[str, str]:
        if not isinstance(value, dict):
            raise Fault(f'must be a table such as {{ sports = "sports.json" }}, not {shown(value)}')
        found = {}
        for name, place in value.items():
            try:
                found[name] = str(file(place))
            except Fault as fault:
                raise Fault(fault.message, name) from None
        return found

    return read


def path(directory: Path) -> Callable[[Any], str]:
    """A path relative to the topic file, whether or not it exists."""

    def read(value: Any) -> str:
        if not text(value) or "\0" in value:
            raise Fault("must be a path")
        return str(directory / Path(value).expanduser())

    return read


def existing(directory: Path, *, urls: bool = False, globs: bool = False) -> Callable[[Any], Any]:
    """A file that is there, relative to the topic file; or a URL, or all files of a glob, where those make sense."""
    locate = path(directory)

    def read(value: Any) -> str | tuple[str, ...]:
        if urls and "://" in text(value):
            return web_url(value)
        place = Path(locate(value))
        if place.exists():
            return str(place)
        if globs and any(c in value for c in "*?["):
            root = Path(place.anchor)
            found = sorted(str(file) for file in root.glob(str(place.relative_to(root))) if file.is_file())
            if found:
                return tuple(found)
            raise Fault(f"no file matches {shown(value)}")
        raise Fault(f"there is no file {shown(value)}")

    return read
