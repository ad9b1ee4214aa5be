"""What the records keep of what a strategy learned, in its own form."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from dowse.model.records import CandidateRow, CandidateState
from dowse.model.statistic_names import EVIDENCE_KIND, STRATEGY_STATE
from dowse.store import rows
from dowse.store.damage import asked
from dowse.store.read import CrawlReader
from dowse.store.schema import DATABASE
from dowse.store.sharded import is_sharded, shard_folders

__all__ = ["evidence", "evidence_kind", "evidence_of_pages", "hosts", "learned", "records_of"]


@contextmanager
def records_of(crawl: CrawlReader, candidate: CandidateRow) -> Iterator[tuple[CrawlReader, int]]:
    """The records that have what the strategy knew of a candidate, and its number in them: of a sharded crawl those of
    the shard whose it is, since every strategy learned by itself."""
    for shard in shard_folders(crawl.folder) if is_sharded(crawl.folder) else ():
        if (shard / DATABASE).is_file():
            with CrawlReader(shard) as own:
                found = own.candidate(candidate.url)
                if found is not None and found.state is not CandidateState.ELSEWHERE:
                    yield own, found.id
                    return
    yield crawl, candidate.id


@asked
def evidence_kind(crawl: CrawlReader) -> str | None:
    """What the evidence of candidates means; None when there is none."""
    found = crawl._ask("SELECT value FROM statistics WHERE name = ?", EVIDENCE_KIND)
    return str(rows.statistic(found[0][0])) if found else None


@asked
def evidence(crawl: CrawlReader, candidate: int) -> bytes | None:
    """What the strategy knew of a candidate, in its own form: see :func:`evidence_kind`."""
    found = crawl._ask("SELECT evidence FROM candidates WHERE id = ?", candidate)
    return found[0][0] if found else None


@asked
def evidence_of_pages(crawl: CrawlReader) -> Iterator[tuple[int, bytes]]:
    """What the strategy knew of each candidate that was fetched, here or by another shard, in its own form: the pages
    that others are known by."""
    found = crawl._ask("SELECT id, evidence FROM candidates WHERE state IN (?, ?) AND evidence IS NOT NULL",
                       int(CandidateState.FETCHED), int(CandidateState.ELSEWHERE))  # fmt: skip
    return iter(found)


@asked
def learned(crawl: CrawlReader, strategy: str) -> dict[str, Any]:
    """What a strategy knew of the crawl as a whole."""
    mark = f"{STRATEGY_STATE}{strategy}."
    found = crawl._ask("SELECT name, value FROM statistics WHERE substr(name, 1, ?) = ?", len(mark), mark)
    return {name[len(mark) :]: rows.statistic(value) for name, value in found}


@asked
def hosts(crawl: CrawlReader) -> dict[int, str]:
    """The host of each site, by the site's number."""
    return {int(id): str(host) for id, host in crawl._ask("SELECT id, host FROM sites")}
