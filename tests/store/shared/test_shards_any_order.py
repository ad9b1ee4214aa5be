"""Shards and whole published in any order; each may die at any statement. At the end the database is right."""

from __future__ import annotations

import shutil
import tempfile
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dowse.store import CrawlStore
from dowse.store.final_verdicts import NewVerdict, write_verdicts
from dowse.store.shared.connect import open_server
from dowse.store.shared.publication import Publication
from dowse.store.shared.server import DatabaseAway
from tests.store.gather.shards import crawl_both_ways
from tests.store.made import WALL
from tests.store.shared.same import asked
from tests.store.shared.test_crash_points import AFTER, Crashes
from tests.store.shared.test_shards import check_same

place = st.sampled_from(["", "shards/00", "shards/01"])
judged = st.tuples(st.just("judge"), place, st.tuples(st.integers(0, 5), st.floats(0.0, 1.0)))
when = st.one_of(st.none(), st.integers(0, 12), st.just(AFTER))
published = st.tuples(st.just("publish"), place, st.tuples(when, st.integers(1, 9)))
deeds = st.lists(st.one_of(judged, published, published), max_size=8)


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return crawl_both_ways(tmp_path_factory.mktemp("web"))[0]


def judge(folder: Path, number: int, score: float) -> None:
    with CrawlStore.open(folder) as store:
        pages = [
            id_ for (id_,) in store._connection.execute("SELECT id FROM pages WHERE score IS NOT NULL ORDER BY url")
        ]
        write_verdicts(store, [NewVerdict(pages[number], score, score > 0.5)], 1, {})


def publish(folder: Path, database: str, dies: int | str | None = None, steps: int = 99) -> None:
    publication = Publication(folder, open_server(database), lambda: WALL, 5)
    crashes = Crashes(publication)
    try:
        publication.server.prepare()
        with suppress(DatabaseAway, OSError):
            while steps > 0:
                crashes.at(dies)
                steps -= 1
                if not publication.step():
                    break
    finally:
        crashes.at(None)
        publication.close()


@settings(max_examples=12, deadline=None)
@given(deeds=deeds)
def test_in_any_order(crawled: Path, deeds: list[tuple[str, str, tuple[int, float]]]) -> None:
    with tempfile.TemporaryDirectory() as made:
        folder = Path(shutil.copytree(crawled, Path(made) / "crawl"))
        database = f"sqlite:///{made}/shared.db"
        for deed, where, how in deeds:
            if deed == "judge":
                judge(folder / where, *how)
            else:
                publish(folder / where, database, how[0], int(how[1]))
        for shard in ("shards/00", "shards/01"):
            publish(folder / shard, database)
        [crawl] = asked(database, "SELECT * FROM crawls")
        parts = asked(database, "SELECT * FROM crawl_shards")
        if not crawl["mark"]:  # nobody has published the whole since
            assert crawl["recorded"] == sum(part["recorded"] for part in parts)
        assert all(part["mark"] == part["changes"] for part in parts)
        publish(folder, database)
        check_same(database, folder)
