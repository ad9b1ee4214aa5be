"""The simulation of many shards, a small one: it checks itself."""

from __future__ import annotations

import argparse

import numpy as np
import pytest
from bench.simulation import Web, simulate


def test_every_url_of_its_web_is_linked_to() -> None:
    web = Web(3_000, 50, 2)
    links = web.links_of(np.arange(web.urls))
    seen, level = {0}, np.zeros(1, np.int64)
    while len(level):
        level = np.array(sorted(set(web.links_of(level).tolist()) - seen), np.int64)
        seen.update(level.tolist())
    assert seen == set(range(web.urls))
    assert set(links.tolist()) <= seen


@pytest.mark.parametrize("deaths", [0.0, 0.01])
def test_what_it_promises_holds(deaths: float) -> None:
    told = simulate(argparse.Namespace(
        urls=3_000, urls_a_site=60, shards=5, links=2, pages_per_s=100, deaths=deaths, ground="sqlite"
    ))  # fmt: skip
    assert (told["deaths"] > 0) == (deaths > 0)
    assert told["letters_a_page"] > 1.0
