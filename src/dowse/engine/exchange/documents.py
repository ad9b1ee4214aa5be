"""Documents that the user names one by one, files and web pages: examples of a topic, a page to be judged."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from dowse.engine.exchange.exchange import DeadEnd, Exchange
from dowse.model.document_kinds import KINDS
from dowse.model.errors import TopicError
from dowse.model.http import Failure, Request
from dowse.model.sniffing import NO_TEXT, true_type
from dowse.model.url import canonical, split
from dowse.parse import Document, parse_page, reader_of

__all__ = ["Documents", "NamedDocument", "read_file"]

_TYPE_OF_ENDING = {ending: kind.types[0] for kind in KINDS for ending in kind.endings} | {"txt": "text/plain"}
_TOLD = {"application/octet-stream": "a file of an unknown kind"}


@dataclass(frozen=True, slots=True)
class NamedDocument:
    """A document the user named, as it was read."""

    body: bytes
    url: str  # after redirects; of a file, that of a server which nobody asks
    content_type: str
    source: str = ""  # as the user named it

    def parsed(self) -> Document:
        """The document; TopicError when it is none that can be read."""
        media = true_type(self.content_type, self.body)
        if media in NO_TEXT and reader_of(media) is None:
            raise TopicError(f"cannot read {self.source}: it is {_TOLD.get(media, media)}, which is not read")
        document = parse_page(self.body, url=self.url, content_type=self.content_type)
        if document.fault:
            raise TopicError(f"cannot read {self.source}: {document.fault}")
        return document


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
        return NamedDocument(result.body, result.url, result.header("Content-Type") or "", source)


def read_file(path: str) -> NamedDocument:
    """A document in a file; TopicError when it cannot be read."""
    try:
        body = Path(path).read_bytes()
    except OSError as error:
        raise TopicError(f"cannot read {path}: {(error.strerror or 'unreadable').lower()}") from None
    ending = path.rpartition(".")[2].lower()
    return NamedDocument(body, "http://localhost/", _TYPE_OF_ENDING.get(ending, "text/html"), path)
