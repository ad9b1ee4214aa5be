"""Gathered again: only where a shard has changed, as a whole, with the numbers of before and what readers did."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from dowse.model.errors import DowseError, NotACrawl, NotPlain, UserError
from dowse.model.found import FoundRow
from dowse.store import CrawlReader, CrawlStore
from dowse.store.final_verdicts import NewVerdict, write_verdicts
from dowse.store.gather import GATHERING, gather
from dowse.store.lock import FolderLock
from dowse.store.read_verdicts import final_verdicts
from tests.store.made import SETTINGS, WALL, batch, url

VERDICTS: Mapping[str, Any] = {
    "pages": 1, "relevant": 1, "joined": 0, "left": 0, "model": 7, "positive": 1, "made_of": 1,
    "precision": [1.0, 1.0, 1.0], "recall": [1.0, 1.0, 1.0], "threshold": 0.5,
}  # fmt: skip


@pytest.fixture
def shared(tmp_path: Path) -> Path:
    """A sharded crawl; its one shard has pages 0 to 4."""
    folder = tmp_path / "shared"
    (folder / "shards").mkdir(parents=True)
    (folder / "cluster.sqlite").write_bytes(b"")
    with CrawlStore.create(folder / "shards" / "00", SETTINGS, WALL) as store:
        store.commit(batch(0))
    settle(folder)
    return folder


def settle(folder: Path) -> None:
    """As if nothing had been written for a while: what was written just now is gathered again."""
    for path in folder.glob("shards/*/dowse.sqlite*"):
        os.utime(path, ns=(time.time_ns(), path.stat().st_mtime_ns - 10**9))


def add_shard(folder: Path, first: int) -> None:
    """Another shard: with its own pages, and in its own numbers."""
    with CrawlStore.create(folder / "shards" / "01", SETTINGS, WALL) as store:
        more = batch(first)
        for rows in (more.candidates, more.pages):
            for row in rows:
                row.id -= first
        for candidate in more.candidates:
            candidate.parent = candidate.id - 1 if candidate.id else None
        more.links = [(page - first, target - first, *rest) for page, target, *rest in more.links[:-1]]
        for decision in more.decisions:
            decision.candidate -= first
        more.states = {id - first: state for id, state in more.states.items()}
        store.commit(more)
    settle(folder)


def grow(folder: Path, first: int) -> None:
    with CrawlStore.open(folder / "shards" / "00") as store:
        store.commit(batch(first))
    settle(folder)


def asked(folder: Path, sql: str, *values: object) -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect(folder / "dowse.sqlite")) as records:
        return records.execute(sql, values).fetchall()


def inode(folder: Path) -> int:
    return (folder / "dowse.sqlite").stat().st_ino


def test_nothing_is_done_where_no_shard_has_changed(shared: Path) -> None:
    gather(shared)
    first = inode(shared)
    gather(shared)
    CrawlReader(shared).close()
    assert inode(shared) == first
    grow(shared, 5)
    gather(shared)
    assert inode(shared) != first
    assert asked(shared, "SELECT count(*) FROM pages") == [(10,)]


def test_a_shard_that_has_just_been_written_to_is_gathered_again(shared: Path) -> None:
    os.utime(shared / "shards" / "00" / "dowse.sqlite", ns=(time.time_ns(), time.time_ns() + 10**9))
    gather(shared)
    first = inode(shared)
    gather(shared)
    assert inode(shared) != first


def test_urls_keep_their_numbers_and_only_what_is_other_has_changed(shared: Path) -> None:
    gather(shared)
    before = asked(shared, "SELECT id, url FROM candidates ORDER BY id")
    name = asked(shared, "SELECT value FROM meta WHERE name = 'crawl'")
    [(last,)] = asked(shared, "SELECT max(number) FROM changes")
    assert {page for (page,) in asked(shared, "SELECT page FROM changes WHERE page IS NOT NULL")} == set(range(5))
    add_shard(shared, 20)
    grow(shared, 5)
    gather(shared)
    after = asked(shared, "SELECT id, url FROM candidates ORDER BY id")
    assert after[: len(before)] == before
    assert {address for _, address in after} == set(map(url, [*range(10), *range(20, 25)]))
    assert asked(shared, "SELECT value FROM meta WHERE name = 'crawl'") == name
    changed = asked(shared, "SELECT p.url FROM changes c JOIN pages p ON p.id = c.page WHERE c.number > ?", last)
    assert sorted(changed) == sorted((url(n),) for n in [*range(5, 10), *range(20, 25)])


def test_verdicts_that_somebody_gave_stay_until_the_page_is_fetched_again(shared: Path) -> None:
    with CrawlStore.open(shared) as store:
        write_verdicts(store, [NewVerdict(1, 0.75, True, [("mine", 0.75, 1.0)])], 7, {"final verdicts": VERDICTS})
    for first in (5, 10, 15):
        grow(shared, first)
        with CrawlReader(shared) as crawl:
            page = crawl.page(url(1))
            assert page is not None
            assert (page.score, page.relevant, page.model) == (0.75, True, 7)
            assert (page.first_score, page.first_relevant) == (0.1, False)
            assert page.reasons == (("mine", 0.75, 1.0),)
            assert final_verdicts(crawl) == VERDICTS
            counts = sum(n % 2 == 0 for n in range(first + 5)) + 1
            assert crawl.summary().relevant == counts
            assert [site.relevant for site in crawl.top_sites()] == [counts]
    again = batch(1, 1)
    again.pages[0].fetched_at = WALL + 1000
    again.candidates, again.decisions, again.links = [], [], []
    with CrawlStore.open(shared / "shards" / "00") as store:
        store.commit(again)
    for first in (20, 25):
        grow(shared, first)
        with CrawlReader(shared) as crawl:
            page = crawl.page(url(1))
        assert page is not None
        assert (page.score, page.relevant) == (0.1, False)


@pytest.mark.parametrize("first", [True, False])
def test_of_a_page_that_two_shards_have_the_one_that_was_fetched_counts(shared: Path, first: bool) -> None:
    with CrawlStore.create(shared / "shards" / "01", SETTINGS, WALL) as store:
        store.commit(batch(0))
    bad, good = (0, 1) if first else (1, 0)
    with closing(sqlite3.connect(shared / "shards" / f"{bad:02d}" / "dowse.sqlite")) as records:
        records.execute("UPDATE pages SET outcome = 'failed', score = NULL, relevant = NULL WHERE id = 2")
        records.execute("UPDATE candidates SET state = 3, reason = 'http 500' WHERE id = 2")
        records.execute("UPDATE links SET anchor = 'of a page that failed' WHERE page = 2")
        records.execute("UPDATE links SET anchor = 'of the first shard' WHERE page = 1")
        records.commit()
    settle(shared)
    gather(shared)
    assert asked(shared, "SELECT count(*), count(DISTINCT url) FROM pages") == [(5, 5)]
    [(outcome, file)] = asked(shared, "SELECT outcome, warc_file FROM pages WHERE url = ?", url(2))
    assert outcome == "fetched"
    assert file.startswith(f"shards/{good:02d}/")
    assert asked(shared, "SELECT state, reason FROM candidates WHERE url = ?", url(2)) == [(2, "")]
    assert asked(shared, "SELECT anchor FROM links WHERE page = 2") == [("to 3",)]
    assert asked(shared, "SELECT anchor FROM links WHERE page = 1") == [("of the first shard" if first else "to 2",)]
    assert asked(shared, "SELECT count(*) FROM decisions") == [(5,)]
    assert [turn for (turn,) in asked(shared, "SELECT ordinal FROM pages ORDER BY ordinal")] == list(range(5))


def test_seeds_that_were_put_in_stay(shared: Path) -> None:
    with CrawlStore.open(shared) as store:
        store.put_found([FoundRow(0, "http://seed.test/", "Seed")])
    grow(shared, 5)
    with CrawlStore.open(shared) as store:
        assert [row.url for row in store.found()] == ["http://seed.test/"]


def test_while_somebody_edits_readers_see_what_is_there(shared: Path) -> None:
    gather(shared)
    with CrawlStore.open(shared) as store:
        grow(shared, 5)
        with CrawlReader(shared) as crawl:
            assert crawl.summary().pages == 5
        write_verdicts(store, [NewVerdict(0, 0.25, True)], 7, {})
    with CrawlReader(shared) as crawl:
        assert crawl.summary().pages == 10
        page = crawl.page(url(0))
        assert page is not None
        assert page.score == 0.25


def test_what_an_editor_who_was_killed_had_written_is_not_lost(shared: Path) -> None:
    gather(shared)
    code = (
        "import os, sys\nfrom dowse.store import CrawlStore\n"
        "from dowse.store.final_verdicts import NewVerdict, write_verdicts\n"
        "store = CrawlStore.open(sys.argv[1])\nwrite_verdicts(store, [NewVerdict(0, 0.25, True)], 7, {})\nos._exit(9)\n"
    )
    subprocess.run([sys.executable, "-c", code, str(shared)], check=False, timeout=60)
    assert (shared / "dowse.sqlite-wal").stat().st_size
    grow(shared, 5)
    with CrawlReader(shared) as crawl:
        page = crawl.page(url(0))
        assert page is not None
        assert page.score == 0.25
        assert crawl.summary().pages == 10
    assert not (shared / "dowse.sqlite-wal").exists()


@pytest.mark.parametrize("step", ["number_candidates", "finish", "note_changes"])
def test_a_kill_in_the_middle_leaves_what_was_there(shared: Path, step: str) -> None:
    gather(shared)
    grow(shared, 5)
    kept = inode(shared)
    code = (
        "import os, sys\nfrom pathlib import Path\n"
        "from dowse.store.gather import build, carried, merge, numbers, gather\n"
        "for place in (build, carried, merge, numbers):\n"
        f"    if hasattr(place, {step!r}):\n        setattr(place, {step!r}, lambda *_, **__: os._exit(9))\n"
        "gather(Path(sys.argv[1]))\n"
    )
    done = subprocess.run([sys.executable, "-c", code, str(shared)], check=False, timeout=60)
    assert done.returncode == 9
    assert inode(shared) == kept
    assert (shared / ".dowse.sqlite.part").exists()
    with CrawlReader(shared) as crawl:
        assert crawl.summary().pages == 10
    assert not (shared / ".dowse.sqlite.part").exists()


def test_several_readers_at_once_gather_once(shared: Path) -> None:
    def gathered(_: int) -> int:
        gather(shared)
        return inode(shared)

    with ThreadPoolExecutor(4) as pool:
        assert len(set(pool.map(gathered, range(4)))) == 1


def test_damaged_records_are_gathered_anew(shared: Path) -> None:
    gather(shared)
    (shared / "dowse.sqlite").write_bytes(b"no database at all" * 100)
    with CrawlReader(shared) as crawl:
        assert crawl.summary().pages == 5


def test_numbers_of_what_is_gone_are_given_anew(shared: Path) -> None:
    add_shard(shared, 20)
    gather(shared)
    for path in (shared / "shards" / "00").iterdir():
        path.unlink()
    gather(shared)
    assert asked(shared, "SELECT min(id), max(id), count(*) FROM candidates") == [(0, 4, 5)]


def test_another_crawl_in_the_place_is_not_written_over(shared: Path) -> None:
    with CrawlStore.create(shared.parent / "other", SETTINGS, WALL):
        pass
    (shared.parent / "other" / "dowse.sqlite").rename(shared / "dowse.sqlite")
    with pytest.raises(UserError, match="another crawl"):
        gather(shared)


def test_links_are_not_followed(shared: Path) -> None:
    (shared / "shards" / "01").symlink_to(shared / "shards" / "00")
    with pytest.raises(NotPlain, match="is a link"):
        gather(shared)
    (shared / "shards").rename(shared.parent / "shards")
    (shared / "shards").symlink_to(shared.parent / "shards")
    with pytest.raises(NotPlain, match="is a link"):
        gather(shared)


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE runs SET started_at = 7",
        "INSERT INTO runs (id, started_at) VALUES (9, 7)",
        "UPDATE settings SET value = '[[1]]' WHERE name = 'topic'",
        "INSERT OR REPLACE INTO settings VALUES ('seeds', '[[1]]')",
        "INSERT OR REPLACE INTO settings VALUES ('seeds', '7')",
        "INSERT OR REPLACE INTO settings VALUES ('started_at', '{}')",
        "INSERT OR REPLACE INTO statistics VALUES ('loop held', '[7]')",
        "INSERT OR REPLACE INTO statistics VALUES ('judge', '7')",
        "INSERT OR REPLACE INTO statistics VALUES ('mail.x', '{}'), ('repeats.x', 'y'), ('fruitless.', x'00')",
        "UPDATE totals SET seconds = 'long'",
        "UPDATE candidates SET url = x'ff' WHERE id = 1",
        "UPDATE candidates SET site = 99, parent = -7 WHERE id = 1",
        "UPDATE candidates SET state = 'x'",
        "UPDATE candidates SET url = (SELECT url FROM candidates WHERE id = 0)",
        "UPDATE pages SET warc_file = '../../x', ordinal = 9223372036854775807",
        "UPDATE pages SET ordinal = 'x', fetched_at = 7",
        "INSERT INTO links VALUES (0, 77, '', 1, 0, ''), (-1, 0, '', 1, 0, '')",
        "INSERT INTO found (id, url, title, snippet, score, nearness, finds) VALUES (0, 7, 7, 7, 7, 7, 7)",
    ],
)
def test_a_shard_that_says_what_cannot_be_is_told_or_passed_over(shared: Path, change: str) -> None:
    path = shared / "shards" / "00" / "dowse.sqlite"
    with closing(sqlite3.connect(path)) as records:
        records.execute("PRAGMA writable_schema = ON")  # whoever crafts a folder need not keep to our types
        records.execute("UPDATE sqlite_master SET sql = replace(sql, 'STRICT', '') WHERE type = 'table'")
        records.commit()
    with closing(sqlite3.connect(path)) as records:
        records.execute(change)
        records.commit()
    add_shard(shared, 20)
    told = ""
    try:
        with CrawlReader(shared) as crawl:
            assert crawl.summary().pages >= 5
            crawl.harvest_curve()
    except DowseError as error:
        told = str(error)
    assert "\n" not in told


def test_a_crawl_whose_shards_have_not_begun_is_none_yet(tmp_path: Path) -> None:
    (tmp_path / "shards" / "00").mkdir(parents=True)
    (tmp_path / "cluster.json").write_text("{}")
    with pytest.raises(NotACrawl, match="none of its shards has begun"):
        CrawlReader(tmp_path)
    (tmp_path / "shards" / "00" / "dowse.sqlite").write_bytes(b"")
    with pytest.raises(NotACrawl, match="none of its shards has begun"):
        CrawlStore.open(tmp_path)
    with pytest.raises(UserError, match="already holds a crawl"):
        CrawlStore.create(tmp_path, SETTINGS, WALL)


def test_a_folder_in_which_nothing_can_be_written_is_read_as_it_is(shared: Path) -> None:
    gather(shared)
    lock = FolderLock(shared / GATHERING)
    try:
        grow(shared, 5)
        with CrawlReader(shared) as crawl:
            assert crawl.summary().pages == 5
    finally:
        lock.release()


def test_a_shard_that_crawls_is_read_as_of_its_last_transaction(shared: Path) -> None:
    with CrawlStore.open(shared / "shards" / "00") as store:
        for first in (5, 10):
            store.commit(batch(first))
            with CrawlReader(shared) as crawl:
                assert crawl.summary().pages == first + 5
