"""Which types of answers a crawl takes: pages, and the documents that it wants."""

from __future__ import annotations

from dataclasses import dataclass

from dowse.model.converters import added_types
from dowse.model.document_kinds import DOCUMENT_TYPES, FEED_TYPES, KINDS, PAGE_TYPES
from dowse.model.topic import Scope

__all__ = ["WantedTypes", "wanted_types"]

_VAGUE = (
    "application/octet-stream", "binary/octet-stream", "application/x-download", "application/force-download",
    "application/download", "application/x-pdf", "application/zip", "application/x-zip-compressed",
)  # fmt: skip
"""What servers send files as that they know no type of."""
_GENERIC_XML = ("application/xml", "text/xml")  # as half of all feeds are sent
_TYPE_OF_ENDING = {ending: kind.types[0] for kind in KINDS if kind.name != "markdown" for ending in kind.endings}


@dataclass(frozen=True, slots=True)
class WantedTypes:
    """Media types, or how they begin. None at all are all types."""

    types: tuple[str, ...]

    def at(self, url: str) -> tuple[str, ...]:
        """The declared types for which the body behind a URL is read. What it is in truth is seen then: files with the
        name of a document are sent as anything, and feeds as XML of some kind."""
        if not self.types:
            return ()
        more: tuple[str, ...] = ()
        name = url[url.rfind("/") + 1 :].partition("?")[0].lower()
        ending = name.rpartition(".")[2] if "." in name else ""
        if _TYPE_OF_ENDING.get(ending, "").startswith(self.types) and ending:
            more = _VAGUE
        if FEED_TYPES[0].startswith(self.types) and "sitemap" not in name:
            more += _GENERIC_XML
        return self.types + more

    def take(self, media: str) -> bool:
        """Is a body of this type, as it is in truth, to be read?"""
        return not media or not self.types or media.startswith(self.types)


def wanted_types(scope: Scope) -> WantedTypes:
    """Those of a scope: what ``content_types`` says, else pages, and with ``documents`` whatever can be read."""
    if scope.content_types is not None:
        return WantedTypes(tuple(name.lower() for name in scope.content_types))
    return WantedTypes((*PAGE_TYPES, *DOCUMENT_TYPES, *added_types()) if scope.documents else PAGE_TYPES)
