"""What is done once for a crawl of several shards before they begin: seeds are found, examples are read."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable
from dataclasses import dataclass, field

from dowse.engine.assembly.assemble import usable, way_out_of
from dowse.engine.assembly.kept_categories import absolute_categories
from dowse.engine.assembly.learned import absolute_sources
from dowse.engine.assembly.prepare import ambiguous_words, exchange_of, read_examples, read_seeds
from dowse.engine.assembly.search_engines import build_engines, wants_engines
from dowse.engine.assembly.shared import absolute_databases, note_shared_seeds, shared_seeds
from dowse.engine.assembly.starting_seeds import numbered, seeds_found
from dowse.engine.exchange.documents import Documents
from dowse.engine.page.cached import absolute_folders
from dowse.judge import METHODS
from dowse.model.bodies import Bodies
from dowse.model.clock import SystemClock
from dowse.model.found import FoundRow
from dowse.model.share import Share
from dowse.model.topic import Topic
from dowse.model.topic_check import check_topic
from dowse.model.topicfile import check_ready

__all__ = ["Ready", "make_ready", "note_begun"]


@dataclass(frozen=True, slots=True)
class Ready:
    """A topic that any shard can begin with by itself."""

    topic: Topic
    share: Share
    given: list[FoundRow] = field(default_factory=list)  # of its seeds, those that a database had
    notes: list[str] = field(default_factory=list)


async def make_ready(topic: Topic, tell: Callable[[str], None]) -> Ready:
    """Check the topic, and do once what each shard would do again. Raises TopicError."""
    check_topic(topic)
    topic = absolute_databases(absolute_sources(absolute_folders(absolute_categories(topic))))
    topic = usable(topic, None, None)
    check_ready(topic, by_judge=topic.judge.method not in METHODS)
    notes = ambiguous_words(topic)
    clock = SystemClock()
    transport = way_out_of(topic, clock, Bodies())
    try:
        exchange = exchange_of(topic, transport, clock)
        asks = wants_engines(topic)
        seeds = read_seeds(topic, None, notes, needed=not (asks or topic.seeds.database))
        topic = await read_examples(topic, Documents(exchange), notes)
        given: list[FoundRow] = []
        if topic.seeds.database is not None:
            given = await asyncio.to_thread(shared_seeds, topic, notes)
        found = list(given)
        if asks:
            alone = not (seeds or found)
            found += await seeds_found(topic, build_engines(topic), exchange, clock, notes, tell, alone=alone)
    finally:
        await transport.close()
    urls = tuple(dict.fromkeys([*seeds, *(row.url for row in found)]))
    share = Share(secrets.token_hex(16), seeds=urls, found=tuple(numbered(found)))
    return Ready(topic, share, given, notes)


def note_begun(ready: Ready) -> str | None:
    """Once the crawl is there: a database that seeds came from is told so; why that cannot be."""
    if not ready.given:
        return None
    return note_shared_seeds(ready.topic, ready.share.crawl, ready.given, SystemClock().wall())
