"""The publisher's process, and the crawl's side of it."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from dowse.model.errors import UserError
from dowse.store import CrawlStore
from dowse.store.shared.connect import open_server
from dowse.store.shared.folder_changes import FolderChanges
from dowse.store.shared.follow import Follower, Reporter
from dowse.store.shared.following import Following, Published
from dowse.store.shared.publication import Publication
from dowse.store.shared.server import DatabaseAway
from tests.store.made import WALL, batch
from tests.store.shared.same import check_same


@pytest.fixture
def store(tmp_path: Path) -> CrawlStore:
    return CrawlStore.create(tmp_path / "crawl", {}, WALL)


def reached(following: Following, mark: int) -> bool:
    return following.state.mark >= mark


async def until(holds: Callable[[], bool]) -> None:
    while not holds():  # noqa: ASYNC110 (another process tells)
        await asyncio.sleep(0.02)


def follow(
    store: CrawlStore, url: str, then: Callable[[Following], Any], patience_s: float = 30.0
) -> tuple[Published, list[str]]:
    """Follow a folder, do something, finish."""
    troubles: list[str] = []

    async def run() -> Published:
        following = Following(store.folder, url, troubles.append)
        await following.start()
        try:
            result = then(following)
            if asyncio.iscoroutine(result):
                await result
            return await following.finish(patience_s)
        finally:
            await following.close()

    return asyncio.run(run()), troubles


def test_what_is_committed_is_published_beside_it(store: CrawlStore, database: str) -> None:
    async def crawl(following: Following) -> None:
        for first in (0, 5):
            store.commit(batch(first))
            await until(partial(reached, following, (first + 5) * 6 // 5))
        store.commit(batch(10))

    with store:
        ended, troubles = follow(store, database, crawl)
    assert (ended.finished, ended.lag, ended.trouble, troubles) == (True, 0, "", [])
    assert ended.mark == 18
    check_same(database, store.folder)


def test_a_database_that_never_comes_ends_the_wait_and_is_told_once(store: CrawlStore) -> None:
    with store:
        store.commit(batch(0))
        ended, troubles = follow(store, "postgresql://me:mine@127.0.0.1:1/d", lambda _: asyncio.sleep(2.0), 1.0)
    assert (ended.finished, ended.lag, ended.to) == (False, 5, "postgresql://me@127.0.0.1:1/d")
    assert "refused" in ended.trouble
    assert troubles == [ended.trouble]


def test_a_server_that_takes_and_says_nothing_is_told(store: CrawlStore) -> None:
    with store, socket.create_server(("127.0.0.1", 0)) as silent:
        store.commit(batch(0))
        url = f"mysql://me@127.0.0.1:{silent.getsockname()[1]}/d"

        async def until_told(following: Following) -> None:
            await until(lambda: bool(following.state.trouble))

        ended, troubles = follow(store, url, until_told, 0.1)
    assert troubles == ["the database does not answer"]
    assert ended.lag == 5


def test_giving_up_ends_the_wait_at_once(store: CrawlStore) -> None:
    async def soon(following: Following) -> None:
        asyncio.get_running_loop().call_later(0.2, following.give_up)

    with store:
        store.commit(batch(0))
        ended, _ = follow(store, "postgresql://127.0.0.1:1/d", soon, 1e9)
    assert not ended.finished


def test_what_must_not_be_published_is_told_and_not_tried_again(store: CrawlStore, tmp_path: Path) -> None:
    database = f"sqlite:///{tmp_path / 's.db'}"
    with store:
        store.commit(batch(0))
        follow(store, database, lambda _: None)
        store._connection.execute("DELETE FROM changes")
        ended, troubles = follow(store, database, lambda _: None)
    assert ended.gave_up
    assert "it is an older copy" in ended.trouble
    assert len(troubles) == 1


def test_a_url_that_is_none_is_a_mistake_of_the_user(tmp_path: Path) -> None:
    with pytest.raises(UserError):
        Following(tmp_path, "http://h/d", lambda _: None)


def test_the_publisher_ends_with_the_crawl(store: CrawlStore) -> None:
    """Whoever started it was killed: its input ends."""
    with store:
        asked = json.dumps({"folder": str(store.folder), "url": "postgresql://127.0.0.1:1/d"})
        command = [sys.executable, "-m", "dowse.store.shared.follow"]
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdin is not None
            assert process.stdout is not None
            process.stdin.write(asked + "\n")
            process.stdin.flush()
            assert "refused" in json.loads(process.stdout.readline())["trouble"]
            os.kill(process.pid, signal.SIGINT)  # is not for it
            process.stdin.close()
            assert process.wait(30) == 1


def test_waits_grow_longer_and_are_short_again_after_a_success(store: CrawlStore, tmp_path: Path) -> None:
    class Flaky(Publication):
        fails = 0

        def step(self) -> bool:
            if self.fails:
                self.fails -= 1
                raise DatabaseAway("away")
            return super().step()

    waited: list[float] = []
    told: list[dict[str, Any]] = []
    with store:
        store.commit(batch(0))
        publication = Flaky(store.folder, open_server(f"sqlite:///{tmp_path / 's.db'}"), lambda: WALL)
        publication.fails = 8

        def wait(seconds: float) -> None:
            waited.append(seconds)
            if len(waited) == 9:
                store.commit(batch(5))
                publication.fails = 1

        changes = FolderChanges(store.folder)
        Follower(publication, Reporter(changes, told.append, lambda: 0.0), wait, lambda: len(waited) > 10).run()
        changes.close()
        publication.close()
    assert waited == [1.0, 2.0, 4.0, 8.0, 16.0, 30.0, 30.0, 30.0, 0.5, 1.0, 0.5]
    states = [(state["lag"], state["trouble"], state["finished"]) for state in told]
    assert states == [(5, "away", False), (0, "", False), (5, "away", False), (0, "", False), (0, "", True)]
