from __future__ import annotations

import json
import os
import resource
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest

from dowse.model.batch import Batch, Records
from dowse.model.budget import Spent
from dowse.model.errors import FolderBusy, NotACrawl, StoreError, UserError
from dowse.model.found import Find, FoundRow
from dowse.model.records import CandidateState, SiteRow
from dowse.model.runs import JudgedBy, checked_verdicts
from dowse.store import Counters, CrawlReader, CrawlStore, export, read_response
from dowse.store.read_learned import evidence
from dowse.store.read_verdicts import final_verdicts
from tests.store.made import SETTINGS, WALL, batch, body, candidates, page, rows, url, warc_records


def test_everything_comes_back(folder: Path) -> None:
    with CrawlStore.create(folder, SETTINGS, WALL) as store:
        port: Records = store
        port.commit(batch(0))
        port.commit(batch(5))
    with CrawlStore.open(folder) as store:
        wanted = batch(0).candidates + batch(5).candidates
        for row in wanted:
            row.state, row.attempts = CandidateState.FETCHED, 1
        assert candidates(store) == wanted
        assert list(store.sites()) == list(batch(5).sites.values())
        assert store.statistics() == {"learned": {"n": 10}, "packed": b"\x05"}
        assert store.settings() == {"started_at": "2023-11-14T22:13:20.250000Z", **SETTINGS}
        assert store.counters() == Counters(recorded=10, relevant=5)
        assert store.spent() == Spent(pages=10, bytes=1000, seconds=1.5, requests=10)
        assert list(store.signatures()) == [(n, 2**64 - 1 - n, bytes([n] * 8)) for n in range(10)]


WITHOUT_MODELS = "".join(
    f"ALTER TABLE pages DROP COLUMN {name};" for name in ("model", "first_score", "first_relevant", "first_model")
)  # as before version 5


SINCE_9 = (
    "ALTER TABLE pages DROP COLUMN visited_at; ALTER TABLE pages DROP COLUMN misses;"
    " ALTER TABLE pages DROP COLUMN gone_at; DROP TABLE visits; DROP TABLE due; DROP TABLE outbox;"
)


SINCE_8 = (
    f"{SINCE_9} ALTER TABLE pages DROP COLUMN kind; ALTER TABLE pages DROP COLUMN n_parts;"
    " ALTER TABLE sites DROP COLUMN turn;"
    " DROP TABLE changes; DROP TABLE change_writers; DELETE FROM meta WHERE name = 'crawl';"
)


WITHOUT_FOUND = f"DROP TABLE found; {SINCE_8}"  # as before version 7


WITHOUT_JUDGES = "".join(
    f"ALTER TABLE runs DROP COLUMN {name};" for name in ("judge", "threshold", "model", "made_of", "vague", "verdicts")
)  # as before version 6


def test_runs_tell_why_they_stopped(folder: Path) -> None:
    with CrawlStore.create(folder, {}, WALL) as store:
        assert store.start_run(WALL) == 1
    with CrawlStore.open(folder) as store:
        assert store.start_run(WALL + 1) == 2
        store.end_run("frontier empty", WALL + 2)
    assert rows(folder, "SELECT id, started_at, ended_at, stop_reason FROM runs") == [
        (1, "2023-11-14T22:13:20.250000Z", None, "interrupted"),
        (2, "2023-11-14T22:13:21.250000Z", "2023-11-14T22:13:22.250000Z", "frontier empty"),
    ]


def test_warcinfo_tells_who_and_how(folder: Path) -> None:
    with CrawlStore.create(folder, {**SETTINGS, "warcinfo": {"operator": "me@site.example"}}, WALL) as store:
        store.commit(batch(0))
    info = next(warc_records(folder / "dowse-00000.warc.gz"))
    lines = dict(line.split(": ", 1) for line in info.content.decode().splitlines())
    assert (lines["software"], lines["robots"], lines["operator"]) == ("dowse/1.2", "ignore", "me@site.example")


def test_closed_records_are_one_plain_file(folder: Path) -> None:
    with CrawlStore.create(folder, {}, WALL) as store:
        store.commit(batch(0))
        assert (folder / "dowse.sqlite-wal").exists()
    names = sorted(path.name for path in folder.iterdir())
    assert names == ["dowse-00000.warc.gz", "dowse.ledger", "dowse.lock", "dowse.sqlite"]


