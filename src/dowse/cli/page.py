"""A page that the user names: the options of the commands that look at one, and how it is read."""

from __future__ import annotations

import asyncio
from typing import Annotated

import typer

from dowse.cli.options import Flags, read_topic, with_flags
from dowse.crawl.prepare import Source, read_examples
from dowse.fetch import HttpTransport
from dowse.judge import Judge, build_judge
from dowse.model.clock import SystemClock
from dowse.model.topic import Topic
from dowse.parse import Document

__all__ = ["AllowAddress", "AllowPrivate", "AsJson", "Page", "Resolve", "TopicWords", "read_page"]

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


def read_page(
    source: str, topic: str, allow_private: bool, allow_address: list[str] | None, resolve: list[str] | None
) -> tuple[Document, Judge, Topic]:
    """The page, and the topic with the judge it asks for; what the topic's examples lack is told on standard error."""
    flags = Flags(allow_private=allow_private, allow_addresses=allow_address or [], resolve=resolve or [])
    return asyncio.run(_read(source, with_flags(read_topic(topic), flags)))


async def _read(source: str, topic: Topic) -> tuple[Document, Judge, Topic]:
    clock = SystemClock()
    transport = HttpTransport(topic.network, topic.limits, clock)
    notes: list[str] = []
    try:
        pages = Source(transport, clock, topic.politeness.delay_s)
        topic = await read_examples(topic, pages, notes)
        document = await pages.document(source)
    finally:
        await transport.close()
    for note in notes:
        typer.echo(note, err=True)
    return document, build_judge(topic), topic
