"""A crawl's folder from a stranger: whatever was done to it, a command says one clear line or does its work, follows no
link, takes no more memory than it should, and touches nothing outside."""

from __future__ import annotations

import asyncio
import gzip
import json
import os
import resource
import shutil
import sqlite3
import struct
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from dowse.loopback import LoopbackServer, in_thread
from dowse.model.budget import Budget
from dowse.model.topic import JudgeSettings, StrategyChoice
from tests.cli import attacks
from tests.cli.labelled import QUERY, two_kinds
from tests.engine.servers import crawl_all, topic_for

KNOWN_CODES = (0, 1, 2)
LOUD = 4  # lines on standard error at the most: progress is told there, too
READERS = ("why", "report", "jsonl", "csv", "stats", "label", "learn", "cache")
SIDE_FILES = ("dowse.sqlite-wal", "dowse.sqlite-shm", "dowse.sqlite-journal")


@pytest.fixture(scope="module")
def crawl(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A crawl that is not over, with a strategy that learns: there is much to take up again."""
    folder = tmp_path_factory.mktemp("victim") / "birds"

    async def run() -> None:
        async with LoopbackServer(two_kinds()) as server:
            topic = topic_for(server.address, ["http://a.test/"], query=QUERY, judge=JudgeSettings(threshold=0.1))
            topic = replace(topic, strategy=StrategyChoice("learning"), budget=Budget(pages=20))
            await crawl_all(topic, folder)

    asyncio.run(run())
    return folder


@pytest.fixture
def copy(crawl: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(crawl, tmp_path / "copy"))


def check(answer: dict[str, Any]) -> None:
    assert not answer["defect"], answer
    assert answer["code"] in KNOWN_CODES, answer
    assert "Traceback" not in answer["err"], answer
    assert answer["err"].count("\n") <= LOUD, answer


def assail(crawl: Path, kind: str, first: int, last: int, place: Path, only: int) -> list[dict[str, Any]]:
    """The attacks of these numbers, in a process of their own."""
    arguments = [str(crawl), kind, str(first), str(last), str(place), str(only)]
    done = subprocess.run(
        [sys.executable, "-m", "tests.cli.attacks", *arguments], capture_output=True, text=True, timeout=3000,
        cwd=Path(__file__).parents[2], env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},
    )  # fmt: skip
    *answers, end = map(json.loads, done.stdout.splitlines())
    assert done.returncode == 0, done.stderr + str(answers[-1:])
    assert end["peak_kb"] < 600_000
    for answer in answers:
        check(answer)
    return answers


@pytest.mark.parametrize("kind", attacks.ATTACKS)
def test_damage_of_any_kind_is_told_or_does_no_harm(crawl: Path, kind: str, tmp_path: Path) -> None:
    answers = assail(crawl, kind, 0, 20, tmp_path, 3)
    assert len(answers) == 60
    told = [
        answer for answer in answers if answer["code"] and ("records in" in answer["err"] or "dowse." in answer["err"])
    ]
    assert told, "some of it is noticed"


@pytest.mark.soak
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("kind", attacks.ATTACKS)
def test_hundreds_of_them(crawl: Path, kind: str, tmp_path: Path) -> None:
    for first in range(100, 300, 20):  # a process keeps something of each crawl that it ran
        assail(crawl, kind, first, first + 20, tmp_path, 0)


# -- links -----------------------------------------------------------------------------------------------------------


def symbolic(place: Path, target: Path) -> None:
    place.symlink_to(target)


def hard(place: Path, target: Path) -> None:
    os.link(target, place)


def run(command: str, folder: Path, out: Path, address: str = "127.0.0.1:1") -> tuple[int, str]:
    out.mkdir(exist_ok=True)
    code, _, err, defect = attacks.run(*attacks.commands(folder, out, address)[command])
    check({"defect": defect, "code": code, "err": err, "command": command})
    return code, err


@pytest.mark.parametrize("link", [symbolic, hard])
@pytest.mark.parametrize("name", ["dowse.ledger", "dowse.lock", "dowse-00000.warc.gz", "dowse.sqlite", *SIDE_FILES])
def test_resume_writes_through_no_link(
    link: Callable[[Path, Path], None], name: str, copy: Path, tmp_path: Path
) -> None:  # fmt: skip
    target = tmp_path / "precious"
    target.write_bytes(
        (copy / name).read_bytes() if name.startswith("dowse.sqlite") and name[-1] == "e" else b"mine" * 999
    )
    kept = target.read_bytes()
    (copy / name).unlink(missing_ok=True)
    link(copy / name, target)
    code, err = run("resume", copy, tmp_path / "out")
    assert (code, target.read_bytes()) == (2, kept)
    assert f"{name} is a " in err
    assert err.count("\n") == 1


def test_a_link_to_nothing_makes_nothing(copy: Path, tmp_path: Path) -> None:
    for name in ("dowse.lock", "dowse.ledger"):
        (copy / name).unlink()
        (copy / name).symlink_to(tmp_path / "new")
        assert run("resume", copy, tmp_path / "out")[0] == 2
        assert not (tmp_path / "new").exists()
        (copy / name).unlink()


@pytest.mark.parametrize("command", READERS)
def test_who_only_reads_follows_no_link(command: str, copy: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere.sqlite"
    (copy / "dowse.sqlite").rename(elsewhere)
    (copy / "dowse.sqlite").symlink_to(elsewhere)
    code, err = run(command, copy, tmp_path / "out")
    assert code == 2
    assert "dowse.sqlite is a link" in err
    assert sorted(tmp_path.glob("elsewhere*")) == [elsewhere], "no journal beside it"


@pytest.mark.parametrize("make", [Path.mkdir, os.mkfifo])
@pytest.mark.parametrize("name", ["dowse.sqlite", "dowse.ledger", "dowse.lock", "dowse-00000.warc.gz"])
def test_what_is_no_file_is_not_opened(make: Callable[[Path], None], name: str, copy: Path, tmp_path: Path) -> None:
    (copy / name).unlink()
    make(copy / name)
    code, err = run("resume", copy, tmp_path / "out")
    assert code == 2
    assert f"{name} is not a file" in err


def test_a_pipe_in_place_of_the_archive_stops_nobody(copy: Path, tmp_path: Path) -> None:
    (copy / "dowse-00000.warc.gz").unlink()
    os.mkfifo(copy / "dowse-00000.warc.gz")
    with in_thread(two_kinds()) as server:
        for command in ("why", "label", "cache", "info"):
            run(command, copy, tmp_path / "out", server.address)


@pytest.mark.parametrize("name", ["../precious", "/etc/passwd", "dowse-00000.warc.gz/../../precious", ".."])
def test_the_archive_is_in_the_folder(name: str, copy: Path, tmp_path: Path) -> None:
    precious = tmp_path / "precious"
    precious.write_bytes(b"mine" * 99_999)
    change(copy, "UPDATE pages SET warc_file = ?", name)
    with in_thread(two_kinds()) as server:
        for command in ("why", "label", "cache"):
            run(command, copy, tmp_path / "out", server.address)
    change(copy, "UPDATE archives SET file = ?, bytes = 3", name)
    code, err = run("resume", copy, tmp_path / "out")
    assert code == 1
    assert "is no file of the archive" in err
    assert precious.read_bytes() == b"mine" * 99_999


def test_other_files_of_a_folder(copy: Path, tmp_path: Path) -> None:
    """What a crawl keeps of categories and statistics, labels, and what is written in place of a link."""
    precious = tmp_path / "precious"
    precious.write_text("url,label\n", "utf-8")
    (copy / "labels.csv").symlink_to(precious)
    assert "labels.csv is a link" in run("label", copy, tmp_path / "out")[1]
    (copy / "labels.csv").unlink()
    (copy / "categories").mkdir()
    (copy / "categories" / "x.json").symlink_to(precious)
    assert "x.json is a link" in run("resume", copy, tmp_path / "out")[1]
    shutil.rmtree(copy / "categories")
    (copy / "categories").symlink_to(tmp_path)
    assert "categories is a link" in run("resume", copy, tmp_path / "out")[1]
    (copy / "categories").unlink()
    for name in ("report.html", f".report.html.{os.getpid()}.part"):
        (copy / name).symlink_to(precious)
    assert attacks.run("report", str(copy))[0] == 0
    assert not (copy / "report.html").is_symlink(), "the link was replaced"
    assert precious.read_text("utf-8") == "url,label\n"


def test_the_lab_keeps_nothing_through_a_link(copy: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    elsewhere = tmp_path / "elsewhere"
    (elsewhere / "index-precious").mkdir(parents=True)
    (copy / ".dowse-lab").symlink_to(elsewhere)
    assert run("info", copy, tmp_path / "out")[0] == 0
    assert [path.name for path in elsewhere.iterdir()] == ["index-precious"]


# -- the database ----------------------------------------------------------------------------------------------------


def change(folder: Path, sql: str, *values: Any) -> None:
    with closing(sqlite3.connect(folder / "dowse.sqlite", isolation_level=None)) as records:
        records.execute(sql, values)


ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000000) SELECT count(*) FROM n"


@pytest.mark.parametrize(
    "sql",
    [
        f"CREATE TRIGGER t AFTER INSERT ON runs BEGIN SELECT ({ENDLESS}); END",
        "CREATE TABLE more (x)",
        f"CREATE VIEW more AS {ENDLESS}",
        "CREATE INDEX more ON pages (length(url))",
        "ALTER TABLE runs ADD COLUMN x TEXT AS (length(stop_reason))",
        "ALTER TABLE runs ADD COLUMN x TEXT CHECK (x <> abs(1))",
        "CREATE VIRTUAL TABLE more USING fts5(x)",
    ],
)
def test_sql_of_its_own_is_not_run(sql: str, copy: Path, tmp_path: Path) -> None:
    change(copy, sql)
    before = (copy / "dowse.sqlite").read_bytes()
    for command in ("resume", "why", "csv"):
        code, err = run(command, copy, tmp_path / "out")
        assert code == 2
        assert "was changed by somebody" in err
    assert (copy / "dowse.sqlite").read_bytes() == before


def test_a_view_in_place_of_a_table(copy: Path, tmp_path: Path) -> None:
    change(copy, "DROP TABLE events")
    change(copy, f"CREATE VIEW events AS {ENDLESS}")
    assert "was changed by somebody" in run("report", copy, tmp_path / "out")[1]


def test_an_index_of_the_users_own_is_no_obstacle(copy: Path, tmp_path: Path) -> None:
    change(copy, "CREATE INDEX pages_url ON pages (url)")
    change(copy, "ANALYZE")
    assert run("why", copy, tmp_path / "out")[0] == 0


def test_a_journal_that_names_another_file(copy: Path, tmp_path: Path) -> None:
    """SQLite would undo what it says, and then remove the file that it names."""
    precious = tmp_path / "precious"
    precious.write_bytes(b"mine")
    name = str(precious).encode()
    (copy / "dowse.sqlite-journal").write_bytes(hot_journal(copy / "dowse.sqlite", name))
    code, err = run("resume", copy, tmp_path / "out")
    assert code == 2
    assert "names another file" in err
    assert precious.read_bytes() == b"mine"


def hot_journal(database: Path, name: bytes) -> bytes:
    """One page of a database as a transaction over several files would have kept it."""
    data = database.read_bytes()
    size = struct.unpack(">H", data[16:18])[0]
    head = bytes.fromhex("d9d505f920a163d7") + struct.pack(">IIIII", 1, 7, len(data) // size, 512, size)
    page = data[:size]
    checksum = (7 + sum(page[place] for place in range(size - 200, 0, -200))) & 0xFFFFFFFF
    record = struct.pack(">I", 1) + page + struct.pack(">I", checksum)
    lock_page = 0x40000000 // size + 1
    end = struct.pack(">I", lock_page) + name + struct.pack(">II", len(name), sum(name)) + head[:8]
    return head.ljust(512, b"\0") + record + end


def test_settings_that_are_none(copy: Path, tmp_path: Path) -> None:
    for value in ("3", "[]", '{"query": 7}', '{"politeness": {"delay_s": -5}}', "[" * 99_999, "no JSON"):
        change(copy, "UPDATE settings SET value = ? WHERE name = 'topic'", value)
        for command in ("resume", "why", "stats", "label", "report"):
            code, err = run(command, copy, tmp_path / "out")
            assert code or command == "report", (value, command)
            assert err.count("\n") == bool(code)


# -- memory ----------------------------------------------------------------------------------------------------------


def peak_mb(*arguments: str) -> tuple[int, str, float]:
    """Exit code, what was said on standard error, and the most memory that a command took."""
    script = (
        "import resource, sys; from dowse.__main__ import main\n"
        "try: main()\n"
        "finally: sys.stderr.write(f'\\npeak {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss}')"
    )
    # a small program starts it: the peak of who starts another is inherited
    start = "import subprocess, sys; sys.exit(subprocess.run([sys.executable, '-c', *sys.argv[1:]]).returncode)"
    done = subprocess.run(
        [sys.executable, "-c", start, script, *arguments], capture_output=True, text=True, timeout=100,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (attacks.MEMORY, attacks.MEMORY)),
        env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},
    )  # fmt: skip
    err, _, peak = done.stderr.rpartition("\npeak ")
    assert "Traceback" not in err, err
    return done.returncode, err, int(peak) / 1000


def test_a_record_that_unpacks_to_gigabytes(copy: Path, tmp_path: Path) -> None:
    """Not half a megabyte, which are half a gigabyte: what copies it a few times has filled the memory."""
    parts = [b"WARC/1.1\r\nWARC-Type: response\r\nWARC-Target-URI: http://a.test/\r\n"]
    parts.append(b"Content-Length: 450000000\r\n\r\nHTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n")
    pack = gzip.GzipFile(copy / "dowse-00000.warc.gz", "wb", 6)
    with pack:
        for part in (*parts, *[b"a" * 10_000_000] * 45):
            pack.write(part)
    size = (copy / "dowse-00000.warc.gz").stat().st_size
    change(copy, "UPDATE pages SET warc_offset = 0, warc_length = ?", size)
    change(copy, "UPDATE archives SET bytes = ?", size)
    with in_thread(two_kinds()) as server:
        for command in ("cache", "why", "label"):
            (tmp_path / "out").mkdir(exist_ok=True)
            code, err, peak = peak_mb(*attacks.commands(copy, tmp_path / "out", server.address)[command])
            assert code in KNOWN_CODES, err
            assert peak < 600, command


def test_statistics_that_unpack_to_gigabytes(tmp_path: Path) -> None:
    bomb = tmp_path / "bomb.json.gz"
    head = b'{"format": "dowse statistics", "version": 1, "tokens": ['
    with gzip.open(bomb, "wb") as stream:
        stream.write(head)
        for _ in range(60):
            stream.write(b"[]," * 333_333)
    assert bomb.stat().st_size < 100_000
    for arguments in (["stats", str(bomb)], attacks.commands(bomb, tmp_path, "127.0.0.1:1")["learn"]):
        code, err, peak = peak_mb(*arguments)
        assert code == 2, err
        assert err.count("\n") == 1
        assert peak < 300


# -- what was before -------------------------------------------------------------------------------------------------


def test_a_folder_of_before_is_gone_on_with(copy: Path, tmp_path: Path) -> None:
    """Records that others may read, as they were made once, with the settings of that time."""
    for path in copy.iterdir():
        path.chmod(0o644)
    change(copy, "DELETE FROM settings WHERE name = 'proxy_login'")
    with in_thread(two_kinds()) as server:
        assert run("resume", copy, tmp_path / "out", server.address)[0] == 0
    with closing(sqlite3.connect(copy / "dowse.sqlite")) as records:
        assert records.execute("SELECT count(*) FROM pages WHERE outcome = 'fetched'").fetchone()[0] > 20