def test_the_cache_of_a_writer_is_small(folder: Path) -> None:
    with CrawlStore.create(folder, {}, WALL) as store:
        [(kilobytes,)] = store._connection.execute("PRAGMA cache_size")
    assert 0 < -kilobytes <= 16 << 10


def test_a_folder_with_a_crawl_is_not_begun_again(folder: Path) -> None:
    with CrawlStore.create(folder, {}, WALL) as store:
        store.commit(batch(0))
    before = (folder / "dowse.sqlite").read_bytes()
    (folder / "dowse.sqlite").rename(folder / "kept")
    with pytest.raises(UserError, match="WARC files"):
        CrawlStore.create(folder, {}, WALL)
    (folder / "kept").rename(folder / "dowse.sqlite")
    (folder / "dowse-00000.warc.gz").rename(folder / "elsewhere")
    with pytest.raises(UserError, match="already holds a crawl"):
        CrawlStore.create(folder, {}, WALL)
    assert (folder / "dowse.sqlite").read_bytes() == before


def test_what_is_no_crawl_is_not_opened(tmp_path: Path) -> None:
    with pytest.raises(NotACrawl, match="no crawl to resume"):
        CrawlStore.open(tmp_path)
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "dowse.sqlite").write_bytes(b"hello" * 1000)
    with pytest.raises(NotACrawl, match="not a database"):
        CrawlStore.open(tmp_path)
    (tmp_path / "dowse.sqlite").unlink()
    connection = sqlite3.connect(tmp_path / "dowse.sqlite")
    connection.execute("CREATE TABLE mine (x)")
    connection.close()
    with pytest.raises(NotACrawl, match="not made by Dowse"):
        CrawlStore.open(tmp_path)


VERDICTS = {
    "pages": 9, "relevant": 4, "joined": 1, "left": 2, "model": 3, "threshold": 0.5, "positive": 0, "made_of": 9,
    "precision": [0.9, 0.5, 1.0], "recall": [0.8, 0.4, 0.9],
}  # fmt: skip


@pytest.mark.parametrize(
    "wrong", [{"by_lot": "many"}, {"worth": [2]}, {"asked": "0.9"}, {"unmet": 3}, {"answers": None}]
)
def test_verdicts_that_cannot_be_true_are_not_believed(wrong: dict[str, Any]) -> None:
    told = {"answers": 5, "by_lot": 2, "worth": 0.0, "asked": None, "unmet": ""}
    assert checked_verdicts({**VERDICTS, **told}) == {**VERDICTS, **told}
    with pytest.raises((TypeError, ValueError)):
        checked_verdicts({**VERDICTS, **wrong})


def test_each_run_has_a_judge_of_its_own(folder: Path) -> None:
    first = JudgedBy(judge="similarity", threshold=0.2)
    last = JudgedBy(judge="learned", threshold=0.5, model=3, made_of=9, verdicts=VERDICTS)
    with CrawlStore.create(folder, {}, WALL) as store:
        store.start_run(WALL, first)
    with CrawlStore.open(folder) as store:
        store.start_run(WALL + 1, JudgedBy(judge="learned", threshold=0.5))
        store.end_run("frontier empty", WALL + 2, last)
    with CrawlReader(folder) as reader:
        assert [run.judged_by for run in reader.summary().runs] == [first, last]


@pytest.mark.parametrize("odd", ["{}", "[1]", '{"pages": 1}', json.dumps({**VERDICTS, "precision": [1]})])
def test_verdicts_that_nobody_gave_are_damage(folder: Path, odd: str) -> None:
    with CrawlStore.create(folder, {}, WALL) as store:
        store.start_run(WALL)
        store._connection.execute("UPDATE runs SET verdicts = ?", (odd,))
        store._connection.execute("INSERT INTO statistics VALUES ('final verdicts', ?)", (odd,))
    with CrawlReader(folder) as reader:
        with pytest.raises(StoreError):
            reader.summary()
        with pytest.raises(StoreError):
            final_verdicts(reader)


