from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dowse.predict import Costs, Exchanged, SiteLog
from dowse.predict.costs import path_prefix

times = st.floats(0.001, 30)
exchanges = st.lists(
    st.tuples(st.integers(0, 3), st.builds(Exchanged, times, times, st.integers(0, 10**6), st.booleans())), max_size=50
)


def numbers(*values: int) -> np.ndarray:
    return np.array(values, np.int64)


@settings(max_examples=60, deadline=None)
@given(story=exchanges)
def test_estimates_are_means_shrunk_to_the_mean_of_all(story: list[tuple[int, Exchanged]]) -> None:
    """With fewer exchanges than are remembered, against the sums written out."""
    log = SiteLog()
    for site, exchanged in story:
        log.learn(site, 0, exchanged)
    answers = [exchanged for _, exchanged in story if not exchanged.failed]
    latency = (0.3 + sum(each.latency_s for each in answers)) / (1 + len(answers))
    failures = sum(each.failed for _, each in story) / (1 + len(story))
    for site in range(4):
        own = [each for number, each in story if number == site and not each.failed]
        asked = [each for number, each in story if number == site]
        expected = (sum(each.latency_s for each in own) + 3 * latency) / (len(own) + 3)
        found = log.of(site)
        assert found.latency_s == pytest.approx(expected)
        failed = sum(each.failed for each in asked)
        assert found.failure_rate == pytest.approx((failed + 3 * failures) / (len(asked) + 3))
        assert found.bytes_per_s > 0
        assert found.size / found.bytes_per_s == pytest.approx(found.download_s)


@settings(max_examples=30, deadline=None)
@given(story=exchanges, heads=st.lists(st.tuples(st.integers(0, 3), times), max_size=20))
def test_a_head_tells_of_latency_and_of_nothing_else(
    story: list[tuple[int, Exchanged]], heads: list[tuple[int, float]]
) -> None:  # fmt: skip
    log, without = SiteLog(), SiteLog()
    for site, exchanged in story:
        log.learn(site, 0, exchanged)
        without.learn(site, 0, exchanged)
    for site, latency_s in heads:
        log.learn_latency(site, latency_s)
    told = [(site, each.latency_s) for site, each in story if not each.failed] + heads
    usual = (0.3 + sum(latency_s for _, latency_s in told)) / (1 + len(told))
    for site in range(4):
        own = [latency_s for number, latency_s in told if number == site]
        assert log.of(site).latency_s == pytest.approx((sum(own) + 3 * usual) / (len(own) + 3))
        assert log.of(site)[1:] == without.of(site)[1:]
    assert log.usual_s() == without.usual_s()


def test_what_is_recent_counts_more() -> None:
    log = SiteLog()
    for _ in range(200):
        log.learn(0, 0, Exchanged(0.1, 0.1, 1000))
    for _ in range(100):
        log.learn(0, 0, Exchanged(5.0, 0.1, 1000))
    assert log.of(0).latency_s > 3.0
    for _ in range(200):
        log.learn(0, 0, Exchanged(0.1, 0.1, 1000))
    assert log.of(0).latency_s < 0.6


def test_sizes_are_learned_by_prefix_and_shrunk_to_the_site() -> None:
    log = SiteLog()
    large, small, unseen = (log.prefix(1, path) for path in ("/papers/a.pdf", "/notes/b.html", "/misc/c"))
    assert log.prefix(1, "/papers/z.pdf") == large
    assert log.prefix(2, "/papers/a.pdf") != large
    for _ in range(30):
        log.learn(1, large, Exchanged(0.1, 1.0, 1_000_000))
        log.learn(1, small, Exchanged(0.1, 0.1, 10_000))
    sizes = [*log.sizes(numbers(large, small, unseen), log.of(1).size), *log.sizes(numbers(0), log.of(7).size)]
    assert sizes[0] > 900_000
    assert sizes[1] < 100_000
    assert 400_000 < sizes[2] < 600_000, "as usual at the site"
    assert 400_000 < sizes[3] < 600_000, "as usual anywhere"


def test_one_slow_site_does_not_change_what_is_usual() -> None:
    log = SiteLog()
    for _ in range(50):
        log.learn(0, 0, Exchanged(0.05, 0.05, 1000))
        log.learn(1, 0, Exchanged(5.0, 5.0, 1000))
    assert log.usual_s() < 1.5
    assert log.of(1).takes_s > 9
    assert log.of(0).takes_s < 0.5


def test_costs_in_both_forms() -> None:
    log = SiteLog()
    for _ in range(2000):
        log.learn(0, 0, Exchanged(0.5, 1.0, 100_000))
    assert Costs(log, 0.05, 60, robust=False).of_page(0, 200_000, 1.0) == pytest.approx(2.0, rel=0.01)
    assert Costs(log, 0.05, 60, robust=True).of_page(0, 200_000, 1.0) == pytest.approx(3.5, rel=0.01)
    assert Costs(log, 0.05, 1.5, robust=False).of_page(0, 200_000, 1.0) == 1.5
    assert Costs(log, 5.0, 60, robust=False).of_page(0, 200_000, 1.0) == 5.0
    both = Costs(log, 0.05, 60, robust=True)
    assert both.of_pages(0, numbers(0, 0), 1.0).tolist() == [pytest.approx(both.of_page(0, None, 1.0))] * 2


def test_a_failing_site_costs_more() -> None:
    log = SiteLog()
    for _ in range(40):
        log.learn(0, 0, Exchanged(0.2, 0.1, 10_000))
        log.learn(1, 0, Exchanged(0.2, 0.1, 10_000))
        log.learn(1, 0, Exchanged(0, 0, 0, failed=True))
    costs = Costs(log, 0.01, 60, robust=True)
    assert costs.of_page(1, 1e4, 0.0) > 1.4 * costs.of_page(0, 1e4, 0.0)


def test_prefixes_have_an_end() -> None:
    log = SiteLog()
    made = {log.prefix(0, f"/{n}/x/") for n in range(100_010)}
    assert len(made) == 100_001
    assert 0 in made


@pytest.mark.parametrize("path", ["/", "", "/a.b.c/d", "/x.html#", "/?q=/a/b/c.pdf", "//", "/é/ü.pdf"])
def test_every_path_has_a_prefix(path: str) -> None:
    assert path_prefix(path).count(" ") >= 1
    assert math.isfinite(len(path_prefix(path)))
