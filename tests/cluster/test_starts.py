"""Who may run a shard, and who waits or is turned away: two starts, folders that are elsewhere, starters that die."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from dowse.cluster import shard as shard_module
from dowse.cluster.errand import Errand, opened
from dowse.cluster.shard import run_shard
from dowse.cluster.shared_folder import place_of, shard_folder
from dowse.loopback import LoopbackServer, in_thread
from dowse.model.budget import Budget
from dowse.model.common_ground import Replaced
from dowse.model.errors import FolderBusy, TopicError
from dowse.store.crawl_store import LOCK
from dowse.store.lock import FolderLock
from tests.cluster.crawls import crawled, prepare
from tests.cluster.ground.places import report
from tests.cluster.webs import ALL, at, knotted, pages_asked

COMMAND = (sys.executable, "-m", "dowse")


@pytest.fixture
def server() -> Iterator[LoopbackServer]:
    with in_thread(knotted(0.2)) as found:
        yield found


def test_an_empty_folder_takes_nobodys_place(tmp_path: Path) -> None:
    """Neither that of one with records, nor that of one that has just begun."""

    async def main() -> None:
        async with LoopbackServer(knotted()) as web:
            topic = at(web)
            prepare(topic, tmp_path / "c", 1)
            place = place_of(tmp_path / "c")
            errand = Errand(topic, place, 0, shard_folder(tmp_path / "c", 0), "host")
            other = Errand(topic, place, 0, tmp_path / "elsewhere", "host")
            with opened(place) as ground:
                first = ground.join(0).member
                waiting = asyncio.create_task(run_shard(other, ground, lambda assembly: None))
                await asyncio.sleep(0.2)
                ground.beat(first, report())
                with pytest.raises(TopicError, match="shard 0 has records, and they are not in"):
                    await waiting
                ground.beat(first, report())
                assert not errand.folder.exists()

    asyncio.run(main())


def test_a_shard_that_was_started_elsewhere_gives_up(tmp_path: Path) -> None:
    """Else the two would take each other's place for ever."""

    async def main() -> None:
        async with LoopbackServer(knotted(0.2)) as web:
            topic = at(web)
            place = prepare(topic, tmp_path / "c", 1)
            errand = Errand(topic, place, 0, shard_folder(tmp_path / "c", 0), "host")
            with opened(place) as ground:

                async def take_its_place() -> None:
                    while not pages_asked(web.log):  # noqa: ASYNC110 - nothing here tells
                        await asyncio.sleep(0.02)
                    ground.join(0)

                with pytest.raises(Replaced, match="shard 0 was started again, here or elsewhere"):
                    await asyncio.gather(run_shard(errand, ground, lambda assembly: None), take_its_place())

    asyncio.run(main())


def test_a_folder_that_somebody_else_writes_to_is_waited_for_and_its_shard_left_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shard_module, "_PATIENCE_S", 1.0)

    async def main() -> None:
        async with LoopbackServer(knotted()) as web:
            topic, told = at(web), list[str]()
            place = prepare(topic, tmp_path / "c", 1)
            errand = Errand(topic, place, 0, shard_folder(tmp_path / "c", 0), "host")
            errand.folder.mkdir(parents=True)
            held = FolderLock(errand.folder / LOCK)
            with opened(place) as ground:
                with pytest.raises(FolderBusy, match="is in use by another crawl"):
                    await run_shard(errand, ground, lambda assembly: None, told.append)
                assert len(told) == 1
                assert ground.standings()[0].epoch == 0
                held.release()
                assert (await run_shard(errand, ground, lambda assembly: None)).kind == "empty"

    asyncio.run(main())


def test_an_older_copy_of_its_folder_is_refused(tmp_path: Path) -> None:
    """It knows nothing of letters that it has sent since, and would give their numbers to others."""

    async def main() -> None:
        async with LoopbackServer(knotted()) as web:
            few = replace(at(web), budget=Budget(pages=8))
            folder = tmp_path / "c"
            await crawled(few, folder, 2)
            for shard in range(2):
                shutil.copytree(shard_folder(folder, shard), tmp_path / str(shard))
            await crawled(replace(few, budget=Budget(pages=40)), folder, 2)
            place = prepare(few, folder, 2)
            for shard in range(2):
                errand = Errand(few, place, shard, tmp_path / str(shard), "host")
                with opened(place) as ground, pytest.raises(TopicError, match=f"older copy of what shard {shard} had"):
                    await run_shard(errand, ground, lambda assembly: None)

    asyncio.run(main())


def started(server: LoopbackServer, folder: Path) -> subprocess.Popen[bytes]:
    """``dowse crawl --shards 2``, at work."""
    options = ["--seed", "http://h0.test/0", "--resolve", f"*.test={server.address}", "--allow-private", "--delay",
               "0", "--strategy", "bfs", "--shard-by", "host", "--workers", "0", "--concurrency", "1"]  # fmt: skip
    crawl = subprocess.Popen(
        [*COMMAND, "crawl", "perovskite solar cells", "--shards", "2", *options, "--out", str(folder)],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    until = time.monotonic() + 60
    while len(pages_asked(server.log)) < 4 and time.monotonic() < until:
        time.sleep(0.05)
    return crawl


def resumed(folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*COMMAND, "crawl", "--resume", str(folder), "--concurrency", "8"], capture_output=True, text=True, check=False,
        timeout=100,
    )  # fmt: skip


def test_a_crawl_runs_once_at_a_time_and_goes_on_as_soon_as_its_starter_is_killed(
    server: LoopbackServer, tmp_path: Path
) -> None:
    folder = tmp_path / "c"
    crawl = started(server, folder)
    try:
        second = resumed(folder)
        assert second.returncode == 2
        [line] = second.stderr.splitlines()
        assert f"{folder} is in use by another crawl (process {crawl.pid})" in line
        assert crawl.poll() is None, "the first is not disturbed"
    finally:
        os.kill(crawl.pid, signal.SIGKILL)
        crawl.wait()
    again = resumed(folder)
    assert again.returncode == 0, again.stderr
    asked = pages_asked(server.log)
    assert (len(asked), set(asked.values())) == (ALL, {1}), "its shards stopped cleanly, and nothing was lost"
