"""What a topic names by file or address is read before a crawl begins: seed lists and example pages."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from dowse.model.budget import Budget, Purse
from dowse.model.clock import Clock
from dowse.model.errors import TopicError
from dowse.model.http import REDIRECTS, Failure, Request, Response, Transport
from dowse.model.ports import is_refused_port
from dowse.model.topic import Example, Topic
from dowse.model.url import Base, canonical, split
from dowse.parse import Document, parse_page
from dowse.seeds import load_seeds

__all__ = ["Named", "Source", "read_examples", "read_seeds"]

_HOPS = 5


def read_seeds(topic: Topic, before: list[str] | None, notes: list[str]) -> list[str]:
    """The topic's seed URLs and those of its seed files, canonical, in order; odd lines are noted, none left at all is
    an error. A resumed crawl has its seeds from ``before``, and needs their files no more."""
    urls = list(before or [])
    for text in topic.seeds.urls:
        url = canonical(text if "://" in text else f"https://{text}")
        if url is None:
            raise TopicError(f"{text!r} is not a web address", key="seeds.urls")
        urls.append(url)
    for text in topic.seeds.sitemaps:
        if "://" in text and canonical(text) is None:
            raise TopicError(f"{text!r} is not a web address", key="seeds.sitemaps")
    for path in topic.seeds.files if before is None else ():
        found = load_seeds(path)
        urls += found.urls
        notes += [f"{path}: {problem}" for problem in found.problems]
    if before is None and not urls and not topic.seeds.sitemaps:
        why = notes[0] if notes else f"{', '.join(topic.seeds.files)}: there is nothing in it"
        raise TopicError(f"there is no seed to start from: {why}")
    return list(dict.fromkeys(urls))


async def read_examples(topic: Topic, source: Source, notes: list[str]) -> Topic:
    """The topic with the text of each example filled in. One that cannot be read is noted; none left is an error."""
    examples = []
    for example in topic.examples:
        if example.text is None:
            try:
                document = await source.document(example.source)
                example = replace(example, text=f"{document.title}\n{document.text}")
            except TopicError as error:
                notes.append(f"example left out: {error}")
                continue
        examples.append(example)
    if not any(example.positive for example in examples) and _positive(topic.examples):
        raise TopicError(f"no example could be read: {'; '.join(notes)}")
    return replace(topic, examples=tuple(examples))


def _positive(examples: tuple[Example, ...]) -> bool:
    return any(example.positive for example in examples)


@dataclass(frozen=True, slots=True)
class Named:
    """A document the user named, as it was read."""

    body: bytes
    url: str  # after redirects; of a file, that of a server which nobody asks
    content_type: str

    def document(self) -> Document:
        return parse_page(self.body, url=self.url, content_type=self.content_type)


class Source:
    """Reads documents the user names one by one: files, and web pages, a delay apart and counted in the budget.

    They are asked for like any page a person opens, so robots.txt, which is for what a crawler finds by itself, is not
    consulted.
    """

    def __init__(self, transport: Transport, clock: Clock, delay_s: float, purse: Purse | None = None) -> None:
        self._transport = transport
        self._clock = clock
        self._delay_s = delay_s
        self._purse = purse or Purse(Budget())
        self.asked_at: float | None = None  # when the last answer from the web was over

    async def document(self, source: str) -> Document:
        """A parsed file or web page; TopicError when it cannot be had."""
        return (await self.read(source)).document()

    async def read(self, source: str) -> Named:
        """A file or web page; TopicError when it cannot be had."""
        if "://" not in source:
            plain = source.lower().endswith((".txt", ".md"))
            return Named(_read_file(source), "http://localhost/", "text/plain" if plain else "text/html")
        url = canonical(source)
        for _ in range(_HOPS + 1):
            if url is None:
                raise TopicError(f"{source} is not a web address")
            result = await self._ask(url)
            if not isinstance(result, Response):
                raise TopicError(f"cannot fetch {source}: {result.kind.value} {result.detail}".rstrip())
            if result.status in REDIRECTS:
                url = _led_on(url, result.header("Location") or "")
                continue
            if result.status != 200:
                raise TopicError(f"cannot fetch {source}: http {result.status}")
            return Named(result.body, url, result.header("Content-Type") or "")
        raise TopicError(f"cannot fetch {source}: more than {_HOPS} redirects")

    async def _ask(self, url: str) -> Response | Failure:
        if not self._purse.reserve(page=False):
            raise TopicError(f"cannot fetch {url}: the budget is spent")
        if self.asked_at is not None:
            await self._clock.sleep(max(0.0, self.asked_at + self._delay_s - self._clock.now()))
        result = await self._transport.fetch(Request(url), self._purse)
        self.asked_at = self._clock.now()
        return result


def _led_on(url: str, location: str) -> str | None:
    """Where a redirect leads; not to a port of another service, unless the user has named that one."""
    target = Base(url).join(location)
    port = 80 if target is None else split(target).port
    if is_refused_port(port, (split(url).port,)):
        raise TopicError(f"{url} leads to port {port}, where web servers do not answer")
    return target


def _read_file(path: str) -> bytes:
    try:
        return Path(path).read_bytes()
    except OSError as error:
        raise TopicError(f"cannot read {path}: {(error.strerror or 'unreadable').lower()}") from None
