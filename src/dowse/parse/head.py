"""What a page says of itself as a whole: title, language, base, canonical address, refresh, feed, and
what robots may do."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from dowse.model.document_kinds import FEED_TYPES, media_type
from dowse.parse.document import MAX_HREF

__all__ = ["BASE", "HTML", "LINK", "META", "TITLE", "Head", "directives"]

HTML, TITLE, META, LINK, BASE = 4, 6, 7, 8, 9
"""The elements that say it, among the kinds of :mod:`dowse.parse.html`."""
_MAX_TITLE = 500
_BEFORE_REFRESH = re.compile(r"\s*+[\d.]*+\s*+[;,]?+\s*+(?:url\s*+=\s*+)?+", re.IGNORECASE)
_AGENT = re.compile(r"^\s*([\w.*-]+)\s*:(?!\s*\d)")
_VALUED = frozenset({"max-snippet", "max-image-preview", "max-video-preview", "unavailable_after"})
Attributes = Mapping[str, str | None]


@dataclass(slots=True)
class Head:
    """Filled element by element, wherever they stand on the page; the first of each counts."""

    title: str = ""
    titled: bool = False
    lang: str = ""
    base: str | None = None
    canonical: str | None = None
    refresh: str | None = None
    feed: str | None = None
    robots: list[str] = field(default_factory=list)

    def enter(self, kind: int, attributes: Attributes, text: str) -> None:
        """An element of one of the kinds above begins; ``text`` is a title's."""
        if kind == META:
            self._meta(attributes)
        elif kind == HTML:
            self.lang = attributes.get("lang") or attributes.get("xml:lang") or ""
        elif kind == TITLE:
            if not self.titled:
                self.title = " ".join(text.split())[:_MAX_TITLE]
                self.titled = True
        elif kind == LINK:
            self._link(attributes)
        elif kind == BASE and self.base is None:
            self.base = _target(attributes)

    def _link(self, attributes: Attributes) -> None:
        rel = (attributes.get("rel") or "").lower().split()
        if self.canonical is None and "canonical" in rel:
            self.canonical = _target(attributes)
        elif self.feed is None and "alternate" in rel and media_type(attributes.get("type") or "") in FEED_TYPES:
            self.feed = _target(attributes)  # the first is the site's: others are for comments, or a page's own

    def _meta(self, attributes: Attributes) -> None:
        content = attributes.get("content")
        if not content:
            return
        name = (attributes.get("name") or attributes.get("http-equiv") or "").strip().lower()
        if name in ("robots", "dowse"):
            self.robots.append(content)
        elif name == "refresh" and self.refresh is None:
            self.refresh = _refreshed(content)

    def extend(self, other: Head) -> None:
        """Take up what the page's next piece says."""
        if not self.titled:
            self.title, self.titled = other.title, other.titled
        self.base = other.base if self.base is None else self.base
        self.canonical = other.canonical if self.canonical is None else self.canonical
        self.refresh = other.refresh if self.refresh is None else self.refresh
        self.feed = other.feed if self.feed is None else self.feed
        self.robots += other.robots


def _target(attributes: Attributes) -> str | None:
    """Its href, "" where it has no value: ``<base href>`` is ``<base href="">``."""
    if "href" not in attributes:
        return None
    href = attributes["href"] or ""
    return href if len(href) <= MAX_HREF else None


def _refreshed(content: str) -> str | None:
    """Where ``5; url='next.html'`` leads."""
    before = _BEFORE_REFRESH.match(content)
    target = content[before.end() :].strip() if before else ""
    if len(target) > MAX_HREF:
        return None
    if len(target) > 1 and target[0] in "\"'" and target[0] == target[-1]:
        target = target[1:-1].strip()
    return target


def directives(header: str | None, metas: list[str], agent: str = "dowse") -> tuple[bool, bool]:
    """(noindex, nofollow) of a page, by its X-Robots-Tag header and its ``<meta name=robots>``. Rules that the header
    addresses to another agent do not count.

    >>> directives("otherbot: noindex, nofollow", ["NOFOLLOW"])
    (False, True)
    """
    tokens: set[str] = set()
    addressed = True
    for part in (header or "").lower().split(","):
        named = _AGENT.match(part)
        if named is not None and named[1] not in _VALUED:
            addressed = named[1] in (agent, "*")
            part = part[named.end() :]
        if addressed:
            tokens.add(part.strip())
    for content in metas:
        tokens.update(token.strip() for token in content.lower().split(","))
    everything = "none" in tokens
    return everything or "noindex" in tokens, everything or "nofollow" in tokens
