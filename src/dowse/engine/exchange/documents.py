"""Documents that the user names one by one, files and web pages: examples of a topic, a page to be judged."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from dowse.engine.exchange.exchange import DeadEnd, Exchange
from dowse.model.errors import TopicError
from dowse.model.http import Failure, Request
from dowse.model.url import canonical, split
from dowse.parse import Document, parse_page

__all__ = ["Documents", "NamedDocument", "read_file"]


@dataclass(frozen=True, slots=True)
class NamedDocument:
    """A document the user named, as it was read."""

    body: bytes
    url: str  # after redirects; of a file, that of a server which nobody asks
    content_type: str

    def parsed(self) -> Document:
        return parse_page(self.body, url=self.url, content_type=self.content_type)


class Documents:
    """Reads documents. Web pages are asked for like any page a person opens, so robots.txt, which is for what a crawler
    finds by itself, is not consulted; delays, budget and the address guard hold."""

    def __init__(self, exchange: Exchange) -> None:
        self._exchange = exchange

    async def read(self, source: str) -> NamedDocument:
        """A file or web page; TopicError when it cannot be had."""
        if "://" not in source:
            return read_file(source)
        url = canonical(source)
        if url is None:
            raise TopicError(f"{source} is not a web address")
        self._exchange.addresses.allow_port(split(url).port)  # the user has named it
        result = await self._exchange.follow(Request(url))
        if result is None:
            raise TopicError(f"cannot fetch {source}: the budget is spent")
        if isinstance(result, DeadEnd):
            raise TopicError(f"cannot fetch {source}: {result.reason}")
        if isinstance(result, Failure):
            raise TopicError(f"cannot fetch {source}: {result.kind.value} {result.detail}".rstrip())
        if result.status != 200:
            raise TopicError(f"cannot fetch {source}: http {result.status}")
        return NamedDocument(result.body, result.url, result.header("Content-Type") or "")


def read_file(path: str) -> NamedDocument:
    """A document in a file; TopicError when it cannot be read."""
    try:
        body = Path(path).read_bytes()
    except OSError as error:
        raise TopicError(f"cannot read {path}: {(error.strerror or 'unreadable').lower()}") from None
    plain = path.lower().endswith((".txt", ".md"))
    return NamedDocument(body, "http://localhost/", "text/plain" if plain else "text/html")
