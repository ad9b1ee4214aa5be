from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from dowse.engine.life import Journal
from dowse.frontier.frontier import Frontier
from dowse.model.budget import Budget, Purse
from dowse.model.errors import StoreError
from dowse.model.strategy import Strategy
from dowse.model.topic import StrategyChoice
from dowse.model.url import fingerprint
from dowse.predict import build_strategy
from tests.engine.life.made import Disk
from tests.fetch.servers import FakeClock as StillClock


class Learner:
    """A strategy with something to remember."""

    name = "learner"

    def __getattr__(self, name: str) -> Any:
        return getattr(build_strategy(StrategyChoice("bfs"), seed_number=0), name)

    def state(self) -> dict[str, Any]:
        return {"weights": b"\x01\x02", "version": 3}


def made(strategy: Strategy | None = None) -> tuple[Journal, Disk, Frontier, StillClock]:
    frontier, disk, clock = Frontier(), Disk(), StillClock()
    strategy = strategy or build_strategy(StrategyChoice("bfs"), seed_number=0)
    journal = Journal(frontier, Purse(Budget()), clock)
    journal.open(disk, strategy)
    return journal, disk, frontier, clock


def take_up(journal: Journal, frontier: Frontier, url: str) -> None:
    priorities = np.array([1.0])
    prints = np.array([fingerprint(url)], np.uint64)
    ids = frontier.add([url], prints, depth=0, parent=-1, priorities=priorities, now=0.0)
    sites = np.array([frontier.site_of_url(url).id])
    journal.taken_up(ids, [url], sites, priorities, depth=0, parent=None)


def test_a_commit_that_fails_forgets_nothing() -> None:
    journal, disk, frontier, _ = made()
    take_up(journal, frontier, "http://a.test/")
    disk.full = True
    with pytest.raises(StoreError):
        journal.commit()
    take_up(journal, frontier, "http://b.test/")
    disk.full = False
    journal.commit()
    assert [row.url for batch in disk.batches for row in batch.candidates] == ["http://a.test/", "http://b.test/"]


def test_an_idle_crawl_has_nothing_due() -> None:
    journal, disk, frontier, clock = made()
    clock.time += 50
    assert journal.due_in() == 1.0, "nothing to write: the engine may sleep"
    take_up(journal, frontier, "http://a.test/")
    assert journal.due_in() == 0.0
    journal.commit_if_due()
    assert len(disk.batches) == 1
    assert journal.due_in() == 1.0


def test_a_priority_that_changes_often_is_written_once_as_it_is_then() -> None:
    journal, disk, frontier, clock = made()
    for name in "abc":
        take_up(journal, frontier, f"http://{name}.test/")
    journal.commit()
    clock.time += 50
    for priority in (0.5, 0.25):
        journal.reprioritised(frontier.update(np.array([2, 0]), np.array([priority, priority / 2]), 0.0))
    journal.reprioritised(frontier.update(np.array([1]), np.array([1.0]), 0.0))  # as it was
    assert journal.due_in() == 0.0
    disk.full = True
    with pytest.raises(StoreError):
        journal.commit()
    disk.full = False
    journal.reprioritised(frontier.update(np.array([0]), np.array([0.75]), 0.0))
    journal.commit()
    assert disk.batches[-1].priorities == {0: 0.75, 2: 0.25}
    journal.reprioritised(frontier.update(np.array([0]), np.array([0.75]), 0.0))
    assert journal.due_in() == 1.0


def test_every_site_has_a_row_in_order() -> None:
    """A site met only on the way of a redirected robots.txt has a number too, and the next run must know it."""
    journal, disk, frontier, _ = made()
    take_up(journal, frontier, "http://a.test/")
    frontier.site("http://hop.test")
    take_up(journal, frontier, "http://b.test/")
    journal.commit()
    frontier.site("https://later.test:8443")
    journal.commit()
    rows = [row for batch in disk.batches for row in batch.sites.values()]
    assert [(row.id, row.origin) for row in rows] == [
        (0, "http://a.test"), (1, "http://hop.test"), (2, "http://b.test"), (3, "https://later.test:8443"),
    ]  # fmt: skip


def test_learned_state_is_kept_by_key_bytes_included() -> None:
    journal, disk, _, _ = made(Learner())
    journal.event("x", "y")
    journal.commit()
    assert disk.batches[0].statistics == {"strategy.learner.weights": b"\x01\x02", "strategy.learner.version": 3}


def test_when_a_site_may_be_asked_again_is_written_down() -> None:
    journal, disk, frontier, clock = made()
    for host in ("held", "closed", "new", "endless"):
        take_up(journal, frontier, f"http://{host}.test/")
    held, closed, _, endless = (journal.site(number) for number in range(4))
    frontier.set_aside(frontier.sites[0], 7.0, clock.now())
    frontier.close(frontier.sites[1], "why")
    closed.not_before = clock.wall() + 86400.0
    frontier.set_aside(frontier.sites[3], float("inf"), clock.now())
    journal.commit()
    rows = disk.batches[0].sites
    assert rows[0].not_before == held.not_before == clock.wall() + 7.0
    assert rows[1].not_before == clock.wall() + 86400.0, "left as it was told"
    assert rows[2].not_before is None, "never asked"
    assert endless.not_before == pytest.approx(clock.wall() + 1e9), "a date that can be written"
