"""A page that the user names: the options of the commands that look at one, and how it is read."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Annotated

import typer

from dowse.cli.options import Flags, read_topic, with_flags
from dowse.cli.tell import say
from dowse.engine.assembly.prepare import Named, Source, read_examples
from dowse.engine.page.judged import facts_of
from dowse.judge import Judge, build_judge, check_predicate
from dowse.model.clock import SystemClock
from dowse.model.facts import PageFacts
from dowse.model.page import PageContent
from dowse.model.topic import Topic
from dowse.parse import Document, detect_language, gather_links, object_types

__all__ = ["AllowAddress", "AllowPrivate", "AsJson", "Page", "ReadPage", "Resolve", "TopicWords", "read_page"]

Page = Annotated[str, typer.Argument(metavar="URL|FILE", help="A page of the web, or a file.")]
TopicWords = Annotated[str, typer.Option("--topic", help="A topic file, or the words of a topic.")]
AllowPrivate = Annotated[
    bool, typer.Option("--allow-private", help="Also fetch from private and loopback addresses.")
]  # fmt: skip
AllowAddress = Annotated[
    list[str] | None,
    typer.Option(metavar="ADDRESS", help="Also fetch from this address or network, e.g. 10.0.0.0/8."),
]
Resolve = Annotated[
    list[str] | None, typer.Option(metavar="HOST=ADDRESS[:PORT]", help="Reach a host (glob) at this address.")
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]


@dataclass(frozen=True, slots=True)
class ReadPage:
    """A page, and the topic with the judge it asks for."""

    named: Named
    document: Document
    judge: Judge
    topic: Topic

    def facts(self) -> PageFacts:
        """What the judge's predicate may ask for."""
        document, named = self.document, self.named
        content = PageContent(
            title=document.title,
            language=detect_language(document.raw_text, document.lang),
            words=len(document.words()),
            n_links=gather_links(document).n_links,
        )
        return facts_of(
            document.url, content, text=document.text if self.judge.needs_text else "",
            objects=object_types(named.body, named.content_type) if self.judge.needs_objects else None,
        )  # fmt: skip


def read_page(
    source: str,
    topic: str | None,
    allow_private: bool,
    allow_address: list[str] | None,
    resolve: list[str] | None,
    predicate: str | None = None,
    categories: list[str] | None = None,
    language: str | None = None,
) -> ReadPage:
    """The page and its judge; what the topic's examples lack is told on standard error. Without a topic there is a
    predicate."""
    flags = Flags(
        allow_private=allow_private, allow_addresses=allow_address or [], resolve=resolve or [], predicate=predicate,
        categories=categories or [], language=language,
    )  # fmt: skip
    chosen = with_flags(Topic() if topic is None else read_topic(topic), flags)
    check_predicate(chosen)  # a mistake in the predicate is told before anybody is asked for the page
    return asyncio.run(_read(source, chosen))


async def _read(source: str, topic: Topic) -> ReadPage:
    clock = SystemClock()
    from dowse.fetch.http import HttpTransport  # only here: it takes long to load

    transport = HttpTransport(topic.network, topic.limits, clock)
    notes: list[str] = []
    try:
        pages = Source(transport, clock, topic.politeness.delay_s)
        topic = await read_examples(topic, pages, notes)
        named = await pages.read(source)
    finally:
        await transport.close()
    for note in notes:
        say(note, err=True)
    return ReadPage(named, named.document(), build_judge(topic), topic)
