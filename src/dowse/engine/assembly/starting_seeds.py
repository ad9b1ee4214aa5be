"""The seeds that a crawl takes of what search engines and shared databases found."""

from __future__ import annotations

from collections.abc import Callable

from dowse.engine.assembly.find import find_seeds, queries_of
from dowse.engine.exchange.exchange import Exchange
from dowse.model.clock import Clock
from dowse.model.errors import TopicError
from dowse.model.found import FoundRow
from dowse.model.others import Others
from dowse.model.search import SearchEngine
from dowse.model.share import Share
from dowse.model.topic import Topic

__all__ = ["numbered", "own_found", "seeds_found"]


async def seeds_found(
    topic: Topic, engines: dict[str, SearchEngine], exchange: Exchange, clock: Clock, notes: list[str],
    tell: Callable[[str], None], *, alone: bool,
) -> list[FoundRow]:  # fmt: skip
    """The seeds that search engines find, as many as the topic wants. Where there are no others (``alone``), none at
    all is an error."""
    queries_of(topic)  # a mistake in them is told before anybody is asked
    why = "no seeds are given: " if alone and not (topic.find.engines or topic.find.wanted) else ""
    tell(f"{why}asking {', '.join(engine.name for engine in engines.values())} for seeds")
    found = await find_seeds(topic, engines, exchange, clock)
    rows = found.rows[: topic.find.seeds]
    if not rows and alone:
        why = found.why_none or "they know nothing of it"
        raise TopicError(f"no seed was found: {why}. Give --seed URL, another --engine or other words")
    notes += found.notes
    notes.append(f"seeds found: {len(rows)}{f' of {len(found.rows)}' if len(rows) < len(found.rows) else ''}")
    return rows


def numbered(rows: list[FoundRow]) -> list[FoundRow]:
    """Rows of several sources as one list: what is there twice counts once, where it stands first."""
    once = list({row.url: row for row in reversed(rows)}.values())[::-1]
    for place, row in enumerate(once):
        row.id = place
    return once


def own_found(share: Share, others: Others) -> list[FoundRow]:
    """Of the seeds that somebody found for all shards, this one's."""
    return [row for row in share.found if others.owner(row.url) is None]
