"""A crawl that is published while its database, or the crawl itself, is killed: nothing is lost, nothing doubled."""

from __future__ import annotations

import asyncio
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest
import sqlalchemy as sa

from dowse.loopback import LoopbackServer, in_thread
from dowse.model.clock import SystemClock
from tests.engine.test_kill import ask, slow_web, start
from tests.servers import MARIADB, POSTGRESQL, DatabaseServer
from tests.store.shared.same import asked, check_same, drop_all

PAGES = 80


class Gate(SystemClock):
    """A clock of a web that gives so many answers as the test lets it, and no more: kills strike where they should."""

    def __init__(self) -> None:
        self.left = 0

    async def sleep(self, seconds: float) -> None:
        while self.left < 1:  # noqa: ASYNC110 (another thread lets go)
            await asyncio.sleep(0.01)
        self.left -= 1

    def let(self, answers: int) -> None:
        """Let so many answers go, and wait until they have."""
        self.left += answers
        deadline = time.monotonic() + 60
        while self.left > 0 and time.monotonic() < deadline:
            time.sleep(0.01)
        assert self.left == 0, "the crawl asks for no more"

    def open(self) -> None:
        self.left = 1 << 30


@pytest.fixture(params=[pytest.param("postgres", marks=POSTGRESQL), pytest.param("mariadb", marks=MARIADB)])
def database(request: pytest.FixtureRequest) -> Iterator[DatabaseServer]:
    server: DatabaseServer = request.getfixturevalue(f"{request.param}_server")
    drop_all(server.url)
    yield server
    if not server.is_up:
        server.start()


@pytest.fixture
def gate() -> Gate:
    return Gate()


@pytest.fixture
def web(gate: Gate) -> Iterator[LoopbackServer]:
    with in_thread(slow_web(PAGES // 2, 1.0), clock=gate) as server:
        yield server
        gate.open()


def wait_until(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        with suppress(sa.exc.SQLAlchemyError, OSError):  # there is no such table yet, or the server is starting
            if holds():
                return
        time.sleep(0.1)
    pytest.fail("it never comes to that")


def wait_until_published(database: DatabaseServer, pages: int) -> None:
    wait_until(lambda: asked(database.url, "SELECT count(*) AS n FROM pages")[0]["n"] >= pages)


def end(process: subprocess.Popen[bytes]) -> str:
    """Wait for the crawl's end, which must be a good one; what it said."""
    _, err = process.communicate(timeout=100)
    assert process.returncode == 0, err
    return err.decode()


def published(folder: Path, *more: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "dowse", "publish", str(folder), *more]
    return subprocess.run(command, capture_output=True, text=True, timeout=100)


def test_a_server_that_is_killed_while_a_crawl_runs_gets_everything(
    web: LoopbackServer, gate: Gate, database: DatabaseServer, tmp_path: Path
) -> None:
    folder = tmp_path / "crawl"
    process = start(web, folder, "--publish", database.url)
    gate.let(20)
    wait_until_published(database, 8)
    for published_by_then in (16, 32):
        database.kill()
        gate.let(16)
        database.start()
        wait_until_published(database, published_by_then)
    gate.open()
    told = end(process)
    assert ask(folder, "SELECT count(*) FROM pages WHERE outcome = 'fetched'") == [(PAGES,)], "the crawl went on"
    check_same(database.url, folder)
    assert "only-for-tests" not in told
    again = published(folder, database.url)
    assert again.stdout.startswith(f"{folder}: nothing to add: everything is in ")


def test_a_server_that_is_stopped_and_comes_late_gets_everything(
    web: LoopbackServer, gate: Gate, database: DatabaseServer, tmp_path: Path
) -> None:
    folder = tmp_path / "crawl"
    database.stop()
    process = start(web, folder, "--publish", database.url)
    gate.let(40)
    wait_until(lambda: bool(ask(folder, "SELECT 1 FROM events WHERE kind = 'not published'")))
    database.start()
    wait_until_published(database, 30)
    database.stop()
    gate.let(10)
    database.start()
    gate.open()
    told = end(process)
    assert "refused" in told, "the user is told"
    check_same(database.url, folder)
    events = ask(folder, "SELECT detail FROM events WHERE kind = 'not published'")
    assert 1 <= len(events) <= 2
    assert "only-for-tests" not in str(events)


def test_a_crawl_that_is_killed_goes_on_publishing_when_it_is_resumed(
    web: LoopbackServer, gate: Gate, database: DatabaseServer, tmp_path: Path
) -> None:
    folder = tmp_path / "crawl"
    for requests in (30, 30):
        process = start(web, folder, "--publish", database.url)
        gate.let(requests)
        wait_until_published(database, 1)
        process.kill()
        process.communicate()
    gate.open()
    end(start(web, folder, "--publish", database.url))
    check_same(database.url, folder)
    assert ask(folder, "SELECT count(*) FROM pages WHERE outcome = 'fetched'") == [(PAGES,)]


def test_a_crawl_whose_publisher_is_killed_starts_another(
    web: LoopbackServer, gate: Gate, database: DatabaseServer, tmp_path: Path
) -> None:
    folder = tmp_path / "crawl"
    process = start(web, folder, "--publish", database.url)
    gate.let(20)
    wait_until_published(database, 1)
    [publisher] = [
        int(pid)
        for pid in Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
        if b"dowse.store.shared.follow" in Path(f"/proc/{pid}/cmdline").read_bytes()
    ]
    assert b"only-for-tests" not in Path(f"/proc/{publisher}/cmdline").read_bytes()
    os.kill(publisher, signal.SIGKILL)
    gate.open()
    assert "the publisher ended unexpectedly" in end(process)
    check_same(database.url, folder)


def test_ctrl_c_does_not_wait_for_a_server_that_answers_nobody(
    web: LoopbackServer, gate: Gate, database: DatabaseServer, tmp_path: Path
) -> None:
    folder = tmp_path / "crawl"
    process = start(web, folder, "--publish", database.url)
    gate.let(20)
    wait_until_published(database, 1)
    database.hold()
    try:
        gate.let(30)
        process.send_signal(signal.SIGINT)
        gate.open()
        _, err = process.communicate(timeout=60)
    finally:
        database.go_on()
    assert process.returncode == 130
    left = re.search(
        r"dowse: pages that are not published yet: (\d+).*Publish them with dowse publish (\S+)", err.decode()
    )
    assert left is not None, err
    assert int(left[1]) > 0
    assert left[2] == str(folder)
    assert not (folder / "dowse.sqlite-wal").exists(), "nobody holds the records"
    done = published(folder, database.url)
    assert re.search(r": \d+ pages published to ", done.stdout), done
    check_same(database.url, folder)
