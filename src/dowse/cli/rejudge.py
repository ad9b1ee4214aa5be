"""``dowse rejudge``: the verdicts of a finished crawl, given again without downloading anything."""

from __future__ import annotations

import asyncio
from dataclasses import asdict, replace
from pathlib import Path
from typing import Annotated

import typer

from dowse.cli.flags import Folder, read_topic
from dowse.cli.terminal import say
from dowse.cli.verdict_words import final_lines, judged_by_model
from dowse.engine.assembly.prepare import documents_of, read_examples
from dowse.engine.assembly.rejudge import rejudge_at_end
from dowse.engine.page.verdicts import restore_judge
from dowse.judge import LearnedJudge, learned_judge
from dowse.model.clock import SystemClock
from dowse.model.errors import UserError
from dowse.model.page import Bag
from dowse.model.topic import Topic
from dowse.model.topicfile import topic_from_json
from dowse.model.url import split
from dowse.store import CrawlStore
from dowse.store.final_verdicts import stored_pages

__all__ = ["rejudge"]


def rejudge(
    folder: Folder,
    topic: Annotated[
        str | None,
        typer.Option(metavar="TOPIC", help="Judge for this topic, in words or the path of a topic file."),
    ] = None,
    precision: Annotated[
        float | None,
        typer.Option(
            metavar="SHARE", min=0.5, max=1.0, help="Call pages relevant only as far as this share of them shall be."
        ),
    ] = None,
) -> None:
    """Judge all pages of a crawl again, with all that was learned from it.

    Nothing is downloaded: the terms of its pages are in the records. The verdicts that pages were first given stay
    beside the new ones.
    """
    with CrawlStore.open(Path(folder)) as store:
        known = topic_from_json(store.settings()["topic"])
        wanted = known if topic is None else asyncio.run(_with_examples(read_topic(topic)))
        if precision is not None:
            wanted = replace(wanted, judge=replace(wanted.judge, precision=precision))
        judge = learned_judge(wanted)
        if judge is None:
            raise UserError(
                "the topic is not judged by a model: it has a predicate, a threshold or another method; pages are "
                "judged again by their stored terms, which such judges do not know"
            )
        if topic is None:
            restore_judge(judge, store)
        else:
            _show_all(store, judge)
        found = rejudge_at_end(store, judge, wanted.scope.languages)
    if found is None:
        raise UserError(
            f"{folder} has too few pages to learn from, or the topic's words are on hardly any of them, or on most"
        )
    say(f"{found.relevant} of {found.pages} pages are relevant; {found.joined} more, {found.left} no longer")
    say(judged_by_model(asdict(found)))
    for line in final_lines({**asdict(found), "joined": 0, "left": 0}):
        say(line)


async def _with_examples(topic: Topic) -> Topic:
    from dowse.fetch.http import HttpTransport  # only where an example may have to be fetched

    clock = SystemClock()
    transport = HttpTransport(topic.network, topic.limits, clock)
    notes: list[str] = []
    try:
        read = await read_examples(topic, documents_of(topic, transport, clock), notes)
    finally:
        await transport.close()
    for note in notes:
        say(note, err=True)
    return read


def _show_all(store: CrawlStore, judge: LearnedJudge) -> None:
    """Let a judge for another topic see all pages: how near they are to it, the records do not tell."""
    for block in stored_pages(store):
        for page in block:
            bag = Bag.unpacked(page.terms)
            judge.add(page.id, bag, split(page.url).host, judge.nearness(bag))
