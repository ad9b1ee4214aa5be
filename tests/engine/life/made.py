"""A life without a web: nobody is asked, and what would be written is kept in memory."""

from __future__ import annotations

import numpy as np

from dowse.engine.life import Life, Sites
from dowse.frontier import Errand, Lease
from dowse.frontier.scope import StaticScope
from dowse.lab.replay.replay import Forgetful
from dowse.model.batch import Batch, Records
from dowse.model.budget import Budget, Purse
from dowse.model.errors import StoreError
from dowse.model.others import Others
from dowse.model.page import Context, Links, Outcome
from dowse.model.records import CandidateState, PageRow
from dowse.model.strategy import SourcePage
from dowse.model.topic import Politeness, StrategyChoice, Topic
from dowse.model.url import fingerprint
from dowse.predict import build_strategy
from tests.fetch.servers import FakeClock

__all__ = ["Disk", "Made", "links_to", "row"]


class Disk(Forgetful):
    """Keeps batches; full for as long as ``full`` says so."""

    def __init__(self) -> None:
        self.batches: list[Batch] = []
        self.full = False

    def commit(self, batch: Batch) -> None:
        if self.full:
            raise StoreError("disk full")
        self.batches.append(batch)

    def states(self) -> dict[int, tuple[CandidateState, str, int]]:
        """Of each candidate, as the records would have it: state, reason, attempts."""
        found: dict[int, tuple[CandidateState, str, int]] = {}
        for batch in self.batches:
            found |= {row.id: (row.state, row.reason, row.attempts) for row in batch.candidates}
            found |= batch.states
        return found

    def priorities(self) -> dict[int, float]:
        found: dict[int, float] = {}
        for batch in self.batches:
            found |= {row.id: row.priority for row in batch.candidates}
            found |= batch.priorities
        return found

    def pages(self) -> list[PageRow]:
        return [page for batch in self.batches for page in batch.pages]


class Made:
    """A life with all that it needs, and short cuts for tests."""

    def __init__(
        self, strategy: str = "best-first", delay_s: float = 0.0, topic: Topic | None = None,
        others: Others | None = None, records: Records | None = None,
    ) -> None:  # fmt: skip
        """``records``: where all is written down; else it is kept in memory."""
        topic = topic or Topic(query="x", politeness=Politeness(delay_s=delay_s), strategy=StrategyChoice(strategy))
        self.clock = FakeClock()
        self.disk = Disk()
        self.purse = Purse(Budget())
        self.sites = Sites(topic, self.purse, self.clock, others=others)
        order = build_strategy(topic.strategy, seed_number=0)
        self.sites.journal.open(records or self.disk, order)
        self.life = Life(topic, self.sites, order, StaticScope(topic.scope), self.clock)

    def seed(self, *urls: str) -> int:
        taken = self.life.admit_seeds(list(urls))
        self.open_all()
        return taken

    def open_all(self) -> None:
        """Every site has an address and a robots.txt that allows everything."""
        for number, site in enumerate(self.sites.first(len(self.sites))):
            if site.errand is not Errand.PAGE:
                self.sites.found_at(site, f"192.0.2.{number % 250}")
                self.sites.opened(site, "allowed")

    def lease(self) -> Lease:
        self.clock.time += 1.0
        lease = self.life.lease()
        assert lease is not None
        return lease

    def begun(self) -> Lease:
        lease = self.lease()
        self.life.begin(lease)
        return lease

    def over(self, lease: Lease) -> None:
        """Its exchange is over: the site may be asked again."""
        self.sites.release(lease)

    def links(self, lease: Lease, *urls: str, score: float = 0.5) -> None:
        """A leased page was judged, and these are its links."""
        before = self.life.judged(lease, score, score >= 0.5)
        page = SourcePage(
            id=lease.candidate, site=lease.site.id, depth=lease.depth, ordinal=before, score=score,
            relevant=score >= 0.5, n_links=len(urls),
        )  # fmt: skip
        self.life.admit_links(page, lease.url, links_to(*urls))
        self.open_all()

    def state(self, candidate: int) -> int:
        return int(self.sites._frontier.candidates.state[candidate])

    def commit(self) -> Disk:
        self.sites.journal.commit()
        return self.disk


def links_to(*urls: str) -> Links:
    count = len(urls)
    return Links(
        urls=list(urls), fingerprints=np.array([fingerprint(url) for url in urls], np.uint64),
        counts=np.ones(count, np.float32), anchors=[""] * count, rels=[""] * count,
        positions=np.arange(count, dtype=np.int32), similarity=np.zeros((count, len(Context)), np.float32),
    )  # fmt: skip


def row(lease: Lease, outcome: Outcome = Outcome.FETCHED, reason: str = "", score: float | None = None) -> PageRow:
    return PageRow(
        id=lease.candidate, url=lease.url, final_url=lease.url, fetched_at=0.0, outcome=outcome, reason=reason,
        score=score, relevant=None if score is None else score >= 0.5,
    )  # fmt: skip
