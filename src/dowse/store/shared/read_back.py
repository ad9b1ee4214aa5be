"""A published crawl as records that every reader takes: what a database has of it, written into a folder.

It has the pages with their verdicts, the sites, and what is told of the crawl as a whole. It does not have links, URLs
that wait, visits, and texts: those are in the crawl's folder, or in those of its shards. So what is written says that
it was read from a database (``settings``), and where the rest is.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dowse.model.columns import Table
from dowse.model.database_url import READ_FROM
from dowse.model.errors import NotACrawl
from dowse.model.records import CANDIDATES, RUNS, CandidateState
from dowse.model.records import PAGES as OWN_PAGES
from dowse.model.records import SITES as OWN_SITES
from dowse.model.strategy import SEED_FLOOR
from dowse.model.url import split
from dowse.store import rows
from dowse.store.database import create_database
from dowse.store.export import COLUMNS
from dowse.store.shared.tables import CRAWL_SHARDS, CRAWLS, PAGES, SITES
from dowse.store.times import seconds
from dowse.store.trust import DATABASE

if TYPE_CHECKING:
    from dowse.store.shared.server import Server, Session

__all__ = ["PublishedCrawl", "published_crawls", "read_back"]

_STATES = {"failed": CandidateState.FAILED, "refused": CandidateState.REFUSED}
_EMPTY: dict[str, Any] = {"INTEGER": 0, "REAL": 0.0, "TEXT": "", "BLOB": b""}
_OF_PAGE = ("id", "site", *(name for name in COLUMNS if name != "id"))
_OF_SITE = OWN_SITES.names


@dataclass(frozen=True, slots=True)
class PublishedCrawl:
    """The row of a crawl."""

    id: int
    facts: Mapping[str, Any]
    places: Sequence[str]  # where its archive is: machine and folder

    @property
    def name(self) -> str:
        return str(self.facts["name"] or "")


def published_crawls(server: Server) -> list[PublishedCrawl]:
    """All that are in a database, the latest first. NotACrawl where none is."""
    if not server.has(CRAWLS.name):
        raise NotACrawl(f"{server.shown} has no crawls: nothing was published to it")
    shards = server.has(CRAWL_SHARDS.name)
    with server.transaction() as session:
        found = session.find(CRAWLS, CRAWLS.table.names, {}, order=("-id",))
        crawls = [dict(zip(CRAWLS.table.names, row, strict=True)) for row in found]
        return [PublishedCrawl(int(row["id"]), row, _places(session, row, shards=shards)) for row in crawls]


def _places(session: Session, crawl: Mapping[str, Any], *, shards: bool) -> list[str]:
    parts = session.find(CRAWL_SHARDS, ("host", "folder"), {"crawl": crawl["id"]}, order=("shard",)) if shards else []
    return [f"{host}:{folder}" for host, folder in dict.fromkeys(parts or [(crawl["host"], crawl["folder"])])]


def read_back(server: Server, crawl: PublishedCrawl, topic: Mapping[str, Any] | None, folder: Path) -> None:
    """Write records into an empty folder. The database knows little of the ``topic``; who knows it gives it."""
    facts = crawl.facts
    settings = {
        "topic": dict(topic) if topic else {"name": crawl.name, "query": facts["query"] or ""},
        "version": facts["version"] or "", "started_at": facts["started_at"],
        READ_FROM: {"database": server.shown, "crawl": crawl.name, "archives": list(crawl.places)},
    }  # fmt: skip
    create_database(folder, [(name, rows.to_json(value)) for name, value in settings.items()])
    with closing(sqlite3.connect(folder / DATABASE, isolation_level=None)) as records:
        for setting in ("journal_mode = OFF", "synchronous = OFF"):
            records.execute(f"PRAGMA {setting}").close()
        records.execute("BEGIN")
        with server.transaction() as session:
            _write_sites(records, session, crawl.id)
            _write_pages(records, session, crawl.id)
        _write_whole(records, facts)
        records.execute("COMMIT")


def _put(records: sqlite3.Connection, table: Table, given: Iterable[Mapping[str, Any]]) -> None:
    """Rows with these values; what is not given is empty."""
    names = table.names
    empty = {column.name: None if column.optional else _EMPTY[column.sql] for column in table.columns}
    statement = f"INSERT INTO main.{table.name} ({', '.join(names)}) VALUES ({', '.join('?' * len(names))})"
    values = ({name: value for name, value in row.items() if value is not None} for row in given)
    records.executemany(statement, ([row.get(name, empty[name]) for name in names] for row in values))


def _write_sites(records: sqlite3.Connection, session: Session, crawl: int) -> None:
    records.execute("CREATE TEMP TABLE sites_there (there INTEGER PRIMARY KEY, here INTEGER NOT NULL)")
    records.execute("CREATE TEMP TABLE pages_there (there INTEGER PRIMARY KEY, here INTEGER NOT NULL)")
    found = session.find(SITES, _OF_SITE, {"crawl": crawl}, order=("origin",))
    _put(records, OWN_SITES, ({**dict(zip(_OF_SITE, row, strict=True)), "id": n} for n, row in enumerate(found)))
    records.executemany("INSERT INTO sites_there VALUES (?, ?)", ((row[0], n) for n, row in enumerate(found)))


def _write_pages(records: sqlite3.Connection, session: Session, crawl: int) -> None:
    """In the order in which they were fetched, and so numbered."""
    run = records.execute
    sites = dict(run("SELECT there, here FROM sites_there"))
    unknown: dict[str, int] = {}  # sites whose rows are not there yet
    for here, row in enumerate(session.each(PAGES, _OF_PAGE, {"crawl": crawl}, order=("fetched_at", "id"))):
        page = dict(zip(_OF_PAGE, row, strict=True))
        site = sites.get(page["site"])
        if site is None:
            site = unknown.setdefault(split(page["url"]).origin, len(sites) + len(unknown))
        run("INSERT INTO pages_there VALUES (?, ?)", (page["id"], here))
        _put(records, OWN_PAGES, [{**page, "id": here, "ordinal": here}])
        _put(records, CANDIDATES, [{
            "id": here, "url": page["url"], "site": site, "depth": page["depth"], "attempts": page["attempts"],
            "state": int(_STATES.get(page["outcome"], CandidateState.FETCHED)), "reason": page["reason"],
            "priority": 0.0 if page["depth"] else 2 * SEED_FLOOR,
        }])  # fmt: skip
    _put(records, OWN_SITES, (
        {"id": n, "origin": origin, "host": split(f"{origin}/").host} for origin, n in unknown.items()
    ))  # fmt: skip
    run(
        "UPDATE main.pages SET duplicate_of = (SELECT t.here FROM pages_there t WHERE t.there = duplicate_of)"
        " WHERE duplicate_of IS NOT NULL"
    )


def _took_s(began: str | None, ended: str | None) -> float:
    """With its pauses: how long it was at work the database does not know."""
    return max(0.0, seconds(ended) - seconds(began)) if began and ended else 0.0


def _write_whole(records: sqlite3.Connection, facts: Mapping[str, Any]) -> None:
    run = records.execute
    run("INSERT OR REPLACE INTO main.meta VALUES ('crawl', ?)", (str(facts["uuid"]),))
    run(
        "UPDATE main.totals SET (recorded, judged, relevant, pages) = (SELECT count(*), count(score),"
        " ifnull(sum(relevant), 0), ifnull(sum(outcome = 'fetched'), 0) FROM main.pages), bytes = ?, requests = ?,"
        " seconds = ?",
        (facts["bytes"] or 0, facts["requests"] or 0, _took_s(facts["started_at"], facts["ended_at"])),
    )
    if facts["started_at"] is not None:
        wanted = ("started_at", "ended_at", "stop_reason", "judge", "threshold")
        _put(records, RUNS, [{"id": 1, **{name: facts[name] for name in wanted}}])
