from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dowse.lab.measure.charge import Charge
from dowse.model.topic import Cost, Politeness, Topic
from dowse.predict import Costs, Exchanged, SiteLog

MINC, MAXC = 0.5, 20.0
SITES = [(0.1, 90_000, 30_000), (2.0, 9_000, 1e6), (1.0, 4e6, 5e3)]


def charge(form: str, delay_s: float = 1.0) -> Charge:
    return Charge.of(Topic(cost=Cost(form, MINC, MAXC), politeness=Politeness(delay_s=delay_s)))


@given(st.floats(0, 100), st.floats(0, 100), st.floats(0, 60))
def test_charges_are_the_formulas(latency_s: float, download_s: float, delay_s: float) -> None:
    paper = MINC if download_s < MINC else MAXC if download_s > MAXC else download_s
    assert charge("paper", delay_s).seconds(latency_s, download_s) == paper
    whole = latency_s + download_s + delay_s
    assert charge("robust", delay_s).seconds(latency_s, download_s) == pytest.approx(min(max(whole, MINC), MAXC))


@pytest.mark.parametrize("form", ["paper", "robust"])
@pytest.mark.parametrize(("latency_s", "size", "bytes_per_s"), SITES)
def test_what_is_charged_is_what_a_crawl_divides_by(
    form: str, latency_s: float, size: float, bytes_per_s: float
) -> None:  # fmt: skip
    """Once it knows a site, the crawl expects what the site then is charged."""
    log = SiteLog()
    for _ in range(5_000):
        log.learn(0, 0, Exchanged(latency_s, size / bytes_per_s, int(size)))
    expected = Costs(log, MINC, MAXC, robust=form == "robust").of_page(0, size, 1.0)
    assert expected == pytest.approx(charge(form).seconds(latency_s, size / bytes_per_s), rel=0.01)
