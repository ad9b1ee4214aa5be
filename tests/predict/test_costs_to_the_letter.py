"""The costs of pages against their definition, over random logs of sites."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from dowse.predict import Costs, Exchanged, SiteLog
from tests.predict.cost_formulas import FORMS, Line, Log, clipped

SITES, DIRECTORIES = 3, ("/", "/docs/", "/docs/api/")
MINC, MAXC = 0.02, 40.0
seconds = st.floats(0.001, 20)
sites, directories = st.integers(0, SITES - 1), st.sampled_from(DIRECTORIES)
pages = st.builds(Line, sites, st.just("page"), directories, seconds, seconds, st.integers(0, 2_000_000))
lines = st.one_of(
    pages, pages, st.builds(Line, sites, st.just("head"), latency_s=seconds), st.builds(Line, sites, st.just("failed"))
)
logs = st.lists(lines, max_size=60)


def long_log() -> list[Line]:
    """Of one site more than is remembered in full: a day ago it was quick and its pages were small."""
    old = [Line(0, "page", "/docs/", 0.1, 0.1, 5_000 + n) for n in range(100)]
    new = [Line(0, kind, "/docs/", 2.0, 4.0, 90_000) for kind in ("page", "failed", "page") * 15]
    return [*old, *(Line(0, "head", latency_s=1.0) for _ in range(9)), *new, Line(1, "page", "/", 0.2, 1.0, 700)]


def kept(story: list[Line]) -> tuple[SiteLog, dict[tuple[int, str], int]]:
    log = SiteLog()
    prefixes = {(site, where): log.prefix(site, f"{where}a.html") for site in range(SITES) for where in DIRECTORIES}
    for line in story:
        if line.kind == "head":
            log.learn_latency(line.site, line.latency_s)
        else:
            failed = line.kind == "failed"
            exchanged = Exchanged(line.latency_s, line.download_s, line.size, failed=failed)
            log.learn(line.site, prefixes.get((line.site, line.directory), 0), exchanged)
    return log, prefixes


@pytest.mark.parametrize("form", FORMS)
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(story=logs, wait_s=st.floats(0, 30), told=st.integers(0, 10**8))
@example(story=long_log(), wait_s=1.0, told=50_000)
@example(story=[Line(0, "failed")] * 80, wait_s=0.0, told=0)
@example(story=[], wait_s=1.0, told=20_000)
def test_a_cost_is_what_the_definition_says(form: str, story: list[Line], wait_s: float, told: int) -> None:
    """Of pages whose size is guessed by where they lie, and of one whose size a HEAD has told."""
    log, prefixes = kept(story)
    costs, literal = Costs(log, MINC, MAXC, robust=form == "robust"), Log(story)
    for site in range(SITES):
        found = costs.of_pages(site, np.array([prefixes[site, where] for where in DIRECTORIES]), wait_s)
        sizes = [literal.size(site, where) for where in DIRECTORIES]
        expected = [clipped(FORMS[form](literal, site, size, wait_s), MINC, MAXC) for size in sizes]
        assert found.tolist() == pytest.approx(expected)
        for size in (told, *sizes):
            expected_of_it = clipped(FORMS[form](literal, site, size, wait_s), MINC, MAXC)
            assert costs.of_page(site, size, wait_s) == pytest.approx(expected_of_it)


@pytest.mark.parametrize("form", FORMS)
def test_the_long_log_tells_the_forms_apart(form: str) -> None:
    """So that the test above cannot pass by clipping everything, or by weighing all lines alike."""
    log, prefixes = kept(long_log())
    [found] = Costs(log, MINC, MAXC, robust=form == "robust").of_pages(0, np.array([prefixes[0, "/docs/"]]), 1.0)
    literal = Log(long_log())
    expected = {name: each(literal, 0, literal.size(0, "/docs/"), 1.0) for name, each in FORMS.items()}
    assert MINC < found < MAXC
    assert found == pytest.approx(expected[form])
    assert expected["robust"] > expected["paper"] + 1
    whole = Log(long_log()[:64])
    assert FORMS[form](whole, 0, whole.size(0, "/docs/"), 1.0) < found / 2
