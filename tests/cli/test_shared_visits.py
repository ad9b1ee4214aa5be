"""Visits to the pages of a crawl that several engines share, as they are typed: at the server, and in the records."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

from dowse.loopback import in_thread
from dowse.store import CrawlReader
from dowse.store.read_visits import watched
from tests.cli.labelled import mistake, said
from tests.cluster.webs import ALL, knotted, pages_asked

Capture = pytest.CaptureFixture[str]
QUERY = "perovskite solar cells"


def begun(address: str, folder: Path, capsys: Capture, *more: str) -> None:
    options = ["--seed", "http://h0.test/0", "--resolve", f"*.test={address}", "--allow-private", "--delay", "0",
               "--strategy", "bfs", "--workers", "0", "--shard-by", "host", *more]  # fmt: skip
    said(capsys, "crawl", QUERY, "--shards", "2", *options, "--out", str(folder))


def visits(folder: Path) -> list[tuple[str, int]]:
    """Each page with how often it was visited again."""
    with CrawlReader(folder) as crawl:
        counted = "SELECT p.url, count(*) - 1 FROM visits v JOIN pages p ON p.id = v.page GROUP BY p.id ORDER BY p.url"
        return [(str(url), int(count)) for url, count in crawl._ask(counted)]


def test_all_pages_are_visited_once_and_then_as_many_as_are_wanted(tmp_path: Path, capsys: Capture) -> None:
    folder = tmp_path / "c"
    with in_thread(knotted()) as server:
        begun(server.address, folder, capsys)
        out, _ = said(capsys, "crawl", "--resume", str(folder), "--revisit", "0s")
        assert f"{ALL} pages visited again: {ALL} unchanged" in out
        assert set(pages_asked(server.log).values()) == {2}
        assert [count for _, count in visits(folder)] == [1] * ALL
        said(capsys, "crawl", "--resume", str(folder), "--revisit", "uniform", "--budget", "20p")
        asked = sorted(pages_asked(server.log).values())
        assert sum(asked) == 2 * ALL + 16, "a fifth is left for what is new, of which there is nothing"
        assert asked[-1] == 3
        with CrawlReader(folder) as crawl:
            assert watched(crawl)[1] is False, "the run has come to its end"
        said(capsys, "watch", str(folder), "--rounds", "1", "--every", "1s", "--budget", "864000p")
        assert sum(pages_asked(server.log).values()) == 2 * ALL + 16 + 8
        assert "0 new pages" in said(capsys, "changes", str(folder))[0]


def test_a_run_of_visits_that_was_cut_off_is_gone_on_with(tmp_path: Path, capsys: Capture) -> None:
    folder = tmp_path / "c"
    with in_thread(knotted(0.05)) as server:
        begun(server.address, folder, capsys, "--concurrency", "2")
        command = [sys.executable, "-m", "dowse", "crawl", "--resume", str(folder), "--revisit", "0s"]
        run = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        try:
            deadline = time.monotonic() + 60
            while sum(pages_asked(server.log).values()) < ALL + 10 and time.monotonic() < deadline:
                time.sleep(0.02)
            run.send_signal(signal.SIGINT)
            out, _ = run.communicate(timeout=60)
            assert run.returncode == 130, out
        finally:
            with suppress(ProcessLookupError):
                os.kill(run.pid, signal.SIGKILL)
        done = len(visits(folder))
        assert 0 < done < ALL
        with CrawlReader(folder) as crawl:
            assert watched(crawl)[1] is True
        told = "".join(said(capsys, "crawl", "--resume", str(folder)))
        assert "going on with the visits that were begun" in told
        assert [count for _, count in visits(folder)] == [1] * ALL
        assert set(pages_asked(server.log).values()) == {2}


def test_what_cannot_be_visited_is_told(tmp_path: Path, capsys: Capture) -> None:
    folder = tmp_path / "c"
    with in_thread(knotted()) as server:
        begun(server.address, folder, capsys, "--sites", "move", "--budget", "10p")
        assert "does not go with --sites move" in mistake(capsys, "crawl", "--resume", str(folder), "--revisit", "7d")
        begun(server.address, tmp_path / "d", capsys, "--budget", "10p")
        (tmp_path / "d" / "shards" / "01").rename(tmp_path / "gone")
        told = mistake(capsys, "crawl", "--resume", str(tmp_path / "d"), "--revisit", "7d")
        assert "has those of 1: bring their folders together first" in told
