"""A crawl that two engines shared, read as one: beside the crawl of one engine of the same web."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from warcio.archiveiterator import ArchiveIterator

from dowse.model.records import CandidateState
from dowse.store import CrawlReader, CrawlStore, read_back
from dowse.store.archive import all_archive_files
from tests.store.gather.shards import crawl_both_ways


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    return crawl_both_ways(tmp_path_factory.mktemp("web"))


def asked(folder: Path, sql: str) -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect(f"file:{folder / 'dowse.sqlite'}?mode=ro", uri=True)) as records:
        return records.execute(sql).fetchall()


def test_pages_links_verdicts_and_sites_are_those_of_one_engine(both: tuple[Path, Path]) -> None:
    for folder in both:
        CrawlReader(folder).close()
    for sql in (
        "SELECT url, outcome, reason, status, title, relevant, round(score, 6) FROM pages ORDER BY url",
        "SELECT page, target, anchor, count FROM link_urls ORDER BY 1, 2",
        "SELECT url, state, reason FROM candidates ORDER BY url",
        "SELECT url FROM relevant_pages ORDER BY url",
        "SELECT origin, requests, pages, relevant, failures, robots_status FROM sites ORDER BY origin",
        "SELECT recorded, judged, relevant, pages, bytes, requests FROM totals",
        "SELECT rule, count FROM refusals ORDER BY rule",
    ):
        shared, one = (asked(folder, sql) for folder in both)
        assert shared == one, sql
        assert shared or "refusals" in sql


def test_every_url_but_the_seed_has_a_page_on_which_it_was_found(both: tuple[Path, Path]) -> None:
    with CrawlReader(both[0]) as crawl:
        lineage = crawl._ask("SELECT url, parent FROM candidates")
        assert [url for url, parent in lineage if parent is None] == ["http://h0.test/0"]
        links = set(crawl._ask("SELECT page, target FROM links"))
        assert all((parent, id) in links for id, parent in crawl._ask("SELECT id, parent FROM candidates WHERE id > 0")
                   if parent is not None)  # fmt: skip


def test_numbers_are_dense_and_the_order_is_that_of_time(both: tuple[Path, Path]) -> None:
    CrawlReader(both[0]).close()
    for table, column in (("candidates", "id"), ("sites", "id"), ("pages", "ordinal")):
        values = [value for (value,) in asked(both[0], f"SELECT {column} FROM {table} ORDER BY 1")]
        assert values == list(range(len(values)))
    shards = [file.split("/")[1] for (file,) in asked(
        both[0], "SELECT warc_file FROM pages WHERE warc_file IS NOT NULL ORDER BY ordinal"
    )]  # fmt: skip
    assert sorted(set(shards)) == ["00", "01"]
    assert shards != sorted(shards)  # they took turns


def test_one_run_events_of_each_shard_and_what_was_spent(both: tuple[Path, Path]) -> None:
    with CrawlReader(both[0]) as crawl:
        summary = crawl.summary()
        [run] = summary.runs
        assert run.stop_reason == summary.stop_reason == "empty: no URL is left to fetch"
        assert run.ended_at is not None
        assert run.judged_by.judge == "similarity"
        stops = [event.detail for event in crawl.events() if event.kind == "stop"]
        assert sorted(stop[:9] for stop in stops) == ["shard 00:", "shard 01:"]
        assert crawl.settings()["seeds"] == ["http://h0.test/0"]
    with CrawlReader(both[1]) as crawl:
        assert summary.requests == crawl.summary().requests


def test_every_body_can_be_read_from_where_the_records_say(both: tuple[Path, Path]) -> None:
    shared = both[0]
    with CrawlReader(shared) as crawl:
        places = crawl._ask("SELECT url, warc_file, warc_offset FROM pages WHERE warc_file IS NOT NULL")
    assert places
    assert all(read_back(shared, file, offset).url == url for url, file, offset in places)
    assert not list(shared.glob("*.warc.gz"))
    found = set()
    for name in all_archive_files(shared):
        with (shared / name).open("rb") as stream:
            found |= {
                record.rec_headers.get_header("WARC-Target-URI")
                for record in ArchiveIterator(stream) if record.rec_type == "response"
            }  # fmt: skip
    assert found >= {url for url, _, _ in places}


def test_the_whole_crawl_can_be_loaded_as_that_of_one_engine(both: tuple[Path, Path]) -> None:
    with CrawlStore.open(both[0]) as store:
        loaded = sum(len(block) for block in store.candidates())
        assert loaded == len(asked(both[0], "SELECT 1 FROM candidates"))
        assert [site.id for site in store.sites()] == list(range(6))
    assert asked(both[0], f"SELECT count(*) FROM candidates WHERE state = {int(CandidateState.ELSEWHERE)}") == [(0,)]
