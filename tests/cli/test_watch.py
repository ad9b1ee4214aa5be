"""``dowse watch`` as a user types it: real processes, a real web on loopback."""

from __future__ import annotations

import asyncio
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest

from dowse.cli.watch import _wait
from dowse.engine.assembly.assemble import assemble
from dowse.engine.assembly.revisit import Revisit
from dowse.loopback import Web, in_thread
from dowse.model.visits import LAST_REVISIT
from dowse.store import CrawlStore
from dowse.store.revisits import Revisitable
from tests.cli.labelled import mistake
from tests.engine.servers import chain, crawl_all, topic_for


def watch(folder: Path, *options: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "dowse", "watch", str(folder), "--every", "1h", "--workers", "0", *options]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def visits(folder: Path) -> int:
    with closing(sqlite3.connect(folder / "dowse.sqlite")) as connection:
        [(count,)] = connection.execute("SELECT count(*) FROM visits WHERE changed = 0")
    return int(count)


def test_a_run_has_its_share_of_a_day_and_the_next_one_waits(tmp_path: Path) -> None:
    folder = tmp_path / "crawl"
    with in_thread(Web.of(chain("a.test", 12))) as server:
        asyncio.run(crawl_all(topic_for(server.address, ["http://a.test/0"]), folder))
        first = watch(folder, "--budget", "120p", "--rounds", "1")  # 5 an hour, of which one is for what is new
        out, err = first.communicate(timeout=60)
        assert first.returncode == 0, err
        assert "4 pages visited again: 4 unchanged" in out
        assert visits(folder) == 4
        second = watch(folder, "--budget", "120p")
        assert second.stdout is not None
        assert second.stdout.readline().startswith("The next run begins in")
        second.send_signal(signal.SIGINT)
        _, err = second.communicate(timeout=60)
        assert second.returncode == 130
        assert err == "dowse: interrupted: go on with the same command\n"
    assert visits(folder) == 4


def test_a_run_that_was_cut_off_is_gone_on_with_at_once(tmp_path: Path) -> None:
    folder = tmp_path / "crawl"
    with in_thread(Web.of(chain("a.test", 6))) as server:
        topic = topic_for(server.address, ["http://a.test/0"])
        asyncio.run(crawl_all(topic, folder))

        async def cut_off() -> None:
            assembly = await assemble(topic, folder, resume=True, revisit=Revisit("0s"))
            await assembly.close()  # as after a kill: its plan is there

        asyncio.run(cut_off())
        out, err = watch(folder, "--budget", "24p", "--rounds", "1").communicate(timeout=60)
        assert "6 pages visited again" in out, err


def test_what_cannot_be_meant_is_told(tmp_path: Path, capsys: object) -> None:
    for options, why in ((("--every", "0"), "--every"), (("--every", "often"), "--every"), ((), "--budget")):
        assert why in mistake(capsys, "watch", str(tmp_path), *options)  # type: ignore[arg-type]
    assert "holds no crawl" in mistake(capsys, "watch", str(tmp_path), "--budget", "5p")  # type: ignore[arg-type]


@pytest.mark.parametrize(("ahead_s", "waits"), [(0.0, True), (30.0, True), (86_400.0 * 365, False)])
def test_a_clock_that_was_set_back_does_not_hold_it_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ahead_s: float, waits: bool
) -> None:
    class Waits(Exception):
        pass

    def nap(_: float) -> None:
        raise Waits

    with CrawlStore.create(tmp_path / "crawl", {}, 0.0) as store:
        Revisitable(store)._replace([], {LAST_REVISIT: time.time() + ahead_s})
    monkeypatch.setattr(time, "sleep", nap)
    if waits:
        with pytest.raises(Waits):
            _wait(tmp_path / "crawl", 3600.0, quiet=True)
    else:
        assert _wait(tmp_path / "crawl", 3600.0, quiet=True) is False
