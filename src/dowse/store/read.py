"""The records of a crawl for reports and tools: read only, also while the crawl is running.

Each answer is of one moment (one read transaction), and no question holds the crawl up. What the schema keeps no index
for (a URL, the pages that link to a candidate) is found by scanning its table once.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from dowse.model.errors import StoreError
from dowse.model.forecast import FORECAST, Forecast
from dowse.model.found import FOUND, FoundRow
from dowse.model.judge import JudgedPage
from dowse.model.records import (
    CANDIDATES,
    DECISIONS,
    CandidateRow,
    CandidateState,
    DecisionRow,
    EventRow,
    SiteTurn,
)
from dowse.model.revive import typed
from dowse.store import rows
from dowse.store.current import connect_reader
from dowse.store.damage import asked, damaged, is_corrupt
from dowse.store.read_rows import PAGE_COLUMNS, RUN_COLUMNS, SITE_COLUMNS, page_view, run_view, truth, typed_row
from dowse.store.views import HarvestCurve, OutcomeCount, PageView, Parent, Refusal, SiteView, Summary

__all__ = ["CrawlReader"]

_AT_ONCE = 10_000


class CrawlReader:
    """Raises NotACrawl when the folder holds none."""

    def __init__(self, folder: Path | str) -> None:
        self.folder = Path(folder)
        self._connection = connect_reader(self.folder)

    def close(self) -> None:
        """Let go of the records."""
        self._connection.close()

    def __enter__(self) -> CrawlReader:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @contextmanager
    def _moment(self) -> Iterator[None]:
        """Everything asked inside is of the same moment."""
        try:
            self._connection.execute("BEGIN")
            yield
        finally:
            if self._connection.in_transaction:
                self._connection.rollback()

    def _ask(self, sql: str, *values: Any) -> list[tuple[Any, ...]]:
        try:
            return self._connection.execute(sql, values).fetchall()
        except sqlite3.Error as error:
            if is_corrupt(error, self.folder):
                raise damaged(self.folder, str(error)) from error
            raise StoreError(f"cannot read the records in {self.folder}: {error}") from error

    @asked
    def settings(self) -> dict[str, Any]:
        """What the crawl was started with."""
        return {str(name): rows.from_json(value) for name, value in self._ask("SELECT name, value FROM settings")}

    @asked
    def topic(self) -> dict[str, Any]:
        """What it was told to look for and how, as JSON."""
        found = self.settings().get("topic")
        if not isinstance(found, dict):
            raise ValueError("they do not say what the topic was")
        return found

    @asked
    def summary(self) -> Summary:
        """The crawl in figures."""
        with self._moment():
            [(judged, relevant, size, requests, seconds)] = self._ask(
                "SELECT judged, relevant, bytes, requests, seconds FROM totals"
            )
            [(pages,)] = self._ask("SELECT count(*) FROM pages WHERE outcome = 'fetched'")
            [(saved_pages, saved_bytes)] = self._ask(rows.SAVED)
            [(sites,)] = self._ask("SELECT count(*) FROM sites")
            groups = self._ask("SELECT state, reason, count(*) FROM candidates GROUP BY 1, 2 ORDER BY 3 DESC, 1, 2")
            runs = tuple(run_view(*row) for row in self._ask(f"SELECT {RUN_COLUMNS} FROM runs ORDER BY id"))
        outcomes = tuple(typed_row(OutcomeCount, (rows.state_of(state).shown, *row)) for state, *row in groups)
        return typed(
            Summary, pages=pages, judged=judged, relevant=relevant, harvest=relevant / pages if pages else 0.0,
            bytes=size, requests=requests, seconds=seconds, sites=sites, known=sum(row.count for row in outcomes),
            waiting=sum(row.count for row in outcomes if row.state in ("waiting", "leased")), outcomes=outcomes,
            stop_reason=runs[-1].stop_reason if runs else None, runs=runs,
            saved_pages=saved_pages, saved_bytes=saved_bytes,
        )  # fmt: skip

    @asked
    def statistic(self, name: str) -> Any:
        """Something that was learned or counted, by its name; None when there is none."""
        found = self._ask("SELECT value FROM statistics WHERE name = ?", name)
        return rows.statistic(found[0][0]) if found else None

    @asked
    def forecast(self) -> Forecast | None:
        """What the crawl last expected of its next fetches; None when it never looked."""
        found = self._ask("SELECT value FROM statistics WHERE name = ?", FORECAST)
        return Forecast.from_json(rows.from_json(found[0][0])) if found else None

    @asked
    def harvest_curve(self) -> HarvestCurve:
        """Relevant pages against fetched pages, in the order they were recorded."""
        found = self._ask("SELECT coalesce(relevant, 0) FROM pages WHERE outcome = 'fetched' ORDER BY ordinal")
        relevant = np.fromiter((bool(row[0]) for row in found), np.int64, len(found))
        return HarvestCurve(np.arange(1, len(found) + 1, dtype=np.int64), np.cumsum(relevant))

    @asked
    def top_sites(self, n: int = 20) -> list[SiteView]:
        """The sites with the most relevant pages."""
        found = self._ask(f"SELECT {SITE_COLUMNS} FROM sites ORDER BY relevant DESC, pages DESC, id LIMIT ?", n)
        return [typed_row(SiteView, row) for row in found]

    @asked
    def busiest_sites(self, n: int = 20) -> list[SiteView]:
        """The sites that were asked most."""
        found = self._ask(f"SELECT {SITE_COLUMNS} FROM sites WHERE requests > 0 ORDER BY requests DESC, id LIMIT ?", n)
        return [typed_row(SiteView, row) for row in found]

    @asked
    def site(self, id: int) -> SiteView | None:
        """A site by its number."""
        found = self._ask(f"SELECT {SITE_COLUMNS} FROM sites WHERE id = ?", id)
        return typed_row(SiteView, found[0]) if found else None

    @asked
    def processed(self) -> list[str]:
        """The origins of sites that a crawl site by site is done with."""
        return [origin for (origin,) in self._ask("SELECT origin FROM sites WHERE turn = ?", int(SiteTurn.PROCESSED))]

    @asked
    def top_pages(self, n: int = 20) -> list[PageView]:
        """The relevant pages with the highest scores."""
        return [page_view(row) for row in self._ask(
            f"SELECT {PAGE_COLUMNS} FROM pages WHERE relevant = 1 ORDER BY score DESC, ordinal LIMIT ?", n
        )]  # fmt: skip

    @asked
    def judged_pages(self, relevant: bool | None = None) -> list[PageView]:
        """The pages that have a score, duplicates left out, in the order they were recorded; of one verdict or both."""
        found = self._ask(
            f"SELECT {PAGE_COLUMNS} FROM pages WHERE outcome = 'fetched' AND score IS NOT NULL AND duplicate_of IS NULL"
            " AND (?1 IS NULL OR relevant = ?1) ORDER BY ordinal", relevant)  # fmt: skip
        return [page_view(row) for row in found]

    @asked
    def page(self, url: str) -> PageView | None:
        """The page recorded under ``url``."""
        found = self._ask(f"SELECT {PAGE_COLUMNS} FROM pages WHERE url = ? LIMIT 1", url)
        return page_view(found[0]) if found else None

    @asked
    def exchanges(self) -> list[tuple[str, int, int, float, float]]:
        """(WARC file, offset, bytes over the wire, seconds to the first byte, seconds in all) of what is archived."""
        return [(str(file), int(offset), int(size), float(first_byte_s), float(total_s))
                for file, offset, size, first_byte_s, total_s in self._ask(
            "SELECT warc_file, warc_offset, bytes, first_byte_s, total_s FROM pages WHERE warc_file IS NOT NULL"
        )]  # fmt: skip

    @asked
    def candidate(self, url: str) -> CandidateRow | None:
        """What is known of a URL, as it stands in the records."""
        found = self._ask(f"{rows.select(CANDIDATES)} WHERE url = ? LIMIT 1", url)
        return rows.candidate(found[0]) if found else None

    @asked
    def candidate_by_id(self, id: int) -> CandidateRow | None:
        """What is known of the candidate with this number, found at once."""
        found = self._ask(f"{rows.select(CANDIDATES)} WHERE id = ?", id)
        return rows.candidate(found[0]) if found else None

    def urls(self) -> Iterator[tuple[str, CandidateState]]:
        """Every URL that the crawl knows, and how it stands; read some thousands at a time."""
        after = -1
        while found := self._urls(after):
            for after, url, state in found:  # noqa: B007
                yield url, state

    @asked
    def _urls(self, after: int) -> list[tuple[int, str, CandidateState]]:
        found = self._ask("SELECT id, url, state FROM candidates WHERE id > ? ORDER BY id LIMIT ?", after, _AT_ONCE)
        return [(int(id_), str(url), rows.state_of(state)) for id_, url, state in found]

    @asked
    def details(self, candidates: Sequence[int]) -> Iterator[tuple[int, bytes]]:
        """The terms of these pages, packed, where they were kept."""
        return iter(self._ask(rows.DETAILS_OF, rows.to_json(list(candidates))))

    @asked
    def judged(self) -> list[JudgedPage]:
        """The pages that have a score, in the order they were judged."""
        return list(map(rows.judged_page, self._ask(rows.JUDGED_PAGES)))

    @asked
    def parents(self, candidate: int, limit: int = 100) -> list[Parent]:
        """The pages that link to a candidate, in the order they were recorded."""
        found = self._ask(
            "SELECT l.page, p.url, p.title, p.score, p.relevant, l.anchor, l.count FROM links l"
            " JOIN pages p ON p.id = l.page WHERE l.target = ? ORDER BY l.rowid LIMIT ?", candidate, limit)  # fmt: skip
        return [
            typed_row(Parent, (page, url, title, score, truth(relevant), anchor, count))
            for page, url, title, score, relevant, anchor, count in found
        ]

    @asked
    def found(self, url: str | None = None) -> list[FoundRow]:
        """The seeds that search engines found, in the order in which they are taken up; or the one of this URL."""
        wanted = f"{rows.select(FOUND)} WHERE ?1 IS NULL OR url = ?1 ORDER BY id"
        return [rows.found(row) for row in self._ask(wanted, url)]

    @asked
    def decision(self, candidate: int) -> DecisionRow | None:
        """Why a URL was fetched when it was; None when it was not yet."""
        found = self._ask(f"{rows.select(DECISIONS)} WHERE candidate = ?", candidate)
        return rows.decision(found[0]) if found else None

    @asked
    def waiting_rank(self, candidate: int) -> int | None:
        """How many waiting URLs are in front of this one (0: it is next); None when it does not wait."""
        found = self._ask("SELECT priority FROM candidates WHERE id = ? AND state IN (0, 1)", candidate)
        if not found:
            return None
        [(ahead,)] = self._ask(
            "SELECT count(*) FROM candidates WHERE state IN (0, 1) AND (priority > ?1 OR (priority = ?1 AND id < ?2))",
            found[0][0], candidate)  # fmt: skip
        return int(ahead)

    @asked
    def events(self) -> list[EventRow]:
        """What was worth telling, in order."""
        return [rows.event(row) for row in self._ask("SELECT at, kind, detail FROM events ORDER BY id")]

    @asked
    def refusals(self) -> list[Refusal]:
        """What the rules of scope and traps refused, most frequent first."""
        with self._moment():
            counts = self._ask("SELECT rule, count FROM refusals ORDER BY count DESC, rule")
            samples: dict[Any, list[Any]] = {}
            for rule, url in self._ask("SELECT rule, url FROM refusal_samples ORDER BY rowid"):
                samples.setdefault(rule, []).append(url)
        return [typed(Refusal, rule=rule, count=count, samples=tuple(map(str, samples.get(rule, ()))))
                for rule, count in counts]  # fmt: skip

    @asked
    def origins(self) -> list[tuple[int, str, int]]:
        """The number, origin and pages of each site."""
        return [(int(id_), str(origin), int(pages)) for id_, origin, pages in self._ask(
            "SELECT id, origin, pages FROM sites ORDER BY id"
        )]  # fmt: skip
