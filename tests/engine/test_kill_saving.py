"""A crawl with a cache and with HEAD before GET, killed with SIGKILL, goes on as if nothing had happened."""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from pathlib import Path

from dowse.loopback import in_thread
from dowse.model.budget import Budget
from tests.engine.servers import crawl_all, topic_for
from tests.engine.test_kill import HOSTS, Kills, ask, finish, slow_web, start, wait_for


def test_kills_cost_no_page_no_budget_and_no_held_page_is_asked_for(tmp_path: Path) -> None:
    old, folder, pages = tmp_path / "old", tmp_path / "crawl", 160
    with in_thread(slow_web(pages // 2, 0.01)) as server:
        earlier = topic_for(server.address, [f"http://{host}/0" for host in HOSTS], budget=Budget(pages=60))
        asyncio.run(crawl_all(earlier, old))
        held = {url for (url,) in ask(old, "SELECT url FROM pages WHERE outcome = 'fetched'")}
        assert len(held) == 60
        server.log.clear()
        saving = ("--cache", str(old), "--head")
        kills = Kills(server, folder)
        for options, requests in ((saving, 6), ((), 60)):  # on a resume they are known from the folder
            process = start(server, folder, "--workers", "1", *options)
            wait_for(server, requests, process)
            kills.strike(process, "all")
        before = len(server.log)
        finish(server, folder, "--budget", f"{before + 40}r")
        assert before + 30 < len(server.log) <= before + 40
        finish(server, folder, "--budget", "100000r")
    log = list(server.log)
    kills.check()
    assert not {hit.url for hit in log} & held
    assert ask(folder, "SELECT count(*), count(DISTINCT url) FROM pages WHERE outcome = 'fetched'") == [(160, 160)]
    assert ask(folder, "SELECT count(*) FROM pages WHERE cached_from IS NOT NULL") == [(60,)]
    assert ask(folder, "SELECT pages FROM totals") == [(100,)]
    [(spent,)] = ask(folder, "SELECT requests FROM totals")
    assert len(log) <= spent <= len(log) + 2 * kills.count, "every request was counted before it left"
    firsts: dict[str, str] = {}
    for hit in log:
        if not hit.target.endswith("robots.txt"):
            firsts.setdefault(hit.url, hit.method)
    assert len(firsts) == 100
    assert Counter(firsts.values())["HEAD"] >= 90, "HEAD came first, but for the last pages of a budget"
    [(settings,)] = ask(folder, "SELECT value FROM settings WHERE name = 'topic'")
    assert re.search(r'"cost":\{[^}]*"head":true', settings)
