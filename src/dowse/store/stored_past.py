"""What the records tell a crawl that goes on: its own past, read by its one writer."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dowse.model.budget import Spent
from dowse.model.errors import StoreError
from dowse.model.found import FOUND, FoundRow
from dowse.model.judge import JudgedPage
from dowse.model.records import SITES, CandidateBlock, SiteRow
from dowse.model.revive import typed
from dowse.model.visits import NOT_ASKED
from dowse.store import rows
from dowse.store.damage import asked
from dowse.store.ledger import Ledger

__all__ = ["Counters", "StoredPast"]

_BLOCK = 20_000  # rows: enough to pay for the arrays, few enough to weigh nothing
_MOST_CANDIDATES = 1 << 31


@dataclass(frozen=True, slots=True)
class Counters:
    """What a resumed crawl must know of its past."""

    recorded: int  # pages written down, whatever their outcome
    relevant: int


class StoredPast:
    """The part of :class:`~dowse.store.crawl_store.CrawlStore` that reads."""

    def __init__(self, folder: Path, connection: sqlite3.Connection, ledger: Ledger) -> None:
        self.folder = folder
        self._connection = connection
        self._ledger = ledger

    @asked
    def spent(self) -> Spent:
        """What was spent over all runs: what was noted last or recorded, whichever is more. Pages are those recorded,
        since a page that was not is fetched again."""
        noted = self._ledger.read()
        pages, size, seconds, requests = self._connection.execute(
            "SELECT pages, bytes, seconds, requests FROM totals"
        ).fetchone()
        recorded = typed(Spent, pages=pages, bytes=size, seconds=seconds, requests=requests)
        if min(pages, size, seconds, requests) < 0:
            raise ValueError("less than nothing was spent")
        return Spent(
            pages=recorded.pages,
            bytes=max(noted.bytes, recorded.bytes),
            seconds=max(noted.seconds, recorded.seconds),
            requests=max(noted.requests, recorded.requests),
        )

    @asked
    def counters(self) -> Counters:
        """Pages recorded, and relevant, so far."""
        found = self._connection.execute("SELECT recorded, relevant FROM totals").fetchone()
        return typed(Counters, **dict(zip(("recorded", "relevant"), found, strict=True)))

    @asked
    def saved(self) -> tuple[int, int]:
        """Pages, and bytes over the wire, that were taken from caches instead of being downloaded."""
        [(pages, size)] = self._connection.execute(rows.SAVED)
        return int(pages), int(size)

    @asked
    def visited_again(self) -> int:
        """How many of the pages that were spent are visits to pages which the crawl had."""
        sql = "SELECT count(*) - count(DISTINCT page) FROM visits WHERE reason NOT LIKE ?"
        return int(self._connection.execute(sql, (f"{NOT_ASKED}%",)).fetchone()[0])

    @asked
    def value(self) -> float:
        """The sum of all scores so far: of pages that were judged and are nobody's duplicate."""
        return float(self._connection.execute("SELECT total(score) FROM pages").fetchone()[0])

    @asked
    def last_fetches(self, most: int) -> list[tuple[float, bool, float]]:
        """Priority, whether it was relevant, and score of the last URLs that were fetched, in the order of recording;
        what was not judged is neither relevant nor of any score."""
        found = self._connection.execute(
            "SELECT c.priority, p.relevant, p.score FROM (SELECT id, ordinal, relevant, score FROM pages"
            " ORDER BY ordinal DESC LIMIT ?) p JOIN candidates c ON c.id = p.id ORDER BY p.ordinal", (most,)
        )  # fmt: skip
        return [(float(priority), bool(relevant), float(score or 0.0)) for priority, relevant, score in found]

    def candidates(self) -> Iterator[CandidateBlock]:
        """Every known URL in id order, in blocks; leases lost to a crash come back as waiting."""
        run = self._connection.execute
        [(count,)] = run("SELECT ifnull(max(id) + 1, 0) FROM candidates")
        if type(count) is not int or not 0 <= count < _MOST_CANDIDATES:
            raise ValueError("there cannot be so many candidates")
        for start in range(0, count, _BLOCK):
            end = min(start + _BLOCK, count)
            found = run(
                f"SELECT {rows.BLOCK_COLUMNS} FROM candidates WHERE id >= ? AND id < ? ORDER BY id", (start, end)
            ).fetchall()
            if len(found) < end - start:
                raise StoreError(f"the records lack a candidate between {start} and {end - 1}: they are damaged")
            yield rows.candidates(start, found, count)

    def details(self, candidates: Sequence[int]) -> Iterator[tuple[int, bytes]]:
        """The terms of these pages, packed, where they were kept."""
        return iter(self._connection.execute(rows.DETAILS_OF, (rows.to_json(list(candidates)),)))

    def judged(self) -> list[JudgedPage]:
        """The pages that have a score, in the order they were judged."""
        return list(map(rows.judged_page, self._connection.execute(rows.JUDGED_PAGES)))

    @asked
    def found(self) -> list[FoundRow]:
        """The seeds that search engines found, in the order in which they are taken up."""
        return list(map(rows.found, self._connection.execute(f"{rows.select(FOUND)} ORDER BY id")))

    def sites(self) -> Iterator[SiteRow]:
        """Every known origin in id order."""
        return map(rows.site, self._connection.execute(f"{rows.select(SITES)} ORDER BY id"))

    @asked
    def statistics(self) -> dict[str, Any]:
        """What was learned, by name: bytes as bytes, everything else as JSON gives it back."""
        found = self._connection.execute("SELECT name, value FROM statistics")
        return {name: rows.statistic(value) for name, value in found}

    @asked
    def settings(self) -> dict[str, Any]:
        """What the crawl was started with."""
        return {name: rows.from_json(value) for name, value in self._connection.execute("SELECT * FROM settings")}

    def signatures(self) -> Iterator[tuple[int, int, bytes]]:
        """Page, exact signature and minhash of every page that is nobody's duplicate, in the order of recording."""
        found = self._connection.execute(
            "SELECT id, signature, minhash FROM pages WHERE signature <> 0 AND duplicate_of IS NULL ORDER BY ordinal"
        )
        return ((id, rows.unsigned(exact), bytes(minhash)) for id, exact, minhash in found)

    def exchanges(self) -> Iterator[tuple[str, int, float, float, bool]]:
        """URL, body bytes over the wire, seconds to the first byte and in all, and whether no answer came: of every
        URL that was asked for, in the order of recording."""
        found = self._connection.execute(
            "SELECT url, bytes, first_byte_s, total_s, status = 0 FROM pages WHERE cached_from IS NULL ORDER BY ordinal"
        )
        return ((url, size, float(first), float(total), bool(failed)) for url, size, first, total, failed in found)

    @asked
    def uuid(self) -> str:
        """The name by which shared databases know the crawl."""
        return str(self._connection.execute("SELECT value FROM meta WHERE name = 'crawl'").fetchone()[0])
