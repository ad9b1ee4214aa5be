"""A crawl killed with SIGKILL goes on as if nothing had happened (docs/architecture.md, crash safety)."""

from __future__ import annotations

import signal
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

from warcio.archiveiterator import ArchiveIterator

from dowse.loopback import LoopbackServer, Site, Web, in_thread
from tests.crawl.servers import page

PAGES = 160


def slow_tree(host: str) -> Site:
    """A page n links to 2n + 1 and 2n + 2; each answer takes 20 ms, so that a kill strikes in the middle."""
    pages = {
        f"/{n}": page(f"{host[0]}{n}", "solar", [f"/{m}" for m in (2 * n + 1, 2 * n + 2) if m < PAGES // 2])
        for n in range(PAGES // 2)
    }
    return Site(host, pages, latency_s=0.02)


def command(server: LoopbackServer, folder: Path, *more: str) -> list[str]:
    return [
        sys.executable, "-m", "dowse", "crawl", *more, "--workers", "1", "--quiet", "--delay", "0",
        "--resolve", f"*.test={server.address}", "--allow-private",
    ]  # fmt: skip


def committed(folder: Path) -> int:
    try:
        with sqlite3.connect(f"file:{folder / 'dowse.sqlite'}?mode=ro", uri=True) as connection:
            return int(connection.execute("SELECT count(*) FROM pages").fetchone()[0])
    except sqlite3.Error:
        return 0


def test_a_killed_crawl_loses_nothing_and_doubles_nothing(tmp_path: Path) -> None:
    folder = tmp_path / "crawl"
    with in_thread(Web.of(slow_tree("a.test"), slow_tree("b.test"))) as server:
        seeds = ["--seed", "http://a.test/0", "--seed", "http://b.test/0"]
        process = subprocess.Popen(command(server, folder, "perovskite solar cells", *seeds, "--out", str(folder)))
        deadline = time.monotonic() + 60
        while committed(folder) < 20 and time.monotonic() < deadline and process.poll() is None:
            time.sleep(0.02)
        process.send_signal(signal.SIGKILL)
        assert process.wait() == -signal.SIGKILL
        before = committed(folder)
        assert 20 <= before < PAGES, "the kill was to strike in the middle"
        resumed = subprocess.run(command(server, folder, "--resume", str(folder)), check=True, timeout=100)
        assert resumed.returncode == 0
        hits = Counter(hit.url for hit in server.log if not hit.target.endswith("robots.txt"))

    connection = sqlite3.connect(folder / "dowse.sqlite")
    rows = connection.execute("SELECT url, title, warc_file, warc_offset FROM pages").fetchall()
    spent = connection.execute("SELECT requests FROM totals").fetchone()[0]
    connection.close()
    assert len(rows) == len({url for url, *_ in rows}) == PAGES, "every page is recorded exactly once"
    assert set(hits) == {url for url, *_ in rows}
    fetched_twice = sum(hits.values()) - PAGES
    assert fetched_twice <= 128, "only what was not yet committed is fetched again"
    robots = sum(hit.target.endswith("robots.txt") for hit in server.log)
    left = sum(hits.values()) + robots
    assert left <= spent <= left + 2, "every request was counted before it left, the killed run's too"
    for url, title, file, offset in rows:
        with (folder / file).open("rb") as stream:
            stream.seek(offset)
            record = next(iter(ArchiveIterator(stream)))
            assert record.rec_headers.get_header("WARC-Target-URI") == url
            assert f"<title>{title}</title>".encode() in record.content_stream().read()
    with (folder / "dowse-00000.warc.gz").open("rb") as stream:
        responses = [record for record in ArchiveIterator(stream, check_digests=True) if record.rec_type == "response"]
    assert len(responses) == PAGES, "the tail of the killed run was cut, nothing is there twice"
