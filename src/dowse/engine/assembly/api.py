"""The crawl from Python: ``async for page in dowse.crawl(topic): ...``."""

from __future__ import annotations

import asyncio
import itertools
import re
from collections.abc import AsyncGenerator
from dataclasses import replace
from pathlib import Path

from dowse.engine.assembly.assemble import assemble
from dowse.engine.page.pages import Fetched
from dowse.model.clock import Clock
from dowse.model.errors import TopicError
from dowse.model.http import Transport
from dowse.model.judge import Judge
from dowse.model.strategy import Strategy
from dowse.model.topic import StrategyChoice, Topic
from dowse.model.topic_check import check_topic
from dowse.model.topicfile import load_topic, predicate_text
from dowse.predict import split_strategy

__all__ = ["choose_folder", "crawl"]

_AHEAD = 64  # pages that may wait for a slow consumer before the crawl itself waits


async def crawl(
    topic: Topic | str | Path,
    *,
    out: str | Path | None = None,
    resume: bool = False,
    text: bool = False,
    strategy: Strategy | str | None = None,
    judge: Judge | None = None,
    transport: Transport | None = None,
    clock: Clock | None = None,
) -> AsyncGenerator[Fetched, None]:
    """Crawl for a topic and give each fetched page as it is judged.

    ``topic`` is a :class:`~dowse.model.topic.Topic` or the path of a topic file; ``out`` the crawl's folder (else the
    topic's ``out``, else a new one under ``crawls/``). ``resume`` goes on with the crawl in that folder. ``text``
    asks for the visible text of each page.

    ``strategy`` and ``judge`` serve in place of those that the topic names; a strategy may also be a name, with its
    parameters behind a colon. The records keep their names only: give them again to resume. ``transport`` is the way
    out, closed at the end; ``clock`` is what the crawl goes by.

    Closing the iterator (``contextlib.aclosing`` does it for a loop left early) stops the crawl cleanly: it can be
    resumed.
    """
    if not isinstance(topic, (Topic, str, Path)):
        raise TopicError(f"the topic must be a dowse.Topic or the path of a topic file, not a {type(topic).__name__}")
    topic = topic if isinstance(topic, Topic) else load_topic(topic)
    check_topic(topic)  # before a folder is named after it
    folder = choose_folder(topic, out)
    queue: asyncio.Queue[Fetched | None] = asyncio.Queue(_AHEAD)
    if isinstance(strategy, str):
        name, params = split_strategy(strategy)
        topic, strategy = replace(topic, strategy=StrategyChoice(name, params, topic.strategy.maximise)), None
    assembly = await assemble(
        topic, folder, resume=resume, keep_text=text, on_page=queue.put, strategy=strategy, own_judge=judge,
        transport=transport, clock=clock,
    )  # fmt: skip

    async def run() -> None:
        try:
            await assembly.run()
        finally:
            await queue.put(None)

    task = asyncio.create_task(run())
    try:
        while (page := await queue.get()) is not None:
            yield page
    finally:
        assembly.engine.stop("interrupted", "the consumer left")
        while not task.done():  # tasks that wait to hand over a page must be able to go on
            while not queue.empty():
                queue.get_nowait()
            await asyncio.wait([task], timeout=0.05)
        await assembly.close()
    task.result()


def choose_folder(topic: Topic, out: str | Path | None = None) -> Path:
    """Where a crawl is kept: ``out``, else the topic's own choice, else a new folder named after the topic."""
    if out is not None or topic.out is not None:
        return Path(out or topic.out or "")
    words = re.findall(r"\w+", (topic.name or topic.query or predicate_text(topic)).lower())
    stem = "-".join(words)[:60] or "crawl"
    for number in itertools.count(1):
        folder = Path("crawls") / (stem if number == 1 else f"{stem}-{number}")
        if not folder.exists():
            return folder
    raise AssertionError("unreachable")
