"""A crawl killed with SIGKILL goes on as if nothing had happened (docs/architecture.md, crash safety)."""

from __future__ import annotations

import itertools
import os
import random
import resource
import signal
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import pytest
from warcio.archiveiterator import ArchiveIterator

from dowse.loopback import LoopbackServer, Resource, Site, Web, in_thread
from tests.engine.servers import page

HOSTS = ("a.test", "b.test")
SEEDS = [part for host in HOSTS for part in ("--seed", f"http://{host}/0")]


def slow_web(pages: int, latency_s: float) -> Web:
    """Page n of a host links to 2n + 1 and 2n + 2; each answer takes its time, so that a kill strikes in the middle."""
    return Web.of(
        *(
            Site(
                host,
                {
                    f"/{n}": page(f"{host[0]}{n}", "solar", [f"/{m}" for m in (2 * n + 1, 2 * n + 2) if m < pages])
                    for n in range(pages)
                },
                latency_s=latency_s,
            )
            for host in HOSTS
        )
    )


def start(
    server: LoopbackServer, folder: Path, *options: str, most_bytes: int | None = None
) -> subprocess.Popen[bytes]:
    """Begin the crawl, or go on with it; ``most_bytes`` is as much as the system lets any of its files grow."""

    def limit() -> None:
        if most_bytes is not None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (most_bytes, most_bytes))

    known = (folder / "dowse.sqlite").exists()
    what = ["--resume", str(folder)] if known else ["perovskite solar cells", *SEEDS, "--out", str(folder)]
    more = ["--workers", "2", "--quiet", "--delay", "0", "--resolve", f"*.test={server.address}", "--allow-private"]
    command = [sys.executable, "-m", "dowse", "crawl", *what, *more, *options]
    return subprocess.Popen(command, stderr=subprocess.PIPE, preexec_fn=limit)


def ask(folder: Path, sql: str) -> list[tuple[Any, ...]]:
    """What the records answer; nothing where there are none yet."""
    try:
        with closing(sqlite3.connect(f"file:{folder / 'dowse.sqlite'}?mode=ro", uri=True)) as connection:
            return connection.execute(sql).fetchall()
    except sqlite3.Error:
        return []


class Kills:
    """Kills crawls, and remembers at each kill what was recorded: nothing of it may be asked for again."""

    def __init__(self, server: LoopbackServer, folder: Path) -> None:
        self.server = server
        self.folder = folder
        self.count = 0
        self._recorded: list[tuple[int, set[str]]] = []

    def strike(self, process: subprocess.Popen[bytes], whom: str) -> None:
        """Kill the engine, all processes, or one worker: then the crawl goes on."""
        children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
        workers = [int(pid) for pid in children.read_text().split()] if process.poll() is None else []
        self.count += 1
        if whom != "worker":
            process.kill()
        for pid in {"engine": [], "worker": workers[:1], "all": workers}[whom]:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        if whom != "worker":
            process.communicate()
            self._recorded.append((len(self.server.log), {url for (url,) in ask(self.folder, "SELECT url FROM pages")}))

    def check(self) -> None:
        log = list(self.server.log)
        for asked, recorded in self._recorded:
            again = [hit.url for hit in log[asked:] if hit.url in recorded]
            assert not again, "what was recorded is never asked for again"


def finish(server: LoopbackServer, folder: Path, *options: str) -> None:
    """Go on to the end: no word, exit code 0."""
    process = start(server, folder, *options)
    assert process.communicate(timeout=600)[1] == b""
    assert process.returncode == 0


def check(folder: Path, server: LoopbackServer, pages: int, kills: int) -> None:
    """With SQLite and warcio alone: everything is there once, readable, and counted."""
    connection = sqlite3.connect(folder / "dowse.sqlite")
    rows = connection.execute(
        "SELECT url, title, warc_file, warc_offset FROM pages WHERE outcome = 'fetched'"
    ).fetchall()
    [(lost,)] = connection.execute("SELECT count(*) FROM pages WHERE outcome = 'failed'")
    [(spent,)] = connection.execute("SELECT requests FROM totals")
    assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    assert connection.execute("SELECT count(*), count(DISTINCT url) FROM candidates").fetchall() == [(pages, pages)]
    orphans = "SELECT count(*) FROM links WHERE target NOT IN (SELECT id FROM candidates)"
    assert connection.execute(orphans).fetchall() == [(0,)]
    connection.close()
    assert len(rows) == len({url for url, *_ in rows}) == pages - lost, "every page is recorded exactly once"
    assert lost <= kills, "a killed worker costs one page"
    assert len(rows) + lost <= len({hit.url for hit in server.log if "robots" not in hit.target})
    asked = len(server.log)
    assert asked <= spent <= asked + 2 * kills, "every request was counted before it left, the killed runs' too"
    for url, title, file, offset in rows:
        with (folder / file).open("rb") as stream:
            stream.seek(offset)
            record = next(iter(ArchiveIterator(stream)))
            assert record.rec_headers.get_header("WARC-Target-URI") == url
            assert f"<title>{title}</title>".encode() in record.content_stream().read()
    with (folder / "dowse-00000.warc.gz").open("rb") as stream:
        responses = Counter(
            record.rec_headers.get_header("WARC-Target-URI")
            for record in ArchiveIterator(stream, check_digests=True)
            if record.rec_type == "response"
        )
    again = {url for url, count in responses.items() if count > 1}
    assert all(url.endswith("/robots.txt") for url in again), "tails of killed runs were cut: no page is there twice"


