"""A life goes on where the last commit of an earlier one was."""

from __future__ import annotations

from pathlib import Path

from dowse.engine.life.restoring import restore
from dowse.model.records import CandidateState
from dowse.model.topic import Topic
from dowse.store import CrawlStore
from tests.engine.life.made import Made, row

A, C = "http://a.test/", "http://b.test/c"
WAITING, FETCHED, REFUSED = CandidateState.WAITING, CandidateState.FETCHED, CandidateState.REFUSED


def test_a_later_run_goes_on_where_the_last_commit_was(tmp_path: Path) -> None:
    made = Made()
    made.seed(A, C)
    for url, score in ((A, 0.75), (C, 0.25)):
        lease = made.begun()
        assert lease.url == url
        assert made.purse.reserve(page=True)
        made.over(lease)
        made.links(lease, f"{url}next", score=score)
        made.life.end(lease, row(lease, score=score))
        made.purse.page_over(kept=True)
    lost = made.begun()
    made.sites.close(made.sites.of(C), "gone", REFUSED)
    again = Made()
    with CrawlStore.create(tmp_path / "crawl", {}, 0.0) as store:
        for batch in made.commit().batches:
            store.commit(batch)
        again.sites.load(store.sites())
        restore(again.life, store, Topic(query="x"))
    assert [again.state(id_) for id_ in range(4)] == [FETCHED, FETCHED, WAITING, REFUSED]
    tally = again.life.tally
    assert (tally.pages, tally.relevant, tally.value) == (2, 1, 1.0)
    assert tally.best_sites() == [("a.test", 1, 1)]
    assert again.life.forecasts._forecaster.fetches == 2
    assert again.sites.of(C).closed == "gone"
    again.open_all()
    again.clock.time += 1000.0  # whatever the sites asked for
    lease = again.lease()
    assert (lease.url, again.life.attempts(lease)) == (lost.url, 0), "a lost lease waits again"
    assert again.life.admit_seeds([A]) == 0, "it is known"
