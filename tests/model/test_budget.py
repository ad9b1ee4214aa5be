from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from dowse.model.budget import Budget, Purse, Spent, parse_budget, parse_duration, parse_size
from dowse.model.errors import TopicError


@pytest.mark.parametrize(
    ("text", "budget"),
    [
        ("2000p", Budget(pages=2000)),
        ("2000 pages , 3000 requests", Budget(pages=2000, requests=3000)),
        ("1.5GB", Budget(bytes=1_500_000_000)),
        ("0.1KB", Budget(bytes=100)),
        ("2MiB,90s", Budget(bytes=2 * 2**20, seconds=90.0)),
        ("0.3s", Budget(seconds=0.3)),
        ("1.1h", Budget(seconds=3960.0)),
        ("2d", Budget(seconds=172_800.0)),
        ("5B,10m,7r,1p", Budget(1, 5, 600.0, 7)),
        ("999999999999999999B", Budget(bytes=999_999_999_999_999_999)),
    ],
)
def test_a_budget_is_read_exactly(text: str, budget: Budget) -> None:
    assert parse_budget(text) == budget


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is not a budget"),
        ("100", "'100' is not a budget: write 2000p (pages)"),
        ("-5p", "is not a budget"),
        ("5q", "unknown unit"),
        ("0p", "leaves nothing to spend"),
        ("0.0s", "leaves nothing to spend"),
        ("1.5p", "not a whole number of pages"),
        ("0.5B", "not a whole number of bytes"),
        ("5p,6p", "limits pages twice"),
        ("5p,", "'' is not a budget"),
        ("500M", "may mean megabytes or minutes: write 500MB or 500m"),
        ("9" * 400 + "p", "is not a budget"),
        ("9" * 400 + "h", "is not a budget"),
        ("٣p", "is not a budget"),
    ],
)
def test_what_is_no_budget_says_what_to_write(text: str, message: str) -> None:
    with pytest.raises(TopicError) as caught:
        parse_budget(text)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("text", "seconds"), [("90", 90.0), ("0", 0.0), ("1.5h", 5400.0), (" 2 min ", 120.0), ("1e2", 100.0), ("0.1s", 0.1)]
)
def test_durations(text: str, seconds: float) -> None:
    assert parse_duration(text) == seconds


@pytest.mark.parametrize("text", ["", "soon", "-1", "nan", "inf", "5 p", "9" * 400 + "h", "9" * 400])
def test_no_duration(text: str) -> None:
    with pytest.raises(TopicError, match="is not a length of time"):
        parse_duration(text)


def test_sizes() -> None:
    assert [parse_size(text) for text in ("20MB", "1.5 KB", "2GiB", "500")] == [20_000_000, 1500, 2**31, 500]
    for text in ("", "0", "-1", "5p", "MB", "0.5B"):
        with pytest.raises(TopicError, match="is not a size"):
            parse_size(text)


budgets = st.builds(
    Budget,
    st.none() | st.integers(1, 10**9),
    st.none() | st.integers(1, 10**15),
    st.none() | st.integers(1, 10**9).map(lambda n: n / 1000),
    st.none() | st.integers(1, 10**9),
)


@given(budgets, budgets)
def test_text_and_merging(one: Budget, other: Budget) -> None:
    if one != Budget():
        assert parse_budget(str(one)) == one
    merged = one.over(other)
    for name in ("pages", "bytes", "seconds", "requests"):
        mine = getattr(one, name)
        assert getattr(merged, name) == (getattr(other, name) if mine is None else mine)
    assert str(Budget()) == "none"


