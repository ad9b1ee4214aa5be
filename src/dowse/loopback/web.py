"""A web as values: sites by host name, each with resources by path.

A resource is either fixed (kept under its path and query) or made by a callable that owns a path prefix: that is how
a site can be endless. The exact path wins over a prefix, and a longer prefix over a shorter one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

__all__ = ["HTML", "TEXT", "Ask", "Made", "Resource", "Site", "Web", "redirect"]

HTML = "text/html; charset=utf-8"
TEXT = "text/plain; charset=utf-8"


@dataclass(frozen=True, slots=True)
class Resource:
    """What one address answers. ``content_type`` None sends no such header."""

    body: bytes = b""
    content_type: str | None = HTML
    status: int = 200
    headers: tuple[tuple[str, str], ...] = ()
    modified: str | None = None  # an HTTP date, sent as Last-Modified
    label: str = ""  # the topic of the page, for those who measure; never sent


@dataclass(frozen=True, slots=True)
class Ask:
    """What a made resource may look at. ``target`` is the path with its query."""

    host: str
    target: str
    method: str = "GET"
    headers: Mapping[str, str] = field(default_factory=dict)  # names in lower case


Made = Callable[[Ask], Resource | None]
"""Makes the resource at an address; None is a 404."""


@dataclass(frozen=True, slots=True)
class Site:
    """One virtual host, and how it behaves on the wire."""

    host: str
    resources: Mapping[str, Resource] = field(default_factory=dict)
    made: Mapping[str, Made] = field(default_factory=dict)  # path prefix -> maker
    latency_s: float = 0.0  # before the first byte of each answer
    bytes_per_s: float | None = None  # None: as fast as it goes
    missing: Resource = field(
        default_factory=lambda: Resource(b"<!doctype html><title>Not found</title><h1>Not found</h1>", status=404)
    )

    def find(self, ask: Ask) -> Resource:
        """The resource at an address; ``missing`` when there is none."""
        found = self.resources.get(ask.target)
        if found is not None:
            return found
        for prefix in sorted(self.made, key=len, reverse=True):
            if ask.target.startswith(prefix):
                return self.made[prefix](ask) or self.missing
        return self.missing


@dataclass(frozen=True, slots=True)
class Web:
    """Sites by host name."""

    sites: Mapping[str, Site]

    @classmethod
    def of(cls, *sites: Site) -> Web:
        """A web of these sites."""
        return cls({site.host: site for site in sites})

    def fixed(self) -> Iterator[tuple[str, Resource]]:
        """Every fixed resource with its URL, in order of host and path as they were added."""
        for site in self.sites.values():
            for target, resource in site.resources.items():
                yield f"http://{site.host}{target}", resource


def redirect(to: str, status: int = 301) -> Resource:
    """A resource that sends the visitor elsewhere."""
    return Resource(b"Moved.\n", TEXT, status, headers=(("Location", to),))