def test_records_of_the_fifth_version_do_not_know_who_judged(folder: Path) -> None:
    with CrawlStore.create(folder, SETTINGS, WALL) as store:
        store.start_run(WALL)
    with closing(sqlite3.connect(folder / "dowse.sqlite")) as connection:
        connection.executescript(
            WITHOUT_JUDGES
            + WITHOUT_FOUND
            + "UPDATE meta SET value = '5' WHERE name = 'schema_version'; PRAGMA user_version = 5;"
        )
    with CrawlReader(folder) as reader:
        assert [run.judged_by for run in reader.summary().runs] == [JudgedBy()]
    assert rows(folder, "PRAGMA user_version") == [(5,)], "looking changes nothing"
    with CrawlStore.open(folder) as store:
        store.start_run(WALL + 1, JudgedBy(judge="erid", threshold=0.002))
    assert rows(folder, "SELECT judge, threshold, model FROM runs") == [("", None, 0), ("erid", 0.002, 0)]


def test_records_of_the_first_version_are_read_and_gone_on_with(folder: Path) -> None:
    with CrawlStore.create(folder, SETTINGS, WALL) as store:
        store.commit(batch(0))
    with closing(sqlite3.connect(folder / "dowse.sqlite")) as connection:  # as version 1 had it
        connection.executescript(
            "DROP TABLE settled; ALTER TABLE candidates DROP COLUMN evidence;"
            "ALTER TABLE sites DROP COLUMN not_before; ALTER TABLE sites DROP COLUMN closed;"
            "ALTER TABLE pages DROP COLUMN cached_from;"
            + WITHOUT_MODELS
            + WITHOUT_JUDGES
            + WITHOUT_FOUND
            + "UPDATE meta SET value = '1' WHERE name = 'schema_version'; PRAGMA user_version = 1;"
        )
    with CrawlReader(folder) as reader:
        assert reader.summary().pages == 5
        page = reader.page(url(1))
        assert page is not None
        assert (page.title, page.cached_from) == ("Page 1", None)
    assert export(folder, "jsonl", folder / "pages.jsonl") == 5
    assert rows(folder, "PRAGMA user_version") == [(1,)], "looking changes nothing"
    with CrawlStore.open(folder) as store:
        [site] = store.sites()
        assert (site.requests, site.not_before, site.closed) == (5, None, "")
        store.commit(batch(5))
        assert list(store.sites()) == list(batch(5).sites.values())
    assert rows(folder, "PRAGMA user_version") == [(10,)]
    assert rows(folder, "SELECT value FROM meta WHERE name = 'schema_version'") == [("10",)]


def test_records_of_the_third_version_have_no_details(folder: Path) -> None:
    """What a strategy wrote is its own: evidence stays as it is, and is taken up by who wrote it."""
    known = {1: bytes(range(136)), 2: bytes(range(136)) + b"words" * 100, 4: b"short"}
    with CrawlStore.create(folder, SETTINGS, WALL) as store:
        store.commit(replace(batch(0), evidence=known, statistics={"evidence": "learning"}))
    with closing(sqlite3.connect(folder / "dowse.sqlite")) as connection:
        connection.executescript(
            WITHOUT_MODELS
            + WITHOUT_JUDGES
            + WITHOUT_FOUND
            + "DROP TABLE settled; UPDATE meta SET value = '3' WHERE name = 'schema_version'; PRAGMA user_version = 3;"
        )
    with CrawlReader(folder) as reader:
        assert list(reader.details(range(5))) == []
        assert [evidence(reader, id_) for id_ in range(5)] == [known.get(id_) for id_ in range(5)]
    assert rows(folder, "PRAGMA user_version") == [(3,)], "looking changes nothing"
    with CrawlStore.open(folder) as store:
        [block] = store.candidates()
        assert block.evidence[:5] == [known.get(id_) for id_ in range(5)]
        assert list(store.details([4, 2, 1])) == []
        store.commit(Batch(evidence={2: known[1]}, details={2: b"words" * 100}))
        assert list(store.details([4, 2, 1])) == [(2, b"words" * 100)]


def test_records_of_the_sixth_version_have_no_found_seeds(folder: Path) -> None:
    with CrawlStore.create(folder, SETTINGS, WALL) as store:
        store.commit(batch(0))
    with closing(sqlite3.connect(folder / "dowse.sqlite")) as connection:
        connection.executescript(WITHOUT_FOUND + "PRAGMA user_version = 6;")
    with CrawlReader(folder) as reader:
        assert reader.found() == []
    assert rows(folder, "PRAGMA user_version") == [(6,)], "looking changes nothing"
    seed = FoundRow(0, url(1), "T", "s", 0.5, 0.25, [asdict(Find("e", "q", 1, "T", "s", "t"))])
    with CrawlStore.open(folder) as store:
        assert store.found() == []
        store.put_found([seed])
        assert store.found() == [seed]
    with CrawlReader(folder) as reader:
        assert reader.found(url(1)) == [seed]
        assert reader.found(url(2)) == []


