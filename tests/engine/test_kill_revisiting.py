"""A run of visits killed with SIGKILL goes on as if nothing had happened: every page that was due is visited once."""

from __future__ import annotations

import itertools
import random
import time
from collections import Counter
from pathlib import Path

import pytest
from warcio.archiveiterator import ArchiveIterator

from dowse.loopback import LoopbackServer, Site, Web, in_thread
from tests.engine.servers import page
from tests.engine.test_kill import HOSTS, ask, finish, slow_web, start

PAGES = 40


def changed_web(latency_s: float) -> Web:
    """Every third page says something else, every fifth is not there any more, and page 0 of each host a new link."""
    sites = []
    for site in slow_web(PAGES, latency_s).sites.values():
        host, made = site.host, dict(site.resources)
        for n in range(0, PAGES, 3):
            made[f"/{n}"] = page(f"{host[0]}{n}b", "solar", ["/new"] if not n else [])
        for n in range(5, PAGES, 5):
            del made[f"/{n}"]
        made["/new"] = page(f"{host[0]}new", "solar", [])
        sites.append(Site(host, made, latency_s=latency_s))
    return Web.of(*sites)


def run(folder: Path, kills: int, dice: random.Random) -> None:
    with in_thread(slow_web(PAGES, 0.0)) as server:
        finish(server, folder)
        server.web = changed_web(0.01)
        server.log.clear()
        recorded: list[tuple[int, set[str]]] = []
        for struck in itertools.count():
            options = ("--revisit", "0s") if not struck else ()
            process = start(server, folder, *options)
            wait_for(server, len(server.log) + dice.randint(2, 30), process)
            if process.poll() is not None:
                process.communicate()
                break
            process.kill()
            process.communicate()
            done = {url for (url,) in ask(folder, "SELECT url FROM pages WHERE visited_at IS NOT NULL")}
            recorded.append((len(server.log), done))
            if len(recorded) == kills:
                finish(server, folder)
                break
        log = list(server.log)
    for asked, done in recorded:
        assert not [hit.url for hit in log[asked:] if hit.url in done], "what was visited is not asked for again"
    check(folder)


def wait_for(server: LoopbackServer, hits: int, process: object) -> None:
    while len(server.log) < hits and process.poll() is None:  # type: ignore[attr-defined]
        time.sleep(0.002)


def check(folder: Path) -> None:
    """With SQLite and warcio alone."""
    assert ask(folder, "PRAGMA integrity_check") == [("ok",)]
    assert ask(folder, "SELECT count(*) FROM due") == [(0,)]
    assert ask(folder, "SELECT count(*) FROM statistics WHERE name = 'revisiting'") == [(0,)]
    counts = Counter(page for (page,) in ask(folder, "SELECT page FROM visits"))
    assert set(counts.values()) == {2}, "the first visit, and one more, to each page that there was"
    assert len(counts) == PAGES * len(HOSTS)
    gone = ask(folder, "SELECT count(*) FROM pages WHERE misses = 1")
    assert gone == [(len(range(5, PAGES, 5)) * len(HOSTS),)]
    there = [n for n in range(0, PAGES, 3) if n == 0 or n % 5]
    assert ask(folder, "SELECT count(*) FROM visits WHERE changed = 1") == [(len(there) * len(HOSTS),)]
    assert ask(folder, "SELECT count(*) FROM pages WHERE url LIKE '%/new'") == [(len(HOSTS),)], "a new link is followed"
    assert ask(folder, "SELECT count(*) FROM candidates WHERE state NOT IN (2, 3)") == [(0,)]
    for title, file, offset in ask(folder, "SELECT title, warc_file, warc_offset FROM pages WHERE outcome = 'fetched'"):
        with (folder / file).open("rb") as stream:
            stream.seek(offset)
            assert f"<title>{title}</title>".encode() in next(iter(ArchiveIterator(stream))).content_stream().read()
    places = ask(folder, "SELECT warc_offset FROM visits WHERE changed = 0 AND status = 304")
    with (folder / "dowse-00000.warc.gz").open("rb") as stream:
        archive = ArchiveIterator(stream, check_digests=True)
        revisits = [archive.get_record_offset() for record in archive if record.rec_type == "revisit"]
    assert sorted(revisits) == sorted(offset for (offset,) in places), "each record is named once: tails were cut"


def test_visits_go_on_after_a_kill(tmp_path: Path) -> None:
    run(tmp_path / "crawl", 3, random.Random(7))


@pytest.mark.soak
@pytest.mark.timeout(1800)
def test_visits_survive_a_hundred_kills(tmp_path: Path) -> None:
    for seed in range(20):
        run(tmp_path / f"crawl-{seed}", 5, random.Random(seed))
