"""The page that the user names to ``dowse judge`` and ``dowse blocks``: read, with the judge for it."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any

import typer

from dowse.cli.flags import read_topic, with_flags
from dowse.cli.terminal import say
from dowse.engine.assembly.prepare import documents_of, read_examples
from dowse.engine.exchange.documents import NamedDocument
from dowse.engine.page.judged import facts_of
from dowse.judge import TopicJudge, build_judge, check_judge
from dowse.model.clock import SystemClock
from dowse.model.facts import PageFacts
from dowse.model.page import PageContent
from dowse.model.topic import Topic
from dowse.parse import Document, detect_language, gather_links, object_types

__all__ = ["ChosenPage", "Page", "TopicWords", "read_page"]

Page = Annotated[str, typer.Argument(metavar="URL|FILE", help="The page: a URL or a file.")]
TopicWords = Annotated[
    str, typer.Option("--topic", metavar="TOPIC", help="The topic, in words, or the path of a topic file.")
]


@dataclass(frozen=True, slots=True)
class ChosenPage:
    """A page, and the topic with the judge it asks for."""

    named: NamedDocument
    document: Document
    judge: TopicJudge
    topic: Topic

    def facts(self) -> PageFacts:
        """What the judge may ask for."""
        document, named, judge = self.document, self.named, self.judge.judge
        content = PageContent(
            title=document.title,
            language=detect_language(document.raw_text, document.lang),
            words=len(document.words()),
            n_links=gather_links(document).n_links,
        )
        return facts_of(
            document.url, content, text=document.text if judge.needs_text else "",
            objects=object_types(named.body, named.content_type) if judge.needs_objects else None,
        )  # fmt: skip


def read_page(source: str, topic: str | None, given: Mapping[str, Any]) -> ChosenPage:
    """The page, and the judge that the topic and the given flags ask for. What is wrong with the topic's examples is
    told on standard error."""
    chosen = with_flags(read_topic(topic), given)
    check_judge(chosen)  # a mistake in the predicate is told before anybody is asked for the page
    return asyncio.run(_read(source, chosen))


async def _read(source: str, topic: Topic) -> ChosenPage:
    clock = SystemClock()
    from dowse.fetch.http import HttpTransport  # only here: it takes long to load

    transport = HttpTransport(topic.network, topic.limits, clock)
    notes: list[str] = []
    try:
        pages = documents_of(topic, transport, clock)
        topic = await read_examples(topic, pages, notes)
        named = await pages.read(source)
    finally:
        await transport.close()
    for note in notes:
        say(note, err=True)
    return ChosenPage(named, named.parsed(), build_judge(topic), topic)
