"""Places without a relevant page: how many of their URLs are still taken up."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dowse.frontier.fruitless import Fruitless
from dowse.frontier.traps import GrowthRules
from dowse.model.topic import Traps


def taken(rules: GrowthRules, count: int, *, kind: str = "day") -> list[int]:
    """Which of so many new URLs are taken up."""
    urls = [f"https://e.org/{kind}/{number}" for number in range(count)]
    return [at for at, url in enumerate(urls) if rules.admit(0, url, None, 0, False).rule is None]


@pytest.mark.parametrize(("pages", "share"), [(0, 1.0), (63, 1.0), (64, 0.5), (127, 0.5), (128, 0.25), (320, 1 / 32)])
def test_with_each_64_pages_without_a_relevant_one_half_as_many_urls_of_a_pattern_come_in(
    pages: int, share: float
) -> None:
    rules = GrowthRules(Traps(max_per_pattern=0))
    for number in range(pages):
        rules.judged(0, f"https://e.org/day/{1000 + number}", relevant=False)
    assert len(taken(rules, 4_000)) == pytest.approx(4_000 * share, rel=0.25)
    assert len(taken(rules, 100, kind="story")) == 100, "another pattern of the site"


@pytest.mark.parametrize(("pages", "share"), [(191, 1.0), (192, 0.5), (256, 0.25), (448, 1 / 32)])
def test_urls_that_wait_are_left_out_later_than_new_ones_and_just_as_surely(pages: int, share: float) -> None:
    rules = GrowthRules(Traps(max_per_pattern=0))
    for number in range(pages):
        rules.judged(0, f"https://e.org/day/{10_000 + number}", relevant=False)
    by_now = [rules.rule_by_now(0, f"https://e.org/day/{number}") for number in range(4_000)]
    assert by_now.count(None) == pytest.approx(4_000 * share, rel=0.25)
    assert set(by_now) <= {None, "fruitless-pattern"}
    assert rules.rule_by_now(0, "https://e.org/about") is None, "it shares its pattern with no other"


def test_a_relevant_page_opens_the_place_again() -> None:
    rules = GrowthRules(Traps())
    for number in range(200):
        rules.judged(0, f"https://e.org/day/{1000 + number}", relevant=False)
    assert len(taken(rules, 100)) < 30
    rules.judged(0, "https://e.org/day/1", relevant=True)
    assert len(taken(rules, 100)) == 100


@pytest.mark.parametrize("others", [0, 1])
def test_a_site_is_given_less_after_a_thousand_pages_whatever_their_urls_if_there_are_others(others: int) -> None:
    rules = GrowthRules(Traps())
    for site in range(others + 1):
        rules.count(site, f"https://{site}.org/")
    for number in range(1_024):
        rules.judged(0, f"https://e.org/{chr(0x4E00 + number)}", relevant=False)
    urls = [f"https://e.org/x{chr(0x4E00 + number)}" for number in range(1_000)]
    answers = [rules.admit(0, url, None, 0, False).rule for url in urls]
    assert set(answers) == ({None, "fruitless-host"} if others else {None})
    assert answers.count(None) == pytest.approx(500 if others else 1_000, rel=0.2)
    assert rules.admit(2, "https://f.org/", None, 0, False).rule is None


def test_without_a_limit_of_runs_nothing_is_left_out() -> None:
    rules = GrowthRules(Traps(max_pattern_run=0))
    for number in range(5_000):
        rules.judged(0, f"https://e.org/day/{number}", relevant=False)
    assert len(taken(rules, 100)) == 100


@given(
    st.lists(st.tuples(st.integers(0, 2), st.integers(0, 4), st.booleans()), max_size=80), st.integers(1, 4),
    st.integers(0, 80),
)  # fmt: skip
def test_counts_are_those_since_the_last_relevant_page_also_after_a_stop(
    pages: list[tuple[int, int, bool]], run: int, stop: int
) -> None:
    places, told = Fruitless(run), list[tuple[int, int, bool]]()
    for at, (site, pattern, relevant) in enumerate(pages):
        if at == stop:
            states = {number: json.loads(json.dumps(places.state(number))) for number in range(3)}
            places = Fruitless(run)
            for number, state in states.items():
                places.load(number, state)
        places.judged(site, pattern, relevant)
        told.append((site, pattern, relevant))
    for site in range(3):
        for pattern in range(1, 5):
            of_site = since([page for page in told if page[0] == site])
            of_pattern = since([page for page in told if page[:2] == (site, pattern)])
            left = [places.rule_against(site, pattern, f"http://{number}.test/") for number in range(64)]
            if of_pattern >= 2 * run:
                assert "fruitless-pattern" in left
            else:
                assert set(left) == {None} or of_site >= 32 * run


def since(pages: list[tuple[int, int, bool]]) -> int:
    """How many pages there are after the last relevant one."""
    last = max((at for at, page in enumerate(pages) if page[2]), default=-1)
    return len(pages) - 1 - last


def test_only_the_latest_patterns_of_a_site_are_known() -> None:
    places = Fruitless(1)
    for pattern in range(1, 2_000):
        places.judged(0, pattern, False)
    assert len(places.state(0)) <= 256
    assert places.state(0)["0"] == 1_999
    assert "1999" in places.state(0)
