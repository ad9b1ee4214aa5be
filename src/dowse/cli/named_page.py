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
from dowse.engine.page.document_facts import document_facts
from dowse.judge import TopicJudge, build_judge, check_judge
from dowse.model.clock import SystemClock
from dowse.model.facts import PageFacts
from dowse.model.topic import Topic
from dowse.parse import Document

__all__ = ["ChosenPage", "Page", "TopicWords", "read_page", "read_page_for"]

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
        return document_facts(self.judge.judge, self.document, self.named.body, self.named.content_type)


def read_page(source: str, topic: str | None, given: Mapping[str, Any]) -> ChosenPage:
    """The page, and the judge that the topic and the given flags ask for. What is wrong with the topic's examples is
    told on standard error."""
    return read_page_for(source, read_topic(topic), given)


def read_page_for(source: str, topic: Topic, given: Mapping[str, Any]) -> ChosenPage:
    """The same, for a topic that is known."""
    chosen = with_flags(topic, given)
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