def test_a_disk_that_fills_up_ends_the_crawl_with_one_line_and_nothing_lost(tmp_path: Path) -> None:
    folder = tmp_path / "crawl"
    with in_thread(slow_web(150, 0.01)) as server:
        for most_bytes in (150_000, 200_000):  # full, and still too small at the next try
            process = start(server, folder, most_bytes=most_bytes)
            _, err = process.communicate(timeout=100)
            assert process.returncode == 1
            assert err.startswith(f"dowse: cannot keep records in {folder}: ".encode())
            assert err.count(b"\n") == 1
        finish(server, folder)
    check(folder, server, 300, 0)


def wait_for(server: LoopbackServer, requests: int, process: subprocess.Popen[bytes]) -> None:
    """Until the server has seen so many more requests."""
    wanted, deadline = len(server.log) + requests, time.monotonic() + 60
    while len(server.log) < wanted and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.005)
    assert process.poll() is None, "the kill was to strike in the middle"


def test_a_killed_crawl_loses_nothing_and_doubles_nothing(tmp_path: Path) -> None:
    """A few kills of engine, worker and all, at moments counted in requests; the soak below has a hundred at random."""
    folder, pages = tmp_path / "crawl", 240
    with in_thread(slow_web(pages // 2, 0.03)) as server:
        kills = Kills(server, folder)
        for strikes in ([("engine", 8)], [("all", 90)], [("worker", 30), ("engine", 45)]):
            process = start(server, folder)
            for whom, requests in strikes:
                wait_for(server, requests, process)
                kills.strike(process, whom)
        finish(server, folder, "--budget", "200p")
        assert ask(folder, "SELECT count(*) FROM pages WHERE outcome = 'fetched'") == [(200,)]
        finish(server, folder, "--budget", "1000p")
    kills.check()
    check(folder, server, pages, kills.count)


@pytest.mark.soak
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("seed", range(4))
def test_kills_at_random_moments(tmp_path: Path, seed: int) -> None:
    """The engine, all of them, or a worker and then the engine, at 25 random moments of one crawl."""
    dice, folder = random.Random(seed), tmp_path / "crawl"
    with in_thread(slow_web(1500, 0.03)) as server:
        kills = Kills(server, folder)
        while kills.count < 25:
            process = start(server, folder)
            time.sleep(dice.uniform(0.5, 3.5))
            whom = dice.choice(["engine", "worker", "all"])
            kills.strike(process, whom)
            if whom == "worker":
                time.sleep(dice.uniform(0.1, 1.0))
                kills.strike(process, "engine")
        finish(server, folder, "--budget", "2600p")
        assert ask(folder, "SELECT count(*) FROM pages WHERE outcome = 'fetched'") == [(2600,)]
        [(spent,)], asked = ask(folder, "SELECT requests FROM totals"), len(server.log)
        finish(server, folder, "--budget", f"{spent + 50}r,100000p")
        assert ask(folder, "SELECT requests FROM totals") == [(spent + 50,)]
        assert len(server.log) == asked + 50
        finish(server, folder, "--budget", "100000r,100000p")
    kills.check()
    check(folder, server, 3000, kills.count)


@pytest.mark.soak
@pytest.mark.timeout(600)
def test_kills_shorten_no_delay(tmp_path: Path) -> None:
    """Two hosts at one address, killed and resumed at once, ten times: no two requests are closer than the delay."""
    dice, folder, delay_s = random.Random(7), tmp_path / "crawl", 2.0
    with in_thread(slow_web(1000, 0.05)) as server:
        kills = Kills(server, folder)
        while kills.count < 10:
            process = start(server, folder, "--delay", f"{delay_s}")
            asked, wait_s = len(server.log), dice.uniform(0.0, 2.5)
            while len(server.log) == asked:
                time.sleep(0.01)
            time.sleep(wait_s)
            kills.strike(process, "all")
    first_bytes = {answer.hit: answer.first_byte for answer in server.answers}
    pairs = list(itertools.pairwise(server.log))
    assert len(pairs) >= 9
    assert min(after.time - first_bytes.get(before, before.time) for before, after in pairs) >= delay_s


def spent_bytes(folder: Path) -> int:
    """What the ledger says now, also after a kill."""
    with suppress(OSError):
        found = (folder / "dowse.ledger").read_bytes()
        return int.from_bytes(found[24:32], sys.byteorder)
    return 0


def test_a_byte_budget_holds_over_kills_in_the_middle_of_a_page(tmp_path: Path) -> None:
    """Each run is killed as soon as it has read some of the page, long before a transaction could tell of it."""
    folder, budget, runs, seen = tmp_path / "c", 400_000, 0, 0
    pages = {"/0": Resource(b"<title>slow</title>" + random.Random(1).randbytes(3_000_000).hex().encode())}
    web = Web.of(*(Site(host, pages, bytes_per_s=300_000) for host in HOSTS))
    with in_thread(web) as server:
        while True:
            process = start(server, folder, "--budget", f"{budget}B")
            runs += 1
            deadline = time.monotonic() + 30
            while process.poll() is None and spent_bytes(folder) < seen + 60_000 and time.monotonic() < deadline:
                time.sleep(0.01)
            if process.poll() is not None:
                break
            assert spent_bytes(folder) >= seen + 60_000, "bytes are noted down as they come"
            seen = spent_bytes(folder)
            process.kill()
            process.communicate()
            assert runs < 10, "what was spent before a kill stays spent"
        assert process.communicate()[1] == b""
    assert process.returncode == 0
    assert runs > 2
    [(reason,)] = ask(folder, "SELECT stop_reason FROM runs ORDER BY id DESC LIMIT 1")
    assert reason.startswith("budget: bytes")
    assert ask(folder, "SELECT bytes FROM totals") == [(budget,)]
