from __future__ import annotations

from pathlib import Path

import pytest

from dowse.model.batch import Batch
from dowse.model.budget import Spent
from dowse.model.errors import StoreError
from dowse.model.records import CandidateRow, CandidateState
from dowse.store import CrawlStore
from tests.store.made import SETTINGS, WALL, batch, candidates, page, rows, url


def test_what_a_forecast_learns_from_comes_back_in_order(folder: Path) -> None:
    with CrawlStore.create(folder, SETTINGS, WALL) as store:
        assert (store.value(), store.last_fetches(5)) == (0.0, [])
        failed = batch(5, 1)
        failed.pages = [page(5, outcome="failed", score=None, relevant=None)]
        for made in (batch(0), failed, batch(6, 2)):
            store.commit(made)
        assert store.value() == pytest.approx(0.1 + 0.2 + 0.3 + 0.4 + 0.6 + 0.7)
        assert store.last_fetches(4) == [
            (1 / 5, True, 0.4),
            (1 / 6, False, 0.0),
            (1 / 7, True, 0.6),
            (1 / 8, False, 0.7),
        ]


def test_states_and_priorities_change_and_lost_leases_wait_again(folder: Path) -> None:
    with CrawlStore.create(folder, {}, WALL) as store:
        store.commit(Batch(candidates=[CandidateRow(n, url(n), 0, 0, None, 0.5) for n in range(4)]))
        states = {0: (CandidateState.LEASED, "", 1), 3: (CandidateState.REFUSED, "robots", 2)}
        store.commit(Batch(priorities={2: 0.75, 1: -3.0}, states=states))
        found = [(row.priority, row.state, row.attempts) for row in candidates(store)]
    assert found == [
        (0.5, CandidateState.WAITING, 0),  # an attempt lost to a crash does not count
        (-3.0, CandidateState.WAITING, 0),
        (0.75, CandidateState.WAITING, 0),
        (0.5, CandidateState.REFUSED, 2),
    ]
    shown = rows(folder, "SELECT state, reason FROM candidate_states ORDER BY id")
    assert shown == [("leased", ""), ("waiting", ""), ("waiting", ""), ("refused", "robots")]


def test_a_gap_in_the_candidates_is_noticed(folder: Path) -> None:
    with CrawlStore.create(folder, {}, WALL) as store:
        store.commit(Batch(candidates=[CandidateRow(n, url(n), 0, 0, None, 0.5) for n in (0, 2)]))
        with pytest.raises(StoreError, match="damaged"):
            candidates(store)


def test_signatures_leave_out_duplicates_and_short_pages_and_follow_the_order_of_recording(folder: Path) -> None:
    with CrawlStore.create(folder, {}, WALL) as store:
        store.commit(Batch(pages=[page(9), page(8, duplicate_of=9), page(7, signature=0)]))
        store.commit(Batch(pages=[page(1)]))
        assert [id for id, _, _ in store.signatures()] == [9, 1]


def test_spent_takes_the_ledger_where_it_is_ahead(folder: Path) -> None:
    with CrawlStore.create(folder, {}, WALL) as store:
        store.commit(Batch(spent=Spent(pages=10, bytes=500, seconds=9.0, requests=12)))
        store.note_spent(Spent(pages=11, bytes=400, seconds=9.5, requests=14))
    with CrawlStore.open(folder) as store:
        assert store.spent() == Spent(pages=10, bytes=500, seconds=9.5, requests=14)
