from __future__ import annotations

import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
import sqlalchemy as sa

from dowse.model.batch import Batch
from dowse.model.errors import UserError
from dowse.model.records import CandidateRow, SiteRow, VerdictRow
from dowse.model.runs import JudgedBy
from dowse.store import CrawlStore
from dowse.store.final_verdicts import NewVerdict, first_verdicts, write_verdicts
from dowse.store.shared.connect import open_server
from dowse.store.shared.publication import Publication
from dowse.store.shared.server import DatabaseAway, waiting_is_vain
from tests.servers import POSTGRESQL, DatabaseServer
from tests.store.made import WALL, batch, page, url
from tests.store.shared.same import asked, check_same, drop_all
from tests.store.test_crawl_store import SINCE_8

SETTINGS = {"topic": {"name": "solar", "query": "solar cells"}, "version": "1.2"}
ODD = (
    "", "plain", "a\x00b", "日本 größe \U0001f600", "'; DROP TABLE pages; --", "\\N", "tab\tand\nline\r\\", "%s {} :x",
    "x" * 70_000,
)  # fmt: skip


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "crawl"


def publish(folder: Path, database: str, most: int = 1_000) -> int:
    """Bring a folder into a database; how many steps that took."""
    publication = Publication(folder, open_server(database), lambda: WALL, most)
    try:
        steps = 1
        while publication.step():
            steps += 1
        assert publication.lag() == 0
        return steps
    finally:
        publication.close()


def test_a_database_has_what_the_folder_has(folder: Path, database: str) -> None:
    with CrawlStore.create(folder, SETTINGS, WALL) as store:
        store.start_run(WALL)
        store.commit(batch(0))
        assert publish(folder, database) == 1, "while the folder is open"
        store.commit(batch(5, 3))
        store.end_run("budget: pages", WALL + 9, JudgedBy(judge="erid", threshold=0.25))
    publish(folder, database)
    check_same(database, folder)
    [crawl] = asked(database, "SELECT * FROM crawls")
    assert (crawl["name"], crawl["query"], crawl["version"]) == ("solar", "solar cells", "1.2")
    assert (crawl["started_at"], crawl["ended_at"]) == ("2023-11-14T22:13:20.250000Z", "2023-11-14T22:13:29.250000Z")
    assert (crawl["stop_reason"], crawl["judge"], crawl["threshold"]) == ("budget: pages", "erid", 0.25)
    assert (crawl["recorded"], crawl["relevant"], crawl["requests"], crawl["bytes"]) == (8, 4, 8, 800)


def test_a_verdict_that_changes_while_the_crawl_runs_arrives(folder: Path, database: str) -> None:
    with CrawlStore.create(folder, SETTINGS, WALL) as store:
        store.commit(batch(0))
        store.commit(batch(5, 3))
        publish(folder, database)
        before = [
            (row["score"], row["relevant"]) for row in asked(database, "SELECT score, relevant FROM pages WHERE id = 6")
        ]
        store.commit(Batch(verdicts={6: VerdictRow(0.875, True, 3, [("the model's chance", 0.875, 1.0)])}))
        publish(folder, database)
    check_same(database, folder)
    after = [
        (row["score"], row["relevant"]) for row in asked(database, "SELECT score, relevant FROM pages WHERE id = 6")
    ]
    assert after == [(0.875, 1)] != before


def test_whatever_stands_in_a_page_arrives(folder: Path, database: str) -> None:
    with CrawlStore.create(folder, {}, WALL) as store:
        store.commit(Batch(
            sites={0: SiteRow(0, "http://ü.example", "ü.example")},
            candidates=[CandidateRow(n, url(n), 0, 0, None, 0.0) for n in range(len(ODD))],
            pages=[page(n, title=text, etag=text or None, url=f"http://x/{text}") for n, text in enumerate(ODD)],
        ))  # fmt: skip
        store.commit(Batch(pages=[
            page(20, score=None, relevant=None, duplicate_of=3, archive=[], fetched_at=0.0, url="http://no-candidate/"),
            page(21, fetched_at=-1e300, wire_bytes=2**62, score=5e-324),
        ]))  # fmt: skip
    publish(folder, database)
    check_same(database, folder)


