"""URLs: joined and normalised as a browser would, made canonical, and fingerprinted.

A *canonical* URL is absolute, http or https, WHATWG-normalised, without fragment, credentials, tracking
parameters or session parameters. Everything behind the parser speaks canonical URLs only; two canonical
URLs are the same page address exactly when their strings (and so their 64-bit fingerprints) are equal.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import can_ada
import xxhash

__all__ = ["Base", "UrlParts", "canonical", "fingerprint", "split"]


_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.\-]*:")
_EDGES = "".join(map(chr, range(0x21)))  # the WHATWG parser strips C0 controls and space at both ends
_SLASHES = ("/", "\\")
_NEWLINES = re.compile(r"[\t\n\r]")
_NOISE_PARAMETER = re.compile(
    r"(?i)[?&](?:utm_[a-z_]+|gclid|fbclid|dclid|msclkid|mc_[ce]id|igshid|yclid|_ga|_gl"
    r"|phpsessid|jsessionid|aspsessionid\w*|cfid|cftoken|sessionid|session_id)=[^&]*"
)
_WEB = ("http://", "https://")
_CREDENTIALS = re.compile(r"^(https?://)[^/?]*@")
_DOT_SEGMENT = re.compile(r"/\.\.?(?:/|$)")
# A relative path that is canonical as it stands: nothing to escape, to resolve or to drop.
_PLAIN = re.compile(r"[A-Za-z0-9_\-]+(?:[./][A-Za-z0-9_\-]+)*+/?+").fullmatch
_UPWARD = re.compile(r"((?:\.\./)+)([A-Za-z0-9_\-]+(?:[./][A-Za-z0-9_\-]+)*+/?+)").fullmatch
# Nothing that is stripped or dropped before it is joined, and no query in front.
_BY_DIRECTORY = re.compile(r"(?:[!->@-~][^\x00-\x20]*)?").fullmatch
_PATH_PARAMETER = re.compile(r"(?i);(?:jsessionid|phpsessid)=[^/?#;]*")


def fingerprint(url: str) -> int:
    """64-bit fingerprint of a canonical URL."""
    return xxhash.xxh3_64_intdigest(url.encode())


@dataclass(frozen=True, slots=True)
class UrlParts:
    """What schedulers and rules need of a canonical URL."""

    url: str
    origin: str  # scheme://host[:port], the unit of robots.txt
    host: str  # host name or address literal, lower case
    port: int
    path: str
    query: str  # with its leading "?", or empty


def _clean(href: str) -> str | None:
    """The canonical form of a WHATWG-normalised URL; None when it is not a web address."""
    if not href.startswith(_WEB):
        return None
    mark = href.find("#")
    if mark >= 0:
        href = href[:mark]
    if "/." in href:
        href = _without_dots(href)
    if "@" in href:
        href = _CREDENTIALS.sub(r"\1", href)
    if ";" in href:
        bare = _PATH_PARAMETER.sub("", href)
        if bare != href:  # "/..;jsessionid=1/" has become a dot segment
            href = _without_dots(can_ada.parse(bare).href)
    mark = href.find("?")
    if mark >= 0:
        query = href[mark:]
        if "=" in query:
            query = _NOISE_PARAMETER.sub("", query)
        query = query[1:].rstrip("&")
        href = f"{href[:mark]}?{query}" if query else href[:mark]
    return href


def _without_dots(href: str) -> str:
    """Resolve "." and ".." in a path; can_ada misses them behind a segment such as ".well-known"."""
    head, mark, query = href.partition("?")
    if _DOT_SEGMENT.search(head) is None:
        return href
    start = head.find("/", 8)
    kept: list[str] = []
    *parents, last = head[start + 1 :].split("/")
    for segment in parents:
        if segment == "..":
            kept = kept[:-1]
        elif segment != ".":
            kept.append(segment)
    if last == "..":
        kept = kept[:-1]
    kept.append("" if last in (".", "..") else last)
    return head[: start + 1] + "/".join(kept) + mark + query


def canonical(url: str) -> str | None:
    """The canonical form of an absolute URL, or None when it is not a usable http(s) address.

    >>> canonical("HTTP://Example.ORG:80/a/../b?utm_source=x&id=7#top")
    'http://example.org/b?id=7'
    >>> canonical("mailto:someone@example.org") is None
    True
    """
    try:
        return _clean(can_ada.parse(url).href)
    except (ValueError, TypeError):  # TypeError: a lone surrogate, which has no UTF-8
        return None


def split(url: str) -> UrlParts:
    """Take a canonical URL apart.

    >>> split("https://example.org/a?b=1").origin
    'https://example.org'
    """
    parsed = can_ada.parse(url)
    port = parsed.port
    return UrlParts(
        url=url,
        origin=parsed.origin,
        host=parsed.hostname,
        port=int(port) if port else (443 if parsed.protocol == "https:" else 80),
        path=parsed.pathname,
        query=parsed.search,
    )


class Base:
    """Joins the references of one page; the page's own parts are taken apart once.

    >>> Base("https://example.org/a/b.html").join("../c?d#e")
    'https://example.org/c?d'
    """

    __slots__ = ("_directories", "_directory", "_document", "_origin", "_scheme", "_skip")

    def __init__(self, url: str) -> None:
        parsed = can_ada.parse(url)
        parsed.hash = ""
        parsed.username = ""
        parsed.password = ""
        scheme = parsed.protocol
        self._scheme = scheme
        self._origin = parsed.origin
        self._document = self._origin + parsed.pathname
        self._directory = self._document[: self._document.rfind("/") + 1]
        self._directories = [self._directory]  # it, its parent, ... as far as anybody asked
        self._skip = len(scheme)

    @property
    def directory(self) -> str:
        """The directory of the page, an absolute URL."""
        return self._directory

    @staticmethod
    def joins_by_directory(reference: str) -> bool:
        """Does it lead to the same from each page of a directory? A query alone does not; of what is rare and may
        become one, tabs and the like being dropped, no more is said than that it might not."""
        return _BY_DIRECTORY(reference) is not None and ":?" not in reference

    def _above(self, levels: int) -> str:
        """The directory so many levels up; the root is its own parent."""
        found = self._directories
        while len(found) <= levels:
            last, root = found[-1], len(self._origin) + 1
            found.append(last if len(last) == root else last[: last.rfind("/", 0, -1) + 1])
        return found[levels]

    def join(self, reference: str) -> str | None:
        """The canonical target of ``reference``; None when it leads nowhere a crawler can go."""
        if _PLAIN(reference) is not None:  # most links of a site are like that, or with some "../" in front
            return self._directory + reference
        if reference.startswith("../"):
            ups = _UPWARD(reference)
            if ups is not None:
                return self._above(len(ups[1]) // 3) + ups[2]
        ref = reference.strip(_EDGES)
        if "\n" in ref or "\t" in ref or "\r" in ref:
            ref = _NEWLINES.sub("", ref)
        if _SCHEME.match(ref) is not None:
            if ref[: self._skip].lower() != self._scheme:
                return canonical(ref)
            # "http:page.html" and "http:/page.html" on an http page are relative to it, as browsers have it
            ref = ref[self._skip :]
        if not ref or ref[0] == "#":
            return None
        first = ref[0]
        if first == "/" or first == "\\":
            start = self._scheme if ref[1:2] in _SLASHES else self._origin
        elif first == "?":
            start = self._document
        else:
            start = self._directory
        try:
            return _clean(can_ada.parse(start + ref).href)
        except (ValueError, TypeError):
            return None
