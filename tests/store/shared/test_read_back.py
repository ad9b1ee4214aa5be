"""What a database has of a crawl, read back for readers: the same as its folder has."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from dowse.model.errors import NotACrawl
from dowse.store import CrawlReader, CrawlStore, export
from dowse.store.gather import gather
from dowse.store.shared.connect import open_server
from dowse.store.shared.read_back import published_crawls, read_back
from tests.store.gather.shards import crawl_both_ways
from tests.store.made import WALL, batch
from tests.store.shared.test_publication import SETTINGS, publish

LOCAL = ("id", "duplicate_of")


def read(database: str, folder: Path) -> Path:
    with closing(open_server(database)) as server:
        [crawl] = published_crawls(server)
        folder.mkdir()
        read_back(server, crawl, None, folder)
    return folder


def exported(folder: Path, out: Path) -> list[dict[str, Any]]:
    """Every page by its URL, with the URL of what it repeats."""
    export(folder, "jsonl", str(out))
    rows = [json.loads(line) for line in out.read_text("utf-8").splitlines()]
    out.unlink()
    urls = {row["id"]: row["url"] for row in rows}
    told = ({**row, "id": 0, "duplicate_of": urls.get(row["duplicate_of"])} for row in rows)
    return sorted(told, key=lambda row: str(row["url"]))


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return crawl_both_ways(tmp_path_factory.mktemp("web"))[0]


def test_shards_are_read_as_one_crawl(shared: Path, database: str, tmp_path: Path) -> None:
    for shard in sorted((shared / "shards").iterdir()):
        publish(shard, database)
    gather(shared)
    back = read(database, tmp_path / "back")
    assert exported(back, tmp_path / "o") == exported(shared, tmp_path / "o") != []
    with CrawlReader(back) as there, CrawlReader(shared) as here:
        for name in ("requests", "bytes", "pages", "relevant", "judged"):
            assert getattr(there.summary(), name) == getattr(here.summary(), name), name
        assert str(there.summary().runs[-1].stop_reason) == "empty: no URL is left to fetch"
        assert {site.origin: site.pages for site in there.busiest_sites(9)} == {
            site.origin: site.pages for site in here.busiest_sites(9)
        }


def test_a_crawl_of_one_engine_is_read_while_it_runs(database: str, tmp_path: Path) -> None:
    with CrawlStore.create(tmp_path / "crawl", SETTINGS, WALL) as store:
        store.start_run(WALL)
        store.commit(batch(0))
        publish(tmp_path / "crawl", database)
        back = read(database, tmp_path / "back")
        assert exported(back, tmp_path / "o") == exported(tmp_path / "crawl", tmp_path / "o") != []
    with CrawlReader(back) as crawl:
        assert crawl.topic() == SETTINGS["topic"]
        assert crawl.summary().runs[-1].ended_at is None


def test_a_database_without_crawls_is_told(database: str) -> None:
    with closing(open_server(database)) as server, pytest.raises(NotACrawl, match="nothing was published to it"):
        published_crawls(server)
