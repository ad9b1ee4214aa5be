"""Readers for the values of a topic file: each takes what TOML holds and gives what the dataclass wants.

A reader raises :class:`Fault` with a message that says what to write; who calls it adds the file, line and key.
"""

from __future__ import annotations

import difflib
import ipaddress
import math
import re
from collections.abc import Callable
from dataclasses import replace
from datetime import date, time
from typing import Any

from dowse.model.budget import Budget, parse_budget, parse_duration, parse_size
from dowse.model.database_url import url_fault
from dowse.model.errors import TopicError
from dowse.model.proxy_login import without_login
from dowse.model.topic import Keyword
from dowse.model.url import canonical

__all__ = ["Fault", "Read"]

Read = Callable[[Any], Any]
_DAY_S = 86400.0
_MOST = 2**53
_LARGEST = 2**60
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
    named = (name for kinds, name in _KINDS if isinstance(value, kinds))
    return next(named, "None" if value is None else f"a {type(value).__name__}")


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


def whole(low: int, high: int = _MOST) -> Read:
    def read(value: Any) -> int:
        if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
            is_least = high == _MOST and not (isinstance(value, int) and value > high)
            limits = f"of at least {low}" if is_least else f"from {low} to {high}"
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
            finite = "a finite number" if value == math.inf else "a number"
            raise Fault(f"must be {finite} above {low:g}, not {shown(value)}")
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
    if not 0 < count <= _LARGEST:
        bounds = "above 0" if count <= 0 else f"up to {_LARGEST} bytes"
        raise Fault(f"must be a size {bounds}, not {shown(value)}")
    return count


BUDGET: dict[str, Read] = {
    "pages": whole(1), "bytes": size, "seconds": duration(0.001), "requests": whole(1),
}  # fmt: skip
"""What reads each limit of a budget."""


def budget_text(value: str) -> Budget:
    """A budget such as ``2000p,30m``."""
    found: Budget = _parsed(parse_budget, value)
    for name, read in BUDGET.items():
        limit = getattr(found, name)
        try:
            if limit is not None:
                read(limit)
        except Fault as fault:
            raise Fault(f"{name} {fault.message}") from None
    return found


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
content_type = matching(r"[a-z]+/[a-z0-9.+*-]*", "a content type such as text/html or application/pdf")
header_text = matching(r"[ -~]+", "one line of plain ASCII")
engine = matching(r"[a-z][a-z0-9_-]*(?::.+)?", "an engine: write its name, or name:address, as in searxng:https://...")
filled = matching(r"(?s).*\S.*", "a query: it is empty")
contact = matching(r"[!-~]+@[!-~]+|https?://[!-~]+", "a mail address or an http(s) URL")


def database(value: Any) -> str:
    """A shared database's URL. What is none is shown to nobody: there may be a password in it."""
    if fault := url_fault(text(value)):
        raise Fault(fault)
    return str(value)


proxy = matching(r"https?://[!-~]+", "a proxy's URL, as in http://proxy.example:3128")

_ISO_639_1 = (
    "a[abefkmnrsvyz]|b[aeghimnors]|c[aehorsuvy]|d[aevz]|e[elnostu]|f[afijory]|g[adlnuv]|"
    "h[aeiortuyz]|i[adegikostu]|j[av]|k[agijklmnorsuvwy]|l[abginotuv]|m[ghiklnrsty]|n[abdeglnorvy]|"
    "o[cjmrs]|p[ailst]|q[u]|r[mnouw]|s[acdeghiklmnoqrstuvw]|t[aeghiklnorstwy]|u[gkrz]|v[eio]|"
    "w[ao]|x[h]|y[io]|z[ahu]"
)
language_code = matching(_ISO_639_1, "a language code of two letters such as en (ISO 639-1), by which pages are told")


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
    """A list of words and phrases, or a table of them with weights; in it, a list or table for each language that has
    keywords of its own, under its code."""
    if not isinstance(value, dict):
        return _pool(value)
    inner = {code: own for code, own in value.items() if isinstance(own, (list, dict))}
    found = list(_pool({word: weight for word, weight in value.items() if word not in inner}))
    for code, own in inner.items():
        try:
            found += (replace(keyword, language=language_code(code)) for keyword in _pool(own))
        except Fault as fault:
            raise Fault(fault.message, code, *fault.within) from None
    return tuple(found)


def _pool(value: Any) -> tuple[Keyword, ...]:
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
