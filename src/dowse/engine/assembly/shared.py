"""What a crawl has to do with shared databases: where it starts from, and where its records are brought to."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from dowse.engine.assembly.find import nearest_first
from dowse.model.database_url import DATABASE, PUBLISH_LOGIN, located
from dowse.model.errors import DowseError, UserError
from dowse.model.found import FoundRow
from dowse.model.topic import Topic
from dowse.store import CrawlStore
from dowse.store.seed_targets import collection_of
from dowse.store.shared.connect import check_database
from dowse.store.shared.following import Following
from dowse.store.shared.resources import note_taken, read_resources

__all__ = [
    "absolute_databases", "check_shared", "following", "has_password", "note_shared_seeds", "patience_s",
    "shared_seeds",
]  # fmt: skip

_PATIENCE_S, _INTERRUPTED_S = 15.0, 5.0


def patience_s(why: str) -> float:
    """How long a crawl that has ended, for a reason of this kind, waits for a database that does not get on."""
    return _INTERRUPTED_S if why == "interrupted" else _PATIENCE_S


def absolute_databases(topic: Topic) -> Topic:
    """The topic with its SQLite files named so that they are found from anywhere, as a later resume needs it."""
    seeds, publish = topic.seeds, topic.publish
    if seeds.database is not None:
        seeds = replace(seeds, database=located(seeds.database, Path.cwd()))
    if publish.url is not None:
        publish = replace(publish, url=located(publish.url, Path.cwd()))
    return replace(topic, seeds=seeds, publish=publish)


def has_password(topic: Topic) -> bool:
    """Does it take a password to publish, which the records will not have?"""
    return topic.publish.url is not None and check_database(topic.publish.url)[0].has_password


def check_shared(topic: Topic, store: CrawlStore | None, *, seeds_known: bool = False) -> None:
    """UserError where a database of the topic cannot be used, whether or not it answers: its URL is none, its driver is
    not installed, or its password, which is kept nowhere, is missing."""
    if store is None and not seeds_known and topic.seeds.database is not None:
        check_database(topic.seeds.database)
    if topic.publish.url is None:
        return
    parts, _ = check_database(topic.publish.url)
    if store is None or parts.has_password or not store.settings().get(PUBLISH_LOGIN):
        return
    if parts.shown() == store.settings()["topic"].get("publish", {}).get("url"):
        raise UserError(
            f"the crawl is published to {parts.shown()} with a password, which is not kept: give the whole URL in the"
            f" environment variable {DATABASE}, or with --publish"
        )


def shared_seeds(topic: Topic, notes: list[str]) -> list[FoundRow]:
    """The resources that a crawl starts from, those that are nearest to its topic first, as many as it wants."""
    assert topic.seeds.database is not None
    found = read_resources(topic.seeds.database, collection_of(topic))
    if found.odd:
        notes.append(f"rows of the database that are no seeds: {found.odd}, left out")
    if not found.rows:
        raise UserError("the database has no usable seed")
    rows = nearest_first(topic, found.rows)[: topic.find.seeds]
    more = f" of {len(found.rows)} (--most-seeds takes more)" if len(rows) < len(found.rows) else ""
    notes.append(f"seeds from the database: {len(rows)}{more}")
    return rows


def note_shared_seeds(topic: Topic, crawl: str, rows: list[FoundRow], at: float) -> str | None:
    """Tell the database that a crawl of this name starts from these; why that cannot be, which is no reason not to
    start."""
    assert topic.seeds.database is not None
    try:
        note_taken(topic.seeds.database, collection_of(topic), crawl, [row.url for row in rows], at)
    except DowseError as error:
        return f"the database could not be told that its seeds are taken: {error}"
    return None


def following(topic: Topic, folder: Path, on_trouble: Callable[[str], None]) -> Following | None:
    """What brings a crawl's records to the topic's database; None where they go nowhere."""
    return None if topic.publish.url is None else Following(folder, topic.publish.url, on_trouble)
