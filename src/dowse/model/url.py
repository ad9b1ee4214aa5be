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

fingerprint = xxhash.xxh3_64_intdigest
"""64-bit fingerprint of a canonical URL."""

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.\-]*:")
_EDGES = "".join(map(chr, range(0x21)))  # the WHATWG parser strips C0 controls and space at both ends
_NEWLINES = re.compile(r"[\t\n\r]")
_NOISE_PARAMETER = re.compile(
    r"(?i)(?<=[?&])(?:utm_[a-z_]+|gclid|fbclid|dclid|msclkid|mc_[ce]id|igshid|yclid|_ga|_gl"
    r"|phpsessid|jsessionid|aspsessionid\w*|cfid|cftoken|sessionid|session_id)=[^&]*(?:&|$)"
)
_PATH_PARAMETER = re.compile(r"(?i);(?:jsessionid|phpsessid)=[^/?#;]*")


@dataclass(frozen=True, slots=True)
class UrlParts:
    """What schedulers and rules need of a canonical URL."""

    url: str
    origin: str  # scheme://host[:port], the unit of robots.txt
    host: str  # host name or address literal, lower case
    port: int
    path: str
    query: str  # with its leading "?", or empty


def _clean(parsed: can_ada.URL) -> str | None:
    """The canonical string of a parsed URL; None when it is not a web address."""
    if not parsed.protocol.startswith("http") or not parsed.hostname:
        return None
    if parsed.hash:
        parsed.hash = ""
    if parsed.username or parsed.password:
        parsed.username = ""
        parsed.password = ""
    href = parsed.href
    if ";" in href:
        href = _PATH_PARAMETER.sub("", href)
    mark = href.find("?")
    if mark >= 0:
        if "=" in href:
            href = _NOISE_PARAMETER.sub("", href)
        href = href.rstrip("?&") if href[-1] in "?&" else href
    return href


def canonical(url: str) -> str | None:
    """The canonical form of an absolute URL, or None when it is not a usable http(s) address.

    >>> canonical("HTTP://Example.ORG:80/a/../b?utm_source=x&id=7#top")
    'http://example.org/b?id=7'
    >>> canonical("mailto:someone@example.org") is None
    True
    """
    try:
        return _clean(can_ada.parse(url))
    except ValueError:
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

    __slots__ = ("_directory", "_document", "_origin", "_scheme", "_skip")

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
        self._skip = len(scheme)

    def join(self, reference: str) -> str | None:
        """The canonical target of ``reference``; None when it leads nowhere a crawler can go."""
        ref = reference.strip(_EDGES)
        if "\n" in ref or "\t" in ref or "\r" in ref:
            ref = _NEWLINES.sub("", ref)
        if not ref:
            return None
        first = ref[0]
        if first == "#":
            return None
        try:
            scheme = _SCHEME.match(ref)
            if scheme is not None:
                if ref[: self._skip].lower() != self._scheme or ref[self._skip : self._skip + 1] in ("/", "\\"):
                    return _clean(can_ada.parse(ref))
                # "http:page.html" on an http page is relative to it, as browsers have it
                ref = ref[self._skip :]
                if not ref:
                    return None
                first = ref[0]
            if first in "/\\":
                if ref[1:2] in ("/", "\\"):
                    return _clean(can_ada.parse(self._scheme + ref))
                return _clean(can_ada.parse(self._origin + ref))
            if first == "?":
                return _clean(can_ada.parse(self._document + ref))
            return _clean(can_ada.parse(self._directory + ref))
        except ValueError:
            return None