@pytest.mark.parametrize("finds", ["[1]", '[{"engine": "e"}]', "{", '"x"'])
def test_found_seeds_that_somebody_else_wrote_are_checked(folder: Path, finds: str) -> None:
    CrawlStore.create(folder, SETTINGS, WALL, found=[FoundRow(0, url(1))]).close()
    with closing(sqlite3.connect(folder / "dowse.sqlite")) as connection:
        connection.execute("UPDATE found SET finds = ?", (finds,))
        connection.commit()
    with CrawlReader(folder) as reader, pytest.raises(StoreError, match="damaged"):
        reader.found()


def test_all_evidence_is_forgotten_or_none(folder: Path) -> None:
    with CrawlStore.create(folder, SETTINGS, WALL) as store:
        store.commit(replace(batch(0), evidence={1: b"x"}, details={1: b"y"}, statistics={"evidence": "one"}))
        store._connection.execute("CREATE TRIGGER no BEFORE INSERT ON statistics BEGIN SELECT raise(FAIL, 'no'); END")
        with pytest.raises(StoreError, match="no"):
            store.forget_evidence("other")
        assert rows(folder, "SELECT evidence FROM candidates WHERE id = 1") == [(b"x",)]
        store._connection.execute("DROP TRIGGER no")
        store.forget_evidence("other")
        assert store.statistics()["evidence"] == "other"
        assert list(store.details([1])) == [(1, b"y")], "the terms of a page are no strategy's"
    assert rows(folder, "SELECT evidence FROM candidates WHERE id = 1") == [(None,)]


def test_another_version_is_named(folder: Path) -> None:
    CrawlStore.create(folder, {}, WALL).close()
    connection = sqlite3.connect(folder / "dowse.sqlite")
    connection.execute("PRAGMA user_version = 99")
    connection.close()
    with pytest.raises(NotACrawl, match="version 99"):
        CrawlStore.open(folder)


def test_two_crawls_in_one_folder(folder: Path) -> None:
    script = "import sys; from dowse.store import CrawlStore; CrawlStore.open(sys.argv[1])"
    with CrawlStore.create(folder, {}, WALL) as store:
        with pytest.raises(FolderBusy):
            CrawlStore.open(folder)
        with pytest.raises(FolderBusy):
            CrawlStore.create(folder, {}, WALL)
        done = subprocess.run([sys.executable, "-c", script, str(folder)], capture_output=True, text=True, check=False)
        assert f"process {os.getpid()}" in done.stderr
        store.commit(batch(0))


def assert_resumable(folder: Path, recorded: int) -> None:
    with CrawlStore.open(folder) as store:
        assert store.counters().recorded == recorded
        store.commit(batch(recorded))
    for id, file, offset in rows(folder, "SELECT id, warc_file, warc_offset FROM pages"):
        assert read_response(folder, str(file), int(str(offset)))[1] == body(int(str(id)))


def test_a_transaction_that_fails_leaves_nothing_and_the_next_one_works(folder: Path) -> None:
    with CrawlStore.create(folder, {}, WALL) as store:
        store.commit(batch(0))
        size = (folder / "dowse-00000.warc.gz").stat().st_size
        twice = batch(5)
        twice.candidates[4].id = 0  # taken
        with pytest.raises(StoreError, match=r"UNIQUE constraint failed: candidates.id\. What was recorded"):
            store.commit(twice)
        assert (folder / "dowse-00000.warc.gz").stat().st_size == size
        assert store.counters().recorded == 5
        assert len(candidates(store)) == 5
        store.commit(batch(5))
        assert store.counters().recorded == 10
    assert_resumable(folder, 10)


def test_a_fault_of_the_program_is_told_as_such_and_leaves_nothing(folder: Path) -> None:
    with CrawlStore.create(folder, {}, WALL) as store:
        store.commit(batch(0))
        size = (folder / "dowse-00000.warc.gz").stat().st_size
        wrong = batch(5)
        wrong.statistics["set"] = {1, 2}
        with pytest.raises(TypeError):
            store.commit(wrong)
        assert (folder / "dowse-00000.warc.gz").stat().st_size == size
        assert store.counters().recorded == 5
    assert_resumable(folder, 5)


