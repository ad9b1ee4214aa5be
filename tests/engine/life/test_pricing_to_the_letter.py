"""The priority V/C of a page against its definition, over random stories of GET and HEAD at a few sites."""

from __future__ import annotations

from dataclasses import replace
from typing import cast

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dowse.engine.life.pricing import Pricing
from dowse.frontier.frontier import Frontier
from dowse.model.http import Failure, FailureKind, Response, Timings
from dowse.model.topic import Cost, StrategyChoice, Topic
from dowse.predict import build_strategy
from tests.predict.cost_formulas import FORMS, Line, Log, clipped

URLS = [f"http://{host}.test/{where}" for host in "abc" for where in ("docs/1.html", "docs/2.html", "film.pdf")]
DIRECTORIES = ("/docs/ html", "/docs/ html", "/ pdf")
CHOICE = StrategyChoice("weighted", maximise="efficiency")
MINC, MAXC, DELAY_S = 0.05, 30.0, 2.0
numbers = st.integers(0, len(URLS) - 1)
times = st.floats(0.001, 9)
stories = st.lists(
    st.tuples(numbers, st.sampled_from(["page", "head", "failed"]), times, times, st.integers(0, 3_000_000)),
    max_size=30,
)


def answered(url: str, line: Line) -> Response | Failure:
    timings = Timings(first_byte_s=line.latency_s, total_s=line.latency_s + line.download_s)
    if line.kind == "failed":
        return Failure(url, FailureKind.TIMEOUT, "no answer", timings=timings)
    return Response(url, 200, (), wire_bytes=line.size, timings=timings)


@pytest.mark.parametrize("form", FORMS)
@settings(max_examples=50, deadline=None)
@given(story=stories, sizes=st.dictionaries(numbers, st.integers(0, 10**7)), value=st.floats(0.01, 5))
def test_a_priority_is_the_value_over_the_cost(
    form: str, story: list[tuple[int, str, float, float, int]], sizes: dict[int, int], value: float
) -> None:
    """``sizes``: of pages that a HEAD has told of, after all the rest."""
    frontier = Frontier(delay_s=DELAY_S)
    pricing = Pricing(frontier, replace(Topic(cost=Cost(form, MINC, MAXC)), strategy=CHOICE))
    ids = frontier.add(URLS, frontier.fingerprints(URLS), depth=1, parent=0, priorities=np.ones(len(URLS)), now=0.0)
    sites = np.array([frontier.site_of_url(url).id for url in URLS])
    pricing.met(ids, URLS, sites)
    lines = []
    for number, kind, latency_s, download_s, size in story:
        site, url = frontier.site_of_url(URLS[number]), URLS[number]
        line = Line(number // 3, kind, DIRECTORIES[number % 3], latency_s, download_s, size)
        if kind == "head":
            pricing.timed(site, cast(Response, answered(url, replace(line, download_s=0.0, size=0))))
        else:
            pricing.learn(site, int(ids[number]), answered(url, line))
        lines.append(line)
    log = Log(lines)
    found = pricing.priorities(ids, sites, np.full(len(URLS), value))
    strategy = build_strategy(CHOICE, seed_number=0)
    for number in range(len(URLS)):
        guessed = log.size(number // 3, DIRECTORIES[number % 3])
        cost = clipped(FORMS[form](log, number // 3, guessed, DELAY_S), MINC, MAXC)
        assert found[number] == pytest.approx(value / cost)
        told = pricing.explain(int(ids[number]), strategy).features
        assert told["expected bytes"][0] == pytest.approx(guessed)
        assert told["expected seconds"][0] == pytest.approx(cost)
    for number, size in sizes.items():
        cost = clipped(FORMS[form](log, number // 3, size, DELAY_S), MINC, MAXC)
        assert pricing.sized(int(ids[number]), size) == pytest.approx(value / cost)
    again = pricing.priorities(ids, sites, np.full(len(URLS), value))
    for number, size in sizes.items():
        cost = clipped(FORMS[form](log, number // 3, size, DELAY_S), MINC, MAXC)
        assert again[number] == pytest.approx(value / cost), "a size that was told stays known"
