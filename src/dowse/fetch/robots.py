"""robots.txt by RFC 9309: what an answer to a request for it means, and what it says to one crawler.

Reading is one pass over the lines. What cannot be understood costs its own line only, and nothing in a file makes the
rest of it void: an HTML page has no rules because none of its lines is a record, not because it is HTML. More lenient
than the RFC are the names of fields that are misspelt in the usual ways, and versions behind a crawler's name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from math import isfinite

from dowse.fetch.faults import clean
from dowse.fetch.request import PRODUCT
from dowse.fetch.robot_rules import PathRules, octets, path_rules
from dowse.model.http import Failure, Response, Truncation

__all__ = [
    "ALLOW_ALL", "DENY_ALL", "MAX_ROBOTS_BYTES", "Rules", "read_robots", "robots_outcome",
]  # fmt: skip

MAX_ROBOTS_BYTES = 500 * 1024
"""As much of a robots.txt as RFC 9309, section 2.5, asks a crawler to read."""

_MOST_SITEMAPS = 1000
_LONGEST_SITEMAP = 2000
_LONGEST_NUMBER = 32
_FIELDS = {
    **dict.fromkeys(("user-agent", "useragent", "user agent"), "agent"),
    **dict.fromkeys(("disallow", "dissallow", "dissalow", "disalow", "diasllow", "disallaw"), "disallow"),
    "allow": "allow",
    **dict.fromkeys(("crawl-delay", "crawl delay"), "delay"),
    **dict.fromkeys(("sitemap", "sitemaps", "site-map"), "sitemap"),
}
_TOKEN = re.compile(r"\*|[A-Za-z_-]+").match
_PATH = re.compile(r"[^/?#]*+//[^/?#]*+([^#]*+)").match


@dataclass(frozen=True, slots=True)
class Rules:
    """What one robots.txt says to one crawler.

    ``status`` is "rules" (a file was read), "allowed" (there is none) or "unreachable" (nobody may be asked for now:
    ask again later).
    """

    status: str
    delay_s: float | None = None
    sitemaps: tuple[str, ...] = ()
    verdict: bool = True  # for every URL, where there are no rules
    paths: PathRules | None = None

    @property
    def count(self) -> int:
        """How many rules there are, and 1 for itself."""
        return 1 if self.paths is None else 1 + self.paths.count

    def allowed(self, url: str) -> bool:
        """May this URL be fetched? One that has no path is asked about as "/"."""
        if self.paths is None:
            return self.verdict
        match = _PATH(url)
        path = octets(match[1]) if match is not None else ""
        if not path.startswith("/"):
            path = "/" + path
        return self.paths.allow(path) or path.partition("?")[0] == "/robots.txt"

    def effort(self, url: str) -> int:
        """About how many microseconds it takes, at the most, to tell whether this URL may be fetched. The same for the
        same rules and URL, whatever the machine."""
        return 0 if self.paths is None else self.paths.effort(len(url))


ALLOW_ALL = Rules("allowed")
DENY_ALL = Rules("unreachable", verdict=False)


@dataclass(slots=True)
class _Group:
    """What is said to one name, in all groups that carry it."""

    rules: list[tuple[bool, str]] = field(default_factory=list)
    delay_s: float | None = None

    def take(self, kind: str, value: str) -> None:
        if kind != "delay":
            self.rules.append((kind == "allow", value))
        elif (delay_s := _seconds(value)) is not None:
            self.delay_s = delay_s


def _seconds(text: str) -> float | None:
    try:
        delay_s = float(text) if len(text) <= _LONGEST_NUMBER else -1.0
    except ValueError:
        return None
    return delay_s if isfinite(delay_s) and delay_s >= 0 else None


def _text(body: bytes) -> str:
    """The file as text, of at most 500 KiB and then cut at a line's end; lines end with "\\n".

    Bytes that are no UTF-8 stay what they are. NULs and byte order marks are passed over wherever they stand: so UTF-16
    can be read that does not say so.
    """
    head = body[:MAX_ROBOTS_BYTES]
    is_marked = head.startswith((b"\xff\xfe", b"\xfe\xff"))
    if is_marked and b"\0" in head:  # as there must be, in front of or behind each letter of a field's name
        text = head.decode("utf-16", "replace")
    else:
        text = head[2 * is_marked :].decode("utf-8", "surrogateescape")
    text = text.replace("\0", "").replace("\ufeff", "").replace("\r", "\n")
    return text if len(body) <= MAX_ROBOTS_BYTES else text[: text.rfind("\n") + 1]


def _records(text: str) -> Iterator[tuple[str, str]]:
    """The kind and the value of each line that is a record."""
    for line in text.split("\n"):
        name, colon, value = line.partition(":")
        kind = _FIELDS.get(name.strip().lower())
        if kind is not None and colon:
            yield kind, value.partition("#")[0].strip()


def _select(text: str, agent: str) -> tuple[_Group, tuple[str, ...]]:
    """What the groups that name ``agent`` say (else those for everyone), merged; and the sitemaps."""
    groups = {agent: _Group(), "*": _Group()}
    sitemaps: dict[str, None] = {}
    current: set[str] = set()
    is_named = in_heading = False
    for kind, value in _records(text):
        if kind == "agent":
            if not in_heading:
                current, in_heading = set(), True
            match = _TOKEN(value)
            token = match[0].lower() if match else ""
            if token in groups:
                current.add(token)
                is_named = is_named or token == agent
        elif kind == "sitemap":
            if value and len(value) <= _LONGEST_SITEMAP and len(sitemaps) < _MOST_SITEMAPS:
                sitemaps[clean(value)] = None
        else:
            # Only rules end a heading: no other record may interfere with the grouping (section 2.2.4).
            in_heading = in_heading and kind == "delay"
            for token in current:
                groups[token].take(kind, value)
    return groups[agent if is_named else "*"], tuple(sitemaps)


def read_robots(body: bytes, agent: str = PRODUCT) -> Rules:
    """Read a robots.txt for the crawler with this product token. Never fails: what is no record is passed over, and a
    file without records has no rules."""
    group, sitemaps = _select(_text(body), agent.lower())
    rules = dict.fromkeys(rule for rule in group.rules if rule[1])
    return Rules("rules", group.delay_s, sitemaps, paths=path_rules(rules) if rules else None)


def robots_outcome(result: Response | Failure, agent: str = PRODUCT) -> Rules:
    """What an answer to a request for robots.txt means (RFC 9309, section 2.3.1). Redirects were followed before: one
    that is left, after five hops or because it leads nowhere, means that there is no file.

    ============================  ===========================================================
    2xx                           its rules
    2xx, cut before 500 KiB       unreachable
    4xx, and a 3xx that is left   there is no file: everything is allowed
    429, 5xx, network failure     unreachable: nothing is allowed, ask again later
    ============================  ===========================================================
    """
    if isinstance(result, Failure):
        return DENY_ALL
    if result.status // 100 == 2:
        return DENY_ALL if _is_cut(result) else read_robots(result.body, agent)
    return ALLOW_ALL if result.status // 100 in (3, 4) and result.status != 429 else DENY_ALL


def _is_cut(response: Response) -> bool:
    """Half a file may lack the very rule that matters, and so may one that could be decoded only so far. Of 500 KiB
    the rest is not missed; but an end of the bytes over the wire may come long before that, if they are packed."""
    if response.truncated is Truncation.LENGTH:
        return len(response.body) < MAX_ROBOTS_BYTES
    return response.truncated is not Truncation.NONE
