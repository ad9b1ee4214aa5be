"""URLs: joined and normalised as a browser would, made canonical, and fingerprinted.

A *canonical* URL is absolute, http or https, WHATWG-normalised, without fragment, credentials, tracking
parameters, session parameters, or dots at the end of its host. Everything behind the parser speaks canonical URLs
only; two canonical URLs are the same page address exactly when their strings (and so their 64-bit fingerprints) are
equal. What stands before the path, ``scheme://host[:port]``, is what is connected to, and so the URL's site.

A host is an address or a name that DNS can have: labels of 1 to 63 letters, digits, ``-`` and ``_``, 253 characters at
most. The URL standard allows more (``;`` and ``*``, empty labels), which leads nowhere but to confusion.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import unquote

import can_ada
import xxhash

__all__ = ["Base", "UrlParts", "canonical", "fingerprint", "path_words", "spelled_host", "split"]


_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.\-]*:")
_EDGES = "".join(map(chr, range(0x21)))  # the WHATWG parser strips C0 controls and space at both ends
_SLASHES = ("/", "\\")
_NEWLINES = re.compile(r"[\t\n\r]")
_NOISE_PARAMETER = re.compile(
    r"(?i)[?&](?:utm_[a-z_]+|gclid|fbclid|dclid|msclkid|mc_[ce]id|igshid|yclid|_ga|_gl"
    r"|phpsessid|jsessionid|aspsessionid\w*|cfid|cftoken|sessionid|session_id)=[^&]*"
)
_WEB = ("http://", "https://")
# All there may be before the path. Nearly every URL that was normalised has it already.
_ORIGIN = re.compile(r"https?://(?:(?:[a-z0-9_\-]{1,63}\.)*+[a-z0-9_\-]{1,63}+|\[[0-9a-f:]++\])(?::[0-9]++)?+/").match
_LONGEST_NAME = 253
# An authority that no name of DNS fits in, however it is escaped: to encode it would take time with its square.
_LONGEST_AUTHORITY = 512
_OVERLONG = re.compile(rf"[^:/?#\\]*+:?+[/\\\t\n\r]*+[^/?#\\]{{{_LONGEST_AUTHORITY + 1}}}").match
_DOT_SEGMENT = re.compile(r"/\.\.?(?:/|$)")
# A relative path that is canonical as it stands: nothing to escape, to resolve or to drop.
_PLAIN = re.compile(r"[A-Za-z0-9_\-]+(?:[./][A-Za-z0-9_\-]+)*+/?+").fullmatch
_UPWARD = re.compile(r"((?:\.\./)+)([A-Za-z0-9_\-]+(?:[./][A-Za-z0-9_\-]+)*+/?+)").fullmatch
# Nothing that is stripped or dropped before it is joined, and no query in front.
_BY_DIRECTORY = re.compile(r"(?:[!->@-~][^\x00-\x20]*)?").fullmatch
_PATH_PARAMETER = re.compile(r"(?i);(?:jsessionid|phpsessid)=[^/?#;]*")


_LETTERS_ONLY = str.maketrans({chr(code): " " for code in range(128) if not chr(code).isalpha()})
_LONGEST_ENDING = 5
_MOST_LOOKED_AT = 256  # characters of a path


def path_words(url: str) -> str:
    """The words of a canonical URL's path with spaces between them, its ending (``.html``) left out.

    >>> path_words("https://example.org/wiki/Ice_hockey-2024.html?page=2")
    'wiki Ice hockey'
    """
    start = url.index("/", 8) + 1
    path = url[start : start + _MOST_LOOKED_AT].partition("?")[0]
    stem, dot, ending = path.rpartition(".")
    if dot and len(ending) <= _LONGEST_ENDING and "/" not in ending:
        path = stem
    if "%" in path:
        path = unquote(path, errors="ignore")
    return " ".join(path.translate(_LETTERS_ONLY).split())


def fingerprint(url: str, seed: int = 0) -> int:
    """64-bit fingerprint of a canonical URL. Who knows the ``seed`` can make URLs that crowd together in a table."""
    return xxhash.xxh3_64_intdigest(url.encode(), seed)


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
    origin = _ORIGIN(href)
    if origin is None or origin.end() > _LONGEST_NAME:
        href = _with_plain_origin(href)
        if not href:
            return None
    if "/." in href:
        href = _without_dots(href)
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


def _with_plain_origin(href: str) -> str:
    """A normalised URL without credentials and without dots behind its host; empty where no host is left that DNS or
    an address can have."""
    parsed = can_ada.parse(href)
    host = parsed.hostname
    if host.endswith("."):  # what is left may be an address, "0x7f.1..": it is read again
        host = can_ada.parse(f"http://{host.rstrip('.')}/").hostname
    port = f":{parsed.port}" if parsed.port else ""
    plain = f"{parsed.protocol}//{host}{port}{href[href.index('/', 8) :]}"
    return plain if len(host) <= _LONGEST_NAME and _ORIGIN(plain) is not None else ""


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
            del kept[-1:]
        elif segment != ".":
            kept.append(segment)
    if last == "..":
        del kept[-1:]
    kept.append("" if last in (".", "..") else last)
    return head[: start + 1] + "/".join(kept) + mark + query


def canonical(url: str) -> str | None:
    """The canonical form of an absolute URL, or None when it is not a usable http(s) address.

    >>> canonical("HTTP://me@Example.ORG.:80/a/../b?utm_source=x&id=7#top")
    'http://example.org/b?id=7'
    >>> canonical("mailto:someone@example.org") is None
    True
    """
    if len(url) > _LONGEST_AUTHORITY and _OVERLONG(url) is not None:
        return None
    try:
        return _clean(can_ada.parse(url).href)
    except (ValueError, TypeError):  # TypeError: a lone surrogate, which has no UTF-8
        return None


def spelled_host(name: str) -> str:
    """A host name that a person wrote, or a glob of them, as canonical URLs spell it.

    >>> spelled_host("*.Bücher.example.")
    '*.xn--bcher-kva.example'
    """
    try:
        host: str = can_ada.parse(f"http://{name}/").hostname
    except (ValueError, TypeError):
        host = name.lower()
    return host.rstrip(".")


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

    __slots__ = ("_directories", "_directory", "_document", "_is_web", "_origin", "_scheme", "_skip")

    def __init__(self, url: str) -> None:
        found = canonical(url)
        parsed = can_ada.parse(url if found is None else found)
        scheme = parsed.protocol
        self._is_web = found is not None  # else nothing that is joined to it is either
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
        if self._is_web:
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
        return canonical(start + ref)
