"""``dowse publish``, ``--publish``, ``--seeds-from`` and ``dowse seeds --to`` a database, as a user types them."""

from __future__ import annotations

import json
import shlex
import sqlite3
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
import sqlalchemy as sa

from dowse.cli.main import main
from dowse.loopback import in_thread
from dowse.store.shared.connect import open_server
from tests.engine.test_kill import HOSTS, slow_web
from tests.store.shared.same import asked, check_same

Run = Callable[[str], int]
CRAWL = f"crawl 'perovskite solar cells' --seed http://{HOSTS[0]}/0 --budget 9p --out made --quiet"
SECRET = "only-for-tests"


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with in_thread(slow_web(20, 0.0)) as server:
        yield server.address


@pytest.fixture
def run(address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.delenv("DOWSE_DATABASE", raising=False)

    def call(line: str) -> int:
        more = ""
        if line.startswith(("crawl", "seeds")):
            more = f" --delay 0 --resolve '*={address}' --allow-private"
            more += " --workers 0" if line.startswith("crawl") else ""
        monkeypatch.setattr(sys, "argv", ["dowse", *shlex.split(line + more)])
        with pytest.raises(SystemExit) as end:
            main()
        return int(end.value.code or 0)

    return call


def test_a_crawl_is_published_and_its_password_is_nowhere(
    run: Run, database: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert run(f"{CRAWL} --publish {database}") == 0
    check_same(database, tmp_path / "made")
    told = capfd.readouterr()
    assert SECRET not in told.out + told.err
    for path in (tmp_path / "made").iterdir():
        assert SECRET.encode() not in path.read_bytes(), path.name
    with closing(sqlite3.connect("made/dowse.sqlite")) as records:
        settings = dict(records.execute("SELECT name, value FROM settings"))
    if "@" in database:
        assert json.loads(settings["topic"])["publish"]["url"] == database.replace(f":{SECRET}", "")
        assert settings["publish_login"] == "true"


def test_it_goes_on_when_it_is_resumed_and_wants_its_password_again(
    run: Run, database: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert run(f"{CRAWL} --publish {database}") == 0
    resume = "crawl --resume made --budget 15p --quiet"
    if "@" in database:
        assert run(resume) == 2
        assert "with a password, which is not kept: give the whole URL in the environment" in capsys.readouterr().err
        monkeypatch.setenv("DOWSE_DATABASE", database)
    assert run(resume) == 0
    check_same(database, tmp_path / "made")
    assert run("publish made") == 0
    assert capsys.readouterr().out.startswith("made: nothing to add: everything is in ")


def test_verdicts_given_again_are_published_by_the_same_command(
    run: Run, database: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run(f"{CRAWL} --publish {database}")
    assert asked(database, "SELECT count(*) AS n FROM pages WHERE relevant") != [{"n": 0}]
    run("rejudge made --threshold 0.99")
    assert run(f"publish made {database}") == 0
    assert "made: 9 pages published to " in capsys.readouterr().out
    check_same(database, tmp_path / "made")
    assert asked(database, "SELECT count(*) AS n FROM pages WHERE relevant") == [{"n": 0}]


def test_several_folders_at_once_and_copies_as_their_own(
    run: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run(CRAWL)
    run(CRAWL.replace("--out made", "--out other"))
    assert run("publish made other sqlite:///shared.db") == 0
    assert capsys.readouterr().out.count("9 pages published to sqlite:///shared.db") == 2
    assert run("publish --as-new other sqlite:///shared.db") == 0
    assert run("publish --again made sqlite:///shared.db") == 0
    assert capsys.readouterr().out.count("9 pages published") == 2
    url = f"sqlite:///{tmp_path}/shared.db"
    assert asked(url, "SELECT count(*) AS n FROM crawls") == [{"n": 3}]
    assert asked(url, "SELECT count(*) AS n FROM pages") == [{"n": 27}]


def test_seeds_that_are_found_twice_are_one_row(
    run: Run, database: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run(CRAWL)
    found = "seeds 'perovskite' --engine local:made --most-seeds 4 --collection mine"
    for query in ("solar", "cells"):
        assert run(f"{found} --query {query} --to {database}") == 0
    assert "in the collection 'mine'" in capsys.readouterr().out
    rows = asked(
        database, "SELECT url, finds, engine, best_rank, found_at, taken_by FROM resources WHERE collection = 'mine'"
    )
    assert len(rows) == len({row["url"] for row in rows}) >= 4
    queries = [{find["query"] for find in json.loads(row["finds"])} for row in rows]
    assert {"solar", "cells"} in queries, "both finds are kept"
    assert {row["engine"] for row in rows} == {"local:made"}
    assert all(row["found_at"].endswith("Z") and row["taken_by"] is None for row in rows)
    assert (
        run(f"crawl 'perovskite' --collection mine --seeds-from {database} --most-seeds 3 -b 5p --out from --quiet")
        == 0
    )
    with closing(sqlite3.connect("from/dowse.sqlite")) as records:
        seeds = records.execute("SELECT url FROM candidates WHERE parent IS NULL").fetchall()
        assert [url for (url,) in seeds] == [url for (url,) in records.execute("SELECT url FROM found ORDER BY id")]
        [(uuid,)] = records.execute("SELECT value FROM meta WHERE name = 'crawl'")
    assert len(seeds) == 3
    taken = asked(database, "SELECT url FROM resources WHERE taken_by IS NOT NULL")
    assert {row["url"] for row in taken} == {url for (url,) in seeds}
    assert {row["taken_by"] for row in asked(database, "SELECT taken_by FROM resources")} == {uuid, None}


def test_rows_that_strangers_wrote_are_checked_like_any_seed(
    run: Run, tmp_path: Path, address: str, capsys: pytest.CaptureFixture[str]
) -> None:
    run(CRAWL)
    run("seeds 'solar' --engine local:made --most-seeds 1 --to sqlite:///s.db")
    engine = sa.create_engine(f"sqlite:///{tmp_path}/s.db")
    odd = ("javascript:alert(1)", "x'); DROP TABLE resources; --", "http://127.0.0.1:9/", "http://[::1", "")
    with engine.begin() as connection:
        for number, url in enumerate(odd):
            row = {"url": url, "hash": bytes([number] * 32), "finds": "[]"}
            connection.execute(sa.text(
                "INSERT INTO resources (collection, url_hash, url, title, snippet, score, nearness, engine, query,"
                " best_rank, finds) VALUES ('solar', :hash, :url, '', '', 0, 0, '', '', 0, :finds)"), row)  # fmt: skip
        for number, finds in enumerate(("[1]", "{", '[{"engine": 1}]', '"null"'), 10):
            row = {"url": "http://c.test/", "hash": bytes([number] * 32), "finds": finds}
            connection.execute(sa.text(
                "INSERT INTO resources (collection, url_hash, url, score, nearness, finds)"
                " VALUES ('solar', :hash, :url, 0, 0, :finds)"), row)  # fmt: skip
        connection.execute(sa.text("CREATE TRIGGER t AFTER UPDATE ON resources BEGIN DELETE FROM resources; END"))
    engine.dispose()
    capsys.readouterr()
    assert run("crawl 'solar' --seeds-from sqlite:///s.db -b 3p --out from --quiet") == 0
    told = capsys.readouterr().err
    assert "rows of the database that are no seeds: 8, left out" in told
    assert "the database could not be told that its seeds are taken" in told, "it runs no SQL of others"
    assert asked(f"sqlite:///{tmp_path}/s.db", "SELECT count(*) AS n FROM resources") == [{"n": 10}]


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("publish none sqlite:///s.db", "none holds no crawl"),
        ("publish sqlite:///s.db", "which crawl? Give its folder"),
        ("publish made", "made was not crawled with --publish: name a database"),
        ("publish made sqlite:///made/dowse.sqlite", "is a record of a crawl: name another file"),
        ("publish made sqlite:///notes.txt", "file is not a database"),
        ("publish made oracle://h/d", "oracle:// is not one of postgresql://, mysql://, mariadb://, sqlite:///"),
        ("publish made mysql://h:x/d", "the port is no number"),
        ("publish made sqlite:///:memory:", "is gone when Dowse ends: name a file"),
        ("publish made sqlite:///a.db sqlite:///b.db", "one database at a time"),
        ("publish sqlite:///a.db made", "the database's URL comes last"),
        (f"{CRAWL.replace('made', 'no')} --publish sqlite:///no/dir/s.db", "no/dir/s.db: there is no folder "),
        (f"{CRAWL.replace('made', 'no')} --publish sqlite:///made", "made is a folder"),
        (f"{CRAWL.replace('made', 'no')} --publish sqlite:///notes.txt", "notes.txt: file is not a database"),
        (
            f"{CRAWL} --publish plain.db",
            "--publish: plain.db is no database's URL: for a file write sqlite:///plain.db",
        ),
        ("publish made 'mysql://h/d?local_infile=1'", "'local_infile' is no parameter that can be given"),
        (f"publish made postgresql://u:{SECRET}@127.0.0.1:1/d", "postgresql://u@127.0.0.1:1/d: connection failed"),
        (f"{CRAWL} --publish postgresql://u:{SECRET}?@h/d", "--publish: this is no database's URL"),
        ("crawl x --seeds-from sqlite:///none.db", "/none.db: there is no such file"),
        (
            "crawl x --seeds-from sqlite:///s.db",
            "has no resources in the collection 'x'; choose with --collection: 'solar' (1)",
        ),
        (f"seeds x --engine local:made --to postgre://u:{SECRET}@h/d", "there are no databases of the kind postgre"),
        ("seeds solar --engine local:made --count-sites --to sqlite:///s.db", "it takes seeds, not site counts"),
    ],
)
def test_mistakes_are_told_in_one_line(run: Run, line: str, told: str, capsys: pytest.CaptureFixture[str]) -> None:
    run(CRAWL)
    run("seeds 'solar' --engine local:made --most-seeds 1 --to sqlite:///s.db")
    Path("notes.txt").write_text("these are notes\n" * 100)
    capsys.readouterr()
    assert run(line) in (1, 2)
    said = capsys.readouterr()
    assert told in said.err
    assert said.err.splitlines()[-1].startswith("dowse: ")
    assert SECRET not in said.out + said.err
    assert not Path("none.db").exists()
    assert not Path("no", "dowse.sqlite").exists(), "told before anything is asked for"
    assert Path("notes.txt").read_text().startswith("these are notes")


def test_a_file_is_the_same_database_from_any_folder(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(f"{CRAWL} --publish sqlite:///shared.db") == 0
    (tmp_path / "other").mkdir()
    monkeypatch.chdir(tmp_path / "other")
    assert run(f"crawl --resume {tmp_path}/made --budget 15p --quiet") == 0
    assert run(f"publish {tmp_path}/made") == 0
    assert f"everything is in sqlite:///{tmp_path}/shared.db" in capsys.readouterr().out
    assert list(Path().iterdir()) == []
    check_same(f"sqlite:///{tmp_path}/shared.db", tmp_path / "made")


def test_a_crawl_without_a_name_has_that_of_what_it_looks_for(run: Run, tmp_path: Path) -> None:
    assert run(f"{CRAWL} --publish sqlite:///shared.db") == 0
    [crawl] = asked(f"sqlite:///{tmp_path}/shared.db", "SELECT name FROM crawls")
    assert crawl == {"name": "perovskite solar cells"}


def test_an_environment_that_names_no_database_is_told(
    run: Run, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    run(CRAWL)
    monkeypatch.setenv("DOWSE_DATABASE", SECRET)
    assert run("publish made sqlite:///s.db") == 2
    told = capsys.readouterr().err
    assert "the environment variable DOWSE_DATABASE: this is no database's URL" in told
    assert SECRET not in told


def test_somebody_else_can_fill_the_table_of_seeds(run: Run, database: str, tmp_path: Path) -> None:
    run(CRAWL)
    run(f"seeds 'solar' --engine local:made --most-seeds 1 --to {database}")
    engine = sa.create_engine(open_server(database)._engine.url)
    row = {"url": f"http://{HOSTS[1]}/0", "hash": bytes(32)}
    with engine.begin() as connection:
        insert = "INSERT INTO resources (collection, url_hash, url) VALUES ('theirs', :hash, :url)"
        connection.execute(sa.text(insert), row)
    engine.dispose()
    assert run(f"crawl 'solar' --collection theirs --seeds-from {database} -b 3p --out from --quiet") == 0
    with closing(sqlite3.connect("from/dowse.sqlite")) as records:
        assert records.execute("SELECT url FROM candidates WHERE id = 0").fetchall() == [(row["url"],)]
