"""``dowse judge``: score one page and say why."""

from __future__ import annotations

import asyncio
import json
from dataclasses import asdict
from typing import Annotated

import typer

from dowse.cli.options import Flags, read_topic, with_flags
from dowse.crawl.prepare import Source, read_examples
from dowse.fetch import HttpTransport
from dowse.judge import build_judge
from dowse.model.clock import SystemClock
from dowse.model.page import Verdict
from dowse.model.topic import Topic
from dowse.parse import Document, detect_language

__all__ = ["judge"]


def judge(
    source: Annotated[str, typer.Argument(metavar="URL|FILE", help="The page to judge.")],
    topic: Annotated[str, typer.Option(help="A topic file, or the words of a topic.")],
    allow_private: Annotated[
        bool, typer.Option("--allow-private", help="Also fetch from private and loopback addresses.")
    ] = False,
    allow_address: Annotated[
        list[str] | None,
        typer.Option(metavar="ADDRESS", help="Also fetch from this address or network, e.g. 10.0.0.0/8."),
    ] = None,
    resolve: Annotated[
        list[str] | None, typer.Option(metavar="HOST=ADDRESS[:PORT]", help="Reach a host (glob) at this address.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Score a page against a topic, with the reasons."""
    flags = Flags(allow_private=allow_private, allow_addresses=allow_address or [], resolve=resolve or [])
    chosen = with_flags(read_topic(topic), flags)
    document, verdict = asyncio.run(_judge(source, chosen))
    if as_json:
        value = {"source": source, "title": document.title, **asdict(verdict)}
        typer.echo(json.dumps(value, ensure_ascii=False))
        return
    word = "relevant" if verdict.relevant else "not relevant"
    language = detect_language(document.text, document.lang) or "unknown language"
    typer.echo(f"{document.title or source}")
    typer.echo(f"{word}: {verdict.method} {verdict.score:.4f}, threshold {verdict.threshold:.4f}")
    typer.echo(
        f"similarity {verdict.similarity:.4f}, ERID {verdict.erid:.4f}, {len(document.words())} words, {language}"
    )
    for reason in verdict.reasons:
        typer.echo(f"  {reason.contribution:+.4f}  {reason.name}")


async def _judge(source: str, topic: Topic) -> tuple[Document, Verdict]:
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
    return document, build_judge(topic).verdict(document.words())
