"""The tables of a shared database, declared like those of a crawl's own records, and by them where they have the same.

A page is what an export has of it, a site what the records have, each with its crawl in front. What a crawl and a
resource are is declared here. docs/database.md is written from these declarations.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

from dowse.model.columns import Form, Stored, Table, columns_of
from dowse.model.records import PAGES as OWN_PAGES
from dowse.model.records import SITES as OWN_SITES
from dowse.store.export import COLUMNS

__all__ = [
    "CRAWLS", "CRAWL_SHARDS", "PAGES", "RESOURCES", "SHARED", "SITES", "CrawlRow", "ResourceRow", "ShardRow",
    "SharedTable",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class SharedTable:
    """A table of the database: its rows are told apart by ``keys``, and found by what is ``indexed``."""

    table: Table
    keys: tuple[str, ...]
    indexed: tuple[str, ...] = ()
    unique: str = ""  # besides the keys
    lengths: tuple[tuple[str, int], ...] = ()  # of text that is a key: databases want to know
    known_by: tuple[str, ...] = ()  # what else tells it from somebody else's table of this name

    @property
    def name(self) -> str:
        return self.table.name

    @property
    def marks(self) -> frozenset[str]:
        """Columns that a table of this name has if it is Dowse's."""
        return frozenset((*self.keys, *filter(None, (self.unique,)), *self.indexed, *self.known_by))


