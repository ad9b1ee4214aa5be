"""A crawl that several engines share, brought into a database by its shards, and as a whole."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from dowse.store import CrawlStore
from dowse.store.final_verdicts import NewVerdict, write_verdicts
from dowse.store.gather import gather
from tests.store.gather.shards import crawl_both_ways
from tests.store.shared.same import asked, by_url, in_database, in_folder
from tests.store.shared.test_publication import publish


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return crawl_both_ways(tmp_path_factory.mktemp("web"))[0]


@pytest.fixture
def folder(crawled: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(crawled, tmp_path / "crawl"))


def check_same(database: str, folder: Path) -> None:
    [crawl] = asked(database, "SELECT * FROM crawls")
    assert (crawl["uuid"], crawl["folder"]) == ("a-crawl-of-two", str(folder))
    there = by_url(*(in_database(database, table, crawl["id"]) for table in ("pages", "sites")))
    here = by_url(*(in_folder(folder, table) for table in ("pages", "sites")))
    assert there == here


def test_shards_bring_their_pages_into_one_crawl(folder: Path, database: str) -> None:
    shards = sorted((folder / "shards").iterdir())
    assert publish(shards[1], database, 5) > 1
    assert len(asked(database, "SELECT id FROM pages")) == len(in_folder(shards[1], "pages"))
    publish(shards[0], database, 7)
    gather(folder)
    check_same(database, folder)
    [crawl] = asked(database, "SELECT * FROM crawls")
    parts = asked(database, "SELECT * FROM crawl_shards ORDER BY shard")
    assert [part["shard"] for part in parts] == [0, 1]
    for name in ("recorded", "relevant", "requests", "bytes"):
        assert crawl[name] == sum(part[name] for part in parts) > 0
    assert crawl["stop_reason"] == "empty: no URL is left to fetch"
    assert crawl["ended_at"] == max(part["ended_at"] for part in parts)
    assert crawl["mark"] == 0
    assert all(part["mark"] == part["changes"] > 0 for part in parts)
    assert publish(shards[0], database) == 1, "there is nothing left"


def test_the_whole_takes_the_place_of_what_shards_brought(folder: Path, database: str) -> None:
    """And what a shard brings afterwards is judged by the whole again."""
    shards = sorted((folder / "shards").iterdir())
    publish(folder, database)
    check_same(database, folder)
    for shard in shards:
        publish(shard, database)
    with CrawlStore.open(folder) as whole:
        [(page,)] = whole._connection.execute("SELECT id FROM pages WHERE url = 'http://h1.test/1'")
        write_verdicts(whole, [NewVerdict(page, 0.875, True)], 3, {})
    publish(folder, database)
    check_same(database, folder)
    verdict = "SELECT score FROM pages WHERE url = 'http://h1.test/1'"
    assert asked(database, verdict) == [{"score": 0.875}]
    with CrawlStore.open(shards[1]) as shard_store:
        [(own,)] = shard_store._connection.execute("SELECT id FROM pages WHERE url = 'http://h1.test/1'")
        write_verdicts(shard_store, [NewVerdict(own, 0.25, False)], 4, {})
    publish(shards[1], database)
    assert asked(database, verdict) == [{"score": 0.25}]
    publish(folder, database, 5)
    check_same(database, folder)
    assert asked(database, verdict) == [{"score": 0.875}]
    [crawl] = asked(database, "SELECT * FROM crawls")
    with closing(sqlite3.connect(folder / "dowse.sqlite")) as records:
        [(last,)] = records.execute("SELECT max(number) FROM changes")
    assert crawl["mark"] == last


def test_a_shard_that_lies_elsewhere_tells_where(folder: Path, tmp_path: Path, database: str) -> None:
    alone = Path(shutil.copytree(folder / "shards" / "01", tmp_path / "alone"))
    publish(alone, database)
    [part] = asked(database, "SELECT * FROM crawl_shards")
    assert (part["shard"], part["folder"]) == (1, str(alone))
    files = {row["warc_file"] for row in asked(database, "SELECT warc_file FROM pages WHERE warc_file IS NOT NULL")}
    assert files == {"dowse-00000.warc.gz"}
