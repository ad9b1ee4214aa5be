from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from dowse.engine.life.recorder import Recorder
from dowse.frontier import Frontier
from dowse.lab.replay.replay import Forgetful
from dowse.model.budget import Budget, Purse
from dowse.model.errors import StoreError
from dowse.model.records import Batch
from dowse.model.strategy import Strategy
from dowse.model.topic import StrategyChoice
from dowse.model.url import fingerprint
from dowse.predict import build_strategy
from tests.fetch.servers import FakeClock as StillClock


class Disk(Forgetful):
    """Keeps batches; full for as long as ``full`` says so."""

    def __init__(self) -> None:
        self.batches: list[Batch] = []
        self.full = False

    def commit(self, batch: Batch) -> None:
        if self.full:
            raise StoreError("disk full")
        self.batches.append(batch)


class Learner:
    """A strategy with something to remember."""

    name = "learner"

    def __getattr__(self, name: str) -> Any:
        return getattr(build_strategy(StrategyChoice("bfs"), seed_number=0), name)

    def state(self) -> dict[str, Any]:
        return {"weights": b"\x01\x02", "version": 3}


def made(strategy: Strategy | None = None) -> tuple[Recorder, Disk, Frontier, StillClock]:
    frontier, disk, clock = Frontier(), Disk(), StillClock()
    strategy = strategy or build_strategy(StrategyChoice("bfs"), seed_number=0)
    return Recorder(disk, frontier, Purse(Budget()), strategy, clock), disk, frontier, clock


def take_up(recorder: Recorder, frontier: Frontier, url: str) -> None:
    priorities = np.array([1.0])
    prints = np.array([fingerprint(url)], np.uint64)
    ids = frontier.add([url], prints, depth=0, parent=-1, priorities=priorities, now=0.0)
    recorder.taken_up(ids, [url], priorities, depth=0, parent=None)


def test_a_commit_that_fails_forgets_nothing() -> None:
    recorder, disk, frontier, _ = made()
    take_up(recorder, frontier, "http://a.test/")
    disk.full = True
    with pytest.raises(StoreError):
        recorder.commit()
    take_up(recorder, frontier, "http://b.test/")
    disk.full = False
    recorder.commit()
    assert [row.url for batch in disk.batches for row in batch.candidates] == ["http://a.test/", "http://b.test/"]


def test_an_idle_crawl_has_nothing_due() -> None:
    recorder, disk, frontier, clock = made()
    clock.time += 50
    assert recorder.due_in() == 1.0, "nothing to write: the engine may sleep"
    take_up(recorder, frontier, "http://a.test/")
    assert recorder.due_in() == 0.0
    recorder.commit_if_due()
    assert len(disk.batches) == 1
    assert recorder.due_in() == 1.0


def test_a_priority_that_changes_often_is_written_once_as_it_is_then() -> None:
    recorder, disk, frontier, clock = made()
    for name in "abc":
        take_up(recorder, frontier, f"http://{name}.test/")
    recorder.commit()
    clock.time += 50
    for priority in (0.5, 0.25):
        recorder.reprioritised(frontier.update(np.array([2, 0]), np.array([priority, priority / 2]), 0.0))
    recorder.reprioritised(frontier.update(np.array([1]), np.array([1.0]), 0.0))  # as it was
    assert recorder.due_in() == 0.0
    disk.full = True
    with pytest.raises(StoreError):
        recorder.commit()
    disk.full = False
    recorder.reprioritised(frontier.update(np.array([0]), np.array([0.75]), 0.0))
    recorder.commit()
    assert disk.batches[-1].priorities == {0: 0.75, 2: 0.25}
    recorder.reprioritised(frontier.update(np.array([0]), np.array([0.75]), 0.0))
    assert recorder.due_in() == 1.0


def test_every_site_has_a_row_in_order() -> None:
    """A site met only on the way of a redirected robots.txt has a number too, and the next run must know it."""
    recorder, disk, frontier, _ = made()
    take_up(recorder, frontier, "http://a.test/")
    frontier.site("http://hop.test")
    take_up(recorder, frontier, "http://b.test/")
    recorder.commit()
    frontier.site("https://later.test:8443")
    recorder.commit()
    rows = [row for batch in disk.batches for row in batch.sites.values()]
    assert [(row.id, row.origin) for row in rows] == [
        (0, "http://a.test"), (1, "http://hop.test"), (2, "http://b.test"), (3, "https://later.test:8443"),
    ]  # fmt: skip


def test_learned_state_is_kept_by_key_bytes_included() -> None:
    recorder, disk, _, _ = made(Learner())
    recorder.event("x", "y")
    recorder.commit()
    assert disk.batches[0].statistics == {"strategy.learner.weights": b"\x01\x02", "strategy.learner.version": 3}


def test_when_a_site_may_be_asked_again_is_written_down() -> None:
    recorder, disk, frontier, clock = made()
    for host in ("held", "closed", "new", "endless"):
        take_up(recorder, frontier, f"http://{host}.test/")
    held, closed, _, endless = (recorder.site(number) for number in range(4))
    frontier.set_aside(frontier.sites[0], 7.0, clock.now())
    frontier.close(frontier.sites[1], "why")
    closed.not_before = clock.wall() + 86400.0
    frontier.set_aside(frontier.sites[3], float("inf"), clock.now())
    recorder.commit()
    rows = disk.batches[0].sites
    assert rows[0].not_before == held.not_before == clock.wall() + 7.0
    assert rows[1].not_before == clock.wall() + 86400.0, "left as it was told"
    assert rows[2].not_before is None, "never asked"
    assert endless.not_before == pytest.approx(clock.wall() + 1e9), "a date that can be written"