def test_records_that_outgrow_the_disk(folder: Path) -> None:
    with CrawlStore.create(folder, {}, WALL) as store:
        store.commit(batch(0))
        pages = store._connection.execute("PRAGMA page_count").fetchone()[0]
        store._connection.execute(
            f"PRAGMA max_page_count = {pages}"
        )  # SQLite then says SQLITE_FULL, as a full disk does
        with pytest.raises(StoreError, match="disk is full") as told:
            store.commit(batch(5, 200))
        assert "\n" not in str(told.value)
        assert (folder / "dowse-00000.warc.gz").stat().st_size == dict(
            store._connection.execute("SELECT file, bytes FROM archives")
        )["dowse-00000.warc.gz"]
    assert_resumable(folder, 5)


def test_an_archive_that_outgrows_the_disk(folder: Path) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    with CrawlStore.create(folder, {}, WALL) as store:
        store.commit(batch(0))
        size = (folder / "dowse-00000.warc.gz").stat().st_size
        resource.setrlimit(resource.RLIMIT_FSIZE, (size + 1000, hard))  # half of the batch fits
        try:
            with pytest.raises(StoreError, match="file too large"):
                store.commit(batch(5))
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        assert (folder / "dowse-00000.warc.gz").stat().st_size == size
        store.commit(batch(5))
    assert_resumable(folder, 10)


def test_a_folder_that_is_gone(folder: Path) -> None:
    with CrawlStore.create(folder, {}, WALL) as store:
        store.commit(batch(0))
        shutil.move(folder, folder.parent / "moved")
        with pytest.raises(StoreError, match="removed or replaced"):
            store.commit(batch(5))
        with pytest.raises(StoreError, match="removed or replaced"):
            store.end_run("x", WALL)
    assert_resumable(folder.parent / "moved", 5)


def test_a_place_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(UserError, match="not a directory"):
        CrawlStore.create(tmp_path / "file" / "crawl", {}, WALL)
    with pytest.raises(UserError, match="cannot make the folder /proc/crawl"):
        CrawlStore.create("/proc/crawl", {}, WALL)


def test_an_archive_file_that_vanished_is_named(folder: Path) -> None:
    with CrawlStore.create(folder, {}, WALL) as store:
        store.commit(batch(0))
    (folder / "dowse-00000.warc.gz").unlink()
    with pytest.raises(StoreError, match=r"dowse-00000.warc.gz is gone"):
        CrawlStore.open(folder)
    with pytest.raises(StoreError, match="is gone"):  # and the lock was let go
        CrawlStore.open(folder)


def test_a_batch_without_pages_starts_no_archive(folder: Path) -> None:
    with CrawlStore.create(folder, {}, WALL) as store:
        store.commit(Batch(sites={0: SiteRow(0, "http://a.example", "a.example")}))
        store.commit(Batch(pages=[page(1, outcome="failed", archive=[])]))
    assert list(folder.glob("*.warc.gz")) == []
    assert rows(folder, "SELECT warc_file, warc_offset, warc_length FROM pages") == [(None, None, None)]


def test_a_crawl_that_asked_nobody_makes_way_for_another(tmp_path: Path) -> None:
    CrawlStore.create(tmp_path, {"topic": {"query": "wrong"}}, WALL).close()
    with CrawlStore.create(tmp_path, {"topic": {"query": "right"}}, WALL) as store:
        assert store.settings()["topic"] == {"query": "right"}
        store.note_spent(Spent(requests=1))
    with pytest.raises(UserError, match="already holds a crawl"):
        CrawlStore.create(tmp_path, {}, WALL)
    with CrawlStore.open(tmp_path) as store:
        assert store.settings()["topic"] == {"query": "right"}


def test_pages_that_cost_no_request_are_kept_as_well(tmp_path: Path) -> None:
    with CrawlStore.create(tmp_path, {}, WALL) as store:
        store.commit(Batch(pages=[page(0, archive=[])]))
    with pytest.raises(UserError, match="already holds a crawl"):
        CrawlStore.create(tmp_path, {}, WALL)