class Spenders(RuleBasedStateMachine):
    """Many requests at once, in any interleaving; what really left and arrived is counted outside the purse."""

    def __init__(self) -> None:
        super().__init__()
        self.budget = Budget(pages=7, bytes=20_000, seconds=50.0, requests=12)
        self.purse = Purse(self.budget, Spent(pages=1, bytes=500, seconds=3.0, requests=2))
        self.now = 100.0
        self.purse.start(self.now)
        self.sent, self.kept, self.read = 2, 1, 500
        self.open: list[int] = []  # granted bytes not yet read, a request each

    @rule(seconds=st.floats(0, 9))
    def time_passes(self, seconds: float) -> None:
        self.now += seconds
        self.purse.tick(self.now)

    @rule()
    def page_request(self) -> None:
        if self.purse.reserve(page=True):
            assert self.now - 100.0 + 3.0 < 50.0
            self.sent += 1
            self.open.append(0)

    @rule()
    def robots_request(self) -> None:
        if self.purse.reserve(page=False):
            self.sent += 1

    @precondition(lambda self: self.open)
    @rule(which=st.integers(0, 11), wanted=st.integers(1, 30_000))
    def read_some(self, which: int, wanted: int) -> None:
        granted = self.purse.grant(wanted)
        assert 0 <= granted <= wanted
        self.open[which % len(self.open)] += granted
        self.read += granted

    @precondition(lambda self: self.open)
    @rule(which=st.integers(0, 11), kept=st.booleans())
    def finish(self, which: int, kept: bool) -> None:
        self.open.pop(which % len(self.open))
        self.kept += kept
        self.purse.page_over(kept=kept)

    @invariant()
    def no_limit_is_passed(self) -> None:
        assert self.sent <= 12
        assert self.kept + len(self.open) <= 7
        assert self.read <= 20_000
        assert (self.purse.spent.requests, self.purse.spent.pages, self.purse.spent.bytes) == (
            self.sent,
            self.kept,
            self.read,
        )

    @invariant()
    def an_exhausted_purse_lets_nothing_out(self) -> None:
        if self.purse.exhausted() is not None:
            assert not self.purse.reserve(page=True)
            assert not self.purse.reserve(page=False)


TestSpenders = Spenders.TestCase
TestSpenders.settings = settings(max_examples=60, stateful_step_count=40, deadline=None)


def test_the_limit_that_ended_it_is_named() -> None:
    for name in ("pages", "bytes", "seconds", "requests"):
        limit: dict[str, int] = {name: 3}
        purse = Purse(Budget(**limit), Spent(**limit))
        assert purse.exhausted() == name
    assert Purse(Budget()).exhausted() is None


def test_a_page_that_was_not_kept_frees_its_place() -> None:
    purse = Purse(Budget(pages=1))
    assert purse.reserve(page=True)
    assert not purse.reserve(page=True)
    assert purse.exhausted() is None  # not for good: the page may fail
    purse.page_over(kept=False)
    assert purse.reserve(page=True)
    purse.page_over(kept=True)
    assert purse.exhausted() == "pages"


def test_bytes_are_granted_to_the_last_one() -> None:
    purse = Purse(Budget(bytes=100_000))
    noted: list[int] = []
    purse.on_bytes = lambda: noted.append(purse.spent.bytes)
    assert [purse.grant(40_000) for _ in range(4)] == [40_000, 40_000, 20_000, 0]
    assert noted == [40_000, 80_000, 100_000, 100_000]
    assert purse.exhausted() == "bytes"
    assert Purse(Budget()).grant(10**9) == 10**9


def test_time_is_counted_over_all_runs_and_never_backwards() -> None:
    purse = Purse(Budget(seconds=10), Spent(seconds=4.0))
    purse.tick(1e9)  # before the start nothing is counted
    assert purse.seconds_left() == 6.0
    purse.start(50.0)
    purse.tick(49.0)
    assert purse.spent.seconds == 4.0
    purse.tick(56.0)
    assert (purse.seconds_left(), purse.exhausted()) == (0.0, "seconds")
    assert Purse(Budget()).seconds_left() is None


def test_a_budget_that_began_to_count_later_is_told_as_it_was_given() -> None:
    before = Spent(pages=1000, bytes=70_000, seconds=12.3, requests=1100)
    spent = Spent(pages=1002, bytes=70_300, seconds=22.3, requests=1103)
    purse = Purse(Budget(pages=1010, seconds=12.3 + 40), spent, before=before)
    assert purse.own_budget == Budget(pages=10, seconds=40.0)
    assert purse.shares_left() == {"pages": 0.8, "seconds": pytest.approx(0.75)}
    assert Purse(Budget(pages=4), Spent(pages=1)).shares_left() == {"pages": 0.75}
    assert Purse(Budget(pages=4), Spent(pages=5)).shares_left() == {"pages": 0.0}
    assert Purse(Budget()).shares_left() == {}