@dataclass(frozen=True, slots=True, kw_only=True)
class CrawlRow:
    """A crawl, and how much of it is here."""

    id: Annotated[int | None, Stored("The crawl's number in this database.", key=True)] = None
    uuid: Annotated[str, Stored("What the crawl's own folder calls it.")]
    name: Annotated[str, Stored("The topic's name; if it has none, its query or predicate.")] = ""
    query: Annotated[str, Stored("What it looks for: the topic's query, or its predicate.")] = ""
    host: Annotated[str, Stored("The machine it was last published from.")] = ""
    folder: Annotated[str, Stored("The crawl's folder on that machine, with its WARC files.")] = ""
    version: Annotated[str, Stored("The version of Dowse that began it.")] = ""
    started_at: Annotated[float | None, Stored("When its first run began.", Form.TIME)] = None
    ended_at: Annotated[float | None, Stored("When its last run ended; null while it runs, and after a kill.",
                                             Form.TIME)] = None  # fmt: skip
    stop_reason: Annotated[str | None, Stored("Why it stopped.")] = None
    judge: Annotated[str, Stored("Who judged in its last run: `learned`, `similarity`, `erid`, `predicate` or "
                                 "another's name.")] = ""  # fmt: skip
    threshold: Annotated[float | None, Stored("The score from which a page was relevant in its last run.")] = None
    recorded: Annotated[int, Stored("Pages recorded in the folder, whatever their outcome.")] = 0
    relevant: Annotated[int, Stored("Relevant pages in the folder.")] = 0
    requests: Annotated[int, Stored("Requests so far.")] = 0
    bytes: Annotated[int, Stored("Bytes over the wire so far.")] = 0
    changes: Annotated[int, Stored("The number of the folder's latest change when this was written.")] = 0
    mark: Annotated[int, Stored("The high-water mark: all changes up to this number are here.")] = 0
    writer: Annotated[str | None, Stored("Who wrote that change, by which a copy of the folder that went on by itself "
                                         "is noticed.")] = None  # fmt: skip
    published_at: Annotated[float | None, Stored("When this row was last written.", Form.TIME)] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ShardRow:
    """A shard of a crawl that several engines share, and how much of it is here."""

    crawl: Annotated[int, Stored("`crawls.id`.")]
    shard: Annotated[int, Stored("Its number, from 0.")]
    host: Annotated[str, Stored("The machine it was last published from.")] = ""
    folder: Annotated[str, Stored("The folder on that machine in which `warc_file` of its pages is.")] = ""
    started_at: Annotated[float | None, Stored("When its first run began.", Form.TIME)] = None
    ended_at: Annotated[float | None, Stored("When its last run ended; null while it runs, and after a kill.",
                                             Form.TIME)] = None  # fmt: skip
    stop_reason: Annotated[str | None, Stored("Why it stopped.")] = None
    recorded: Annotated[int, Stored("Pages recorded in its folder, whatever their outcome.")] = 0
    relevant: Annotated[int, Stored("Relevant pages in its folder, by its own verdicts.")] = 0
    requests: Annotated[int, Stored("Its requests so far.")] = 0
    bytes: Annotated[int, Stored("Bytes over the wire so far.")] = 0
    changes: Annotated[int, Stored("The number of its folder's latest change when this was written.")] = 0
    mark: Annotated[int, Stored("The high-water mark: all changes up to this number are here.")] = 0
    writer: Annotated[str | None, Stored("Who wrote that change.")] = None
    published_at: Annotated[float | None, Stored("When this row was last written.", Form.TIME)] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ResourceRow:
    """An address that search engines found, for a crawl to start from."""

    collection: Annotated[str, Stored("The name of the set it belongs to, by default the topic's.")]
    url_hash: Annotated[bytes, Stored("The SHA-256 of `url`.")]
    url: Annotated[str, Stored("In canonical form.")]
    title: Annotated[str, Stored("As the engine that ranks it highest tells it.")] = ""
    snippet: Annotated[str, Stored("The same engine's excerpt.")] = ""
    score: Annotated[float, Stored("The sum of 1 / (60 + rank) over all engines and queries that found it.")] = 0.0
    nearness: Annotated[float, Stored("The cosine similarity of title and snippet to the topic.")] = 0.0
    engine: Annotated[str, Stored("The engine that ranks it highest.")] = ""
    query: Annotated[str, Stored("What that engine was asked.")] = ""
    best_rank: Annotated[int, Stored("Its place there, from 1.")] = 0
    found_at: Annotated[float | None, Stored("When it was first found.", Form.TIME)] = None
    finds: Annotated[
        list[dict[str, Any]],
        Stored("JSON: everybody who found it, `[{engine, query, rank, title, snippet, at}, ...]`.", Form.JSON),
    ]
    taken_by: Annotated[str | None, Stored("The crawl that started from it last: `crawls.uuid`; null: none.")] = None
    taken_at: Annotated[float | None, Stored("When.", Form.TIME)] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class _OfCrawl:
    crawl: Annotated[int, Stored("`crawls.id`.")]


@dataclass(frozen=True, slots=True, kw_only=True)
class _PagePlace:
    url_hash: Annotated[bytes, Stored("The SHA-256 of `url`, to find it by.")]
    site: Annotated[int | None, Stored("`sites.id`.")]


_own = {column.name: column for column in OWN_PAGES.columns}
_CRAWL = columns_of(_OfCrawl)

CRAWLS = SharedTable(Table("crawls", columns_of(CrawlRow)), ("id",), unique="uuid", lengths=(("uuid", 64),))
PAGES = SharedTable(
    Table("pages", (*_CRAWL, _own["id"], *columns_of(_PagePlace), *(_own[name] for name in COLUMNS if name != "id"))),
    ("crawl", "id"), indexed=("url_hash",),
)  # fmt: skip
SITES = SharedTable(Table("sites", (*_CRAWL, *OWN_SITES.columns)), ("crawl", "id"), known_by=("origin",))
RESOURCES = SharedTable(
    Table("resources", columns_of(ResourceRow)), ("collection", "url_hash"), lengths=(("collection", 255),)
)
CRAWL_SHARDS = SharedTable(Table("crawl_shards", columns_of(ShardRow)), ("crawl", "shard"))
SHARED = (RESOURCES, PAGES, SITES, CRAWLS, CRAWL_SHARDS)
