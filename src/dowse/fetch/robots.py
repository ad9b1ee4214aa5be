"""robots.txt by RFC 9309, on protego (the only module that imports it).

protego reads groups and matches paths; this module hands it a text that holds our own group alone, because three
things it does differ from the RFC: it takes a group named by a *prefix* of our token as ours, it overlooks a group
whose name carries a version ("Dowse/1.0"), and it ends a run of User-agent lines at any record it does not know. A
fourth is mended afterwards: it measures a rule with "?" and the like escaped, so that "/*?" is longer than "/abc".
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from protego import Protego

from dowse.fetch.agent import PRODUCT
from dowse.model.http import Failure, Response, Truncation

__all__ = [
    "ALLOW_ALL", "DENY_ALL", "MAX_ROBOTS_BYTES", "MAX_ROBOTS_REDIRECTS", "RobotsRedirect", "Rules", "read_robots",
    "robots_outcome",
]  # fmt: skip

MAX_ROBOTS_BYTES = 500 * 1024
"""As much of a robots.txt as RFC 9309, section 2.5, asks a crawler to read."""

MAX_ROBOTS_REDIRECTS = 5
"""Hops to follow (section 2.3.1.2); after that the file counts as unavailable: everything is allowed."""

_HTML = re.compile(rb"\s*(?:<!doctype\b|<html\b|<head\b|<body\b|<\?xml\b|<!--)", re.IGNORECASE).match
_RECORD = re.compile(r"\s*([A-Za-z][A-Za-z -]*?)\s*:\s*([^#]*)").match
_TOKEN = re.compile(r"\*|[A-Za-z_-]+").match
_AGENT = frozenset(("user-agent", "useragent", "user agent"))
_DISALLOW = frozenset(("disallow", "dissallow", "dissalow", "disalow", "diasllow", "disallaw"))
_ESCAPED_BY_PROTEGO = re.compile(r"%(?!25|2F)[2-7][0-9A-F]")  # "%" and "/" are escaped only where the file has them so
_DELAY = frozenset(("crawl-delay", "crawl delay"))
_SITEMAP = frozenset(("sitemap", "sitemaps", "site-map"))


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
    parsed: Protego | None = None

    def allowed(self, url: str) -> bool:
        """May this URL be fetched? A URL too odd to be matched is not denied."""
        if self.parsed is None:
            return self.verdict
        try:
            return bool(self.parsed.can_fetch(url, "*"))
        except Exception:  # no URL found on a page may end a crawl
            return True


ALLOW_ALL = Rules("allowed")
DENY_ALL = Rules("unreachable", verdict=False)


@dataclass(frozen=True, slots=True)
class RobotsRedirect:
    """The file is elsewhere: ask there, with ``MAX_ROBOTS_REDIRECTS`` hops at most."""

    location: str


def _text(body: bytes) -> str:
    """The readable part: without BOM, at most 500 KiB and then cut at a line's end; empty for HTML or binary noise."""
    head = body[:MAX_ROBOTS_BYTES]
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        return head.decode("utf-16", "replace")
    head = head.removeprefix(b"\xef\xbb\xbf")
    if _HTML(head) or b"\0" in head:
        return ""
    if len(body) > MAX_ROBOTS_BYTES:
        head = head[: max(head.rfind(b"\n"), head.rfind(b"\r")) + 1]
    return head.decode("utf-8", "replace")


def _records(text: str) -> Iterator[tuple[str, str]]:
    for line in re.split(r"[\r\n]+", text):
        match = _RECORD(line)
        if match is not None:
            yield match[1].lower(), match[2].strip()


def _select(text: str, agent: str) -> tuple[list[str], list[str]]:
    """The rules of the groups that name ``agent`` (else of those for everyone), merged; and the sitemaps."""
    ours: list[str] = []
    everyone: list[str] = []
    sitemaps: list[str] = []
    current: set[str] = set()
    named = in_heading = False
    for field, value in _records(text):
        if field in _AGENT:
            if not in_heading:
                current, in_heading = set(), True
            match = _TOKEN(value)
            current.add(match[0].lower() if match else "")
            named = named or agent in current
        elif field == "allow" or field in _DISALLOW or field in _DELAY:
            # Only rules end a heading: no other record may interfere with the grouping (section 2.2.4).
            in_heading = in_heading and field in _DELAY
            line = f"{field}: {value}"
            if agent in current:
                ours.append(line)
            if "*" in current:
                everyone.append(line)
        elif field in _SITEMAP:
            sitemaps.append(value)
    return (ours if named else everyone), sitemaps


def read_robots(body: bytes, agent: str = PRODUCT) -> Rules:
    """Read a robots.txt for the crawler with this product token. Never fails: what cannot be read has no rules."""
    lines, sitemaps = _select(_text(body), agent.lower())
    parsed = Protego.parse("\n".join(["user-agent: *", *lines]))
    _measure_in_octets(parsed)
    return Rules("rules", parsed.crawl_delay("*"), tuple(dict.fromkeys(filter(None, sitemaps))), parsed=parsed)


def _measure_in_octets(parsed: Protego) -> None:
    """Order the rules by their length as RFC 9309, section 2.2.2, has it: in octets, of which "?" is one."""
    for group in parsed._user_agents.values():
        for rule in group._rules:
            rule.value.priority = len(_ESCAPED_BY_PROTEGO.sub("?", rule.value._pattern))
        group.finalize_rules()


def robots_outcome(result: Response | Failure, agent: str = PRODUCT) -> Rules | RobotsRedirect:
    """What an answer to a request for robots.txt means (RFC 9309, section 2.3.1).

    ============================  ===========================================================
    2xx                           its rules
    3xx with a Location           follow it
    4xx, and 3xx without one      there is no file: everything is allowed
    429, 5xx, network failure     unreachable: nothing is allowed, ask again later
    ============================  ===========================================================
    """
    if isinstance(result, Failure):
        return DENY_ALL
    if result.status // 100 == 2:
        # half a file may lack the very rule that matters
        cut = result.truncated in (Truncation.TIME, Truncation.DISCONNECT, Truncation.BUDGET)
        return DENY_ALL if cut else read_robots(result.body, agent)
    location = result.header("Location")
    if result.status // 100 == 3 and location:
        return RobotsRedirect(location)
    return ALLOW_ALL if result.status // 100 in (3, 4) and result.status != 429 else DENY_ALL
