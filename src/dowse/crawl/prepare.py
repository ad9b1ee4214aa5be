"""What a topic names by file or address is read before a crawl begins: seed lists and example pages."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from dowse.model.errors import TopicError
from dowse.model.http import Request, Response, Transport
from dowse.model.topic import Example, Topic
from dowse.model.url import Base, canonical
from dowse.parse import parse_page
from dowse.seeds import load_seeds

__all__ = ["read_document", "read_examples", "read_seeds", "read_source"]

_HOPS = 5


def read_seeds(topic: Topic, notes: list[str]) -> list[str]:
    """The topic's seed URLs and those of its seed files, canonical, in order; odd lines are noted."""
    urls = []
    for text in topic.seeds.urls:
        url = canonical(text if "://" in text else f"https://{text}")
        if url is None:
            raise TopicError(f"{text!r} is not a web address", key="seeds.urls")
        urls.append(url)
    for path in topic.seeds.files:
        found = load_seeds(path)
        urls += found.urls
        notes += [f"{path}: {problem}" for problem in found.problems]
    return list(dict.fromkeys(urls))


async def read_examples(topic: Topic, transport: Transport, notes: list[str]) -> Topic:
    """The topic with the text of each example filled in. One that cannot be read is noted; none left is an error."""
    examples = []
    for example in topic.examples:
        if example.text is None:
            try:
                example = replace(example, text=await read_document(example.source, transport))
            except TopicError as error:
                notes.append(f"example left out: {error}")
                continue
        examples.append(example)
    if not any(example.positive for example in examples) and _positive(topic.examples):
        raise TopicError(f"no example could be read: {'; '.join(notes)}")
    return replace(topic, examples=tuple(examples))


def _positive(examples: tuple[Example, ...]) -> bool:
    return any(example.positive for example in examples)


async def read_document(source: str, transport: Transport) -> str:
    """The visible text (title first) of a file or a web page; TopicError when it cannot be had."""
    body, url, content_type = await read_source(source, transport)
    document = parse_page(body, url=url, content_type=content_type)
    return f"{document.title}\n{document.text}"


async def read_source(source: str, transport: Transport) -> tuple[bytes, str, str]:
    """Body, address and content type of a file or a web page; TopicError when it cannot be had."""
    if "://" not in source:
        plain = source.lower().endswith((".txt", ".md"))
        return _read_file(source), "http://localhost/", "text/plain" if plain else "text/html"
    url = canonical(source)
    for _ in range(_HOPS + 1):
        if url is None:
            raise TopicError(f"{source} is not a web address")
        result = await transport.fetch(Request(url))
        if not isinstance(result, Response):
            raise TopicError(f"cannot fetch {source}: {result.kind.value} {result.detail}".rstrip())
        if result.status in (301, 302, 303, 307, 308):
            url = Base(url).join(result.header("Location") or "")
            continue
        if result.status != 200:
            raise TopicError(f"cannot fetch {source}: http {result.status}")
        return result.body, url, result.header("Content-Type") or ""
    raise TopicError(f"cannot fetch {source}: more than {_HOPS} redirects")


def _read_file(path: str) -> bytes:
    try:
        return Path(path).read_bytes()
    except OSError as error:
        raise TopicError(f"cannot read {path}: {(error.strerror or 'unreadable').lower()}") from None