@pytest.mark.parametrize("most", [1, 2, 3, 7])
def test_steps_of_any_size_end_in_the_same(folder: Path, database: str, most: int) -> None:
    with CrawlStore.create(folder, SETTINGS, WALL) as store:
        for first in (0, 5, 10):
            store.commit(batch(first))
    assert publish(folder, database, most) == -(-18 // most)
    check_same(database, folder)
    assert publish(folder, database, most) == 1, "there is nothing left"


def test_verdicts_that_change_are_published_again(folder: Path, database: str) -> None:
    with CrawlStore.create(folder, SETTINGS, WALL) as store:
        store.commit(batch(0))
        publish(folder, database)
        write_verdicts(
            store, [NewVerdict(1, 0.75, True, [("term: cell", 0.5, 1.5)]), NewVerdict(2, 0.125, False)], 3, {}
        )
    publish(folder, database)
    check_same(database, folder)
    assert asked(database, "SELECT id, model FROM pages WHERE score = 0.75 AND relevant") == [{"id": 1, "model": 3}]
    with CrawlStore.open(folder) as store:
        first_verdicts(store, {})
    publish(folder, database)
    check_same(database, folder)


def test_a_page_that_is_recorded_again_is_there_once(folder: Path, database: str) -> None:
    with CrawlStore.create(folder, SETTINGS, WALL) as store:
        store.commit(batch(0))
        publish(folder, database)
        store.commit(Batch(pages=[page(2, title="anew")]))
    publish(folder, database)
    check_same(database, folder)


def test_several_crawls_share_a_database(tmp_path: Path, database: str) -> None:
    folders = [tmp_path / name for name in ("one", "two")]
    for size, folder in enumerate(folders, 2):
        with CrawlStore.create(folder, SETTINGS, WALL) as store:
            store.commit(batch(0, size))
    for folder in (*folders, *folders):
        publish(folder, database)
    for folder in folders:
        check_same(database, folder)
    joined = (
        "SELECT c.folder, count(*) AS pages FROM crawls c JOIN pages p ON p.crawl = c.id GROUP BY c.folder ORDER BY 1"
    )
    assert [(Path(row["folder"]).name, row["pages"]) for row in asked(database, joined)] == [("one", 2), ("two", 3)]


def test_records_of_before_are_published_whole(folder: Path, database: str) -> None:
    with CrawlStore.create(folder, SETTINGS, WALL) as store:
        store.commit(batch(0))
    with closing(sqlite3.connect(folder / "dowse.sqlite")) as connection:
        connection.executescript(
            f"{SINCE_8} UPDATE meta SET value = '7' WHERE name = 'schema_version'; PRAGMA user_version = 7;"
        )
    with pytest.raises(UserError, match="older Dowse"):
        publish(folder, database)
    CrawlStore.open(folder).close()
    publish(folder, database)
    check_same(database, folder)


def test_everything_can_be_published_again(folder: Path, database: str) -> None:
    with CrawlStore.create(folder, SETTINGS, WALL) as store:
        store.commit(batch(0))
    publish(folder, database)
    engine = sa.create_engine(open_server(database)._engine.url)
    with engine.begin() as connection:
        connection.execute(sa.text("DELETE FROM pages WHERE id > 1"))
        connection.execute(sa.text("UPDATE sites SET host = 'changed'"))
    engine.dispose()
    publish(folder, database)
    assert len(asked(database, "SELECT id FROM pages")) == 2, "what somebody else did is not undone"
    publication = Publication(folder, open_server(database), lambda: WALL)
    publication.start_again()
    publication.step()
    publication.close()
    check_same(database, folder)


# -- copies ------------------------------------------------------------------------------------------------------------


def add(folder: Path, first: int) -> None:
    with CrawlStore.open(folder) as store:
        store.commit(batch(first, 2))


def test_copies_that_go_on_by_themselves_are_not_mixed_up(tmp_path: Path) -> None:
    database, one, two = f"sqlite:///{tmp_path / 's.db'}", tmp_path / "one", tmp_path / "two"
    with CrawlStore.create(one, SETTINGS, WALL) as store:
        store.commit(batch(0))
    publish(one, database)
    shutil.copytree(one, two)
    publish(two, database)
    check_same(database, two)  # nothing was added: the same crawl, at another place
    add(one, 5)
    publish(one, database)
    with pytest.raises(UserError, match="it is an older copy"):
        publish(two, database)
    for first in (5, 7):
        add(two, first)
    with pytest.raises(UserError, match=r"another copy of this folder recorded.*--as-new"):
        publish(two, database)
    check_same(database, one)
    with CrawlStore.open(two) as store:
        store.name_anew()
    publish(two, database)
    check_same(database, one)
    check_same(database, two)


def test_a_copy_that_is_behind_may_be_ahead_later(tmp_path: Path) -> None:
    """The database is moved or restored from a backup: the folder has all it lacks."""
    database, folder = f"sqlite:///{tmp_path / 's.db'}", tmp_path / "one"
    with CrawlStore.create(folder, SETTINGS, WALL) as store:
        store.commit(batch(0))
    publish(folder, database)
    shutil.copy(tmp_path / "s.db", tmp_path / "backup.db")
    add(folder, 5)
    publish(folder, database)
    shutil.copy(tmp_path / "backup.db", tmp_path / "s.db")
    publish(folder, database)
    check_same(database, folder)


# -- the database's side -----------------------------------------------------------------------------------------------


def changed(database: str, statement: str) -> None:
    engine = sa.create_engine(open_server(database)._engine.url)
    with engine.begin() as connection:
        connection.execute(sa.text(statement))
    engine.dispose()


def test_a_table_that_is_somebody_elses_is_left_alone(folder: Path, database: str) -> None:
    CrawlStore.create(folder, SETTINGS, WALL).close()
    changed(database, "CREATE TABLE pages (id INTEGER PRIMARY KEY, content VARCHAR(20))")
    with pytest.raises(UserError, match=r"a table pages that is not Dowse's .*: name another database"):
        publish(folder, database)
    with pytest.raises(sa.exc.DBAPIError):
        asked(database, "SELECT * FROM crawls")


@pytest.mark.parametrize(
    "theirs",
    [
        "CREATE TABLE crawls (id INTEGER PRIMARY KEY, spider VARCHAR(20))",
        "CREATE TABLE sites (crawl INTEGER, id INTEGER, name VARCHAR(20))",
        "CREATE VIEW crawls AS SELECT 1 AS id, 'x' AS uuid",
        "CREATE VIEW resources AS SELECT 1 AS one",
    ],
)
def test_nothing_is_written_beside_a_name_that_is_taken(folder: Path, database: str, theirs: str) -> None:
    CrawlStore.create(folder, SETTINGS, WALL).close()
    _, kind, name, *_ = theirs.split()
    changed(database, theirs)
    try:
        with pytest.raises(
            UserError, match=f"has a {kind.lower()} {name} that is not Dowse's.*: name another database"
        ):
            publish(folder, database)
        with pytest.raises(sa.exc.DBAPIError):
            asked(database, "SELECT * FROM pages")
        assert "published_at" not in str(asked(database, f"SELECT * FROM {name}"))
    finally:
        changed(database, f"DROP {kind} {name}")


def test_columns_that_a_later_version_has_are_added(folder: Path, database: str) -> None:
    with CrawlStore.create(folder, SETTINGS, WALL) as store:
        store.commit(batch(0))
    publish(folder, database)
    for statement in (
        "ALTER TABLE pages DROP COLUMN title", "ALTER TABLE pages DROP COLUMN fetched_at",
        "ALTER TABLE crawls DROP COLUMN relevant", "ALTER TABLE pages ADD COLUMN of_mine VARCHAR(9)",
    ):  # fmt: skip
        changed(database, statement)
    add(folder, 5)
    publish(folder, database)
    rows = asked(database, "SELECT id, title, fetched_at FROM pages ORDER BY id")
    assert [row["title"] for row in rows] == [None] * 5 + ["Page 5", "Page 6"]
    assert rows[6]["fetched_at"] == "2023-11-14T22:13:26.250000Z"


def test_a_long_url_is_found_by_its_hash(folder: Path, database: str) -> None:
    long = "http://site.example/" + "ä" * 5_000
    with CrawlStore.create(folder, SETTINGS, WALL) as store:
        store.commit(Batch(pages=[replace(page(0), url=long)]))
    publish(folder, database)
    by_hash = {
        "postgresql": f"sha256(convert_to('{long}', 'UTF8'))",
        "mysql": f"unhex(sha2('{long}', 256))",
        "sqlite": "(SELECT url_hash FROM pages)",
    }[database.partition(":")[0]]
    [found] = asked(database, f"SELECT url FROM pages WHERE url_hash = {by_hash}")
    assert found["url"] == long


def test_a_server_that_is_not_there_is_told_in_one_line_without_the_password(folder: Path) -> None:
    CrawlStore.create(folder, SETTINGS, WALL).close()
    for scheme in ("postgresql", "mysql"):
        with pytest.raises(DatabaseAway) as told:
            publish(folder, f"{scheme}://me:only-mine@127.0.0.1:1/webs")
        message = str(told.value)
        assert message.startswith(f"{scheme}://me@127.0.0.1:1/webs: ")
        assert "refused" in message
        assert "only-mine" not in message
        assert "\n" not in message


def test_a_file_that_cannot_be_one_of_ours_is_no_reason_to_wait(folder: Path, tmp_path: Path) -> None:
    """Broken or read-only: a server may come back, such a file does not."""
    CrawlStore.create(folder, SETTINGS, WALL).close()
    file = tmp_path / "shared.db"
    publish(folder, f"sqlite:///{file}")
    whole = file.read_bytes()
    file.write_bytes(whole[:4096] + b"\xff" * (len(whole) - 4096))
    with pytest.raises(UserError, match="malformed"):
        publish(folder, f"sqlite:///{file}")
    file.write_bytes(whole)
    publish(folder, f"sqlite:///{file}")
    with closing(sqlite3.connect(f"file:{file}?mode=ro", uri=True)) as read_only:
        with pytest.raises(sqlite3.Error) as refused:
            read_only.execute("DELETE FROM crawls")
        assert waiting_is_vain(refused.value)
    with closing(sqlite3.connect(file, timeout=0)) as one, closing(sqlite3.connect(file, timeout=0)) as other:
        one.execute("BEGIN IMMEDIATE")
        with pytest.raises(sqlite3.Error) as held:
            other.execute("BEGIN IMMEDIATE")
        assert not waiting_is_vain(held.value)


@pytest.mark.parametrize(
    "wrong", ["x", "http://x/", "postgresql://", "postgresql://u:p?w@h/d", "sqlite://", "oracle://h/d"]
)
def test_what_is_no_database_is_refused_before_anything_else(wrong: str) -> None:
    with pytest.raises(UserError) as told:
        open_server(wrong)
    assert "p?w" not in str(told.value)


def test_a_missing_driver_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    from dowse.store.shared import connect

    missing: Callable[[str], object] = lambda name: None if name == "psycopg" else object()  # noqa: E731
    monkeypatch.setattr(connect, "find_spec", missing)
    with pytest.raises(UserError, match=r'postgresql:// needs psycopg: pip install "dowse\[databases\]"'):
        open_server("postgresql://me@localhost/webs")


def test_who_does_not_publish_loads_no_library_for_it() -> None:
    load = "import sys, dowse.cli.crawl, dowse.cli.seeds; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", load], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split())
    assert "dowse.store.shared.resources" in loaded
    assert not loaded & {"sqlalchemy", "psycopg", "pymysql"}


@POSTGRESQL
def test_a_schema_of_its_own_is_used_as_named(folder: Path, postgres_server: DatabaseServer) -> None:
    drop_all(postgres_server.url)
    changed(postgres_server.url, "CREATE SCHEMA ours")
    changed(postgres_server.url, "CREATE TABLE pages (mine INTEGER)")
    with CrawlStore.create(folder, SETTINGS, WALL) as store:
        store.commit(batch(0))
    publish(folder, f"{postgres_server.url}?options=-csearch_path%3Dours")
    assert asked(postgres_server.url, "SELECT count(*) AS n FROM ours.pages") == [{"n": 5}]
    assert asked(postgres_server.url, "SELECT * FROM pages") == []
    changed(postgres_server.url, "DROP SCHEMA ours CASCADE")
    drop_all(postgres_server.url)
