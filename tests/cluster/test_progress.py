"""The figures of several shards as one."""

from __future__ import annotations

import json
from dataclasses import replace

from dowse.cluster.progress import NOTHING, figures_of, progress_from, sum_of
from dowse.model.budget import Budget


def test_sums_and_shares() -> None:
    one = replace(
        NOTHING, elapsed_s=3.0, pages=50, relevant=10, harvest_now=0.2, pages_per_s=5.0, requests=60, bytes=10,
        outcomes={"fetched": 50}, best_sites=[("a.test", 9, 20), ("b.test", 1, 30)], waits_for="1 answer",
    )  # fmt: skip
    other = replace(
        NOTHING, elapsed_s=4.0, pages=150, relevant=30, harvest_now=0.5, pages_per_s=7.0, requests=160, bytes=30,
        outcomes={"fetched": 150, "failed": 2}, best_sites=[("c.test", 5, 10)], waits_for="nothing",
    )  # fmt: skip
    both = sum_of([one, other], Budget(pages=400, seconds=8.0))
    assert (both.pages, both.relevant, both.harvest, both.pages_per_s) == (200, 40, 0.2, 12.0)
    assert both.harvest_now == (0.2 * 50 + 0.5 * 100) / 150, "over the last hundred pages of each, at most"
    assert both.outcomes == {"fetched": 200, "failed": 2}
    assert both.best_sites == [("a.test", 9, 20), ("c.test", 5, 10), ("b.test", 1, 30)]
    assert both.budget_left == {"pages": 0.5, "seconds": 0.5}
    assert both.waits_for == "shards 0: 1 answer; 1: nothing"


def test_they_travel_as_json() -> None:
    one = replace(NOTHING, pages=3, best_sites=[("a.test", 1, 2)])
    back = progress_from(json.loads(json.dumps(figures_of(one))))
    assert replace(back, best_sites=[tuple(site) for site in back.best_sites]) == one  # type: ignore[misc]
    assert sum_of([back], Budget()).best_sites == [("a.test", 1, 2)]
