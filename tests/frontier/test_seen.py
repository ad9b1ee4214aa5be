from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from dowse.frontier.candidates import Candidates, orders_of
from dowse.frontier.frontier import Frontier
from dowse.frontier.seen import ENDED, GONE, NEW, WAITS, look_up, look_up_plainly
from dowse.frontier.table import Table
from dowse.model.records import CandidateState
from dowse.model.url import fingerprint
from tests.compiled import needs_core

KEYS = st.integers(2**64 - 40, 2**64 - 1) | st.integers(1, 60) | st.integers(1, 2**64 - 1)  # some in one another's way


@needs_core
@settings(deadline=None)
@given(st.lists(st.tuples(KEYS, st.floats(allow_nan=False), st.integers(0, 255)), unique_by=lambda row: row[0]),
       st.lists(KEYS | st.just(0)), st.binary(min_size=256, max_size=256))  # fmt: skip
def test_compiled_or_not_the_same_is_known(
    rows: list[tuple[int, float, int]], asked: list[int], kinds: bytes
) -> None:  # fmt: skip
    table, candidates = Table(capacity=4), Candidates(capacity=8)
    keys = [key for key, _, _ in rows]
    zeros = np.zeros(len(rows), np.int64)
    ids = candidates.extend(["/"] * len(rows), zeros, 0, 0, 0, orders_of(np.array([row[1] for row in rows])))
    candidates.state[ids] = [row[2] for row in rows]
    table.add(np.array(keys, np.uint64), ids)
    wanted = np.array([*keys, *asked], np.uint64)
    one, other = (found(table, candidates, kinds, wanted) for found in (look_up, look_up_plainly))
    assert one.ids.tolist() == other.ids.tolist()
    assert one.priorities.tobytes() == other.priorities.tobytes()
    assert one.standing.tolist() == other.standing.tolist()


def test_what_is_known_of_links() -> None:
    frontier = Frontier(delay_s=0.0)
    urls = [f"http://a.example/{name}" for name in "abcd"]
    prints = np.array([fingerprint(url) for url in [*urls, "http://a.example/new"]], np.uint64)
    frontier.add(urls, prints[:4], depth=0, parent=-1, priorities=np.array([4.0, 3.0, 2.0, 1.0]), now=0.0)
    for site in frontier.sites:
        frontier.set_address(site, None)
        frontier.open(site)
    for state in (CandidateState.FETCHED, CandidateState.FAILED, None):
        lease = frontier.next(0.0)
        assert lease is not None
        frontier.release(lease, 0.0)
        if state is not None:
            frontier.finish(lease.candidate, state)
        else:
            frontier.retry(lease.candidate, at=9.0, now=0.0)
    seen = frontier.look_up(prints)
    assert seen.ids.tolist() == [0, 1, 2, 3, -1]
    assert seen.priorities[:4].tolist() == [4.0, 3.0, 2.0, 1.0]
    assert np.isnan(seen.priorities[4])
    assert seen.standing.tolist() == [GONE, ENDED, WAITS, WAITS, NEW]
