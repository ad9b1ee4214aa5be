"""What visits found, run by run."""

from __future__ import annotations

import asyncio
from pathlib import Path

import numpy as np

from dowse.loopback import Resource, in_thread
from dowse.store import CrawlReader
from dowse.store.read_history import visit_history, visit_runs
from tests.engine.servers import crawl_all, page, topic_for
from tests.engine.test_revisit import SEED, began, visit, web


def test_each_run_of_visits_and_what_it_found(tmp_path: Path) -> None:
    with in_thread(web()) as server:
        topic = began(server, tmp_path)
        with CrawlReader(tmp_path) as crawl:
            assert visit_runs(crawl) == []
        server.web = web({"/1": page("fresh", "solar", ["/3", "/4"]), "/4": page("a4", "solar", []), "/2": None})
        visit(topic, tmp_path)
        asyncio.run(crawl_all(topic_for(server.address, [SEED]), tmp_path, resume=True))  # a run without visits
        visit(topic, tmp_path)
        server.web = web({"/robots.txt": Resource(b"User-agent: *\nDisallow: /3\n", "text/plain")})
        visit(topic, tmp_path)
    with CrawlReader(tmp_path) as crawl:
        runs, history = visit_runs(crawl), visit_history(crawl)
    told = [(run.unchanged, run.changed, run.missed, run.not_asked, run.new, run.gone) for run in runs]
    assert told == [(2, 1, 1, 0, 1, 0), (4, 0, 1, 0, 0, 1), (1, 1, 1, 1, 0, 0)]
    assert [run.visits for run in runs] == [4, 5, 3]
    assert [run.started_at for run in runs] == sorted(run.started_at for run in runs)
    assert history.page.tolist() == [0, 1, 2, 3, 4]
    assert np.isfinite(history.gone).tolist() == [False, False, True, False, False]
    assert history.relevant.all()
    ones = history.visits.page == 1
    assert history.visits.changed[ones].tolist() == [-1, 1, 0, 1]
    assert (np.diff(history.visits.at[ones]) > 0).all()
    assert history.first[1] == history.visits.at[ones][0]
    assert history.first[4] > history.first[3]
